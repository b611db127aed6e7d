//! The region downstream of a change, in strongly connected components.

use super::graph::Graph;
use super::nodes::NONE;
use super::{BeliefId, JustificationId, KeyId, SetId};
use crate::limits::KEPT_SCRATCH;

/// A node of the graph that a walk goes over: a belief, a set, or a key as a whole, which stands
/// between its revisions and what its being believed defeats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Node {
    Belief(BeliefId),
    Set(SetId),
    Key(KeyId),
}

impl Node {
    const fn pack(self) -> u32 {
        match self {
            Self::Belief(id) => id.0 << 2,
            Self::Set(id) => id.0 << 2 | 1,
            Self::Key(id) => id.0 << 2 | 2,
        }
    }

    const fn unpack(packed: u32) -> Self {
        let id = packed >> 2;
        match packed & 3 {
            0 => Self::Belief(BeliefId(id)),
            1 => Self::Set(SetId(id)),
            _ => Self::Key(KeyId(id)),
        }
    }
}

/// Which part of the graph to walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// Everything downstream, whatever the labels.
    Structure,
    /// Only what could change its label: not what is retracted, nor what is IN for a reason that
    /// rests on nothing.
    Labels,
}

/// Where a walk is among the successors of a node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cursor {
    node: Node,
    at: u32,
    is_second_chain: bool,
}

impl Cursor {
    pub(crate) fn new(graph: &Graph, node: Node) -> Self {
        let at = match node {
            Node::Belief(id) => graph.labels.at(id).edges,
            Node::Set(id) => graph.sets.at(id).children,
            Node::Key(id) => graph.keys.at(id).unless,
        };
        Self {
            node,
            at,
            is_second_chain: false,
        }
    }

    /// The next successor.
    pub(crate) fn next(&mut self, graph: &Graph) -> Option<Node> {
        match self.node {
            Node::Belief(id) => {
                if let Some(edge) = graph.set_edges.get(self.at as usize) {
                    self.at = edge.next;
                    return Some(Node::Set(edge.set));
                }
                if self.is_second_chain || graph.unless_edges.is_empty() {
                    return None;
                }
                self.is_second_chain = true;
                let key = graph.labels.at(id).key;
                (graph.keys.at(key).unless != NONE).then_some(Node::Key(key))
            }
            Node::Set(id) => {
                if !self.is_second_chain {
                    if self.at != NONE {
                        let child = SetId(self.at);
                        self.at = graph.sets.at(child).next_child;
                        return Some(Node::Set(child));
                    }
                    self.is_second_chain = true;
                    self.at = graph.sets.at(id).justifications;
                }
                if self.at == NONE {
                    return None;
                }
                let link = graph.links.at(JustificationId(self.at));
                self.at = link.next_of_set;
                Some(Node::Belief(link.belief))
            }
            Node::Key(_) => {
                let edge = graph.unless_edges.get(self.at as usize)?;
                self.at = edge.next;
                Some(Node::Belief(graph.links.at(edge.justification).belief))
            }
        }
    }
}

/// What a walk notes of a node: when it was first seen, and which component it turned out to be
/// in (0 while that is open).
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    at: u32,
    component: u32,
}

#[derive(Clone, Copy, Debug)]
struct Frame {
    cursor: Cursor,
    at: u32,
    low: u32,
}

/// The components of a region, by Tarjan's algorithm without recursion. The notes stay from walk
/// to walk and are told apart by a clock, so that a walk costs what it walks over.
#[derive(Clone, Debug, Default)]
pub(crate) struct Region {
    beliefs: Vec<Seen>,
    sets: Vec<Seen>,
    keys: Vec<Seen>,
    clock: u32,
    /// The clock when this walk began.
    began: u32,
    frames: Vec<Frame>,
    open: Vec<u32>,
    /// Nodes, component by component, dependents before what they depend on.
    order: Vec<u32>,
    /// Where each component ends.
    ends: Vec<u32>,
    pub(crate) edges: usize,
}

impl Region {
    /// Walks everything downstream of these beliefs, them included.
    pub(crate) fn walk(&mut self, graph: &Graph, from: &[BeliefId], extent: Extent) {
        self.begin(graph);
        for belief in from {
            let node = Node::Belief(*belief);
            if self.seen(node).at <= self.began {
                self.enter(graph, node);
                self.walk_open(graph, extent);
            }
        }
    }

    fn begin(&mut self, graph: &Graph) {
        // Three kinds of node, each below 2^29, and this leave the clock below 2^31.
        if self.clock > 1 << 28 {
            self.beliefs.clear();
            self.sets.clear();
            self.keys.clear();
            self.clock = 0;
        }
        grow(&mut self.beliefs, graph.beliefs.len());
        grow(&mut self.sets, graph.sets.len());
        if !graph.unless_edges.is_empty() {
            grow(&mut self.keys, graph.keys.len());
        }
        self.began = self.clock;
        self.order.clear();
        self.ends.clear();
        self.edges = 0;
    }

    fn walk_open(&mut self, graph: &Graph, extent: Extent) {
        while let Some(frame) = self.frames.last_mut() {
            if let Some(node) = frame.cursor.next(graph) {
                self.edges += 1;
                if extent == Extent::Labels && is_settled(graph, node) {
                    continue;
                }
                let seen = self.seen(node);
                if seen.at <= self.began {
                    self.enter(graph, node);
                } else if seen.component == 0
                    && let Some(frame) = self.frames.last_mut()
                {
                    frame.low = frame.low.min(seen.at);
                }
                continue;
            }
            let Some(done) = self.frames.pop() else { break };
            if let Some(frame) = self.frames.last_mut() {
                frame.low = frame.low.min(done.low);
            }
            if done.low == done.at {
                self.close(done.cursor.node);
            }
        }
    }

    fn enter(&mut self, graph: &Graph, node: Node) {
        self.clock += 1;
        let at = self.clock;
        if let Some(seen) = self.seen_mut(node) {
            *seen = Seen { at, component: 0 };
        }
        self.open.push(node.pack());
        self.frames.push(Frame {
            cursor: Cursor::new(graph, node),
            at,
            low: at,
        });
    }

    /// Takes a component off the list of open nodes.
    fn close(&mut self, root: Node) {
        let component = super::nodes::length(self.ends.len()).saturating_add(1);
        while let Some(packed) = self.open.pop() {
            self.order.push(packed);
            let node = Node::unpack(packed);
            if let Some(seen) = self.seen_mut(node) {
                seen.component = component;
            }
            if node == root {
                break;
            }
        }
        self.ends.push(super::nodes::length(self.order.len()));
    }

    /// How many components there are.
    pub(crate) fn components(&self) -> usize {
        self.ends.len()
    }

    /// The nodes of a component. Component 0 depends on others but none of them on it.
    pub(crate) fn component(&self, component: usize) -> impl Iterator<Item = Node> + Clone + '_ {
        let end = self.ends.get(component).copied().unwrap_or_default() as usize;
        let start = match component.checked_sub(1) {
            Some(before) => self.ends.get(before).copied().unwrap_or_default() as usize,
            None => 0,
        };
        self.order
            .get(start..end)
            .unwrap_or_default()
            .iter()
            .map(|packed| Node::unpack(*packed))
    }

    /// Whether the walk saw this node in that component.
    pub(crate) fn is_in(&self, node: Node, component: usize) -> bool {
        let seen = self.seen(node);
        seen.at > self.began && seen.component as usize == component + 1
    }

    /// A key through which something would depend on its own absence.
    pub(crate) fn loop_through(&self) -> Option<KeyId> {
        let in_loops = (0..self.components()).filter_map(|component| {
            let nodes = self.component(component);
            let is_loop = nodes.clone().nth(1).is_some();
            nodes
                .filter_map(|node| match node {
                    Node::Key(key) if is_loop => Some(key),
                    _ => None,
                })
                .min()
        });
        in_loops.min()
    }

    /// How many beliefs and sets the walk went over.
    pub(crate) fn size(&self) -> (usize, usize) {
        self.order
            .iter()
            .fold((0, 0), |(beliefs, sets), packed| match packed & 3 {
                0 => (beliefs + 1, sets),
                1 => (beliefs, sets + 1),
                _ => (beliefs, sets),
            })
    }

    /// Gives back what a large walk took.
    pub(crate) fn rest(&mut self) {
        self.order.clear();
        self.ends.clear();
        self.frames.shrink_to(KEPT_SCRATCH);
        self.open.shrink_to(KEPT_SCRATCH);
        self.order.shrink_to(KEPT_SCRATCH);
        self.ends.shrink_to(KEPT_SCRATCH);
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        let seen = self.beliefs.capacity() + self.sets.capacity() + self.keys.capacity();
        let packed = self.open.capacity() + self.order.capacity() + self.ends.capacity();
        seen * size_of::<Seen>()
            + packed * size_of::<u32>()
            + self.frames.capacity() * size_of::<Frame>()
    }

    fn seen(&self, node: Node) -> Seen {
        match node {
            Node::Belief(id) => self.beliefs.get(id.index()),
            Node::Set(id) => self.sets.get(id.index()),
            Node::Key(id) => self.keys.get(id.index()),
        }
        .copied()
        .unwrap_or_default()
    }

    fn seen_mut(&mut self, node: Node) -> Option<&mut Seen> {
        match node {
            Node::Belief(id) => self.beliefs.get_mut(id.index()),
            Node::Set(id) => self.sets.get_mut(id.index()),
            Node::Key(id) => self.keys.get_mut(id.index()),
        }
    }
}

/// Whether a label cannot change, whatever happens upstream.
fn is_settled(graph: &Graph, node: Node) -> bool {
    let Node::Belief(id) = node else { return false };
    let label = graph.labels.at(id);
    if label.is_retracted {
        !label.is_in
    } else {
        label.is_in && label.anchors > 0
    }
}

fn grow(seen: &mut Vec<Seen>, len: usize) {
    if seen.capacity() < len {
        seen.reserve_exact(len + len / 4 - seen.len());
    }
    seen.resize(len.max(seen.len()), Seen::default());
}
