//! What two proofs differ in.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use entail_json::{Object, Value};

use super::tree::{rounded, short};
use super::{Proof, ProofStep};
use crate::base::{Ref, Status, float};
use crate::equality::values_equal;

/// What two proofs differ in, keys in alphabetical order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProofDiff {
    /// Beliefs of keys that only the later proof has, with their values.
    pub added: Vec<(Ref, Value)>,
    /// Beliefs of keys that only the earlier one has, with their values.
    pub removed: Vec<(Ref, Value)>,
    /// Keys that both have at different revisions.
    pub revised: Vec<Revised>,
    /// Beliefs that both have with another status or confidence.
    pub changed: Vec<Shifted>,
}

/// A key that two proofs have at different revisions.
#[derive(Clone, Debug, PartialEq)]
pub struct Revised {
    /// Then, and its value.
    pub before: (Ref, Value),
    /// Later, and its value.
    pub after: (Ref, Value),
    /// Whether the values are equal.
    pub is_equal: bool,
}

/// A belief that two proofs have with another status or confidence.
#[derive(Clone, Debug, PartialEq)]
pub struct Shifted {
    /// Which.
    pub belief: Ref,
    /// Status and confidence then.
    pub before: (Status, f64),
    /// Status and confidence later.
    pub after: (Status, f64),
}

/// Confidences closer than this are the same.
const SAME_CONFIDENCE: f64 = 1e-9;

impl Proof<'_> {
    /// What changed from this proof to a later one, perhaps of another base. Revisions of a key
    /// are matched by number; those left over are paired in their order.
    #[must_use]
    pub fn diff(&self, later: &Proof<'_>) -> ProofDiff {
        let mut keys: BTreeMap<Arc<str>, Sides<'_>> = BTreeMap::new();
        for step in self.steps() {
            let sides = keys.entry(Arc::clone(step.belief.key)).or_default();
            sides.before.insert(step.belief.revision, step);
        }
        for step in later.steps() {
            let sides = keys.entry(Arc::clone(step.belief.key)).or_default();
            sides.after.insert(step.belief.revision, step);
        }
        let mut diff = ProofDiff::default();
        for sides in keys.into_values() {
            sides.compare(&mut diff);
        }
        diff
    }
}

/// The steps of one key by revision.
#[derive(Default)]
struct Sides<'a> {
    before: BTreeMap<u32, ProofStep<'a>>,
    after: BTreeMap<u32, ProofStep<'a>>,
}

impl Sides<'_> {
    fn compare(mut self, diff: &mut ProofDiff) {
        let both: Vec<_> = self
            .before
            .keys()
            .copied()
            .filter(|revision| self.after.contains_key(revision))
            .collect();
        for revision in both {
            if let (Some(before), Some(after)) =
                (self.before.remove(&revision), self.after.remove(&revision))
            {
                let (then, now) = (standing(&before), standing(&after));
                if then.0 != now.0 || (then.1 - now.1).abs() > SAME_CONFIDENCE {
                    diff.changed.push(Shifted {
                        belief: after.belief.reference(),
                        before: then,
                        after: now,
                    });
                }
            }
        }
        let mut before = self.before.into_values();
        let mut after = self.after.into_values();
        loop {
            match (before.next(), after.next()) {
                (Some(before), Some(after)) => diff.revised.push(Revised {
                    is_equal: values_equal(before.belief.value, after.belief.value),
                    before: content(&before),
                    after: content(&after),
                }),
                (Some(before), None) => diff.removed.push(content(&before)),
                (None, Some(after)) => diff.added.push(content(&after)),
                (None, None) => break,
            }
        }
    }
}

fn standing(step: &ProofStep<'_>) -> (Status, f64) {
    (step.belief.status, step.confidence)
}

fn content(step: &ProofStep<'_>) -> (Ref, Value) {
    (step.belief.reference(), step.belief.value.clone())
}

impl ProofDiff {
    /// Whether the proofs are the same.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.added.is_empty()
            && self.removed.is_empty()
            && self.revised.is_empty()
            && self.changed.is_empty()
    }

    /// The difference as JSON: `added`, `removed`, `revised`, `changed`.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let content = |(belief, value): &(Ref, Value)| {
            Object::from([
                ("ref", Value::from(belief.to_string())),
                ("value", value.clone()),
            ])
        };
        let standing = |(status, confidence): (Status, f64)| {
            Value::from([
                ("status", Value::from(status.to_string())),
                ("confidence", float(confidence)),
            ])
        };
        Value::from([
            ("added", self.added.iter().map(content).collect()),
            ("removed", self.removed.iter().map(content).collect()),
            (
                "revised",
                self.revised
                    .iter()
                    .map(|revised| {
                        Value::from([
                            ("before", content(&revised.before).into()),
                            ("after", content(&revised.after).into()),
                            ("is_equal", revised.is_equal.into()),
                        ])
                    })
                    .collect(),
            ),
            (
                "changed",
                self.changed
                    .iter()
                    .map(|changed| {
                        Value::from([
                            ("ref", changed.belief.to_string().into()),
                            ("before", standing(changed.before)),
                            ("after", standing(changed.after)),
                        ])
                    })
                    .collect(),
            ),
        ])
    }

    /// The difference in lines: `+` added, `-` removed, `~` changed.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut out = String::new();
        let value = |value: &Value| short(&value.to_string());
        for (belief, there) in &self.removed {
            let _ = writeln!(out, "- {belief} = {}", value(there));
        }
        for (belief, there) in &self.added {
            let _ = writeln!(out, "+ {belief} = {}", value(there));
        }
        for Revised { before, after, .. } in &self.revised {
            let (then, now) = (value(&before.1), value(&after.1));
            let _ = writeln!(out, "~ {} = {then} -> {} = {now}", before.0, after.0);
        }
        for Shifted {
            belief,
            before,
            after,
        } in &self.changed
        {
            let (then, now) = (rounded(before.1), rounded(after.1));
            let _ = writeln!(out, "~ {belief} {} {then} -> {} {now}", before.0, after.0);
        }
        out
    }
}
