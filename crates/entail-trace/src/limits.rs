//! Every limit of this crate, in one place.

/// How many faults of one record are reported; further ones are only counted.
pub const MAX_FAULTS: usize = 64;

/// The longest line of a trace or a journal, in bytes.
///
/// A line is the one thing a streaming reader must hold; a commit of 10,000 labels or a claim of
/// 256 KiB fits many times over.
pub const MAX_LINE_BYTES: usize = 16 * 1024 * 1024;

/// The deepest nesting of a record. A record's own levels come on top of the 128 that a value
/// inside it may have.
pub const MAX_RECORD_DEPTH: usize = 160;

/// The longest id or reference, in bytes.
pub const MAX_ID_BYTES: usize = 1024;

/// The longest content path, in bytes.
pub const MAX_PATH_BYTES: usize = 1024;
