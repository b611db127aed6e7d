//! What is stored of each thing in a base, and how the parts are linked.

use std::sync::Arc;

use entail_json::{Object, Value};

use super::arena::IdList;
use super::{
    BeliefId, Citation, JustificationId, JustificationKind, KeyId, NameId, Retraction, SetId,
    Source, SourceId,
};
use crate::{Span, Time};

/// The end of a chain, or no handle at all.
pub(crate) const NONE: u32 = u32::MAX;

/// A key.
#[derive(Clone, Debug)]
pub(crate) struct KeyNode {
    pub(crate) text: Arc<str>,
    /// All revisions, oldest first.
    pub(crate) revisions: IdList,
    /// The revisions that are IN, oldest first.
    pub(crate) believed: IdList,
    /// Chain of [`KeyEdge`]s: what its being believed defeats.
    pub(crate) unless: u32,
    /// Chain of [`KeyEdge`]s: rules that have it as an input.
    pub(crate) inputs: u32,
    /// How many justifications by rules its revisions have.
    pub(crate) rules: u32,
    /// Its place in the order in which keys got their first revision.
    pub(crate) order: u32,
    /// Its place among the keys that have revisions but nothing believed.
    pub(crate) lost_at: u32,
}

/// The part of a belief that labelling reads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Label {
    /// Chain of [`SetEdge`]s: the sets that it is in.
    pub(crate) edges: u32,
    /// How many of its justifications are valid.
    pub(crate) valid: u32,
    /// How many of those rest on nothing that could change: neither antecedents nor `unless`.
    pub(crate) anchors: u32,
    pub(crate) key: KeyId,
    pub(crate) is_in: bool,
    pub(crate) is_retracted: bool,
}

impl Label {
    /// What its justifications say that it should be.
    pub(crate) const fn wanted(&self) -> bool {
        !self.is_retracted && self.valid > 0
    }
}

/// The rest of a belief.
#[derive(Clone, Debug)]
pub(crate) struct BeliefNode {
    pub(crate) key: KeyId,
    pub(crate) revision: u32,
    pub(crate) value: Value,
    pub(crate) claim: Option<Box<str>>,
    pub(crate) metadata: Option<Box<Object>>,
    pub(crate) created_at: Time,
    pub(crate) retraction: Option<Box<Retraction>>,
    /// Its justifications, the one given or renewed last at the end.
    pub(crate) justifications: IdList,
}

/// An antecedent set.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SetNode {
    /// The set that it extends.
    pub(crate) parent: u32,
    /// Its own [`SetEdge`]s: from here, so many.
    pub(crate) start: u32,
    pub(crate) len: u32,
    /// How many beliefs it holds with those of the set that it extends.
    pub(crate) total: u32,
    /// Chain of the sets that extend it.
    pub(crate) children: u32,
    pub(crate) next_child: u32,
    /// Chain of the justifications that rest on it.
    pub(crate) justifications: u32,
    /// How many of its beliefs, and the set that it extends, are OUT.
    pub(crate) out: u32,
    pub(crate) is_in: bool,
}

/// A belief in a set.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SetEdge {
    pub(crate) belief: BeliefId,
    pub(crate) set: SetId,
    pub(crate) next: u32,
}

/// A key in the `unless` or the inputs of a justification.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeyEdge {
    pub(crate) key: KeyId,
    pub(crate) justification: JustificationId,
    pub(crate) next: u32,
}

/// The part of a justification that labelling reads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Link {
    pub(crate) belief: BeliefId,
    /// The set that it rests on.
    pub(crate) set: u32,
    pub(crate) next_of_set: u32,
    /// How many things speak against it: its set being OUT, each key that defeats it, having
    /// expired. It is valid when nothing does.
    pub(crate) faults: u32,
    pub(crate) is_anchor: bool,
    pub(crate) is_expired: bool,
}

/// The rest of a justification.
#[derive(Clone, Debug)]
pub(crate) struct JustificationNode {
    pub(crate) kind: JustificationKind,
    pub(crate) source: SourceId,
    /// NaN when none was given.
    pub(crate) confidence: f64,
    /// Microseconds since the epoch; `i64::MAX` when it never expires.
    pub(crate) valid_until: i64,
    /// Microseconds; 0 when it never fades.
    pub(crate) half_life: i64,
    pub(crate) created_at: Time,
    pub(crate) extra: Option<Box<Extra>>,
}

/// What few justifications have.
#[derive(Clone, Debug, Default)]
pub(crate) struct Extra {
    /// Its [`KeyEdge`]s among the `unless` edges: from here, so many.
    pub(crate) unless: (u32, u32),
    /// Keys to re-derive it from.
    pub(crate) inputs: Box<[KeyId]>,
    pub(crate) rule_version: Option<u32>,
    pub(crate) formula: Option<Box<str>>,
    pub(crate) citation: Option<Box<Citation>>,
    pub(crate) note: Option<Box<str>>,
}

impl JustificationNode {
    pub(crate) fn confidence(&self) -> Option<f64> {
        (!self.confidence.is_nan()).then_some(self.confidence)
    }

    pub(crate) fn expires(&self) -> bool {
        self.valid_until != i64::MAX
    }

    pub(crate) fn valid_until(&self) -> Option<Time> {
        self.expires()
            .then(|| Time::from_micros(self.valid_until))
            .flatten()
    }

    pub(crate) fn half_life(&self) -> Option<Span> {
        (self.half_life > 0).then(|| Span::from_micros(self.half_life))
    }

    pub(crate) fn rule_version(&self) -> Option<u32> {
        self.extra.as_ref().and_then(|extra| extra.rule_version)
    }

    pub(crate) fn formula(&self) -> Option<&str> {
        self.extra
            .as_ref()
            .and_then(|extra| extra.formula.as_deref())
    }

    pub(crate) fn inputs(&self) -> &[KeyId] {
        self.extra.as_ref().map_or(&[], |extra| &extra.inputs)
    }
}

/// A source.
#[derive(Clone, Debug)]
pub(crate) struct SourceNode {
    pub(crate) source: Arc<Source>,
    pub(crate) label: NameId,
    /// The declared origin, or the label.
    pub(crate) origin: NameId,
}

/// A length as what chains and counters hold. Limits far below `u32::MAX` are checked before
/// anything is added.
pub(crate) fn length(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_stored_of_a_belief_with_one_step_stays_small() {
        let parts = [
            size_of::<KeyNode>(),
            size_of::<Label>(),
            size_of::<BeliefNode>(),
            size_of::<SetNode>(),
            size_of::<SetEdge>(),
            size_of::<Link>(),
            size_of::<JustificationNode>(),
        ];
        assert!(parts.iter().sum::<usize>() <= 304, "{parts:?}");
    }
}
