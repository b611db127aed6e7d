//! What lies beside the journal: contexts, snapshots, and what a purge removed.

use entail_json::Digest;
use entail_trace::journal::Timestamp;
use uuid::Uuid;

/// What a context showed, kept until the turn that uses it copies it into its journal entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Context {
    /// The session.
    pub session_id: Uuid,
    /// The context's id.
    pub id: Uuid,
    /// The session's version when it was made.
    pub version: u64,
    /// The time it was made for.
    pub as_of: Timestamp,
    /// The beliefs shown, canonical JSON that the store does not read.
    pub refs: String,
    /// The document versions shown, canonical JSON that the store does not read.
    pub documents: String,
    /// From when on it is unknown.
    pub expires_at: Timestamp,
}

/// A session's state after an entry, which only shortens loading: whoever uses it checks first
/// that it is what it says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// The session.
    pub session_id: Uuid,
    /// The entry it was taken after.
    pub seq: u64,
    /// The hash of that entry.
    pub head: Digest,
    /// The format of `state`; a reader passes over one it does not know.
    pub format: u32,
    /// The SHA-256 that `state` had when it was taken.
    pub sha256: Digest,
    /// The state, in a form of the session's.
    pub state: Vec<u8>,
}

/// How much a purge removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Purged {
    /// Contexts past their time.
    pub contexts: u64,
    /// Idempotency keys past their 24 hours.
    pub keys: u64,
    /// Contents that no live session names and nobody wrote for an hour.
    pub documents: u64,
    /// Values of tools' headers whose session was not opened within an hour.
    pub secrets: u64,
}

impl Purged {
    /// Everything removed, of all kinds.
    #[must_use]
    pub const fn total(&self) -> u64 {
        self.contexts
            .saturating_add(self.keys)
            .saturating_add(self.documents)
            .saturating_add(self.secrets)
    }
}
