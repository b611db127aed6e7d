//! Taking back what was done.

use super::nodes::{JustificationNode, Link};
use super::rules::Slot;
use super::{Base, BeliefId, JustificationId, KeyId, NameId, Retraction, SetId, Settings};
use crate::confidence::{OutcomeUndo, Totals};

/// How to take back one elementary change. Changes are taken back in the reverse of the order in
/// which they were made, so each finds the base as it was right after that change.
#[derive(Clone, Debug)]
pub(crate) enum Undo {
    Key,
    Name,
    Source,
    Set,
    Belief,
    Justification,
    Overwrite(Box<Overwritten>),
    Expire(JustificationId),
    FlipBelief(BeliefId),
    FlipSet(SetId),
    Retract(BeliefId),
    Restore(BeliefId, Box<Retraction>),
    Outcome(NameId, OutcomeUndo),
    Seed(NameId, Option<Box<Totals>>),
    Rate(NameId, Option<Box<f64>>),
    Configure(Box<Settings>),
    Rule(Box<Slot>),
    Constraint(Box<Slot>),
    Resolved,
}

/// A justification that another took the place of.
#[derive(Clone, Debug)]
pub(crate) struct Overwritten {
    pub(crate) id: JustificationId,
    pub(crate) link: Link,
    pub(crate) node: JustificationNode,
    /// Its place among the justifications of its belief.
    pub(crate) place: usize,
}

/// A point to which a base can be taken back. Marks are given back, by [`Base::rollback`] or
/// [`Base::commit`], in the reverse of the order in which they were taken.
#[derive(Debug)]
#[must_use = "an open mark keeps the undo log growing: give it to `rollback` or `commit`"]
pub struct Mark {
    pub(super) undo: usize,
    events: usize,
}

impl Base {
    /// A point to come back to. It costs nothing by itself.
    pub fn mark(&mut self) -> Mark {
        self.open_marks += 1;
        Mark {
            undo: self.undo.len(),
            events: self.events.len(),
        }
    }

    /// Takes everything back that happened since the mark, events included. The cost follows what
    /// happened, not the base.
    ///
    /// ```
    /// use entail_kernel::base::Premise;
    /// use entail_kernel::{Base, Time};
    ///
    /// let mut base = Base::default();
    /// let before = base.dump();
    /// let mark = base.mark();
    /// base.assert(Premise::new("a", 1_i64, "human:h".parse()?), Time::EPOCH)?;
    /// base.rollback(mark);
    /// assert_eq!(base.dump(), before);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn rollback(&mut self, mark: Mark) {
        while self.undo.len() > mark.undo {
            if let Some(undo) = self.undo.pop() {
                self.take_back(undo);
            }
        }
        self.events.truncate(mark.events);
        self.seeds.clear();
        self.close_mark();
    }

    /// Lets everything stand that happened since the mark.
    pub fn commit(&mut self, mark: Mark) {
        debug_assert!(mark.undo <= self.undo.len(), "marks are nested");
        self.close_mark();
    }

    fn close_mark(&mut self) {
        self.open_marks = self.open_marks.saturating_sub(1);
        if self.open_marks == 0 {
            self.undo.clear();
            // A change of a million labels must not keep its log for ever.
            self.undo.shrink_to(crate::limits::KEPT_SCRATCH);
        }
    }

    fn take_back(&mut self, undo: Undo) {
        match undo {
            Undo::Key => {
                self.graph.pop_key();
                self.woken.remove(&KeyId::next(self.graph.keys.len()));
            }
            Undo::Name => {
                self.graph.pop_name();
                self.ledger.forget(self.graph.names.len());
            }
            Undo::Source => self.graph.pop_source(),
            Undo::Set => self.graph.pop_set(),
            Undo::Belief => self.graph.pop_belief(),
            Undo::Justification => self.pop_justification(),
            Undo::Overwrite(old) => self.put_back(*old),
            Undo::Expire(id) => self.unexpire(id),
            Undo::FlipBelief(id) => self.graph.flip_belief(id, &mut self.woken),
            Undo::FlipSet(id) => self.graph.flip_set(id),
            Undo::Retract(id) => {
                self.graph.beliefs.at_mut(id).retraction = None;
                self.graph.labels.at_mut(id).is_retracted = false;
            }
            Undo::Restore(id, retraction) => {
                self.graph.beliefs.at_mut(id).retraction = Some(retraction);
                self.graph.labels.at_mut(id).is_retracted = true;
            }
            Undo::Outcome(name, undo) => self.ledger.untell(name, undo),
            Undo::Seed(name, totals) => {
                self.ledger.seed(name, totals.map(|totals| *totals));
            }
            Undo::Rate(name, prior) => {
                self.ledger.rate(name, prior.map(|prior| *prior));
            }
            Undo::Configure(settings) => self.settings = *settings,
            Undo::Rule(slot) => self.rules.put_back_rule(*slot),
            Undo::Constraint(slot) => self.rules.put_back_constraint(*slot),
            Undo::Resolved => self.resolutions = self.resolutions.saturating_sub(1),
        }
    }

    /// The key of that text, made if need be.
    pub(super) fn intern_key(&mut self, text: &str) -> KeyId {
        self.graph.key(text).unwrap_or_else(|| {
            self.undo.push(Undo::Key);
            self.graph.push_key(text)
        })
    }

    /// The name of that text, made if need be.
    pub(super) fn intern_name(&mut self, text: &str) -> NameId {
        self.graph.name(text).unwrap_or_else(|| {
            self.undo.push(Undo::Name);
            self.graph.push_name(text)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flip_takes_two_words_of_the_undo_log() {
        assert!(size_of::<Undo>() <= 16, "{}", size_of::<Undo>());
    }
}
