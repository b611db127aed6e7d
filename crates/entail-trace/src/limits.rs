//! Every limit of this crate, in one place.

/// How many faults of one record are reported; further ones are only counted.
pub const MAX_FAULTS: usize = 64;

/// The longest line of a trace, in bytes.
///
/// A line is the one thing a streaming reader must hold; a claim of 256 KiB fits many times over.
pub const MAX_LINE_BYTES: usize = 16 * 1024 * 1024;

/// The longest line of a journal, in bytes: a commit that changes the labels of 100,000 beliefs
/// with long names is one line.
pub const MAX_JOURNAL_LINE_BYTES: usize = 64 * 1024 * 1024;

/// The deepest nesting of a record. A record's own levels come on top of the 128 that a value
/// inside it may have.
pub const MAX_RECORD_DEPTH: usize = 160;

/// The longest id or reference, in bytes.
pub const MAX_ID_BYTES: usize = 1024;

/// The longest content path, in bytes.
pub const MAX_PATH_BYTES: usize = 1024;

/// How many failures of one check are reported; further ones are only counted.
pub const MAX_FAILURES: usize = 100;

/// How much of an id or a message from outside is shown in a failure, in characters.
pub const MAX_SHOWN: usize = 120;

/// The most ids of one kind that a trace may bring in.
pub const MAX_IDS: usize = u32::MAX as usize - 1;

/// How many bytes may be read again to check citations, as a multiple of the trace and its
/// evidence: no trace can ask for work out of proportion to its own size.
pub const CITED_BYTES_FACTOR: u64 = 64;

/// How many bytes may be read again to check citations, whatever the size of the trace.
pub const CITED_BYTES_FLOOR: u64 = 64 * 1024 * 1024;

/// How many digests of cited spans are remembered at a time.
pub const CITED_SPANS_KEPT: usize = 4096;

/// The largest record that is a file of its own (`spec.json`, `plan.json`, `verify.json`), in
/// bytes, unless a caller says otherwise. It is held, and takes about ten times as much memory at
/// the worst.
pub const MAX_RECORD_FILE_BYTES: u64 = 256 * 1024 * 1024;

/// The most files an archive may hold.
pub const MAX_ARCHIVE_FILES: usize = 4_000_000;

/// The most bytes an archive may unpack to, unless a caller says otherwise.
pub const MAX_UNPACKED_BYTES: u64 = 16 * 1024 * 1024 * 1024;

/// The most claims and pieces of evidence that a picture of a proof shows.
pub const MAX_PICTURE_NODES: usize = 40;

/// The most characters of a statement or a quote that a rendering shows.
pub const MAX_SHOWN_TEXT: usize = 400;
