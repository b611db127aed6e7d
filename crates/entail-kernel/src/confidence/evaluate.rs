//! The confidence of beliefs: the least fixpoint from zero.
//!
//! Beliefs are finished in the order of their support. Where that order ends, in loops, the best
//! candidate left is finished next: no step raises confidence, so nothing that comes later could
//! still better it (Knuth's generalisation of Dijkstra's algorithm).

use std::collections::BinaryHeap;

use rustc_hash::FxHashMap;

use super::ledger::{Tally, fading};
use super::web::{Part, Web, Whole};
use crate::Time;
use crate::base::nodes::{NONE, length as graph_length};
use crate::base::{Base, BeliefId, JustificationId, JustificationKind, NameId, SourceId};

/// The confidence of beliefs at one time, and the justification each has it from.
#[derive(Clone, Debug)]
pub struct Confidences {
    confidence: Vec<f64>,
    support: Vec<u32>,
}

impl Confidences {
    /// The confidence of a belief; 0 if it is not believed.
    #[must_use]
    pub fn of(&self, belief: BeliefId) -> f64 {
        self.confidence
            .get(usize::from(belief))
            .copied()
            .unwrap_or_default()
    }

    /// The justification that gives a belief its confidence: its best one, of equally good ones a
    /// premise and then the one that was given last. Following these never leads in a circle.
    #[must_use]
    pub fn support(&self, belief: BeliefId) -> Option<JustificationId> {
        let support = *self.support.get(usize::from(belief))?;
        (support != NONE).then_some(JustificationId(support))
    }
}

impl Base {
    /// The confidence of every belief at a time. Linear in what is believed; loops cost a
    /// logarithm more.
    #[must_use]
    pub fn confidences(&self, at: Time) -> Confidences {
        let found = Evaluation::run(self, &Whole(&self.graph), at);
        Confidences {
            confidence: found.best,
            support: found.support,
        }
    }

    /// The confidence of a belief at a time; 0 if it is not believed. Linear in what the belief
    /// rests on: ask for all with [`confidences`](Self::confidences) where many are wanted.
    #[must_use]
    pub fn confidence(&self, belief: BeliefId, at: Time) -> f64 {
        self.weigh(&[belief], at).confidence(belief)
    }

    /// The confidences of some beliefs at a time, in their order. Linear in what they rest on,
    /// which is looked at once.
    #[must_use]
    pub fn confidences_of(&self, beliefs: &[BeliefId], at: Time) -> Vec<f64> {
        let weighed = self.weigh(beliefs, at);
        beliefs
            .iter()
            .map(|belief| weighed.confidence(*belief))
            .collect()
    }

    /// The confidences of some beliefs at a time, and the justification that each has it from
    /// (see [`Confidences::support`]), in their order. Linear in what they rest on, which is
    /// looked at once.
    #[must_use]
    pub fn weights_of(
        &self,
        beliefs: &[BeliefId],
        at: Time,
    ) -> Vec<(f64, Option<JustificationId>)> {
        let weighed = self.weigh(beliefs, at);
        let of = |belief: &BeliefId| (weighed.confidence(*belief), weighed.support(*belief));
        beliefs.iter().map(of).collect()
    }

    /// The justification that a believed belief has its confidence from; see
    /// [`Confidences::support`].
    #[must_use]
    pub fn supporting(&self, belief: BeliefId, at: Time) -> Option<JustificationId> {
        self.weigh(&[belief], at).support(belief)
    }

    /// Confidences of some beliefs and of all that they rest on.
    pub(crate) fn weigh(&self, roots: &[BeliefId], at: Time) -> Weighed {
        let part = Part::behind(&self.graph, roots);
        let found = Evaluation::run(self, &part, at);
        Weighed {
            place: part.into_places(),
            best: found.best,
            support: found.support,
        }
    }
}

/// Confidences of a part of a base.
#[derive(Debug)]
pub(crate) struct Weighed {
    place: FxHashMap<BeliefId, u32>,
    best: Vec<f64>,
    support: Vec<u32>,
}

impl Weighed {
    pub(crate) fn confidence(&self, belief: BeliefId) -> f64 {
        self.at(belief, &self.best).unwrap_or_default()
    }

    pub(crate) fn support(&self, belief: BeliefId) -> Option<JustificationId> {
        self.at(belief, &self.support)
            .filter(|support| *support != NONE)
            .map(JustificationId)
    }

    fn at<T: Copy>(&self, belief: BeliefId, list: &[T]) -> Option<T> {
        list.get(*self.place.get(&belief)? as usize).copied()
    }
}

/// A candidate among beliefs that wait for each other: the best first, of equal ones the oldest.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Candidate {
    value: f64,
    id: BeliefId,
    belief: u32,
}

impl Eq for Candidate {}

impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.value
            .total_cmp(&other.value)
            .then_with(|| other.id.cmp(&self.id))
    }
}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

struct Evaluation<'a> {
    base: &'a Base,
    at: Time,
    known: FxHashMap<NameId, (f64, Tally)>,
    /// The best confidence so far, and the justification that gives it.
    best: Vec<f64>,
    support: Vec<u32>,
    /// How many valid derived justifications of a belief still wait for their set.
    waiting: Vec<u32>,
    is_done: Vec<bool>,
    /// The first premise of each belief.
    premises: Vec<u32>,
    /// The least confidence in a set so far, and how many of its parts are still open.
    least: Vec<f64>,
    open: Vec<u32>,
    done_beliefs: Vec<u32>,
    done_sets: Vec<u32>,
    candidates: BinaryHeap<Candidate>,
    has_loops: bool,
}

impl<'a> Evaluation<'a> {
    fn run(base: &'a Base, web: &impl Web, at: Time) -> Self {
        let (beliefs, sets) = (web.beliefs(), web.sets());
        let mut evaluation = Self {
            base,
            at,
            known: FxHashMap::default(),
            best: vec![0.0; beliefs],
            support: vec![NONE; beliefs],
            waiting: vec![0; beliefs],
            is_done: vec![false; beliefs],
            premises: vec![NONE; beliefs],
            least: vec![1.0; sets],
            open: Vec::with_capacity(sets),
            done_beliefs: Vec::new(),
            done_sets: Vec::new(),
            candidates: BinaryHeap::new(),
            has_loops: false,
        };
        evaluation.begin(web);
        evaluation.go_on(web);
        evaluation.enter_loops(web);
        while let Some(Candidate { belief, .. }) = evaluation.candidates.pop() {
            evaluation.finish(belief);
            evaluation.go_on(web);
        }
        evaluation
    }

    /// What can be said without antecedents. This goes over the justifications as they lie, not
    /// over those of each belief in turn.
    fn begin(&mut self, web: &impl Web) {
        let graph = &self.base.graph;
        for set in 0..web.sets() {
            let node = graph.sets.at(web.set(set));
            self.open.push(node.len + u32::from(node.parent != NONE));
        }
        for (local, is_done) in self.is_done.iter_mut().enumerate() {
            // Retracted beliefs may have valid justifications, which must not reach them.
            *is_done = !graph.labels.at(web.belief(local)).is_in;
        }
        let mut with_several_premises = Vec::new();
        web.reasons(|id, local| {
            if self.is_done.get(local as usize) != Some(&false) {
                return;
            }
            if graph.justifications.at(id).kind == JustificationKind::Premise {
                let value = self.premise(id);
                match self.premises.get_mut(local as usize) {
                    Some(first) if *first == NONE => {
                        *first = id.0;
                        self.offer_premises(local, value, id.0);
                    }
                    _ => with_several_premises.push(local),
                }
            } else if graph.links.at(id).set == NONE {
                let value = self.step(id);
                self.offer(local, value, id);
            } else if let Some(waiting) = self.waiting.get_mut(local as usize) {
                *waiting += 1;
            }
        });
        with_several_premises.sort_unstable();
        with_several_premises.dedup();
        for local in with_several_premises {
            self.combine(local, web.belief(local as usize));
        }
        for local in 0..graph_length(web.beliefs()) {
            let at = local as usize;
            if self.waiting.get(at) == Some(&0) && self.is_done.get(at) == Some(&false) {
                self.finish(local);
            }
        }
    }

    /// The confidence that several premises give together, by the strongest of them.
    fn combine(&mut self, local: u32, belief: BeliefId) {
        let graph = &self.base.graph;
        let mut premises = Vec::new();
        let mut strongest = (0.0, NONE);
        let mut ids: Vec<_> = graph.beliefs.at(belief).justifications.as_slice().to_vec();
        ids.sort_unstable();
        for id in ids {
            let id = JustificationId(id);
            let node = graph.justifications.at(id);
            if graph.links.at(id).faults > 0 || node.kind != JustificationKind::Premise {
                continue;
            }
            let value = self.premise(id);
            premises.push((graph.sources.at(node.source).origin, value));
            if strongest.1 == NONE || value > strongest.0 {
                strongest = (value, id.0);
            }
        }
        let together = if self.base.settings().trust.corroboration {
            combined(&mut premises)
        } else {
            strongest.0
        };
        self.offer_premises(local, together, strongest.1);
    }

    /// Finishes everything that no longer waits for anything.
    fn go_on(&mut self, web: &impl Web) {
        loop {
            if let Some(belief) = self.done_beliefs.pop() {
                let value = self.best.get(belief as usize).copied().unwrap_or_default();
                web.sets_of(belief, |set| self.lower(set, value));
            } else if let Some(set) = self.done_sets.pop() {
                let value = self.least.get(set as usize).copied().unwrap_or_default();
                web.children_of(set, |child| self.lower(child, value));
                web.justified_by(set, |id, belief| {
                    let step = self.step(id);
                    self.offer(belief, step * value, id);
                    let waiting = self.waiting.get_mut(belief as usize);
                    if let Some(waiting) = waiting {
                        *waiting = waiting.saturating_sub(1);
                        if *waiting == 0 {
                            self.finish(belief);
                        }
                    }
                });
            } else {
                break;
            }
        }
    }

    /// Makes candidates of the beliefs that wait for each other.
    fn enter_loops(&mut self, web: &impl Web) {
        self.has_loops = true;
        for local in 0..web.beliefs() {
            let is_open =
                self.is_done.get(local) == Some(&false) && self.support.get(local) != Some(&NONE);
            if is_open && let Some(value) = self.best.get(local).copied() {
                self.candidates.push(Candidate {
                    value,
                    id: web.belief(local),
                    belief: local as u32,
                });
            }
        }
    }

    fn finish(&mut self, belief: u32) {
        if let Some(is_done) = self.is_done.get_mut(belief as usize)
            && !std::mem::replace(is_done, true)
        {
            self.done_beliefs.push(belief);
        }
    }

    /// A part of a set is finished with that confidence.
    fn lower(&mut self, set: u32, value: f64) {
        let at = set as usize;
        if let (Some(least), Some(open)) = (self.least.get_mut(at), self.open.get_mut(at)) {
            *least = least.min(value);
            *open = open.saturating_sub(1);
            if *open == 0 {
                self.done_sets.push(set);
            }
        }
    }

    fn offer(&mut self, belief: u32, value: f64, id: JustificationId) {
        let at = belief as usize;
        let (Some(best), Some(support), Some(false)) = (
            self.best.get_mut(at),
            self.support.get_mut(at),
            self.is_done.get(at),
        ) else {
            return;
        };
        let is_premise = *support != NONE
            && self
                .base
                .graph
                .justifications
                .at(JustificationId(*support))
                .kind
                == JustificationKind::Premise;
        let is_better =
            *support == NONE || value > *best || (value == *best && !is_premise && id.0 > *support);
        if is_better {
            *best = value;
            *support = id.0;
            if self.has_loops {
                let id = self.base.graph.links.at(id).belief;
                self.candidates.push(Candidate { value, id, belief });
            }
        }
    }

    fn offer_premises(&mut self, belief: u32, value: f64, strongest: u32) {
        let at = belief as usize;
        if let (Some(best), Some(support)) = (self.best.get_mut(at), self.support.get_mut(at))
            && (*support == NONE || value >= *best)
        {
            *best = value;
            *support = strongest;
        }
    }

    /// The confidence of a premise: reliability × 0.5^(age / half-life).
    fn premise(&mut self, id: JustificationId) -> f64 {
        let node = self.base.graph.justifications.at(id);
        let value = self.reliability(node.source, node.confidence());
        node.half_life().map_or(value, |half_life| {
            value * fading(node.created_at, self.at, half_life)
        })
    }

    /// How certain a step is by itself.
    fn step(&mut self, id: JustificationId) -> f64 {
        let node = self.base.graph.justifications.at(id);
        let certainty = node.confidence();
        if node.kind == JustificationKind::Rule {
            certainty.unwrap_or(self.base.settings().trust.priors.rule)
        } else if node.formula().is_some() {
            certainty.unwrap_or(1.0)
        } else {
            self.reliability(node.source, None) * certainty.unwrap_or(1.0)
        }
    }

    fn reliability(&mut self, source: SourceId, prior: Option<f64>) -> f64 {
        let base = self.base;
        let node = base.graph.sources.at(source);
        let ledger = &base.settings().ledger;
        let (own, tally) = *self.known.entry(node.label).or_insert_with(|| {
            let label = base.graph.names.at(node.label);
            let prior = base.prior(node.source.kind, label, Some(node.label));
            (prior, base.ledger.tally(node.label, ledger, self.at))
        });
        ledger.reliability(prior.unwrap_or(own), tally)
    }
}

/// Premises of one origin count once, the strongest; origins combine by 1 − Π(1 − c).
fn combined(premises: &mut [(NameId, f64)]) -> f64 {
    if let [(_, only)] = premises {
        return *only;
    }
    premises.sort_unstable_by(|left, right| {
        left.0
            .cmp(&right.0)
            .then_with(|| right.1.total_cmp(&left.1))
    });
    let mut strongest: Vec<f64> = Vec::new();
    let mut last = None;
    for (origin, value) in premises {
        if last != Some(*origin) {
            last = Some(*origin);
            strongest.push(*value);
        }
    }
    match strongest.as_slice() {
        [only] => *only,
        several => 1.0 - several.iter().map(|value| 1.0 - value).product::<f64>(),
    }
}
