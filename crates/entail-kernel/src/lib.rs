//! The belief base of Entail: beliefs, justifications, labels, confidence, expressions,
//! text matching and proofs.
//!
//! Everything here is pure and deterministic: no input or output, no clock, no randomness.
//! Time comes in as an argument.

pub mod equality;
pub mod expression;
pub mod limits;
