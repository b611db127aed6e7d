//! Snapshots of the Python library `corollary`: read, written, and gone on from.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod faults;
mod fixtures;
mod generated;
mod kept;
mod support;
