//! What goes into the store and comes out of it.

mod activity;
mod call;
mod commit;
mod document;
mod key;
mod ledger;
mod projection;
mod session;

pub use activity::Activity;
pub use call::{CallJob, DueCall};
pub use commit::{Appended, Commit, Created, Creation, RowUpdate};
pub use document::{Context, Purged, Snapshot};
pub use key::{ApiKey, IdempotencyKey, KeyedAnswer, Reservation, StoredAnswer};
pub use ledger::{LedgerOutcome, Outcome, SourceTotals, ToldOutcomes};
pub use projection::{ProjectedBelief, ProjectedRejection, ProjectedTurn, Projection};
pub use session::{
    AnswerState, Counts, Labels, SessionFilter, SessionPage, SessionRow, SessionState,
};
pub(crate) use session::{labels_from_json, labels_to_json};
