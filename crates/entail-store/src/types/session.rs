//! The row a list of sessions needs.

use std::collections::BTreeMap;

use entail_json::{Digest, Object, Value, read_str, to_canonical};
use entail_trace::journal::Timestamp;
use uuid::Uuid;

use crate::error::{Refusal, StoreError, check_text};
use crate::limits;

/// A session's labels, by name.
pub type Labels = BTreeMap<String, String>;

/// Whether a session is open, or how it was closed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SessionState {
    /// It takes commands.
    #[default]
    Open,
    /// Closed with an answer.
    Answered,
    /// Closed because the evidence does not suffice.
    InsufficientEvidence,
    /// Given up on, or expired.
    Abandoned,
}

impl SessionState {
    /// Every state.
    pub const ALL: [Self; 4] = [
        Self::Open,
        Self::Answered,
        Self::InsufficientEvidence,
        Self::Abandoned,
    ];

    /// Its name on the wire and in the database.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Answered => "answered",
            Self::InsufficientEvidence => "insufficient_evidence",
            Self::Abandoned => "abandoned",
        }
    }

    /// The state of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == name)
    }
}

/// Where a session's answer stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum AnswerState {
    /// None was accepted yet.
    #[default]
    None,
    /// The latest answer is believed.
    In,
    /// What the latest answer rested on no longer holds.
    Out,
}

impl AnswerState {
    /// Every state.
    pub const ALL: [Self; 3] = [Self::None, Self::In, Self::Out];

    /// Its name on the wire and in the database.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::In => "in",
            Self::Out => "out",
        }
    }

    /// The state of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == name)
    }
}

/// How much a session holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Counts {
    /// Beliefs, all revisions.
    pub beliefs: u64,
    /// Beliefs that are IN.
    pub believed: u64,
    /// Turns.
    pub turns: u64,
    /// Rejected actions.
    pub rejections: u64,
    /// Calls whose result is awaited.
    pub open_calls: u64,
    /// Open conflicts.
    pub conflicts: u64,
}

/// A session as a list shows it; its journal is the truth behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionRow {
    /// The session's id, a UUIDv7.
    pub id: Uuid,
    /// Whose it is.
    pub tenant: String,
    /// Open, or how it was closed.
    pub state: SessionState,
    /// The seq of the last journal entry.
    pub version: u64,
    /// The hash of the last journal entry.
    pub chain_head: Digest,
    /// Where its answer stands.
    pub answer: AnswerState,
    /// How much it holds.
    pub counts: Counts,
    /// Its labels.
    pub labels: Labels,
    /// What else a list shows (task, policy), canonical JSON that the store does not read.
    pub summary: String,
    /// When it was opened.
    pub created_at: Timestamp,
    /// The time of its last commit.
    pub last_activity: Timestamp,
    /// When it is to be closed as abandoned.
    pub expires_at: Option<Timestamp>,
}

/// Which sessions of a tenant to list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionFilter {
    /// Labels that all must be there.
    pub labels: Labels,
    /// The state it must be in.
    pub state: Option<SessionState>,
    /// The last commit is no older than this.
    pub active_since: Option<Timestamp>,
    /// The last commit is older than this.
    pub active_before: Option<Timestamp>,
}

/// A page of sessions, the newest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionPage {
    /// The sessions.
    pub items: Vec<SessionRow>,
    /// What to pass as `after` for the next page; `None` when this is the last.
    pub next: Option<Uuid>,
}

pub(crate) fn check_labels(labels: &Labels) -> Result<(), Refusal> {
    if labels.len() > limits::LABELS {
        let (found, limit) = (labels.len(), limits::LABELS);
        return Err(Refusal::TooMany {
            field: "labels",
            found,
            limit,
        });
    }
    labels.iter().try_for_each(|(name, value)| {
        check_text("label name", name, limits::LABEL_NAME_BYTES)?;
        check_text("label value", value, limits::LABEL_VALUE_BYTES)
    })
}

pub(crate) fn labels_to_json(labels: &Labels) -> String {
    let members = labels
        .iter()
        .map(|(name, value)| (name.clone(), Value::String(value.clone())));
    to_canonical(&Value::Object(members.collect::<Object>()))
}

pub(crate) fn labels_from_json(text: &str) -> Result<Labels, StoreError> {
    const UNREADABLE: StoreError = StoreError::Unreadable {
        column: "sessions.labels",
    };
    let Ok(Value::Object(object)) = read_str(text) else {
        return Err(UNREADABLE);
    };
    let pair = |(name, value): (&str, &Value)| match value {
        Value::String(value) => Ok((name.to_owned(), value.clone())),
        _ => Err(UNREADABLE),
    };
    object.iter().map(pair).collect()
}

impl SessionPage {
    /// A page of the rows read, of which there may be one more than `limit`.
    pub(crate) fn cut<R>(
        mut rows: Vec<R>,
        limit: u32,
        read: impl Fn(R) -> Result<SessionRow, StoreError>,
    ) -> Result<Self, StoreError> {
        let limit = limit as usize;
        let more = rows.len() > limit;
        rows.truncate(limit);
        let items = rows.into_iter().map(read).collect::<Result<Vec<_>, _>>()?;
        let next = items.last().filter(|_| more).map(|row| row.id);
        Ok(Self { items, next })
    }
}
