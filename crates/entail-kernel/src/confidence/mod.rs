//! How much a belief is trusted.
//!
//! | module | subject |
//! |---|---|
//! | `policy` | what a source is trusted before anything is known of it |
//! | `ledger` | how often each source was right |
//! | `evaluate`, `web` | the confidence of beliefs from both |

mod evaluate;
mod ledger;
mod policy;
mod web;

pub use evaluate::Confidences;
pub(crate) use evaluate::Weighed;
pub(crate) use ledger::{Ledger, OutcomeUndo, fading};
pub use ledger::{LedgerSettings, Totals};
pub use policy::{Priors, TrustLevel, TrustPolicy};
