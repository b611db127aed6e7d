//! The server's own limits that are no settings, and the defaults of those that are.

/// Longest body of a request, in bytes, where nothing else is said.
pub(crate) const BODY_BYTES: usize = 4 << 20;

/// Longest body of a document or of a run to verify, in bytes.
pub(crate) const DOCUMENT_BODY_BYTES: usize = 64 << 20;

/// Requests worked on at once.
pub(crate) const IN_FLIGHT: usize = 512;

/// Connections held at once.
pub(crate) const CONNECTIONS: usize = 4_096;

/// How long a request may take once its head was read, in milliseconds.
pub(crate) const REQUEST_TIMEOUT_MS: u64 = 60_000;

/// How long a client may take to send a request's head, in milliseconds.
pub(crate) const HEADER_TIMEOUT_MS: u64 = 10_000;

/// How long a client may take to send a request's body, in milliseconds.
pub(crate) const BODY_TIMEOUT_MS: u64 = 30_000;

/// How long a shutdown waits for the requests under way, in milliseconds.
pub(crate) const SHUTDOWN_GRACE_MS: u64 = 25_000;

/// Memory for sessions held ready, in bytes.
pub(crate) const CACHE_BYTES: usize = 256 << 20;

/// Longest head of a request, in bytes: its line and headers.
pub(crate) const HEAD_BYTES: usize = 64 << 10;

/// Longest `tracestate` passed on, in bytes.
pub(crate) const TRACE_STATE_BYTES: usize = 512;

/// Calls of which is remembered which trace opened them.
pub(crate) const CALL_TRACES: usize = 10_000;

/// Spans that wait to be exported; more are dropped.
pub(crate) const SPANS_WAITING: usize = 4_096;

/// Spans exported at once.
pub(crate) const SPANS_AT_ONCE: usize = 512;

/// How long an export waits for more spans, in milliseconds.
pub(crate) const EXPORT_PAUSE_MS: u64 = 1_000;

/// How long a collector may take, in milliseconds.
pub(crate) const EXPORT_TIMEOUT_MS: u64 = 5_000;

/// Longest `x-request-id` taken from a caller, in bytes.
pub(crate) const REQUEST_ID_BYTES: usize = 128;

/// Most faults of one body that are told.
pub(crate) const BODY_FAULTS: usize = 32;

/// Longest piece of a caller's text repeated in an error message, in characters.
pub(crate) const QUOTED_CHARS: usize = 80;

/// Most bytes read and thrown away of a body that was refused, so that the caller, who is still
/// sending, gets to read why.
pub(crate) const DRAINED_BYTES: u64 = 1 << 30;

/// How long such a body is read for, in milliseconds.
pub(crate) const DRAIN_TIMEOUT_MS: u64 = 5_000;

/// Seconds a caller is told to wait when the service is full or its database away.
pub(crate) const RETRY_AFTER_S: u32 = 1;

/// How long a client may take to read why its connection is closed, in milliseconds.
pub(crate) const LAST_WORD_MS: u64 = 1_000;

/// How often a command is applied again when other replicas keep being faster.
pub(crate) const COMMIT_ATTEMPTS: usize = 64;

/// Contexts of a session that this process remembers, so that a turn need not ask the store.
pub(crate) const REMEMBERED_CONTEXTS: usize = 8;

/// Longest text that is indexed or read without handing it to a thread of its own, in bytes.
pub(crate) const INLINE_BYTES: usize = 64 << 10;

/// Sources of a tenant's trust ledger read at once.
pub(crate) const LEDGER_SOURCES: u32 = 1_000;

/// How long a session held ready is trusted without asking the store for its version, in
/// microseconds; only reads that name no version do.
pub(crate) const STALE_MICROS: i64 = 500_000;

/// What a session takes of memory beside what it holds, in bytes, about.
pub(crate) const SESSION_BYTES: usize = 4 << 10;

/// Commits after which a session is measured again, at least; until then it counts as growing
/// evenly.
pub(crate) const MEASURE_COMMITS: u64 = 16;

/// One more measurement for every so manyth part that a session's journal grows by.
pub(crate) const MEASURE_SHARE: u64 = 8;

/// Commits after which a session's state is kept again.
pub(crate) const SNAPSHOT_EVERY: u64 = 200;

/// A long journal's state is kept again only when it grew by this part: what is written for
/// snapshots so stays in proportion to what is written for commits.
pub(crate) const SNAPSHOT_SHARE: u64 = 16;

/// Fewer commits than this are replayed faster than a snapshot is written for them when their
/// session is evicted.
pub(crate) const SNAPSHOT_LEAST_COMMITS: u64 = 16;

/// Sessions that wait for their snapshot to be written; others go without. Those evicted stay in
/// memory until then.
pub(crate) const SNAPSHOT_QUEUE: usize = 16;

/// Items of one page of a list, unless asked otherwise.
pub(crate) const PAGE: usize = 100;

/// Items of one page of a list, at most.
pub(crate) const PAGE_MOST: usize = 1_000;

/// Digits of a cursor that counts items, at most.
pub(crate) const CURSOR_DIGITS: usize = 18;

/// Antecedents of one justification that a list shows; one belief read alone shows all.
pub(crate) const LISTED_ANTECEDENTS: usize = 16;

/// Longest piece of a task that a list of sessions shows, in characters.
pub(crate) const LISTED_TASK_CHARS: usize = 500;

/// How often the store is asked what other replicas committed, in milliseconds.
pub(crate) const FEED_POLL_MS: u64 = 1_000;

/// Entries of a followed session read and sent at once; a reader further behind is told.
pub(crate) const EVENTS_AT_ONCE: u32 = 64;

/// How long a reader of events may take to take one, in milliseconds.
pub(crate) const EVENT_PATIENCE_MS: u64 = 30_000;

/// After how long without events something is sent, so that nothing between cuts the connection,
/// in milliseconds.
pub(crate) const HEARTBEAT_MS: u64 = 15_000;

/// How long an API key is trusted without asking the store, in microseconds: so long a revoked
/// one may still be served.
pub(crate) const KEY_TRUST_MICROS: i64 = 5_000_000;

/// How long accepting pauses after it failed, in milliseconds: at once it would spin.
pub(crate) const ACCEPT_PAUSE_MS: u64 = 50;

/// How long "there is no API key" is believed, in microseconds.
pub(crate) const NO_KEY_TRUST_MICROS: i64 = 1_000_000;

/// API keys remembered.
pub(crate) const KEYS_REMEMBERED: usize = 10_000;

/// Callers whose rate is remembered; those who have been quiet are forgotten first.
pub(crate) const RATE_CALLERS: usize = 100_000;

/// How often the service keeps house, in milliseconds.
pub(crate) const HOUSEKEEPING_MS: u64 = 5_000;

/// Expired sessions closed in one batch.
pub(crate) const HOUSEKEEPING_BATCH: u32 = 100;

/// How long the service pauses between batches of outcomes that it folds, in milliseconds.
pub(crate) const FOLD_PAUSE_MS: u64 = 20;

/// Rows folded or purged in one batch.
pub(crate) const PURGE_BATCH: u32 = 1_000;

/// How often the views for dashboards are fed, in milliseconds.
pub(crate) const PROJECTION_MS: u64 = 1_000;

/// How often all sessions are walked for what stopped replicas left out of the views, in
/// milliseconds.
pub(crate) const PROJECTION_WALK_MS: i64 = 600_000;

/// Sessions whose views are known to be behind; more are left to the next walk.
pub(crate) const PROJECTED_BEHIND: usize = 100_000;

/// Sessions that one step of the walk looks for.
pub(crate) const PROJECTION_BATCH: u32 = 1_000;

/// Journal entries copied into the views in one transaction.
pub(crate) const PROJECTED_ENTRIES: u32 = 64;

/// How many times as long as it took to copy a session the copying then rests: at 4, it takes a
/// fifth of one connection's time at most.
pub(crate) const PROJECTION_REST: u64 = 4;

/// Most bytes a bundle may unpack to, when it is opened by a command.
pub(crate) const UNPACKED_BYTES: u64 = 64 << 30;

/// Most bytes read of a file that holds a key.
pub(crate) const KEY_FILE_BYTES: u64 = 64 << 10;

/// How many times its longest body a bundle sent to the service may unpack to.
pub(crate) const UNPACKED_BODIES: u64 = 16;

/// Largest record that is a file of its own in a bundle sent to the service, in bytes.
pub(crate) const VERIFIED_RECORD_BYTES: u64 = 64 << 20;

/// Calls of http tools made at once by one replica.
pub(crate) const CALLS_AT_ONCE: usize = 64;

/// How often due calls are looked for, in milliseconds; a commit of this replica wakes at once.
pub(crate) const CALLS_POLL_MS: u64 = 1_000;

/// How long an attempt may take unless its tool says otherwise, in milliseconds.
pub(crate) const CALL_TIMEOUT_MS: u64 = 30_000;

/// How long an attempt may take at most, in milliseconds.
pub(crate) const CALL_TIMEOUT_MOST_MS: u64 = 120_000;

/// How long an attempt is leased: so long after its replica died, another picks the call up. In
/// milliseconds.
pub(crate) const CALL_LEASE_MS: u64 = 15_000;

/// How often the lease of an attempt under way is renewed, in milliseconds.
pub(crate) const CALL_RENEWAL_MS: u64 = 4_000;

/// How long the second attempt waits; every further one twice as long, in milliseconds.
pub(crate) const CALL_BACKOFF_MS: u64 = 500;
