//! What an evaluation walks over: all beliefs and sets of a base, or those behind some beliefs.

use rustc_hash::FxHashMap;

use crate::base::graph::Graph;
use crate::base::nodes::NONE;
use crate::base::{BeliefId, JustificationId, SetId};

/// Beliefs and sets, numbered from 0, and how they lead on to each other.
pub(super) trait Web {
    fn beliefs(&self) -> usize;
    fn sets(&self) -> usize;
    fn belief(&self, local: usize) -> BeliefId;
    fn set(&self, local: usize) -> SetId;
    /// The valid justifications of its beliefs, in ascending order, and what they justify.
    fn reasons(&self, visit: impl FnMut(JustificationId, u32));
    /// The sets that a belief is in.
    fn sets_of(&self, belief: u32, visit: impl FnMut(u32));
    /// The sets that extend a set.
    fn children_of(&self, set: u32, visit: impl FnMut(u32));
    /// The valid justifications that rest on a set, and what they justify.
    fn justified_by(&self, set: u32, visit: impl FnMut(JustificationId, u32));
}

/// A whole base: numbers are handles.
pub(super) struct Whole<'a>(pub(super) &'a Graph);

impl Web for Whole<'_> {
    fn beliefs(&self) -> usize {
        self.0.beliefs.len()
    }

    fn sets(&self) -> usize {
        self.0.sets.len()
    }

    fn belief(&self, local: usize) -> BeliefId {
        BeliefId::next(local)
    }

    fn set(&self, local: usize) -> SetId {
        SetId::next(local)
    }

    fn reasons(&self, mut visit: impl FnMut(JustificationId, u32)) {
        for (at, link) in self.0.links.iter().enumerate() {
            if link.faults == 0 {
                visit(JustificationId::next(at), link.belief.0);
            }
        }
    }

    fn sets_of(&self, belief: u32, mut visit: impl FnMut(u32)) {
        let mut edge = self.0.labels.at(BeliefId(belief)).edges;
        while let Some(found) = self.0.set_edges.get(edge as usize) {
            edge = found.next;
            visit(found.set.0);
        }
    }

    fn children_of(&self, set: u32, mut visit: impl FnMut(u32)) {
        let mut child = self.0.sets.at(SetId(set)).children;
        while child != NONE {
            visit(child);
            child = self.0.sets.at(SetId(child)).next_child;
        }
    }

    fn justified_by(&self, set: u32, mut visit: impl FnMut(JustificationId, u32)) {
        let mut id = self.0.sets.at(SetId(set)).justifications;
        while id != NONE {
            let link = self.0.links.at(JustificationId(id));
            if link.faults == 0 {
                visit(JustificationId(id), link.belief.0);
            }
            id = link.next_of_set;
        }
    }
}

/// What some beliefs rest on, them included.
#[derive(Debug, Default)]
pub(super) struct Part {
    beliefs: Vec<BeliefId>,
    sets: Vec<SetId>,
    place: FxHashMap<BeliefId, u32>,
    reasons: Vec<(JustificationId, u32)>,
    sets_of: Lists<u32>,
    children_of: Lists<u32>,
    justified_by: Lists<(JustificationId, u32)>,
}

/// Lists one after the other: which part of the items belongs to which number.
#[derive(Debug)]
struct Lists<T> {
    ends: Vec<usize>,
    items: Vec<T>,
}

impl<T> Default for Lists<T> {
    fn default() -> Self {
        Self {
            ends: Vec::new(),
            items: Vec::new(),
        }
    }
}

impl<T: Copy + Ord> Lists<T> {
    fn of(mut pairs: Vec<(u32, T)>, len: usize) -> Self {
        pairs.sort_unstable();
        let mut ends = vec![0; len];
        for (from, _) in &pairs {
            if let Some(end) = ends.get_mut(*from as usize) {
                *end += 1;
            }
        }
        let mut sum = 0;
        for end in &mut ends {
            sum += *end;
            *end = sum;
        }
        Self {
            ends,
            items: pairs.into_iter().map(|(_, item)| item).collect(),
        }
    }

    fn at(&self, number: u32) -> &[T] {
        let at = number as usize;
        let start = at
            .checked_sub(1)
            .and_then(|before| self.ends.get(before))
            .copied()
            .unwrap_or_default();
        let end = self.ends.get(at).copied().unwrap_or_default();
        self.items.get(start..end).unwrap_or_default()
    }
}

impl Part {
    /// Everything behind these beliefs by valid justifications.
    pub(super) fn behind(graph: &Graph, roots: &[BeliefId]) -> Self {
        let mut part = Self::default();
        let mut set_place: FxHashMap<SetId, u32> = FxHashMap::default();
        let mut found = Vec::new();
        let (mut members, mut children) = (Vec::new(), Vec::new());
        for root in roots {
            if graph.beliefs.get(*root).is_some() {
                part.place_of(*root);
            }
        }
        let (mut next_belief, mut next_set) = (0, 0);
        loop {
            if let Some(belief) = part.beliefs.get(next_belief).copied() {
                let local = next_belief as u32;
                next_belief += 1;
                for id in graph.beliefs.at(belief).justifications.as_slice() {
                    let id = JustificationId(*id);
                    let link = graph.links.at(id);
                    if link.faults > 0 {
                        continue;
                    }
                    part.reasons.push((id, local));
                    if link.set != NONE {
                        let set = place(&mut part.sets, &mut set_place, SetId(link.set));
                        found.push((set, (id, local)));
                    }
                }
            } else if let Some(set) = part.sets.get(next_set).copied() {
                let local = next_set as u32;
                next_set += 1;
                let parent = graph.sets.at(set).parent;
                if parent != NONE {
                    let parent = place(&mut part.sets, &mut set_place, SetId(parent));
                    children.push((parent, local));
                }
                for edge in graph.own_edges(set) {
                    members.push((part.place_of(edge.belief), local));
                }
            } else {
                break;
            }
        }
        part.reasons.sort_unstable();
        part.sets_of = Lists::of(members, part.beliefs.len());
        part.children_of = Lists::of(children, part.sets.len());
        part.justified_by = Lists::of(found, part.sets.len());
        part
    }

    fn place_of(&mut self, belief: BeliefId) -> u32 {
        place(&mut self.beliefs, &mut self.place, belief)
    }

    pub(super) fn into_places(self) -> FxHashMap<BeliefId, u32> {
        self.place
    }
}

fn place<T: Copy + Eq + std::hash::Hash>(
    items: &mut Vec<T>,
    places: &mut FxHashMap<T, u32>,
    item: T,
) -> u32 {
    *places.entry(item).or_insert_with(|| {
        items.push(item);
        items.len() as u32 - 1
    })
}

impl Web for Part {
    fn beliefs(&self) -> usize {
        self.beliefs.len()
    }

    fn sets(&self) -> usize {
        self.sets.len()
    }

    fn belief(&self, local: usize) -> BeliefId {
        self.beliefs.get(local).copied().unwrap_or(BeliefId(NONE))
    }

    fn set(&self, local: usize) -> SetId {
        self.sets.get(local).copied().unwrap_or(SetId(NONE))
    }

    fn reasons(&self, mut visit: impl FnMut(JustificationId, u32)) {
        for (id, belief) in &self.reasons {
            visit(*id, *belief);
        }
    }

    fn sets_of(&self, belief: u32, visit: impl FnMut(u32)) {
        self.sets_of.at(belief).iter().copied().for_each(visit);
    }

    fn children_of(&self, set: u32, visit: impl FnMut(u32)) {
        self.children_of.at(set).iter().copied().for_each(visit);
    }

    fn justified_by(&self, set: u32, mut visit: impl FnMut(JustificationId, u32)) {
        for (id, belief) in self.justified_by.at(set) {
            visit(*id, *belief);
        }
    }
}
