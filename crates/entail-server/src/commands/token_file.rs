//! A file that holds a token and nothing else.

use std::{
    fs,
    io::{self, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    path::Path,
};

use crate::{
    auth::{SHORTEST, Token},
    commands::Failure,
};

/// The token that the file holds. Where there is no file, one is made and written there, for its
/// owner alone to read.
pub(super) fn read_or_make(path: &Path) -> Result<Token, Failure> {
    match fs::read_to_string(path) {
        Ok(text) => given(&text, path),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            make(path).map_err(|error| refused("write", path, &error))
        }
        Err(error) => Err(refused("read", path, &error)),
    }
}

fn given(text: &str, path: &Path) -> Result<Token, Failure> {
    let token = text.trim();
    let is_usable = token.len() >= SHORTEST && token.bytes().all(|byte| byte.is_ascii_graphic());
    if is_usable {
        return Ok(Token::given(token));
    }
    Err(Failure::Other(format!(
        "`{}` has to hold at least {SHORTEST} printable characters without spaces",
        path.display()
    )))
}

fn refused(what: &str, path: &Path, error: &io::Error) -> Failure {
    Failure::Other(format!("cannot {what} `{}`: {error}", path.display()))
}

fn make(path: &Path) -> io::Result<Token> {
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
