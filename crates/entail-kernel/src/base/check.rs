//! Checking a base as a whole, in debug builds while it is small.

use super::Base;
use super::nodes::NONE;
use super::{BeliefId, JustificationId, SetId};
use crate::limits::CHECKED_BELIEFS;

impl Base {
    /// Checks every counter and label against what they stand for, in debug builds and for small
    /// bases only.
    pub(super) fn check_small(&self) {
        debug_assert!(
            self.graph.beliefs.len() > CHECKED_BELIEFS || self.fault_in_structure().is_none(),
            "{:?}",
            self.fault_in_structure()
        );
    }

    /// The first thing found that contradicts something else.
    fn fault_in_structure(&self) -> Option<String> {
        let graph = &self.graph;
        let sets = (0..graph.sets.len()).map(SetId::next);
        let justifications = (0..graph.links.len()).map(JustificationId::next);
        let beliefs = (0..graph.beliefs.len()).map(BeliefId::next);
        for set in sets {
            let node = graph.sets.at(set);
            let own = graph.own_edges(set).iter();
            let out = own
                .filter(|edge| !graph.labels.at(edge.belief).is_in)
                .count()
                + usize::from(node.parent != NONE && !graph.sets.at(SetId(node.parent)).is_in);
            if node.out as usize != out || node.is_in != (out == 0) {
                return Some(format!("{set:?}: {out} are out, but {node:?}"));
            }
        }
        for id in justifications.clone() {
            let link = graph.links.at(id);
            let faults = usize::from(link.set != NONE && !graph.sets.at(SetId(link.set)).is_in)
                + graph
                    .unless(id)
                    .filter(|key| graph.keys.at(*key).believed.len() > 0)
                    .count()
                + usize::from(link.is_expired);
            if link.faults as usize != faults {
                return Some(format!("{id:?}: {faults} faults, but {link:?}"));
            }
        }
        for belief in beliefs.clone() {
            let label = graph.labels.at(belief);
            let node = graph.beliefs.at(belief);
            let valid = node.justifications.as_slice().iter();
            let valid = valid
                .filter(|id| graph.links.at(JustificationId(**id)).faults == 0)
                .count();
            let is_listed = graph
                .keys
                .at(node.key)
                .believed
                .as_slice()
                .contains(&belief.0);
            if label.valid as usize != valid
                || label.is_in != label.wanted()
                || label.is_in != is_listed
                || label.is_retracted != node.retraction.is_some()
            {
                return Some(format!("{belief:?}: {valid} valid, but {label:?}"));
            }
        }
        // Everything IN must follow from outside, not from itself.
        let mut is_founded = vec![false; graph.beliefs.len()];
        loop {
            let mut found = false;
            for id in justifications.clone() {
                let link = graph.links.at(id);
                let belief = link.belief.index();
                let founded = |belief: &BeliefId| is_founded.get(belief.index()) == Some(&true);
                let follows = link.faults == 0
                    && graph.labels.at(link.belief).is_in
                    && is_founded.get(belief) == Some(&false)
                    && (link.set == NONE || self.antecedents(SetId(link.set)).iter().all(founded));
                if follows && let Some(is_founded) = is_founded.get_mut(belief) {
                    *is_founded = true;
                    found = true;
                }
            }
            if !found {
                break;
            }
        }
        beliefs
            .zip(is_founded)
            .find(|(belief, is_founded)| graph.labels.at(*belief).is_in != *is_founded)
            .map(|(belief, _)| format!("{belief:?} only supports itself"))
    }
}
