//! What a base tells about what it holds.

use std::fmt;
use std::sync::Arc;

use entail_json::{Object, Value};

use super::{BeliefId, Citation, JustificationId, SetId, Source, split_ref};
use crate::{Span, Time};

/// One revision of a key, in words: `revenue:Q2@1`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ref {
    /// The key.
    pub key: Arc<str>,
    /// The revision, counted from 1.
    pub revision: u32,
}

impl Ref {
    /// Reads `key@revision`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (key, revision) = split_ref(text)?;
        Some(Self {
            key: key.into(),
            revision: revision?,
        })
    }
}

impl fmt::Display for Ref {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.key, self.revision)
    }
}

/// Whether a belief is believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// It is believed.
    In,
    /// It is not.
    Out,
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::In => "IN",
            Self::Out => "OUT",
        })
    }
}

/// Why a belief was taken back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Retraction {
    /// The reason given.
    pub reason: Option<String>,
    /// When.
    pub at: Time,
}

/// One belief.
#[derive(Clone, Copy, Debug)]
pub struct Belief<'a> {
    /// Its handle.
    pub id: BeliefId,
    /// Its key.
    pub key: &'a Arc<str>,
    /// Which revision of the key it is, counted from 1.
    pub revision: u32,
    /// Its value.
    pub value: &'a Value,
    /// The statement in words.
    pub claim: Option<&'a str>,
    /// What the caller wanted kept.
    pub metadata: Option<&'a Object>,
    /// When it was made.
    pub created_at: Time,
    /// Whether it is believed.
    pub status: Status,
    /// Why it was taken back, if it was.
    pub retraction: Option<&'a Retraction>,
}

impl Belief<'_> {
    /// Its ref.
    #[must_use]
    pub fn reference(&self) -> Ref {
        Ref {
            key: Arc::clone(self.key),
            revision: self.revision,
        }
    }

    /// Whether it is believed.
    #[must_use]
    pub const fn is_in(&self) -> bool {
        matches!(self.status, Status::In)
    }
}

/// What kind of reason a justification is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JustificationKind {
    /// A source says so.
    Premise,
    /// A rule computed it.
    Rule,
    /// It was concluded, by a model as a rule, perhaps with a formula.
    Model,
}

impl JustificationKind {
    /// Every kind.
    pub const ALL: [Self; 3] = [Self::Premise, Self::Rule, Self::Model];

    /// The word for it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Premise => "premise",
            Self::Rule => "rule",
            Self::Model => "model",
        }
    }
}

/// One justification: a reason to believe a ref.
#[derive(Clone, Debug)]
pub struct Justification<'a> {
    /// Its handle.
    pub id: JustificationId,
    /// What it justifies.
    pub belief: BeliefId,
    /// What kind of reason it is.
    pub kind: JustificationKind,
    /// Who says so.
    pub source: Arc<Source>,
    /// What it rests on; none for a premise. See [`Base::antecedents`](super::Base::antecedents).
    pub antecedents: Option<SetId>,
    /// Keys whose being believed defeats it.
    pub unless: Vec<&'a Arc<str>>,
    /// Keys to re-derive it from.
    pub inputs: Vec<&'a Arc<str>>,
    /// The version of the rule that computed it.
    pub rule_version: Option<u32>,
    /// The formula that reproduces the value.
    pub formula: Option<&'a str>,
    /// The confidence given with it.
    pub confidence: Option<f64>,
    /// When it stops counting.
    pub valid_until: Option<Time>,
    /// After how long its weight has halved.
    pub half_life: Option<Span>,
    /// Where its quote stands.
    pub citation: Option<&'a Citation>,
    /// A note.
    pub note: Option<&'a str>,
    /// When it was given, or last renewed.
    pub created_at: Time,
    /// Whether it counts now: all antecedents believed, nothing that defeats it believed, not
    /// expired.
    pub is_valid: bool,
    /// Whether it has expired.
    pub is_expired: bool,
}

/// Why a belief is not believed. Without any of these it has no valid justification for a reason
/// that lies in a loop: it only supports itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WhyOut {
    /// It was taken back; then nothing else is said.
    pub retracted: bool,
    /// Its newest justification has expired; then nothing else is said.
    pub expired: bool,
    /// Antecedents of its newest justification that are not believed.
    pub lost: Vec<BeliefId>,
    /// Keys that defeat its newest justification.
    pub defeated_by: Vec<Arc<str>>,
}

/// A change of status since a mark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Which belief.
    pub belief: BeliefId,
    /// Its ref.
    pub reference: Ref,
    /// What it is now.
    pub status: Status,
    /// Why, in words.
    pub reason: String,
}
