//! What happened to a base, as outcomes that need no deciding again.

use std::sync::Arc;

use entail_json::{Object, Value};

use super::{Citation, JustificationKind, Ref, Settings, Source};
use crate::confidence::Totals;
use crate::{Span, Time};

/// An outcome. Applying the same events in the same order to an empty base gives the same base.
///
/// Labels are no events: they follow.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Event {
    /// Trust policy and ledger settings were set.
    Configured(Box<Settings>),
    /// What is known of a source from elsewhere was copied in.
    Seeded {
        /// `kind:name`
        source: Arc<str>,
        /// What is known.
        totals: Totals,
    },
    /// A source was given a prior of its own (a tool's trust level), or lost it.
    Rated {
        /// `kind:name`
        source: Arc<str>,
        /// From 0 to 1.
        prior: Option<f64>,
    },
    /// A new revision.
    BeliefAdded {
        /// The ref.
        belief: Ref,
        /// The value.
        value: Value,
        /// The statement in words.
        claim: Option<String>,
        /// What the caller wants kept.
        metadata: Option<Object>,
        /// When.
        at: Time,
    },
    /// A new antecedent set.
    SetAdded {
        /// Its number.
        set: u32,
        /// The set that it extends.
        extends: Option<u32>,
        /// What it adds to that.
        refs: Vec<Ref>,
    },
    /// A justification was added.
    JustificationAdded {
        /// Its number.
        justification: u32,
        /// What it justifies.
        belief: Ref,
        /// The rest.
        record: Box<Record>,
    },
    /// A justification took the place of an older one of the same source.
    JustificationReplaced {
        /// The number of both.
        justification: u32,
        /// What it justifies.
        belief: Ref,
        /// The rest.
        record: Box<Record>,
    },
    /// A belief was taken back.
    Retracted {
        /// Which.
        belief: Ref,
        /// Why.
        reason: Option<String>,
        /// When.
        at: Time,
    },
    /// A retraction was undone.
    Restored {
        /// Of which belief.
        belief: Ref,
        /// When.
        at: Time,
    },
    /// Evidence expired.
    Expired {
        /// Numbers of justifications.
        justifications: Vec<u32>,
        /// As of when.
        at: Time,
    },
    /// A source was found right or wrong.
    Outcome {
        /// `kind:name`
        source: Arc<str>,
        /// Whether it was right.
        correct: bool,
        /// What taught it.
        lesson: Lesson,
        /// When.
        at: Time,
    },
    /// A rule was registered, or a new version of it.
    RuleSet {
        /// Its name.
        name: Arc<str>,
        /// Its version, counted from 1.
        version: u32,
        /// What its inputs are called in the expression.
        parameters: Vec<String>,
        /// What it computes.
        expression: String,
        /// Its confidence.
        confidence: f64,
        /// When.
        at: Time,
    },
    /// A rule was withdrawn.
    RuleRemoved {
        /// Its name.
        name: Arc<str>,
        /// When.
        at: Time,
    },
    /// A constraint was registered, or a new version of it.
    ConstraintSet {
        /// Its name.
        name: Arc<str>,
        /// Its version, counted from 1.
        version: u32,
        /// What the keys are called in the expression, and the keys.
        inputs: Vec<(String, String)>,
        /// What must hold.
        expression: String,
        /// When.
        at: Time,
    },
    /// A constraint was withdrawn.
    ConstraintRemoved {
        /// Its name.
        name: Arc<str>,
        /// When.
        at: Time,
    },
    /// A conflict was settled; the retractions and outcomes are events of their own.
    Resolved {
        /// The key, if it was over values.
        key: Option<String>,
        /// The constraint's name, if it was over one.
        constraint: Option<String>,
        /// `hand`, or the policy.
        by: String,
        /// The sides that stay.
        kept: Vec<Ref>,
        /// The sides that went.
        retracted: Vec<Ref>,
        /// Why.
        reason: Option<String>,
        /// When.
        at: Time,
    },
}

/// What is recorded of a justification.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// What kind of reason it is.
    pub kind: JustificationKind,
    /// Who says so.
    pub source: Arc<Source>,
    /// The number of the set it rests on.
    pub set: Option<u32>,
    /// Keys whose being believed defeats it.
    pub unless: Vec<Arc<str>>,
    /// Keys to re-derive it from.
    pub inputs: Vec<Arc<str>>,
    /// The version of the rule that computed it.
    pub rule_version: Option<u32>,
    /// The formula that reproduces the value.
    pub formula: Option<String>,
    /// The confidence given with it.
    pub confidence: Option<f64>,
    /// When it stops counting.
    pub valid_until: Option<Time>,
    /// After how long its weight has halved.
    pub half_life: Option<Span>,
    /// Where its quote stands.
    pub citation: Option<Citation>,
    /// A note.
    pub note: Option<String>,
    /// When.
    pub at: Time,
}

/// What taught the ledger something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lesson {
    /// A retraction that blames the source.
    Retraction,
    /// A conflict settled as ground truth.
    Resolution,
    /// Sources of different origins agreed.
    Agreement,
    /// A stated value was checked against its formula.
    Formula,
    /// A quote was checked against its document.
    Citation,
    /// Somebody outside said so.
    Told,
}

impl Lesson {
    /// Every lesson.
    pub const ALL: [Self; 6] = [
        Self::Retraction,
        Self::Resolution,
        Self::Agreement,
        Self::Formula,
        Self::Citation,
        Self::Told,
    ];

    /// The word for it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Retraction => "retraction",
            Self::Resolution => "resolution",
            Self::Agreement => "agreement",
            Self::Formula => "formula",
            Self::Citation => "citation",
            Self::Told => "told",
        }
    }
}
