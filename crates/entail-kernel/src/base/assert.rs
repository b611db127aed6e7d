//! Asserting premises.

use entail_json::Value;

use super::record::Reason;
use super::{
    Base, BaseError, BeliefId, Expiry, JustificationKind, KeyId, Lesson, NameId, Premise, SourceId,
    SourceKind, check_key,
};
use crate::equality::values_equal;
use crate::{Span, Time};

/// What asserting a premise did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asserted {
    /// The belief that now carries it.
    pub belief: BeliefId,
    /// How.
    pub how: Assertion,
    /// Revisions that were superseded.
    pub superseded: Vec<BeliefId>,
}

/// How a premise was taken in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Assertion {
    /// As a new revision.
    Added,
    /// As one more justification of a believed revision.
    Corroborated,
    /// As a repetition by a source that already said so of a believed revision: it took the place
    /// of what that source said before.
    Repeated,
    /// As renewed evidence for a revision that was out.
    Renewed,
}

impl Base {
    /// Asserts a premise.
    ///
    /// A believed revision with an equal value gains the source as a further justification; a
    /// source that says the same again takes the place of what it said before. If nothing is
    /// believed and the latest revision has an equal value and was not retracted, its evidence is
    /// renewed. Otherwise there is a new revision, and believed ones of other values are in
    /// conflict with it, unless `supersede` retracted them.
    ///
    /// # Errors
    /// `invalid_key`; `invalid_argument` for a rule as source, a nameless source, a confidence
    /// outside 0 to 1, a half-life that is not positive or an expiry that does not lie ahead.
    ///
    /// ```
    /// use entail_kernel::base::{Assertion, Premise};
    /// use entail_kernel::{Base, Time};
    ///
    /// let mut base = Base::default();
    /// let now = Time::EPOCH;
    /// let first = base.assert(Premise::new("k", 1_i64, "tool:a".parse()?), now)?;
    /// let again = base.assert(Premise::new("k", 1_i64, "human:h".parse()?), now)?;
    /// assert_eq!(again.belief, first.belief);
    /// assert_eq!(again.how, Assertion::Corroborated);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn assert(&mut self, premise: Premise, now: Time) -> Result<Asserted, BaseError> {
        self.operate(|base| base.take_in(premise, now))
    }

    fn take_in(&mut self, premise: Premise, now: Time) -> Result<Asserted, BaseError> {
        self.check_room()?;
        valid_key(&premise.key)?;
        if premise.source.kind == SourceKind::Rule {
            return Err(BaseError::argument(
                premise.source.label(),
                "is a rule, and rules assert nothing: derive the value with it",
            ));
        }
        check_source_name(&premise.source.name)?;
        valid_share("confidence", premise.confidence)?;
        valid_half_life(premise.half_life)?;
        let valid_until = valid_expiry(premise.expiry, now)?;
        let key = self.intern_key(&premise.key);
        let source = self.intern_source(&premise.source);

        // What the premise means is decided before anything is superseded: a belief of that value
        // may have rested on what goes.
        let (agreeing, renewable) = (
            self.believed_equal(key, &premise.value),
            self.renewable(key, &premise.value),
        );
        let superseded = if premise.supersede {
            self.supersede(key, agreeing, now)
        } else {
            Vec::new()
        };
        let (belief, how) = if let Some(belief) = agreeing {
            self.learn_from_agreement(belief, source, now);
            let is_repeated = self.graph.premise(belief, source).is_some();
            let how = if is_repeated {
                Assertion::Repeated
            } else {
                Assertion::Corroborated
            };
            (belief, how)
        } else if let Some(belief) = renewable {
            (belief, Assertion::Renewed)
        } else {
            let (value, claim, metadata) = (premise.value, premise.claim, premise.metadata);
            let belief = self.add_belief(key, value, claim, metadata, now);
            (belief, Assertion::Added)
        };
        let reason = Reason {
            kind: JustificationKind::Premise,
            source,
            set: None,
            unless: Vec::new(),
            inputs: Vec::new(),
            rule_version: None,
            formula: None,
            confidence: premise.confidence,
            valid_until,
            half_life: premise.half_life,
            citation: premise.citation,
            note: premise.note,
        };
        match self.graph.premise(belief, source) {
            Some(older) => self.replace_reason(older, reason, now),
            None => {
                self.add_reason(belief, reason, now);
            }
        }
        Ok(Asserted {
            belief,
            how,
            superseded,
        })
    }

    /// Retracts every believed revision of a key but one.
    fn supersede(&mut self, key: KeyId, kept: Option<BeliefId>, now: Time) -> Vec<BeliefId> {
        let others: Vec<_> = self
            .graph
            .keys
            .at(key)
            .believed
            .as_slice()
            .iter()
            .map(|id| BeliefId(*id))
            .filter(|id| Some(*id) != kept)
            .collect();
        for belief in &others {
            self.retract_now(*belief, Some("superseded"), now);
        }
        self.settle();
        others
    }

    /// The latest believed revision of that value.
    pub(super) fn believed_equal(&self, key: KeyId, value: &Value) -> Option<BeliefId> {
        self.graph
            .keys
            .at(key)
            .believed
            .as_slice()
            .iter()
            .rev()
            .map(|id| BeliefId(*id))
            .find(|id| values_equal(&self.graph.beliefs.at(*id).value, value))
    }

    /// The latest revision, if nothing is believed, it was not retracted and has that value.
    pub(super) fn renewable(&self, key: KeyId, value: &Value) -> Option<BeliefId> {
        let node = self.graph.keys.at(key);
        let latest = BeliefId(node.revisions.last()?);
        (node.believed.len() == 0
            && !self.graph.labels.at(latest).is_retracted
            && values_equal(&self.graph.beliefs.at(latest).value, value))
        .then_some(latest)
    }

    /// Counts a success for a source that newly agrees with a belief, and for each source of
    /// another origin whose premise for it is valid. The same `kind:name` under the same origin
    /// saying so again, in whatever words, is no new agreement.
    fn learn_from_agreement(&mut self, belief: BeliefId, source: SourceId, now: Time) {
        let (label, origin) = self.who(source);
        let mut agreeing: Vec<NameId> = Vec::new();
        for id in self.graph.beliefs.at(belief).justifications.as_slice() {
            let id = super::JustificationId(*id);
            let node = self.graph.justifications.at(id);
            if node.kind != JustificationKind::Premise {
                continue;
            }
            let other = self.who(node.source);
            if other == (label, origin) {
                return;
            }
            if other.1 != origin && self.graph.links.at(id).faults == 0 {
                agreeing.push(other.0);
            }
        }
        if agreeing.is_empty() {
            return;
        }
        agreeing.sort_unstable();
        agreeing.dedup();
        self.tell_now(label, true, Lesson::Agreement, now);
        for name in agreeing {
            self.tell_now(name, true, Lesson::Agreement, now);
        }
    }

    /// What reliability is kept for, and the origin.
    fn who(&self, source: SourceId) -> (NameId, NameId) {
        let node = self.graph.sources.at(source);
        (node.label, node.origin)
    }
}

pub(super) fn valid_key(key: &str) -> Result<(), BaseError> {
    check_key(key).map_err(|fault| BaseError::InvalidKey {
        key: key.to_owned(),
        fault,
    })
}

pub(super) fn check_source_name(name: &str) -> Result<(), BaseError> {
    if name.is_empty() {
        return Err(BaseError::argument(
            "source",
            "has no name: write `kind:name`",
        ));
    }
    Ok(())
}

/// Checks something that lies between 0 and 1.
pub(super) fn valid_share(what: &str, share: Option<f64>) -> Result<(), BaseError> {
    match share {
        Some(share) if !(0.0..=1.0).contains(&share) => Err(BaseError::argument(
            what,
            format!("is {share}, which does not lie between 0 and 1"),
        )),
        _ => Ok(()),
    }
}

fn valid_half_life(half_life: Option<Span>) -> Result<(), BaseError> {
    if half_life.is_some_and(|half_life| half_life <= Span::ZERO) {
        return Err(BaseError::argument(
            "half_life",
            "is not positive: leave it out if the evidence never fades",
        ));
    }
    Ok(())
}

pub(super) fn valid_expiry(expiry: Option<Expiry>, now: Time) -> Result<Option<Time>, BaseError> {
    match expiry {
        None => Ok(None),
        Some(Expiry::At(time)) if time > now => Ok(Some(time)),
        Some(Expiry::At(time)) => Err(BaseError::argument(
            "valid_until",
            format!("is {time}, which has passed: give a time after {now}"),
        )),
        Some(Expiry::After(ttl)) if ttl > Span::ZERO => Ok(Some(now.saturating_add(ttl))),
        Some(Expiry::After(_)) => Err(BaseError::argument(
            "ttl",
            "is not positive: leave it out if the evidence never expires",
        )),
    }
}
