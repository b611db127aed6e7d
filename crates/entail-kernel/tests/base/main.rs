//! The belief base against a naive reference, and what its operations cost.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod conflicts;
mod cost;
mod events;
mod faults;
mod histories;
mod naive;
mod proofs;
mod rules;
mod steps;
mod words;
