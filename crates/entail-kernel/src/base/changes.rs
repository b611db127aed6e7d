//! What changed since a mark.

use std::collections::BTreeMap;

use super::nodes::NONE;
use super::undo::Undo;
use super::why::{LostInSets, listed};
use super::{Base, BeliefId, Change, JustificationId, JustificationKind, Mark, SetId, Status};

impl Base {
    /// Beliefs whose status differs from that at an open mark, in order of creation, with why. The
    /// cost follows what happened since.
    ///
    /// ```
    /// use entail_kernel::base::{Fault, Premise, Status};
    /// use entail_kernel::{Base, Time};
    ///
    /// let mut base = Base::default();
    /// base.assert(Premise::new("a", 1_i64, "human:h".parse()?), Time::EPOCH)?;
    /// let mark = base.mark();
    /// base.retract("a", Some("a slip"), Fault::None, Time::EPOCH)?;
    /// let changes = base.changes(&mark);
    /// assert_eq!(changes[0].reference.to_string(), "a@1");
    /// assert_eq!(changes[0].status, Status::Out);
    /// assert_eq!(changes[0].reason, "was retracted (a slip)");
    /// base.commit(mark);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn changes(&self, mark: &Mark) -> Vec<Change> {
        let since = self.undo.get(mark.undo..).unwrap_or_default();
        let mut turned: BTreeMap<BeliefId, bool> = BTreeMap::new();
        let mut first_new = self.graph.beliefs.len();
        for undo in since {
            match undo {
                Undo::FlipBelief(id) => {
                    let odd = turned.entry(*id).or_default();
                    *odd = !*odd;
                }
                Undo::Belief => first_new -= 1,
                _ => {}
            }
        }
        let mut known = LostInSets::default();
        turned
            .into_iter()
            .filter(|(_, odd)| *odd)
            .map(|(belief, _)| {
                let status = self.status(belief);
                let reason = match status {
                    Status::Out => self.out_in_words(belief, &mut known),
                    Status::In => self.why_in_words(belief, belief.index() >= first_new),
                };
                Change {
                    belief,
                    reference: self.reference(belief),
                    status,
                    reason,
                }
            })
            .collect()
    }

    /// Why a belief came in, in words that follow its name.
    fn why_in_words(&self, belief: BeliefId, is_new: bool) -> String {
        let valid = self
            .graph
            .beliefs
            .at(belief)
            .justifications
            .as_slice()
            .iter()
            .rev()
            .map(|id| JustificationId(*id))
            .find(|id| self.graph.links.at(*id).faults == 0);
        let Some(id) = valid else {
            return "is believed".to_owned();
        };
        let node = self.graph.justifications.at(id);
        let source = &self
            .graph
            .names
            .at(self.graph.sources.at(node.source).label);
        let again = if is_new { "" } else { " again" };
        if node.kind == JustificationKind::Premise {
            return format!("is asserted{again} by `{source}`");
        }
        let verb = match node.kind {
            JustificationKind::Rule => "is derived",
            _ => "is concluded",
        };
        let set = self.graph.links.at(id).set;
        if set == NONE {
            return format!("{verb}{again} by `{source}`");
        }
        // The nearest beliefs are named; those that everything of a turn rests on are not.
        let total = self.graph.sets.at(SetId(set)).total as usize;
        let nearest = self.graph.own_edges(SetId(set)).iter();
        let names = nearest.map(|edge| self.reference(edge.belief).to_string());
        format!("{verb}{again} by `{source}` from {}", listed(names, total))
    }
}
