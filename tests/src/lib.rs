//! The service as a process, called over a real socket: what the end-to-end tests share.
//!
//! [`Service`] starts the binary `entail` on a free port and on a database of its own; [`Client`]
//! is a small blocking HTTP/1.1 client that hides nothing.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stderr,
    reason = "this crate is a test harness: a panic is how it reports a failure"
)]

mod binary;
mod browser;
mod client;
mod database;
mod follower;
mod journal;
mod python;
mod random;
mod scratch;
mod service;
pub mod wait;

pub use binary::binary;
pub use browser::Browser;
pub use client::{Answer, Client};
pub use database::Database;
pub use follower::{Event, Follower};
pub use journal::{Line, chain, journal};
pub use python::{python, quietly};
pub use random::Random;
pub use scratch::Scratch;
pub use service::{Service, Start};
