//! Relabelling the region of a change.

use super::graph::Graph;
use super::nodes::NONE;
use super::region::{Cursor, Extent, Node, Region};
use super::undo::Undo;
use super::{Base, BeliefId, Work};

/// A belief whose label may have to change.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seed {
    pub(crate) belief: BeliefId,
    /// Whether a reason to believe it went. One that is still believed for another reason may
    /// then only support itself.
    pub(crate) has_lost: bool,
}

impl Base {
    /// Notes a belief to be looked at by the next [`settle`](Self::settle).
    pub(super) fn seed_label(&mut self, belief: BeliefId, has_lost: bool) {
        self.seeds.push(Seed { belief, has_lost });
    }

    /// Brings all labels to the least fixpoint again, by the region of what was noted.
    pub(super) fn settle(&mut self) {
        let mut from = std::mem::take(&mut self.seeds);
        from.retain(|seed| {
            let label = self.graph.labels.at(seed.belief);
            label.is_in != label.wanted() || (label.is_in && seed.has_lost && label.anchors == 0)
        });
        if from.is_empty() {
            return;
        }
        if let [seed] = *from.as_slice()
            && self.leads_nowhere(seed.belief)
        {
            self.work.beliefs += 1;
            let label = self.graph.labels.at(seed.belief);
            if label.is_in != label.wanted() {
                self.flip(Node::Belief(seed.belief));
                self.work.changes += 1;
            }
            self.check_small();
            return;
        }
        let from: Vec<_> = from.iter().map(|seed| seed.belief).collect();
        let mut region = std::mem::take(&mut self.region);
        region.walk(&self.graph, &from, Extent::Labels);
        let mut changes = 0;
        for component in (0..region.components()).rev() {
            let mut nodes = region.component(component);
            let first = nodes.next();
            if nodes.next().is_some() {
                changes += self.derive_again(&region, component);
            } else if let Some(node) = first
                && is_in(&self.graph, node) != wanted(&self.graph, node)
            {
                self.flip(node);
                changes += 1;
            }
        }
        let (beliefs, sets) = region.size();
        self.work.beliefs += beliefs;
        self.work.sets += sets;
        self.work.edges += region.edges;
        self.work.changes += changes;
        region.rest();
        self.region = region;
        self.check_small();
    }

    /// Whether nothing rests on a belief or on its absence, as of one that is new.
    pub(super) fn leads_nowhere(&self, belief: BeliefId) -> bool {
        let label = self.graph.labels.at(belief);
        label.edges == NONE && self.graph.keys.at(label.key).unless == NONE
    }

    /// Labels a component whose nodes depend on each other: everything OUT, then IN what follows
    /// from outside. Returns how many labels differ in the end.
    fn derive_again(&mut self, region: &Region, component: usize) -> usize {
        let nodes: Vec<_> = region.component(component).collect();
        let before: Vec<_> = nodes.iter().map(|node| is_in(&self.graph, *node)).collect();
        for node in &nodes {
            if is_in(&self.graph, *node) {
                self.flip(*node);
            }
        }
        let mut ready: Vec<_> = nodes
            .iter()
            .copied()
            .filter(|node| wanted(&self.graph, *node))
            .collect();
        while let Some(node) = ready.pop() {
            if is_in(&self.graph, node) || !wanted(&self.graph, node) {
                continue;
            }
            self.flip(node);
            let mut cursor = Cursor::new(&self.graph, node);
            while let Some(next) = cursor.next(&self.graph) {
                if region.is_in(next, component) && wanted(&self.graph, next) {
                    ready.push(next);
                }
            }
        }
        nodes
            .iter()
            .zip(before)
            .filter(|(node, before)| is_in(&self.graph, **node) != *before)
            .count()
    }

    fn flip(&mut self, node: Node) {
        match node {
            Node::Belief(id) => {
                self.undo.push(Undo::FlipBelief(id));
                self.graph.flip_belief(id, &mut self.woken);
            }
            Node::Set(id) => {
                self.undo.push(Undo::FlipSet(id));
                self.graph.flip_set(id);
            }
            Node::Key(_) => {}
        }
    }

    /// Refuses a loop through the absence of something, downstream of a belief that was given a
    /// new justification. Returns the key through which the loop goes.
    pub(super) fn defeat_loop(&mut self, from: &[BeliefId]) -> Option<super::KeyId> {
        if self.graph.unless_edges.is_empty() {
            return None;
        }
        self.region.walk(&self.graph, from, Extent::Structure);
        let (beliefs, sets) = self.region.size();
        self.work.beliefs += beliefs;
        self.work.sets += sets;
        self.work.edges += self.region.edges;
        let found = self.region.loop_through();
        self.region.rest();
        found
    }

    /// What the last operation touched.
    #[must_use]
    pub fn work(&self) -> Work {
        self.work
    }
}

fn is_in(graph: &Graph, node: Node) -> bool {
    match node {
        Node::Belief(id) => graph.labels.at(id).is_in,
        Node::Set(id) => graph.sets.at(id).is_in,
        Node::Key(id) => graph.keys.at(id).believed.len() > 0,
    }
}

/// What a node's counters say that its label should be.
fn wanted(graph: &Graph, node: Node) -> bool {
    match node {
        Node::Belief(id) => graph.labels.at(id).wanted(),
        Node::Set(id) => graph.sets.at(id).out == 0,
        Node::Key(id) => graph.keys.at(id).believed.len() > 0,
    }
}
