//! The belief base of Entail: beliefs, justifications, labels, confidence, expressions,
//! text matching and proofs.
//!
//! Everything here is pure and deterministic: no input or output, no clock, no randomness.
//! Time comes in as an argument.

pub mod base;
pub mod confidence;
pub mod equality;
pub mod expression;
pub mod image;
pub mod limits;
pub mod proof;
pub mod text;
mod time;

pub use base::Base;
pub use time::{InvalidTime, Span, Time};
