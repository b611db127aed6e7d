//! `entail keys`

use std::{collections::BTreeSet, process::ExitCode};

use entail_store::{ApiKey, Store};
use uuid::Uuid;

use crate::{
    auth::{Token, scopes_text},
    cli::KeysCommand,
    clock,
    commands::{Failure, print, store_options, token_file},
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
            token_file,
        } => {
            let token = match &token_file {
                None => Token::new(),
                Some(path) => token_file::read_or_make(path)?,
            };
            let key = key(&token, name, tenant, &scopes_text(&scope), model);
            if !store.put_api_key(&key).await? {
                same(&key, store.api_key(key.id).await?.as_ref())?;
            }
            match token_file {
                None => format!("{}\n{}\n", key.id, token.text()),
                Some(_) => format!("{}\n", key.id),
            }
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

/// Refuses a token that already stands for another key than the one wanted.
fn same(wanted: &ApiKey, known: Option<&ApiKey>) -> Result<(), Failure> {
    let scopes =
        |key: &ApiKey| -> BTreeSet<String> { key.scopes.split(' ').map(str::to_owned).collect() };
    let what = match known {
        None => "has just been deleted; try again",
        Some(known) if known.revoked_at.is_some() => "was revoked; give it another token",
        Some(known)
            if known.tenant != wanted.tenant
                || known.model != wanted.model
                || scopes(known) != scopes(wanted) =>
        {
            "exists with another tenant, model or other scopes; give this one another token"
        }
        Some(_) => return Ok(()),
    };
    Err(Failure::Other(format!("the key `{}` {what}", wanted.id)))
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
