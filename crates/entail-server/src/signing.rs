//! The key that checkpoints are signed with.

use std::{
    fs::File,
    io::{self, Read as _},
    os::unix::fs::MetadataExt as _,
};

use entail_store::SessionRow;
use entail_trace::{Checkpoint, CheckpointContent, CheckpointKey, PemError, may_hold_private_key};

use crate::limits::KEY_FILE_BYTES;

/// A signing key that cannot be used. Nothing of the file's content is shown.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SigningKeyError {
    /// The file cannot be read.
    #[error("`signing_key_file`: `{path}` cannot be read")]
    Io {
        /// The file.
        path: String,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// There is no usable key in it.
    #[error("`signing_key_file`: `{path}`")]
    Pem {
        /// The file.
        path: String,
        /// What is wrong with it.
        #[source]
        source: PemError,
    },
    /// The setting is a key, and not the path of one.
    #[error("`signing_key_file` has to be the path of the key, not the key itself")]
    KeyGiven,
}

/// The key in that file; none where no file is named.
pub(crate) fn load(path: &str) -> Result<Option<CheckpointKey>, SigningKeyError> {
    if path.is_empty() {
        return Ok(None);
    }
    if may_hold_private_key(path) {
        return Err(SigningKeyError::KeyGiven);
    }
    let cannot = |source| SigningKeyError::Io {
        path: path.to_owned(),
        source,
    };
    let file = File::open(path).map_err(cannot)?;
    let about = file.metadata().map_err(cannot)?;
    if about.mode() & 0o007 != 0 {
        tracing::warn!(
            path,
            "everybody on this machine may read or change the signing key; `chmod 600` it"
        );
    }
    let mut bytes = Vec::new();
    file.take(KEY_FILE_BYTES)
        .read_to_end(&mut bytes)
        .map_err(cannot)?;
    let key = CheckpointKey::from_pem(&String::from_utf8_lossy(&bytes));
    key.map(Some).map_err(|source| SigningKeyError::Pem {
        path: path.to_owned(),
        source,
    })
}

/// Where a session's journal stands, signed if there is a key.
pub(crate) fn checkpoint(row: &SessionRow, key: Option<&CheckpointKey>) -> Checkpoint {
    let content = CheckpointContent {
        session_id: row.id.to_string(),
        seq: row.version,
        chain_head: row.chain_head,
        created_at: row.last_activity,
        manifest_sha256: None,
    };
    match key {
        Some(key) => Checkpoint::signed(content, key),
        None => Checkpoint::unsigned(content),
    }
}
