//! The first key: from a file, or into it.

use std::path::Path;

use entail_store::Store;

use super::{keys::key, token_file};
use crate::{
    auth::scopes_text,
    caller::{DEFAULT_TENANT, Scope},
    commands::Failure,
};

/// Makes the first key where there is none. The file's content is the token; where there is no
/// file, a token is made and written there, for its owner alone to read.
pub(crate) async fn bootstrap(store: &Store, path: &str) -> Result<(), Failure> {
    if path.is_empty() || !store.api_keys(None).await?.is_empty() {
        return Ok(());
    }
    let token = token_file::read_or_make(Path::new(path))?;
    let scopes = scopes_text(&Scope::ALL);
    let first = key(
        &token,
        "bootstrap".to_owned(),
        DEFAULT_TENANT.to_owned(),
        &scopes,
        None,
    );
    // Another replica may have been faster; the key is the same one.
    store.put_api_key(&first).await?;
    tracing::info!(key = %first.id, "made the first api key");
    Ok(())
}
