//! The first key: from a file, or into it.

use std::{
    fs,
    io::{self, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    path::Path,
};

use entail_store::Store;

use super::keys::key;
use crate::{
    auth::{SHORTEST, Token, scopes_text},
    caller::{DEFAULT_TENANT, Scope},
    commands::Failure,
};

/// Makes the first key where there is none. The file's content is the token; where there is no
/// file, a token is made and written there, for its owner alone to read.
pub(crate) async fn bootstrap(store: &Store, path: &str) -> Result<(), Failure> {
    if path.is_empty() || !store.api_keys(None).await?.is_empty() {
        return Ok(());
    }
    let token = match fs::read_to_string(path) {
        Ok(text) => given(&text, path)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => make(Path::new(path))?,
        Err(error) => return Err(error.into()),
    };
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

fn given(text: &str, path: &str) -> Result<Token, Failure> {
    let token = text.trim();
    let is_usable = token.len() >= SHORTEST && token.bytes().all(|byte| byte.is_ascii_graphic());
    if is_usable {
        return Ok(Token::given(token));
    }
    Err(Failure::Other(format!(
        "`{path}` has to hold at least {SHORTEST} printable characters without spaces"
    )))
}

fn make(path: &Path) -> Result<Token, Failure> {
    let token = Token::new();
    let mut file = fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)?;
    writeln!(file, "{}", token.text())?;
    file.sync_all()?;
    Ok(token)
}
