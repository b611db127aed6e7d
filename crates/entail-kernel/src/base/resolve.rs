//! Settling conflicts, by hand or by a policy.

use rustc_hash::FxHashSet;

use super::{
    Base, BaseError, BeliefId, Conflict, ConflictKind, ConflictPolicy, Disputed, Event,
    JustificationId, Lesson, Settlement, SourceKind, split_ref,
};
use crate::Time;
use crate::equality::values_equal;

/// What settling a conflict did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolved {
    /// What it was over.
    pub kind: ConflictKind,
    /// The sides that stay.
    pub kept: Vec<BeliefId>,
    /// The sides that went.
    pub retracted: Vec<BeliefId>,
}

impl Base {
    /// Settles a conflict by hand.
    ///
    /// Sides that are neither kept nor retracted stay, unless only one of the lists is given: then
    /// the other holds the rest. With `learn` the accountable sources of the losers are recorded
    /// as wrong and those of the winners as right.
    ///
    /// # Errors
    /// `no_conflict`; `invalid_argument` when a side named is not one, is both kept and retracted,
    /// or when nothing would be retracted.
    ///
    /// ```
    /// use entail_kernel::base::{Disputed, Premise, Settlement};
    /// use entail_kernel::{Base, Time};
    ///
    /// let mut base = Base::default();
    /// let now = Time::EPOCH;
    /// base.assert(Premise::new("k", 1_i64, "tool:a".parse()?), now)?;
    /// base.assert(Premise::new("k", 2_i64, "tool:b".parse()?), now)?;
    /// let keep_the_first = Settlement { keep: vec!["k@1".to_owned()], ..Settlement::default() };
    /// let settled = base.resolve(Disputed::Key("k"), &keep_the_first, now)?;
    /// assert_eq!(base.believed("k"), settled.kept);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn resolve(
        &mut self,
        disputed: Disputed<'_>,
        settlement: &Settlement,
        now: Time,
    ) -> Result<Resolved, BaseError> {
        self.operate(|base| {
            let conflict = base
                .conflict(disputed)
                .ok_or_else(|| BaseError::NoConflict {
                    target: disputed.name().to_owned(),
                })?;
            let (kept, lost) = base.sides(&conflict, settlement)?;
            if settlement.learn {
                base.learn_from(&lost, false, now);
                base.learn_from(&kept, true, now);
            }
            let reason = settlement.reason.as_deref().unwrap_or("lost a conflict");
            Ok(base.settle_conflict(conflict, "hand", reason, (kept, lost), now))
        })
    }

    /// Sorts the sides of a conflict into those that stay and those that go.
    fn sides(
        &self,
        conflict: &Conflict,
        settlement: &Settlement,
    ) -> Result<(Vec<BeliefId>, Vec<BeliefId>), BaseError> {
        let keep = self.named_sides(conflict, &settlement.keep)?;
        let retract = self.named_sides(conflict, &settlement.retract)?;
        let others = |named: &[BeliefId]| {
            let named: FxHashSet<_> = named.iter().copied().collect();
            let sides = conflict.sides.iter().copied();
            sides
                .filter(|side| !named.contains(side))
                .collect::<Vec<_>>()
        };
        let lost = if retract.is_empty() && !keep.is_empty() {
            others(&keep)
        } else {
            retract
        };
        if lost.is_empty() {
            return Err(BaseError::argument(
                "retract",
                "names no side: say which sides to keep or to retract",
            ));
        }
        let gone: FxHashSet<_> = lost.iter().copied().collect();
        if let Some(both) = keep.iter().find(|side| gone.contains(side)) {
            return Err(BaseError::argument(
                self.reference(*both).to_string(),
                "is to be both kept and retracted: choose one",
            ));
        }
        Ok((others(&lost), lost))
    }

    fn named_sides(
        &self,
        conflict: &Conflict,
        named: &[String],
    ) -> Result<Vec<BeliefId>, BaseError> {
        let sides: FxHashSet<_> = conflict.sides.iter().copied().collect();
        let mut found = Vec::new();
        for name in named {
            let meant = match split_ref(name) {
                Some((key, None)) => self.believed(key),
                _ => self.find(name).into_iter().collect(),
            };
            let before = found.len();
            found.extend(meant.into_iter().filter(|side| sides.contains(side)));
            if found.len() == before {
                return Err(BaseError::argument(
                    name,
                    "is not a side of this conflict: name one of its sides",
                ));
            }
        }
        Ok(super::justify::distinct(&found))
    }

    fn learn_from(&mut self, beliefs: &[BeliefId], correct: bool, now: Time) {
        for belief in beliefs {
            for name in self.accountable(*belief) {
                self.tell_now(name, correct, Lesson::Resolution, now);
            }
        }
    }

    fn settle_conflict(
        &mut self,
        conflict: Conflict,
        by: &str,
        reason: &str,
        (kept, lost): (Vec<BeliefId>, Vec<BeliefId>),
        now: Time,
    ) -> Resolved {
        for belief in &lost {
            self.retract_now(*belief, Some(reason), now);
        }
        let (key, constraint) = match &conflict.kind {
            ConflictKind::Value { key } => (Some(key.to_string()), None),
            ConflictKind::Constraint { name, .. } => (None, Some(name.to_string())),
        };
        self.resolved_now(Event::Resolved {
            key,
            constraint,
            by: by.to_owned(),
            kept: kept.iter().map(|id| self.reference(*id)).collect(),
            retracted: lost.iter().map(|id| self.reference(*id)).collect(),
            reason: Some(reason.to_owned()),
            at: now,
        });
        self.settle();
        Resolved {
            kind: conflict.kind,
            kept,
            retracted: lost,
        }
    }

    /// Settles the conflicts that a policy can settle; close calls stay open and nothing is
    /// learnt.
    ///
    /// Of a value conflict the winning side stays, with others of an equal value. Of a broken
    /// constraint only the weakest side goes.
    ///
    /// # Errors
    /// `invalid_argument` for a margin outside 0 to 1.
    pub fn resolve_by(
        &mut self,
        policy: &ConflictPolicy,
        now: Time,
    ) -> Result<Vec<Resolved>, BaseError> {
        self.operate(|base| {
            if let ConflictPolicy::HigherConfidence { margin } = policy {
                super::assert::valid_share("margin", Some(*margin))?;
            }
            let mut resolved = Vec::new();
            loop {
                let before = resolved.len();
                for found in base.conflicts() {
                    // What was settled before it may have settled this one, too.
                    let Some(conflict) = base.conflict(found.kind.disputed()) else {
                        continue;
                    };
                    if let Some(sides) = base.judged(&conflict, policy, now) {
                        let done = base.settle_conflict(
                            conflict,
                            policy.word(),
                            policy.reason(),
                            sides,
                            now,
                        );
                        resolved.push(done);
                    }
                }
                if resolved.len() == before {
                    return Ok(resolved);
                }
            }
        })
    }

    /// Which sides stay and which go by a policy; `None` for a close call.
    fn judged(
        &self,
        conflict: &Conflict,
        policy: &ConflictPolicy,
        now: Time,
    ) -> Option<(Vec<BeliefId>, Vec<BeliefId>)> {
        let scores = self.scores(&conflict.sides, policy, now);
        let mut ranked: Vec<_> = conflict.sides.iter().copied().zip(scores).collect();
        ranked.sort_by(|left, right| right.1.total_cmp(&left.1).then(left.0.cmp(&right.0)));
        let leads = |better: f64, worse: f64| match policy {
            ConflictPolicy::HigherConfidence { margin } => {
                // A lead that is the margin but for rounding is one.
                better > worse && better - worse >= margin - 1e-12
            }
            ConflictPolicy::Newest | ConflictPolicy::SourceRank { .. } => better > worse,
        };
        if let ConflictKind::Constraint { .. } = conflict.kind {
            let [.., (_, better), (weakest, worse)] = *ranked.as_slice() else {
                return None;
            };
            let others = conflict.sides.iter().copied();
            return leads(better, worse).then(|| {
                let kept = others.filter(|side| *side != weakest).collect();
                (kept, vec![weakest])
            });
        }
        let (winner, best) = *ranked.first()?;
        let value = &self.graph.beliefs.at(winner).value;
        let (kept, lost): (Vec<_>, Vec<_>) = ranked
            .into_iter()
            .partition(|(side, _)| values_equal(&self.graph.beliefs.at(*side).value, value));
        let (_, second) = *lost.first()?;
        let sides = |ranked: Vec<(BeliefId, f64)>| {
            let mut sides: Vec<_> = ranked.into_iter().map(|(side, _)| side).collect();
            sides.sort_unstable();
            sides
        };
        leads(best, second).then(|| (sides(kept), sides(lost)))
    }

    /// How well each side stands by a policy; more is better.
    fn scores(&self, sides: &[BeliefId], policy: &ConflictPolicy, now: Time) -> Vec<f64> {
        let over_reasons = |belief: &BeliefId, score: &dyn Fn(JustificationId) -> f64| {
            self.graph
                .beliefs
                .at(*belief)
                .justifications
                .as_slice()
                .iter()
                .map(|id| JustificationId(*id))
                .filter(|id| self.graph.links.at(*id).faults == 0)
                .map(score)
                .fold(f64::NEG_INFINITY, f64::max)
        };
        match policy {
            ConflictPolicy::HigherConfidence { .. } => {
                let weighed = self.weigh(sides, now);
                sides.iter().map(|side| weighed.confidence(*side)).collect()
            }
            ConflictPolicy::Newest => {
                // Microseconds are exact as floats for the next two centuries.
                #[expect(clippy::cast_precision_loss, reason = "below 2^53 until the year 2255")]
                let score = |id| self.graph.justifications.at(id).created_at.micros() as f64;
                sides
                    .iter()
                    .map(|side| over_reasons(side, &score))
                    .collect()
            }
            ConflictPolicy::SourceRank { order } => {
                let order = if order.is_empty() {
                    &self.settings.trust.source_rank
                } else {
                    order
                };
                let rank = |kind: SourceKind| {
                    order
                        .iter()
                        .position(|there| *there == kind)
                        .unwrap_or(order.len())
                };
                let score = |id: JustificationId| {
                    let source = self.graph.justifications.at(id).source;
                    -f64::from(super::nodes::length(rank(self.graph.source(source).kind)))
                };
                sides
                    .iter()
                    .map(|side| over_reasons(side, &score))
                    .collect()
            }
        }
    }
}

impl ConflictPolicy {
    /// The word for it.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match self {
            Self::HigherConfidence { .. } => "higher_confidence",
            Self::Newest => "newest",
            Self::SourceRank { .. } => "source_rank",
        }
    }

    const fn reason(&self) -> &'static str {
        match self {
            Self::HigherConfidence { .. } => "lost a conflict to one of higher confidence",
            Self::Newest => "lost a conflict to a newer one",
            Self::SourceRank { .. } => "lost a conflict to a source of higher rank",
        }
    }
}
