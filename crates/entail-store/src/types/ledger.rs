//! The tenant's trust ledger: a projection of what its sessions learned.

use entail_trace::journal::Timestamp;
use uuid::Uuid;

use super::KeyedAnswer;
use crate::error::{Refusal, check_text};
use crate::limits;

/// Whether a source was right, once.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Outcome {
    /// The source, `kind:name`.
    pub source: String,
    /// Whether it was right.
    pub correct: bool,
}

impl Outcome {
    pub(crate) fn check(&self) -> Result<(), Refusal> {
        check_text("source", &self.source, limits::SOURCE_BYTES)
    }
}

/// An outcome as the ledger keeps it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LedgerOutcome {
    /// Whether the source was right.
    pub correct: bool,
    /// When.
    pub at: Timestamp,
}

/// What a tenant's ledger holds on a source: its newest 10,000 outcomes, counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceTotals {
    /// The source, `kind:name`.
    pub source: String,
    /// How often it was right.
    pub correct: u64,
    /// How often it was right or wrong.
    pub total: u64,
    /// The newest outcome's time.
    pub last_at: Timestamp,
}

/// Outcomes told to a tenant's ledger from outside any session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToldOutcomes {
    /// Whose ledger.
    pub tenant: String,
    /// What these outcomes are known by; telling them again has no effect.
    pub id: Uuid,
    /// When.
    pub at: Timestamp,
    /// The outcomes.
    pub outcomes: Vec<Outcome>,
    /// The caller's idempotency key with the answer to store under it.
    pub key: Option<KeyedAnswer>,
}

impl ToldOutcomes {
    pub(crate) fn check(&self) -> Result<(), Refusal> {
        check_text("tenant", &self.tenant, limits::TENANT_BYTES)?;
        self.outcomes.iter().try_for_each(Outcome::check)?;
        self.key.as_ref().map_or(Ok(()), KeyedAnswer::check)
    }
}
