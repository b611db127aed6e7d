//! How a store is opened.

use std::time::Duration;

/// Where the database is and how it is used.
///
/// ```
/// let options = entail_store::Options::new("sqlite://entail.db");
/// assert!(options.batching);
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// `sqlite://PATH` or `postgres://…`.
    ///
    /// `sqlite://PATH?max_page_count=N` bounds the file to so many pages of 4 KiB: commits above
    /// that end with [`StoreError::Full`](crate::StoreError::Full) and reads go on. Opened with a
    /// greater bound, or once something was deleted, it takes commits again.
    pub url: String,
    /// Connections at most, beside those of the writers.
    pub connections: u32,
    /// Whether commits of different sessions that wait together go out in one statement. Off
    /// for distributed engines, where they would span nodes.
    pub batching: bool,
    /// Connections that write batches: two, so that one batch is computed while the other waits for
    /// the disk; one where both are on the same few cores and the disk is fast.
    pub writers: u32,
    /// How long an operation waits for a connection, and SQLite for another process's writes.
    pub acquire_timeout: Duration,
    /// How long Postgres may run one statement.
    pub statement_timeout: Duration,
}

impl Options {
    /// What a service uses unless told otherwise: 16 connections, batching by two writers, waits
    /// of 5 seconds, statements of 30.
    #[must_use]
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            connections: 16,
            batching: true,
            writers: 2,
            acquire_timeout: Duration::from_secs(5),
            statement_timeout: Duration::from_secs(30),
        }
    }
}

impl std::fmt::Debug for Options {
    /// Everything but the url, which may hold a password.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Options")
            .field("connections", &self.connections)
            .field("batching", &self.batching)
            .field("writers", &self.writers)
            .field("acquire_timeout", &self.acquire_timeout)
            .field("statement_timeout", &self.statement_timeout)
            .finish_non_exhaustive()
    }
}
