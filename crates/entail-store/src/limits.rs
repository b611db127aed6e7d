//! Every limit of the store, in one place.
//!
//! Lengths are bytes of UTF-8. They keep index entries far below the 2,700 bytes at which
//! Postgres refuses a B-tree key.

/// A tenant's name.
pub const TENANT_BYTES: usize = 128;
/// What a journal entry records, such as `turn`.
pub const KIND_BYTES: usize = 64;
/// A label's name.
pub const LABEL_NAME_BYTES: usize = 128;
/// A label's value.
pub const LABEL_VALUE_BYTES: usize = 512;
/// Labels of a session.
pub const LABELS: usize = 32;
/// An idempotency key as the caller sent it.
pub const IDEMPOTENCY_KEY_BYTES: usize = 255;
/// A trusted source, `kind:name`.
pub const SOURCE_BYTES: usize = 256;
/// A call's id.
pub const CALL_ID_BYTES: usize = 128;
/// A belief's ref: its key of at most 512 bytes and a revision.
pub const REF_BYTES: usize = 1_024;
/// The name of an API key, its scopes, and the model it fixes, each.
pub const API_KEY_TEXT_BYTES: usize = 256;
/// Rows of one page of a list.
pub const PAGE_ROWS: u32 = 1_000;

/// What a batch of journal entries aims at when read, in bytes of payload and events.
pub const READ_BATCH_BYTES: usize = 4 << 20;
/// Entries of the first batch read, when their size is not yet known.
pub const READ_FIRST_ENTRIES: u32 = 32;
/// Entries of one batch read at most.
pub const READ_BATCH_ENTRIES: u32 = 1_024;

/// Commits that go out in one statement at most.
pub const GROUP_COMMITS: usize = 256;
/// What the commits of one statement weigh together at most, unless one alone weighs more.
pub const GROUP_BYTES: usize = 8 << 20;
/// Commits that wait to be written before callers wait for a place in the queue.
pub const GROUP_QUEUE: usize = 1_024;
/// The longest wait before a session locked elsewhere is tried again, in microseconds.
pub const GROUP_BACKOFF_MICROS: u64 = 2_000;
/// How often a session locked elsewhere is tried again before the store says so.
pub const GROUP_ATTEMPTS: u32 = 2_000;
/// How often a commit whose connection was lost is sent again over a new one, which itself is
/// waited for as long as [`Options::acquire_timeout`](crate::Options::acquire_timeout) says.
pub const RECONNECTS: u32 = 2;
/// How often a statement that lost a deadlock or a serialization race is sent again.
pub const STATEMENT_ATTEMPTS: u32 = 10;

/// Outcomes a trust ledger keeps for one source.
pub const OUTCOMES_PER_SOURCE: u32 = 10_000;
/// How long a content nobody names is kept after it was last written, in microseconds.
pub const DOCUMENT_GRACE_MICROS: i64 = 3_600 * 1_000_000;
/// How long a context and a stored answer are kept, in microseconds.
pub const DAY_MICROS: i64 = 86_400 * 1_000_000;

/// What an unavailable database is given before a caller should try again, in milliseconds.
pub const RETRY_AFTER_MILLIS: u64 = 1_000;
