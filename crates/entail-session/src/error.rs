//! Why a command was refused.

use entail_kernel::base::BaseError;

use crate::fields::Faults;
use crate::tool::InvalidSchema;

/// Why a command was refused. The session is then exactly as it was.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CommandError {
    /// The session is closed.
    #[error("the session is closed ({how}): reopen it first")]
    SessionClosed {
        /// How it was closed.
        how: &'static str,
    },
    /// It is not closed, so it cannot be reopened.
    #[error("the session is open: there is nothing to reopen")]
    NotClosed,
    /// Another command waits for its commit to be confirmed or undone.
    #[error("the commit before is neither confirmed nor undone")]
    Unconfirmed,
    /// No call has that id.
    #[error("no call `{call_id}`: list the session's calls")]
    UnknownCall {
        /// The id.
        call_id: String,
    },
    /// The call has another result already.
    #[error(
        "call `{call_id}` is already answered otherwise: retract or correct its result instead"
    )]
    CallAlreadyAnswered {
        /// The id.
        call_id: String,
    },
    /// No tool has that name.
    #[error("no tool `{name}`: list the session's tools")]
    UnknownTool {
        /// The name.
        name: String,
    },
    /// No document has that name, or not that version.
    #[error("no document `{name}`: list the session's documents")]
    UnknownDocument {
        /// The name.
        name: String,
    },
    /// No node of the plan has that id, or it is finished.
    #[error("step `{step_id}` {reason}")]
    InvalidStep {
        /// The id.
        step_id: String,
        /// What is wrong, and the way out.
        reason: String,
    },
    /// The key is reserved for answers.
    #[error("`{key}` is reserved for answers: use another key")]
    ReservedKey {
        /// The key.
        key: String,
        /// Where, as a JSON pointer into the command.
        pointer: String,
    },
    /// A text breaks the rules for keys.
    #[error("`{key}` {reason}: a key is not empty and has no white space, `@`, `{{` or `}}`")]
    InvalidKey {
        /// The text, shortened.
        key: String,
        /// What is wrong with it.
        reason: String,
        /// Where, as a JSON pointer into the command.
        pointer: String,
    },
    /// A text breaks the rules for names.
    #[error("`{pointer}` {reason}")]
    InvalidName {
        /// Where, as a JSON pointer into the command.
        pointer: String,
        /// What is wrong, and the way out.
        reason: String,
    },
    /// No rule has that name.
    #[error("no rule `{name}`: list the session's rules")]
    UnknownRule {
        /// The name.
        name: String,
    },
    /// No constraint has that name.
    #[error("no constraint `{name}`: list the session's constraints")]
    UnknownConstraint {
        /// The name.
        name: String,
    },
    /// Nothing of that key waits to be derived again by the model.
    #[error("`{key}` does not wait to be derived again: list the session's rederivations")]
    UnknownRederivation {
        /// The key.
        key: String,
    },
    /// A rule's or a constraint's expression or names cannot be read.
    #[error("{error}")]
    InvalidRule {
        /// Where, as a JSON pointer into the command.
        pointer: String,
        /// Why.
        error: BaseError,
    },
    /// A value cannot be stored.
    #[error("`{pointer}` cannot be stored: {reason}")]
    UnsupportedValue {
        /// Where, as a JSON pointer into the command.
        pointer: String,
        /// What is wrong.
        reason: String,
    },
    /// An argument makes no sense.
    #[error("`{pointer}` {reason}")]
    InvalidArgument {
        /// Where, as a JSON pointer into the command.
        pointer: String,
        /// What is wrong, and the way out.
        reason: String,
    },
    /// The caller's own plan is no plan.
    #[error("{0}")]
    InvalidBody(Faults),
    /// A tool's parameters are no usable schema.
    #[error("{schema}")]
    InvalidSchema {
        /// Where the parameters stand, as a JSON pointer into the command.
        pointer: String,
        /// What is wrong.
        schema: InvalidSchema,
    },
    /// A limit of the session.
    #[error("{what}: the limit is {limit}")]
    LimitExceeded {
        /// What there is too much of, in words.
        what: String,
        /// The most there may be.
        limit: usize,
    },
    /// The belief base refused it.
    #[error("{error}")]
    Base {
        /// Where, as a JSON pointer into the command.
        pointer: String,
        /// Why.
        error: BaseError,
    },
}

impl CommandError {
    /// The stable code.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::SessionClosed { .. } => "session_closed",
            Self::NotClosed => "session_not_closed",
            Self::Unconfirmed => "unconfirmed_commit",
            Self::UnknownCall { .. } => "unknown_call",
            Self::CallAlreadyAnswered { .. } => "call_already_answered",
            Self::UnknownTool { .. } => "unknown_tool",
            Self::UnknownDocument { .. } => "unknown_document",
            Self::InvalidStep { .. } => "invalid_step",
            Self::ReservedKey { .. } => "reserved_key",
            Self::UnsupportedValue { .. } => "unsupported_value",
            Self::InvalidKey { .. } => "invalid_key",
            Self::InvalidName { .. } => "invalid_name",
            Self::UnknownRule { .. } => "unknown_rule",
            Self::UnknownConstraint { .. } => "unknown_constraint",
            Self::UnknownRederivation { .. } => "unknown_rederivation",
            Self::InvalidRule { .. } => "invalid_rule",
            Self::InvalidArgument { .. } => "invalid_argument",
            Self::InvalidBody(_) => "invalid_plan",
            Self::InvalidSchema { .. } => "invalid_schema",
            Self::LimitExceeded { .. } => "limit_exceeded",
            Self::Base { error, .. } => error.code(),
        }
    }

    /// Where in the command the fault lies, as a JSON pointer; empty where it is about the whole.
    #[must_use]
    pub fn pointer(&self) -> &str {
        match self {
            Self::ReservedKey { pointer, .. }
            | Self::InvalidKey { pointer, .. }
            | Self::InvalidName { pointer, .. }
            | Self::InvalidRule { pointer, .. }
            | Self::UnsupportedValue { pointer, .. }
            | Self::InvalidArgument { pointer, .. }
            | Self::InvalidSchema { pointer, .. }
            | Self::Base { pointer, .. } => pointer,
            _ => "",
        }
    }
}

/// Why a journal entry could not be applied.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ReplayError {
    /// There are no entries at all.
    #[error("the journal is empty: a session begins with the entry that opened it")]
    Empty,
    /// The entry is not the next one of this session.
    #[error("entry {found} does not follow entry {version}: load the journal from there")]
    OutOfOrder {
        /// The session's version.
        version: u64,
        /// The entry's place.
        found: u64,
    },
    /// The entry belongs to another session or another history.
    #[error("entry {seq} does not continue this history: {reason}")]
    Foreign {
        /// The entry's place.
        seq: u64,
        /// What does not fit.
        reason: &'static str,
    },
    /// The entry's format is newer than this build.
    #[error("entry {seq} has format {v}, which this build does not know: update it")]
    UnknownFormat {
        /// The entry's place.
        seq: u64,
        /// The format.
        v: u32,
    },
    /// An event cannot be read, or does not fit what came before it.
    #[error("event {index} of entry {seq}: {reason}")]
    Malformed {
        /// The entry's place.
        seq: u64,
        /// Which event, counted from 0.
        index: usize,
        /// What is wrong.
        reason: String,
    },
    /// A document's text is not there.
    #[error("the text of document `{name}` ({sha256}) is missing")]
    MissingDocument {
        /// Its name.
        name: String,
        /// The SHA-256 of its bytes.
        sha256: entail_json::Digest,
    },
    /// A commit is neither confirmed nor undone.
    #[error("the commit before is neither confirmed nor undone")]
    Unconfirmed,
}
