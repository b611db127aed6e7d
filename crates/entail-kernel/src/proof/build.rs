//! Which beliefs and sets a proof holds, in which order.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Note, Proof};
use crate::Time;
use crate::base::nodes::NONE;
use crate::base::{Base, BeliefId, JustificationId, SetId};
use crate::confidence::Weighed;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Node {
    Belief(BeliefId),
    Set(SetId),
}

/// A node whose children are being gone through.
struct Frame {
    node: Node,
    next: usize,
}

impl Base {
    /// The proof of some beliefs as of a time: what each rests on, down to its leaves. Linear in
    /// that. Handles that are not of this base are passed over.
    #[must_use]
    pub fn proof(&self, roots: &[BeliefId], at: Time) -> Proof<'_> {
        let mut given = FxHashSet::default();
        let roots: Vec<_> = roots
            .iter()
            .copied()
            .filter(|root| self.belief(*root).is_some() && given.insert(*root))
            .collect();
        let weighed = self.weigh(&self.believed_behind(&roots), at);
        let mut proof = Proof {
            base: self,
            at,
            roots,
            steps: Vec::new(),
            sets: Vec::new(),
            place: FxHashMap::default(),
            uses: FxHashMap::default(),
        };
        proof.walk(&weighed);
        proof
    }

    /// The justification that a proof follows.
    fn shown(&self, belief: BeliefId, weighed: &Weighed) -> Option<JustificationId> {
        if self.is_in(belief) {
            weighed.support(belief)
        } else {
            self.newest(belief)
        }
    }

    fn newest(&self, belief: BeliefId) -> Option<JustificationId> {
        let node = self.graph.beliefs.get(belief)?;
        node.justifications.last().map(JustificationId)
    }

    /// The first believed beliefs behind these, going through those that are not by the
    /// justification that was given last.
    fn believed_behind(&self, roots: &[BeliefId]) -> Vec<BeliefId> {
        let mut seen: FxHashSet<Node> = roots.iter().map(|root| Node::Belief(*root)).collect();
        let mut open: Vec<_> = seen.iter().copied().collect();
        let mut believed = Vec::new();
        while let Some(node) = open.pop() {
            match node {
                Node::Belief(belief) if self.is_in(belief) => believed.push(belief),
                Node::Belief(belief) => {
                    let set = self
                        .newest(belief)
                        .map_or(NONE, |id| self.graph.links.at(id).set);
                    if set != NONE && seen.insert(Node::Set(SetId(set))) {
                        open.push(Node::Set(SetId(set)));
                    }
                }
                Node::Set(set) => {
                    let parent = self.graph.sets.at(set).parent;
                    let parent = (parent != NONE).then_some(Node::Set(SetId(parent)));
                    let own = self.graph.own_edges(set).iter();
                    let own = own.map(|edge| Node::Belief(edge.belief));
                    open.extend(own.chain(parent).filter(|node| seen.insert(*node)));
                }
            }
        }
        believed.sort_unstable();
        believed
    }
}

impl Proof<'_> {
    /// Depth first from the roots; each node is listed when everything behind it is.
    fn walk(&mut self, weighed: &Weighed) {
        let mut seen = FxHashSet::default();
        for root in self.roots.clone() {
            let mut open = Vec::new();
            if seen.insert(Node::Belief(root)) {
                open.push(Frame {
                    node: Node::Belief(root),
                    next: 0,
                });
            }
            while let Some(frame) = open.last_mut() {
                let child = self.child(frame.node, frame.next, weighed);
                let node = frame.node;
                frame.next += 1;
                match child {
                    Some(child) => {
                        if let Node::Set(set) = child {
                            *self.uses.entry(set).or_default() += 1;
                        }
                        if seen.insert(child) {
                            open.push(Frame {
                                node: child,
                                next: 0,
                            });
                        }
                    }
                    None => {
                        open.pop();
                        self.list(node, weighed);
                    }
                }
            }
        }
    }

    /// A node's child of that number: a belief's is the set that it rests on; a set's are the set
    /// that it extends, if any, and its beliefs.
    fn child(&self, node: Node, number: usize, weighed: &Weighed) -> Option<Node> {
        let graph = &self.base.graph;
        match node {
            Node::Belief(belief) => {
                let shown = self.base.shown(belief, weighed).filter(|_| number == 0)?;
                let set = graph.links.at(shown).set;
                (set != NONE).then_some(Node::Set(SetId(set)))
            }
            Node::Set(set) => {
                let parent = graph.sets.at(set).parent;
                let own = if parent == NONE {
                    number
                } else if number == 0 {
                    return Some(Node::Set(SetId(parent)));
                } else {
                    number - 1
                };
                let edge = graph.own_edges(set).get(own)?;
                Some(Node::Belief(edge.belief))
            }
        }
    }

    fn list(&mut self, node: Node, weighed: &Weighed) {
        match node {
            Node::Belief(belief) => {
                let place = u32::try_from(self.steps.len()).unwrap_or(u32::MAX);
                self.place.insert(belief, place);
                self.steps.push(Note {
                    belief,
                    justification: self.base.shown(belief, weighed),
                    confidence: weighed.confidence(belief),
                });
            }
            Node::Set(set) => self.sets.push(set),
        }
    }
}
