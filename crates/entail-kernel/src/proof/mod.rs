//! Proofs: the support graph behind one or more beliefs, in dependency order.
//!
//! A [`Proof`] borrows the base that it speaks of. It renders as JSON, a text tree, Mermaid and
//! Graphviz DOT, compares with another proof, and can be [checked](check). All of this goes
//! without recursion and in time linear in the proof.
//!
//! | module | subject |
//! |---|---|
//! | `build` | which beliefs and sets a proof holds, in which order |
//! | `json`, `tree`, `drawing` | how it is shown |
//! | [`diff`] | what two proofs differ in |
//! | [`check`] | whether it holds |
//!
//! ```
//! use entail_kernel::base::{Premise, Step};
//! use entail_kernel::{Base, Time};
//!
//! let mut base = Base::default();
//! let now = Time::EPOCH;
//! base.assert(Premise::new("q2", 200_i64, "tool:t".parse()?), now)?;
//! let step = Step::new("high", true, "model:m".parse()?, ["q2"]);
//! let high = base.justify(step, now)?;
//!
//! let proof = base.proof(&[high], now);
//! assert_eq!(proof.to_text(), "\
//! high@1 = true [IN 0.855] concluded by model:m from
//!   q2@1 = 200 [IN 0.95] asserted by tool:t
//! ");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod build;
pub mod check;
pub mod diff;
mod drawing;
mod json;
mod tree;

use rustc_hash::FxHashMap;

use crate::Time;
use crate::base::{Base, Belief, BeliefId, Justification, JustificationId, SetId};

/// The support graph behind some beliefs, as of a time.
#[derive(Clone, Debug)]
pub struct Proof<'a> {
    base: &'a Base,
    at: Time,
    roots: Vec<BeliefId>,
    /// Antecedents before what rests on them.
    steps: Vec<Note>,
    /// Sets before those that extend them.
    sets: Vec<SetId>,
    place: FxHashMap<BeliefId, u32>,
    /// How many steps and sets of the proof rest on each set.
    uses: FxHashMap<SetId, u32>,
}

/// What a proof notes of a belief.
#[derive(Clone, Copy, Debug)]
struct Note {
    belief: BeliefId,
    justification: Option<JustificationId>,
    confidence: f64,
}

/// One step of a proof.
#[derive(Clone, Debug)]
pub struct ProofStep<'a> {
    /// The belief.
    pub belief: Belief<'a>,
    /// Its confidence; 0 if it is not believed.
    pub confidence: f64,
    /// The justification that it has its confidence from; if it is not believed, the one that was
    /// given or renewed last.
    pub justification: Option<Justification<'a>>,
}

impl<'a> Proof<'a> {
    /// The base it speaks of.
    #[must_use]
    pub const fn base(&self) -> &'a Base {
        self.base
    }

    /// The time as of which it speaks.
    #[must_use]
    pub const fn at(&self) -> Time {
        self.at
    }

    /// The beliefs that it is the proof of.
    #[must_use]
    pub fn roots(&self) -> &[BeliefId] {
        &self.roots
    }

    /// How many steps it has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether it has none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Whether a belief is part of it.
    #[must_use]
    pub fn holds(&self, belief: BeliefId) -> bool {
        self.place.contains_key(&belief)
    }

    /// Its steps: antecedents come before what rests on them, except in loops of beliefs that are
    /// not believed.
    pub fn steps(&self) -> impl Iterator<Item = ProofStep<'a>> + '_ {
        self.steps.iter().filter_map(|note| self.step_of(note))
    }

    /// One step.
    #[must_use]
    pub fn step(&self, belief: BeliefId) -> Option<ProofStep<'a>> {
        self.step_of(self.note(belief)?)
    }

    fn note(&self, belief: BeliefId) -> Option<&Note> {
        self.steps.get(*self.place.get(&belief)? as usize)
    }

    fn step_of(&self, note: &Note) -> Option<ProofStep<'a>> {
        let base = self.base;
        Some(ProofStep {
            belief: base.belief(note.belief)?,
            confidence: note.confidence,
            justification: note.justification.and_then(|id| base.justification(id)),
        })
    }

    /// Whether a set is worth a name of its own: more than one thing rests on it.
    fn is_shared(&self, set: SetId) -> bool {
        self.uses.get(&set).is_some_and(|uses| *uses > 1)
    }

    /// What rests directly on a set: its beliefs and those of the sets that it extends as far as
    /// nothing else does, and then the set that is shared.
    fn antecedents(&self, set: SetId) -> (Vec<BeliefId>, Option<SetId>) {
        let mut lists = Vec::new();
        let mut at = Some(set);
        let mut shared = None;
        while let Some(set) = at {
            if self.is_shared(set) {
                shared = Some(set);
                break;
            }
            let Some((extends, own)) = self.base.set(set) else {
                break;
            };
            lists.push(own);
            at = extends;
        }
        (lists.into_iter().rev().flatten().collect(), shared)
    }

    /// What a shared set holds by itself, and the shared set that it extends.
    fn members(&self, set: SetId) -> (Vec<BeliefId>, Option<SetId>) {
        let Some((extends, own)) = self.base.set(set) else {
            return (Vec::new(), None);
        };
        let (mut beliefs, shared) = extends.map_or((Vec::new(), None), |set| self.antecedents(set));
        beliefs.extend(own);
        (beliefs, shared)
    }

    /// The sets worth a name, those extended first.
    fn shared_sets(&self) -> impl Iterator<Item = SetId> + '_ {
        self.sets.iter().copied().filter(|set| self.is_shared(*set))
    }
}
