//! entail-trace
