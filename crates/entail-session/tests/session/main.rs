//! A session, subject by subject.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod calls;
mod contexts;
mod cost;
mod histories;
mod images;
mod lifecycle;
mod play;
mod reasoning;
mod traces;
mod turns;
