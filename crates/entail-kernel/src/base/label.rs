//! Flipping labels: what one change of a label does to the counters around it.
//!
//! Every counter always agrees with the labels of now. Flipping twice is the identity, which is
//! how labels are taken back.

use std::collections::BTreeSet;

use super::graph::Graph;
use super::nodes::NONE;
use super::{BeliefId, JustificationId, KeyId, SetId};

impl Graph {
    /// Turns the label of a belief over.
    pub(crate) fn flip_belief(&mut self, id: BeliefId, woken: &mut BTreeSet<KeyId>) {
        let label = self.labels.at_mut(id);
        label.is_in = !label.is_in;
        let (is_in, mut edge, key) = (label.is_in, label.edges, label.key);
        let node = self.keys.at_mut(key);
        let was_present = node.believed.len() > 0;
        if is_in {
            node.believed.insert_sorted(id.0);
            self.believed_count += 1;
        } else {
            node.believed.remove_sorted(id.0);
            self.believed_count -= 1;
        }
        let is_present = node.believed.len() > 0;
        let is_contested = node.believed.len() > 1;
        let (unless, inputs) = (node.unless, node.inputs);
        if is_contested {
            self.contested.insert(key);
        } else if was_present && is_present {
            self.contested.remove(&key);
        }
        if was_present != is_present {
            if is_present {
                self.leave_lost(key);
            } else {
                self.enter_lost(key);
            }
            self.flip_presence(unless, is_present, woken);
        }
        if !self.input_edges.is_empty() {
            self.wake_around(key, inputs, woken);
        }
        while let Some(found) = self.set_edges.get(edge as usize) {
            edge = found.next;
            let set = self.sets.at_mut(found.set);
            if is_in {
                set.out -= 1;
            } else {
                set.out += 1;
            }
        }
    }

    /// Turns the label of a set over.
    pub(crate) fn flip_set(&mut self, id: SetId) {
        let set = self.sets.at_mut(id);
        set.is_in = !set.is_in;
        let (is_in, mut child, mut justification) = (set.is_in, set.children, set.justifications);
        while child != NONE {
            let set = self.sets.at_mut(SetId(child));
            child = set.next_child;
            if is_in {
                set.out -= 1;
            } else {
                set.out += 1;
            }
        }
        while justification != NONE {
            let id = JustificationId(justification);
            justification = self.links.at(id).next_of_set;
            self.fault(id, !is_in);
        }
    }

    /// Adds something that speaks against a justification, or takes it away.
    pub(crate) fn fault(&mut self, id: JustificationId, is_against: bool) {
        let link = self.links.at_mut(id);
        if is_against {
            link.faults += 1;
            if link.faults == 1 {
                self.count_valid(id, false);
            }
        } else {
            link.faults -= 1;
            if link.faults == 0 {
                self.count_valid(id, true);
            }
        }
    }

    /// A key came to have something believed, or no longer has.
    fn flip_presence(&mut self, mut edge: u32, is_present: bool, woken: &mut BTreeSet<KeyId>) {
        while let Some(found) = self.unless_edges.get(edge as usize).copied() {
            edge = found.next;
            self.fault(found.justification, is_present);
            if !is_present {
                self.wake(
                    self.beliefs
                        .at(self.links.at(found.justification).belief)
                        .key,
                    woken,
                );
            }
        }
    }

    /// Notes the keys that rules may derive again, now that what is believed of this key changed.
    fn wake_around(&self, key: KeyId, mut edge: u32, woken: &mut BTreeSet<KeyId>) {
        self.wake(key, woken);
        while let Some(found) = self.input_edges.get(edge as usize) {
            edge = found.next;
            let belief = self.links.at(found.justification).belief;
            self.wake(self.labels.at(belief).key, woken);
        }
    }

    /// Notes a key if a rule derived it and nothing of it is believed.
    fn wake(&self, key: KeyId, woken: &mut BTreeSet<KeyId>) {
        let node = self.keys.at(key);
        if node.lost_at != NONE && node.rules > 0 {
            woken.insert(key);
        }
    }
}
