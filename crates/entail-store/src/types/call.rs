//! Calls the service itself makes, each attempt leased by one replica.

use entail_trace::journal::Timestamp;
use uuid::Uuid;

/// A call to be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallJob {
    /// The call's id.
    pub call_id: String,
    /// Not before this time.
    pub due_at: Timestamp,
}

/// An attempt leased to the replica that asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DueCall {
    /// Whose session it is.
    pub tenant: String,
    /// The session.
    pub session_id: Uuid,
    /// The call's id.
    pub call_id: String,
    /// Which attempt this is, counted from 1; no other replica gets the same number.
    pub attempt: u32,
}
