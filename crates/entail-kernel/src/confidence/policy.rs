//! What a source is trusted before anything is known of it.

use std::collections::BTreeMap;

use crate::base::SourceKind;

/// How much each kind of source is trusted at first, from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Priors {
    /// People.
    pub human: f64,
    /// Tools that declare no level of their own.
    pub tool: f64,
    /// Documents.
    pub document: f64,
    /// Models.
    pub model: f64,
    /// Assumptions.
    pub assumption: f64,
    /// Rules that declare no confidence of their own.
    pub rule: f64,
}

impl Default for Priors {
    fn default() -> Self {
        Self {
            human: 0.99,
            tool: 0.95,
            document: 0.9,
            model: 0.9,
            assumption: 0.6,
            rule: 1.0,
        }
    }
}

/// How much a tool is trusted, as its registration says.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum TrustLevel {
    /// 0.99
    #[default]
    High,
    /// 0.9
    Medium,
    /// 0.7
    Low,
    /// This much, from 0 to 1.
    Exactly(f64),
}

impl TrustLevel {
    /// The prior it stands for.
    #[must_use]
    pub const fn prior(self) -> f64 {
        match self {
            Self::High => 0.99,
            Self::Medium => 0.9,
            Self::Low => 0.7,
            Self::Exactly(prior) => prior,
        }
    }
}

/// The trust policy of a session.
#[derive(Clone, Debug, PartialEq)]
pub struct TrustPolicy {
    /// By kind.
    pub priors: Priors,
    /// By `kind:name`, before anything else.
    pub overrides: BTreeMap<String, f64>,
    /// Beliefs below this are not shown to a model. The base itself ignores it.
    pub min_confidence: f64,
    /// Which kind of source beats which when conflicts are settled by rank, best first.
    pub source_rank: Vec<SourceKind>,
    /// Whether premises of different origins make a belief more certain together than the
    /// strongest of them alone. What agreement teaches the ledger does not depend on it.
    pub corroboration: bool,
}

impl Default for TrustPolicy {
    fn default() -> Self {
        Self {
            priors: Priors::default(),
            overrides: BTreeMap::new(),
            min_confidence: 0.0,
            source_rank: vec![
                SourceKind::Human,
                SourceKind::Tool,
                SourceKind::Document,
                SourceKind::Rule,
                SourceKind::Model,
                SourceKind::Assumption,
            ],
            corroboration: true,
        }
    }
}

impl TrustPolicy {
    /// The prior of a kind of source.
    #[must_use]
    pub const fn prior(&self, kind: SourceKind) -> f64 {
        match kind {
            SourceKind::Human => self.priors.human,
            SourceKind::Tool => self.priors.tool,
            SourceKind::Document => self.priors.document,
            SourceKind::Model => self.priors.model,
            SourceKind::Assumption => self.priors.assumption,
            SourceKind::Rule => self.priors.rule,
        }
    }
}
