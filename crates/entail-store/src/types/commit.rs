//! A commit: one journal entry and all that is written with it.

use entail_json::Digest;
use entail_trace::journal::{Entry, FORMAT, Timestamp};
use uuid::Uuid;

use super::session::check_labels;
use super::{AnswerState, CallJob, Counts, KeyedAnswer, Labels, Outcome, SessionState};
use crate::error::{Refusal, check_json, check_text};
use crate::limits;

/// What a commit makes of the session's row. Version, chain head and last activity follow from
/// the entry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RowUpdate {
    /// The state after the commit.
    pub state: SessionState,
    /// Where the answer stands after the commit.
    pub answer: AnswerState,
    /// How much there is after the commit.
    pub counts: Counts,
    /// All labels; `None` leaves them as they are.
    pub labels: Option<Labels>,
    /// The summary; `None` leaves it as it is.
    pub summary: Option<String>,
    /// When the session expires (`Some(None)`: never); `None` leaves it as it is.
    pub expires_at: Option<Option<Timestamp>>,
}

/// One commit of one session: wholly made or not at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    /// The session.
    pub session_id: Uuid,
    /// The entry; its `seq - 1` is the version the session must be at.
    pub entry: Entry,
    /// The session's row afterwards.
    pub row: RowUpdate,
    /// The caller's idempotency key with the answer to store under it.
    pub key: Option<KeyedAnswer>,
    /// The context that must still be the one handed out last, nil for none at all; `None` where
    /// it does not matter.
    pub latest_context: Option<Uuid>,
    /// Contents this commit names, written before by
    /// [`put_document`](crate::Store::put_document); they live as long as the session.
    pub documents: Vec<Digest>,
    /// What this commit teaches the tenant's trust ledger.
    pub outcomes: Vec<Outcome>,
    /// Calls the service itself has to make from now on.
    pub calls_due: Vec<CallJob>,
    /// Calls that are no longer to be made: answered or given up on.
    pub calls_done: Vec<String>,
}

impl Commit {
    /// A commit of an entry that changes nothing else but the row.
    #[must_use]
    pub fn new(session_id: Uuid, entry: Entry, row: RowUpdate) -> Self {
        Self {
            session_id,
            entry,
            row,
            key: None,
            latest_context: None,
            documents: Vec::new(),
            outcomes: Vec::new(),
            calls_due: Vec::new(),
            calls_done: Vec::new(),
        }
    }

    /// Whether it writes more than the session's row, its key and its entry.
    pub(crate) const fn writes_beside(&self) -> bool {
        !(self.documents.is_empty()
            && self.outcomes.is_empty()
            && self.calls_due.is_empty()
            && self.calls_done.is_empty())
    }

    /// What it weighs in a batch, in bytes, about.
    pub(crate) fn weight(&self) -> usize {
        let answer = self.key.as_ref().map_or(0, |key| key.answer.len());
        [self.entry.events.len(), answer, 512]
            .into_iter()
            .fold(self.entry.payload.len(), usize::saturating_add)
    }

    pub(crate) fn check(&self) -> Result<(), Refusal> {
        let fit = |fits, field, reason| {
            if fits {
                Ok(())
            } else {
                Err(Refusal::Inconsistent { field, reason })
            }
        };
        let entry = &self.entry;
        fit(
            entry.v == FORMAT,
            "entry.v",
            "it must be the format this build writes",
        )?;
        fit(
            (1..=i64::MAX as u64).contains(&entry.seq),
            "entry.seq",
            "it counts from 1",
        )?;
        fit(
            entry.session_id == self.session_id.to_string(),
            "entry.session_id",
            "it must be the commit's session",
        )?;
        check_text("kind", &entry.kind, limits::KIND_BYTES)?;
        check_json("payload", &entry.payload)?;
        check_json("events", &entry.events)?;
        fit(
            entry.digest() == entry.hash,
            "entry.hash",
            "it must be the hash of its contents",
        )?;
        self.row.labels.as_ref().map_or(Ok(()), check_labels)?;
        self.row
            .summary
            .as_ref()
            .map_or(Ok(()), |text| check_json("summary", text))?;
        self.key.as_ref().map_or(Ok(()), KeyedAnswer::check)?;
        self.outcomes.iter().try_for_each(Outcome::check)?;
        let due = self.calls_due.iter().map(|call| call.call_id.as_str());
        due.chain(self.calls_done.iter().map(String::as_str))
            .try_for_each(|id| check_text("call_id", id, limits::CALL_ID_BYTES))
    }
}

/// The first commit of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Creation {
    /// Whose session it is.
    pub tenant: String,
    /// Its first commit, seq 1. Its `key` stays empty: see [`Self::key`].
    pub commit: Commit,
    /// The tenant's idempotency key, reserved before by
    /// [`reserve_session`](crate::Store::reserve_session), with the answer to store under it.
    pub key: Option<KeyedAnswer>,
}

impl Creation {
    pub(crate) fn check(&self) -> Result<(), Refusal> {
        check_text("tenant", &self.tenant, limits::TENANT_BYTES)?;
        self.key.as_ref().map_or(Ok(()), KeyedAnswer::check)?;
        if self.commit.entry.seq != 1 || self.commit.entry.prev_hash != Digest::ZERO {
            let reason = "a session begins with seq 1 behind 32 zero bytes";
            return Err(Refusal::Inconsistent {
                field: "entry.seq",
                reason,
            });
        }
        if self.commit.key.is_some() {
            let reason = "a creation's key is the tenant's";
            return Err(Refusal::Inconsistent {
                field: "commit.key",
                reason,
            });
        }
        self.commit.check()
    }
}

/// What became of a [`Creation`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Created {
    /// The session exists, durably.
    Done,
    /// A session of this id exists already; nothing was written.
    Exists,
}

/// What became of a [`Commit`], or of anything else that is only written while the session is at
/// the version it was made at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Appended {
    /// It is made, durably.
    Done,
    /// The session is at another version; nothing was written. Load what is new and apply the
    /// command again.
    Conflict {
        /// The version found.
        version: u64,
    },
    /// The idempotency key is already there; nothing was written. Look its answer up.
    KeyPresent,
    /// A context was handed out since, so that another one is the last; nothing was written. Look
    /// it up and apply the command again.
    ContextChanged,
    /// There is no such session (any more); nothing was written.
    Gone,
}
