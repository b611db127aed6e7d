//! The limits of a session, all in one place.
//!
//! Those a service may configure are fields of [`Limits`]; the others are constants.

/// The limits of one session that an operator may change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Beliefs, all revisions counted.
    pub beliefs: usize,
    /// Calls that are open at once.
    pub open_calls: usize,
    /// Actions in one response.
    pub actions: usize,
    /// Bytes of a belief's value as canonical JSON, and of a claim's text.
    pub value_bytes: usize,
    /// Bytes of one document.
    pub document_bytes: usize,
    /// Document versions, of all names together.
    pub documents: usize,
    /// Tools.
    pub tools: usize,
    /// Rules and constraints together.
    pub rules: usize,
    /// Bytes of a prompt.
    pub prompt_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            beliefs: 100_000,
            open_calls: 1_000,
            actions: 200,
            value_bytes: 256 << 10,
            document_bytes: 64 << 20,
            documents: 10_000,
            tools: 1_000,
            rules: 200,
            prompt_bytes: 1 << 20,
        }
    }
}

/// Seconds of a span of time that a caller gives: a microsecond to some three thousand years.
pub const SPAN_SECONDS: std::ops::RangeInclusive<f64> = 1e-6..=1e11;
/// Bytes of a key.
pub const KEY_BYTES: usize = 512;
/// Bytes of the name of a tool, a document, a source, an origin or a model.
pub const NAME_BYTES: usize = 128;
/// Bytes of a session's task, and of its instructions.
pub const TASK_BYTES: usize = 64 << 10;
/// Bytes of a tool's description.
pub const DESCRIPTION_BYTES: usize = 16 << 10;
/// Bytes of a tool's parameters as canonical JSON.
pub const SCHEMA_BYTES: usize = 64 << 10;
/// Schemas looked into by one reading of arguments, references followed.
pub const SCHEMA_STEPS: usize = 10_000;
/// Schemas that one schema may ask of the same value, references followed.
pub const SCHEMA_EXPANSION: usize = 10_000;
/// Bytes a regular expression of a schema may take once compiled.
pub const PATTERN_BYTES: usize = 1 << 20;
/// Bytes of a reason, a note, or an error that a tool gave.
pub const REASON_BYTES: usize = 8 << 10;
/// Labels of a session.
pub const LABELS: usize = 32;
/// Bytes of a label's name.
pub const LABEL_NAME_BYTES: usize = 128;
/// Bytes of a label's value.
pub const LABEL_VALUE_BYTES: usize = 512;
/// Nodes of a plan that a caller brings.
pub const PLAN_NODES: usize = 10_000;
/// Premises, or results, in one command.
pub const BATCH: usize = 10_000;
/// Bytes of a snapshot.
pub const SNAPSHOT_BYTES: usize = 1 << 30;
/// Levels of nesting of a snapshot: those of its values and those around them.
pub const SNAPSHOT_DEPTH: usize = VALUE_DEPTH + 8;
/// Faults of a snapshot that are told.
pub const SNAPSHOT_FAULTS: usize = 50;
/// Digits of an integer that Python reads unless it is told otherwise.
pub const PYTHON_INTEGER_DIGITS: usize = 4_300;
/// Levels of nesting of a value.
pub const VALUE_DEPTH: usize = 128;

/// Beliefs a context shows unless the policy says otherwise.
pub const MAX_BELIEFS: usize = 500;
/// Characters of a value, and of a claim, that a prompt shows.
pub const PROMPT_VALUE_CHARACTERS: usize = 2_000;
/// Characters of a document that a prompt shows.
pub const PROMPT_DOCUMENT_CHARACTERS: usize = 50_000;
/// Characters of a text quoted in a message.
pub const QUOTED_CHARACTERS: usize = 120;
/// Rejections that feedback lists one by one.
pub const FEEDBACK_ITEMS: usize = 50;

/// Supports of one kind that a claim of the trace names.
pub const CLAIM_SUPPORTS: usize = 16;
/// Beliefs walked through to count what a claim of the trace rests on.
pub const SUPPORT_WALK: usize = 20_000;
/// Beliefs walked through for all claims of one commit: as many as the claims of the largest turn
/// may need. An import, whose claims may be a thousand times as many, stays linear by it.
pub const COMMIT_WALK: usize = 200 * SUPPORT_WALK;
/// Characters of the statement of a rejected claim in the trace.
pub const REJECTED_STATEMENT_CHARACTERS: usize = 2_000;

/// What a tool's schema takes of memory once compiled, beside what follows from its length, about.
pub const COMPILED_SCHEMA_BYTES: usize = 4 << 10;
