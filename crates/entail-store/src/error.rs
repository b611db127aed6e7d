//! What can go wrong in every operation. What is an answer rather than a fault (a version
//! conflict, an idempotency key already there) is in that operation's own result type.

use std::sync::Arc;

use entail_json::Digest;
use entail_trace::journal::Broken;
use uuid::Uuid;

use crate::limits::RETRY_AFTER_MILLIS;

/// A store operation that failed.
///
/// Messages hold neither SQL nor secrets; what the database said is in the source chain.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The database cannot be reached or cannot write at this moment. Whether a commit that
    /// ended so was made is unknown; its idempotency key tells.
    #[error("the database is not available; try again in {retry_after_millis} ms")]
    Unavailable {
        /// How long to wait, in milliseconds.
        retry_after_millis: u64,
        /// What the database or the network said.
        #[source]
        source: Arc<sqlx::Error>,
    },
    /// The database has no room left. Nothing was written.
    #[error("the database is full; free disk space or raise its page limit")]
    Full {
        /// What the database said.
        #[source]
        source: Arc<sqlx::Error>,
    },
    /// A session's journal was tampered with or damaged.
    #[error("the journal of session `{session_id}` is corrupt; restore it from a backup")]
    Corrupt {
        /// The session.
        session_id: Uuid,
        /// Where and how its chain breaks.
        #[source]
        broken: Broken,
    },
    /// A document's content does not have the hash it is stored under.
    #[error("the stored document `{sha256}` is corrupt; restore it from a backup")]
    CorruptDocument {
        /// The hash it is stored under.
        sha256: Digest,
    },
    /// A stored value that this build cannot read.
    #[error("the stored value of `{column}` cannot be read; was it written by a newer build?")]
    Unreadable {
        /// The table and column.
        column: &'static str,
    },
    /// An argument that the store does not take.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The address of the database cannot be used.
    #[error("the database url cannot be used; write `sqlite://PATH` or `postgres://…`")]
    Configuration {
        /// What is wrong with it.
        #[source]
        source: Option<Arc<sqlx::Error>>,
    },
    /// The schema cannot be brought up to date.
    #[error("the migrations failed; was the database made by a newer build?")]
    Migration {
        /// What the database or the migrator said.
        #[source]
        source: Arc<sqlx::migrate::MigrateError>,
    },
    /// The database refused a statement: a fault in the store.
    #[error("the database refused a statement")]
    Internal {
        /// What the database said.
        #[source]
        source: Arc<sqlx::Error>,
    },
}

/// An argument that the store does not take, on either engine.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// Text with U+0000, which Postgres cannot store.
    #[error("`{field}` must not contain the character U+0000")]
    NulCharacter {
        /// Which argument.
        field: &'static str,
    },
    /// Text above its limit.
    #[error("`{field}` has {found} bytes; at most {limit} are allowed")]
    TooLong {
        /// Which argument.
        field: &'static str,
        /// Bytes found.
        found: usize,
        /// Bytes allowed.
        limit: usize,
    },
    /// More items than allowed.
    #[error("`{field}` has {found} items; at most {limit} are allowed")]
    TooMany {
        /// Which argument.
        field: &'static str,
        /// Items found.
        found: usize,
        /// Items allowed.
        limit: usize,
    },
    /// An argument that contradicts the others: a fault of the caller.
    #[error("`{field}` does not fit: {reason}")]
    Inconsistent {
        /// Which argument.
        field: &'static str,
        /// What it should have been.
        reason: &'static str,
    },
}

/// Refuses text that has U+0000 or is longer than `limit` bytes.
pub(crate) fn check_text(field: &'static str, text: &str, limit: usize) -> Result<(), Refusal> {
    if text.len() > limit {
        return Err(Refusal::TooLong {
            field,
            found: text.len(),
            limit,
        });
    }
    if text.as_bytes().contains(&0) {
        return Err(Refusal::NulCharacter { field });
    }
    Ok(())
}

/// Refuses JSON text that has U+0000, be it raw or escaped: no reader of journals takes it back.
pub(crate) fn check_json(field: &'static str, text: &str) -> Result<(), Refusal> {
    check_text(field, text, usize::MAX)?;
    let mut rest = text.as_bytes();
    while let Some(backslash) = rest.iter().position(|byte| *byte == b'\\') {
        let escape = rest.get(backslash.saturating_add(1)..).unwrap_or_default();
        if escape.starts_with(b"u0000") {
            return Err(Refusal::NulCharacter { field });
        }
        rest = escape.get(1..).unwrap_or_default();
    }
    Ok(())
}

/// What a database error means, by its code.
///
/// SQLSTATE (Postgres, five characters): classes 08 connection, 53 resources, 57 operator
/// intervention, 25006 read-only (a standby). SQLite: primary result codes in decimal, extended
/// codes in the bits above (5 busy, 6 locked, 8 read-only, 10 I/O error, 13 full, 14 cannot open).
fn class(error: &sqlx::Error) -> Class {
    match error {
        sqlx::Error::Io(_)
        | sqlx::Error::Tls(_)
        | sqlx::Error::PoolTimedOut
        | sqlx::Error::PoolClosed
        | sqlx::Error::WorkerCrashed
        | sqlx::Error::Protocol(_)
        | sqlx::Error::BeginFailed => Class::Unavailable,
        sqlx::Error::Configuration(_) => Class::Configuration,
        sqlx::Error::Database(error) => match error.code().as_deref() {
            Some("53100" | "13") => Class::Full,
            Some("40001" | "40P01") => Class::Again,
            Some("25006" | "55P03" | "3D000" | "42P01" | "57P01" | "57P02" | "57P03") => {
                Class::Unavailable
            }
            Some(code)
                if code.len() == 5
                    && ["08", "28", "53", "57", "58"]
                        .iter()
                        .any(|class| code.starts_with(class)) =>
            {
                Class::Unavailable
            }
            Some(code)
                if code.len() < 5
                    && code
                        .parse()
                        .is_ok_and(|code: u32| matches!(code & 0xff, 5 | 6 | 8 | 10 | 14)) =>
            {
                Class::Unavailable
            }
            _ => Class::Internal,
        },
        _ => Class::Internal,
    }
}

enum Class {
    Unavailable,
    Full,
    Again,
    Configuration,
    Internal,
}

/// Whether the same statement may be sent again at once: it lost a deadlock or a race between
/// serializable transactions, and did nothing.
pub(crate) fn may_repeat(error: &sqlx::Error) -> bool {
    matches!(class(error), Class::Again)
}

impl From<sqlx::Error> for StoreError {
    fn from(source: sqlx::Error) -> Self {
        let class = class(&source);
        let source = Arc::new(source);
        match class {
            Class::Unavailable | Class::Again => Self::Unavailable {
                retry_after_millis: RETRY_AFTER_MILLIS,
                source,
            },
            Class::Full => Self::Full { source },
            Class::Configuration => Self::Configuration {
                source: Some(source),
            },
            Class::Internal => Self::Internal { source },
        }
    }
}

impl From<sqlx::migrate::MigrateError> for StoreError {
    fn from(source: sqlx::migrate::MigrateError) -> Self {
        match source {
            sqlx::migrate::MigrateError::Execute(source) => source.into(),
            source => Self::Migration {
                source: Arc::new(source),
            },
        }
    }
}
