//! What the operations of a base take.

use entail_json::{Object, Value};

use super::{BeliefId, Citation, SetId, Source, SourceKind};
use crate::{Span, Time};

/// When evidence stops counting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expiry {
    /// At this time; it must lie ahead.
    At(Time),
    /// After this long; it must be positive.
    After(Span),
}

/// A premise to assert: what a source says a key's value is.
///
/// ```
/// use entail_kernel::base::Premise;
///
/// let premise = Premise::new("revenue:Q2", 4_300_i64, "tool:get_revenue".parse()?);
/// assert!(!premise.supersede);
/// # Ok::<(), entail_kernel::base::InvalidSource>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Premise {
    /// The key.
    pub key: String,
    /// The value.
    pub value: Value,
    /// Who says so. Rules cannot: what they compute is derived.
    pub source: Source,
    /// The statement in words.
    pub claim: Option<String>,
    /// The prior of the source's reliability for this premise, from 0 to 1; the trust policy's
    /// when absent.
    pub confidence: Option<f64>,
    /// When it stops counting.
    pub expiry: Option<Expiry>,
    /// After how long its weight has halved; positive.
    pub half_life: Option<Span>,
    /// Retract every other believed revision of the key first.
    pub supersede: bool,
    /// Anything the caller wants kept with a new revision.
    pub metadata: Option<Object>,
    /// Where the quote stands, for a document.
    pub citation: Option<Citation>,
    /// A note kept with the justification.
    pub note: Option<String>,
}

impl Premise {
    /// A premise with a key, a value and a source.
    #[must_use]
    pub fn new(key: impl Into<String>, value: impl Into<Value>, source: Source) -> Self {
        Self {
            key: key.into(),
            value: value.into(),
            source,
            claim: None,
            confidence: None,
            expiry: None,
            half_life: None,
            supersede: false,
            metadata: None,
            citation: None,
            note: None,
        }
    }
}

/// What a step rests on.
#[derive(Clone, Debug, PartialEq)]
pub enum Antecedents {
    /// Keys (their currently believed revision) and refs.
    Named(Vec<String>),
    /// Beliefs of this base.
    Beliefs(Vec<BeliefId>),
    /// A set made by [`antecedent_set`](super::Base::antecedent_set), shared with other steps.
    Set(SetId),
}

/// A step to justify: a value that follows from other beliefs.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The key.
    pub key: String,
    /// The value. May be absent where there is a formula: its result is then the value.
    pub value: Option<Value>,
    /// The statement in words.
    pub claim: Option<String>,
    /// What it rests on; none means that it rests on nothing but its source.
    pub antecedents: Antecedents,
    /// Who took the step.
    pub source: Source,
    /// A formula over `{key}` placeholders, each among the antecedents, that must reproduce the
    /// value.
    pub formula: Option<String>,
    /// How certain the step is, from 0 to 1; 1 when absent.
    pub confidence: Option<f64>,
    /// Keys whose being believed defeats the step.
    pub unless: Vec<String>,
    /// The recipe for re-deriving: the keys it was made from; the keys of the antecedents when
    /// empty.
    pub inputs: Vec<String>,
    /// When it stops counting.
    pub expiry: Option<Expiry>,
    /// A note kept with the justification.
    pub note: Option<String>,
    /// Anything the caller wants kept with a new revision.
    pub metadata: Option<Object>,
}

impl Step {
    /// A step to a value, by a source, from keys or refs.
    #[must_use]
    pub fn new<T: Into<String>>(
        key: impl Into<String>,
        value: impl Into<Value>,
        source: Source,
        antecedents: impl IntoIterator<Item = T>,
    ) -> Self {
        Self {
            key: key.into(),
            value: Some(value.into()),
            claim: None,
            antecedents: Antecedents::Named(antecedents.into_iter().map(Into::into).collect()),
            source,
            formula: None,
            confidence: None,
            unless: Vec::new(),
            inputs: Vec::new(),
            expiry: None,
            note: None,
            metadata: None,
        }
    }
}

/// A value to derive with a registered rule.
#[derive(Clone, Debug, PartialEq)]
pub struct Derivation {
    /// The key.
    pub key: String,
    /// The rule's name; its newest version is run.
    pub rule: String,
    /// The keys whose current values are the rule's parameters, in their order.
    pub inputs: Vec<String>,
    /// Keys whose being believed defeats the step.
    pub unless: Vec<String>,
    /// The statement in words.
    pub claim: Option<String>,
}

impl Derivation {
    /// The value of a key, by a rule, from keys.
    #[must_use]
    pub fn new<T: Into<String>>(
        key: impl Into<String>,
        rule: impl Into<String>,
        inputs: impl IntoIterator<Item = T>,
    ) -> Self {
        Self {
            key: key.into(),
            rule: rule.into(),
            inputs: inputs.into_iter().map(Into::into).collect(),
            unless: Vec::new(),
            claim: None,
        }
    }
}

/// Who is to blame for a retracted belief.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fault {
    /// Nobody.
    #[default]
    None,
    /// Its sources: each is recorded as wrong.
    Source,
}

/// How to settle a conflict by hand.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settlement {
    /// Sides to keep: refs, or a key for all its sides. When empty, those not retracted.
    pub keep: Vec<String>,
    /// Sides to retract: refs. When empty, those not kept.
    pub retract: Vec<String>,
    /// Kept with every retraction.
    pub reason: Option<String>,
    /// Whether this is ground truth: the losers' sources were wrong and the winners' right.
    pub learn: bool,
}

/// A way to settle conflicts without a person. Close calls stay open, and nothing is learnt.
#[derive(Clone, Debug, PartialEq)]
pub enum ConflictPolicy {
    /// The side with the highest confidence wins if it leads by at least this much.
    HigherConfidence {
        /// How far it has to lead, from 0 to 1.
        margin: f64,
    },
    /// The side that was given last wins; equal times are a close call.
    Newest,
    /// The side whose best source comes first in this order wins; equal ranks are a close call.
    SourceRank {
        /// Kinds, best first; the trust policy's when empty.
        order: Vec<SourceKind>,
    },
}
