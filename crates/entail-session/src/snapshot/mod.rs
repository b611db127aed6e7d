//! Snapshots of the Python library `corollary`: `corollary.beliefbase`, version 2.
//!
//! [`Snapshot::read`] checks a snapshot and makes of it what a journal holds: documents, ledger
//! totals and events of the belief base. [`Session::import`](crate::Session::import) opens a
//! session from that with one journal entry of the kind `import`, so that replay, trace and
//! proofs treat it like any other commit. [`write`] makes a snapshot of a session and its
//! journal.
//!
//! A snapshot holds beliefs, justifications, documents, the history as lines for people, and the
//! outcomes that the trust ledger has seen. Labels and confidences follow from those and are
//! computed anew by whoever loads it, as of the time of loading. What the format leaves to the
//! loader (rules and constraints, which it knows by name at most, and the trust policy) is listed
//! in [`Written::apart`]; what does not fit into the format is an error that names it.
//!
//! | module | subject |
//! |---|---|
//! | `read` | the members of a snapshot, and its documents and history |
//! | `beliefs`, `justifications`, `ledger` | reading those |
//! | `source`, `time` | sources and times, in both directions |
//! | `kept` | what no event holds, as the payload of the entry keeps it |
//! | `write`, `journal` | a session as a snapshot; what only its journal knows |

mod beliefs;
mod journal;
mod justifications;
mod kept;
mod ledger;
mod read;
mod source;
mod time;
mod write;

pub use read::Snapshot;
pub use write::{SnapshotError, Written, write};

/// The kind of the journal entry that opens a session from a snapshot.
pub(crate) const IMPORT: &str = "import";

const FORMAT: &str = "corollary.beliefbase";
const VERSION: u64 = 2;
const LEDGER_FORMAT: &str = "corollary.trustledger";
const LEDGER_VERSION: u64 = 1;
