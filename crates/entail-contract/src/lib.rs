//! entail-contract
