//! Documents, quotes and the values that quotes state.

#![allow(
    missing_docs,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::unwrap_used,
    reason = "a test fails by panicking, and has no readers of its documentation"
)]

mod cuts;
mod figures;
mod hostile;
mod naive;
mod properties;
mod quotes;
mod stated;
