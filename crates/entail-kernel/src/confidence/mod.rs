//! How much a belief is trusted.
//!
//! | module | subject |
//! |---|---|
//! | `policy` | what a source is trusted before anything is known of it |
//! | `ledger` | how often each source was right |

mod ledger;
mod policy;

pub use ledger::{Ledger, LedgerSettings, Totals};
pub use policy::{Priors, TrustLevel, TrustPolicy};
