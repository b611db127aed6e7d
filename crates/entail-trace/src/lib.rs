//! entail-trace

pub mod journal;
