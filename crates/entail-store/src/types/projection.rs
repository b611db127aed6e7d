//! What dashboards query.

use entail_trace::journal::Timestamp;
use uuid::Uuid;

use crate::error::{Refusal, check_text};
use crate::limits;

/// What a stretch of a session's journal adds to the views for dashboards.
#[derive(Clone, Debug, PartialEq)]
pub struct Projection {
    /// Whose session it is.
    pub tenant: String,
    /// The session.
    pub session_id: Uuid,
    /// The version projected before.
    pub from: u64,
    /// The version projected with this.
    pub to: u64,
    /// The version the beliefs are seen at: `to`, or later.
    pub as_of: u64,
    /// Beliefs that are new or changed since `from`, as of `as_of`.
    pub beliefs: Vec<ProjectedBelief>,
    /// Turns after `from`.
    pub turns: Vec<ProjectedTurn>,
}

/// A belief in the view `entail_beliefs`.
#[derive(Clone, Debug, PartialEq)]
pub struct ProjectedBelief {
    /// Its ref.
    pub reference: String,
    /// Its key.
    pub key: String,
    /// Its value, canonical JSON.
    pub value: String,
    /// Its source, `kind:name`.
    pub source: String,
    /// `IN` or `OUT`.
    pub status: String,
    /// Its confidence, 0 to 1.
    pub confidence: f64,
}

/// A turn in the view `entail_turns`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectedTurn {
    /// The turn's version.
    pub turn: u64,
    /// The model's name.
    pub model: Option<String>,
    /// The verdict.
    pub verdict: String,
    /// How many actions were accepted.
    pub accepted: u64,
    /// What was rejected.
    pub rejected: Vec<ProjectedRejection>,
    /// When.
    pub at: Timestamp,
}

/// A rejected action in the view `entail_rejections`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectedRejection {
    /// The action's type, where it could be read.
    pub action: Option<String>,
    /// The key it was about.
    pub key: Option<String>,
    /// The rejection's code.
    pub code: String,
    /// The rejection's message.
    pub message: String,
}

impl Projection {
    pub(crate) fn check(&self) -> Result<(), Refusal> {
        let text = |field, text: &str| check_text(field, text, usize::MAX);
        check_text("tenant", &self.tenant, limits::TENANT_BYTES)?;
        for belief in &self.beliefs {
            check_text("ref", &belief.reference, limits::REF_BYTES)?;
            text("key", &belief.key)?;
            text("value", &belief.value)?;
            text("source", &belief.source)?;
            text("status", &belief.status)?;
        }
        for turn in &self.turns {
            text("model", turn.model.as_deref().unwrap_or_default())?;
            text("verdict", &turn.verdict)?;
            for rejection in &turn.rejected {
                text("action", rejection.action.as_deref().unwrap_or_default())?;
                text("key", rejection.key.as_deref().unwrap_or_default())?;
                text("code", &rejection.code)?;
                text("message", &rejection.message)?;
            }
        }
        Ok(())
    }
}
