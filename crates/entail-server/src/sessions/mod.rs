//! Sessions at work: which are held ready, how one is brought to the store's version, and how a
//! command becomes a commit.
//!
//! A commit is one unit of work: lease the session (one commit of a session at a time in this
//! process), bring it up to date, execute, append with the version check, confirm; or, when
//! another replica was faster, undo, load what is new and execute again. The unit runs in a task
//! of its own, so that a caller who goes away or times out leaves no session half changed.

mod cache;
mod create;
mod documents;
mod feed;
mod lease;
mod load;
mod read;
mod reply;
pub(crate) mod row;
mod secrets;
mod snapshots;

pub(crate) use cache::{Sessions, Slot, Weight};
pub(crate) use create::{Opened, create};
pub(crate) use documents::Documents;
pub(crate) use feed::{Feed, poll};
pub(crate) use lease::{Committed, Lease, On, Terms, from_kept, moved_on, outrun, same_body};
pub(crate) use load::{past, unknown};
pub(crate) use read::{read, read_now, study, study_now};
pub(crate) use reply::Reply;
pub(crate) use secrets::{seal, unseal};
pub(crate) use snapshots::{Snapshots, write as write_snapshots};

use entail_kernel::Time;
use entail_trace::journal::Timestamp;
use uuid::Uuid;

/// Which session, and whose.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Target {
    /// Whose it is.
    pub(crate) tenant: String,
    /// Its id.
    pub(crate) id: Uuid,
}

/// A journal's time as the engine has it.
pub(crate) fn to_time(at: Timestamp) -> Time {
    Time::from_micros(at.as_micros()).unwrap_or(Time::EPOCH)
}

/// The engine's time as the journal has it.
pub(crate) fn to_timestamp(at: Time) -> Timestamp {
    Timestamp::from_micros(at.micros()).unwrap_or(Timestamp::EPOCH)
}
