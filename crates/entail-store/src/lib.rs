//! The journal of every session, in SQLite or Postgres behind one [`Store`].
//!
//! The journal is the truth: one row a commit, joined by a hash chain. The rows beside it (the
//! session as a list shows it, idempotency keys, the contents a session names, calls to make,
//! outcomes for the trust ledger) are written by the same commit, so that after a crash they
//! agree. Both engines pass one conformance suite.
//!
//! A commit carries the version it was computed at. Who loses the race loads what is new,
//! applies the command again, and nothing is lost or applied twice:
//!
//! ```no_run
//! # async fn example(store: entail_store::Store, commit: entail_store::Commit)
//! # -> Result<(), entail_store::StoreError> {
//! use entail_store::Appended;
//!
//! match store.append(commit).await? {
//!     Appended::Done => println!("it is in the journal, durably"),
//!     Appended::Conflict { version } => println!("load up to {version} and apply again"),
//!     Appended::KeyPresent => println!("it was done before: look the answer up"),
//!     Appended::ContextChanged => println!("look the last context up and apply again"),
//!     Appended::Gone => println!("the session was deleted"),
//! }
//! # Ok(())
//! # }
//! ```

mod error;
mod group;
mod journal;
pub mod limits;
mod migrations;
mod options;
mod postgres;
mod rows;
mod shared;
mod sqlite;
mod store;
mod types;

pub use error::{Refusal, StoreError};
pub use journal::Journal;
pub use options::Options;
pub use store::Store;
pub use types::*;
