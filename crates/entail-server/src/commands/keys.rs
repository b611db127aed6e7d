//! `entail keys`

use std::process::ExitCode;

use entail_store::{ApiKey, Store};
use uuid::Uuid;

use crate::{
    auth::{Token, scopes_text},
    cli::KeysCommand,
    clock,
    commands::{Failure, print, store_options},
    config::Config,
    logging,
};

/// Makes, lists or revokes keys.
pub(crate) async fn run(config: &Config, command: KeysCommand) -> Result<ExitCode, Failure> {
    logging::start(&config.settings.log)?;
    let store = Store::open(&store_options(config)).await?;
    if !config.settings.no_migrate {
        store.migrate().await?;
    }
    let told = match command {
        KeysCommand::Create {
            name,
            tenant,
            scope,
            model,
        } => {
            let token = Token::new();
            let key = key(&token, name, tenant, &scopes_text(&scope), model);
            if !store.put_api_key(&key).await? {
                return Err(Failure::Other(
                    "the key exists already; try again".to_owned(),
                ));
            }
            format!("{}\n{}\n", key.id, token.text())
        }
        KeysCommand::List { tenant } => {
            let keys = store.api_keys(tenant.as_deref()).await?;
            keys.iter().map(line).collect()
        }
        KeysCommand::Revoke { id } => revoke(&store, id).await?,
    };
    store.close().await?;
    print(&told)
}

async fn revoke(store: &Store, id: Uuid) -> Result<String, Failure> {
    let key = store.api_key(id).await?;
    let key = key.ok_or_else(|| Failure::Other(format!("there is no key `{id}`")))?;
    if store.revoke_api_key(&key.tenant, id, clock::now()).await? {
        Ok(format!("revoked {id}\n"))
    } else {
        Err(Failure::Other(format!("the key `{id}` was revoked before")))
    }
}

/// A key as it is kept.
pub(super) fn key(
    token: &Token,
    name: String,
    tenant: String,
    scopes: &str,
    model: Option<String>,
) -> ApiKey {
    ApiKey {
        tenant,
        id: token.id(),
        name,
        secret: token.secret(),
        scopes: scopes.to_owned(),
        model,
        created_at: clock::now(),
        revoked_at: None,
    }
}

/// One key in a list: id, tenant, scopes, model, when it was made, whether it is in force, name.
fn line(key: &ApiKey) -> String {
    let state = match key.revoked_at {
        None => "in force".to_owned(),
        Some(at) => format!("revoked {at}"),
    };
    let model = key.model.as_deref().unwrap_or("-");
    format!(
        "{}\t{}\t{}\t{model}\t{}\t{state}\t{}\n",
        key.id, key.tenant, key.scopes, key.created_at, key.name
    )
}
