//! How often each source was right.

use crate::Span;
use crate::Time;

/// How the ledger weighs what it has seen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LedgerSettings {
    /// How many outcomes the prior is worth; positive.
    pub prior_weight: f64,
    /// After how long an outcome counts half; for ever when absent.
    pub memory_half_life: Option<Span>,
}

impl Default for LedgerSettings {
    fn default() -> Self {
        Self {
            prior_weight: 10.0,
            memory_half_life: None,
        }
    }
}

/// What is known of a source as of a time: weighted counts of outcomes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Totals {
    /// How many were right.
    pub correct: f64,
    /// How many there were.
    pub total: f64,
    /// The time at which they weigh that much.
    pub as_of: Time,
}

/// How often each source was right.
#[derive(Clone, Debug, Default)]
pub struct Ledger;
