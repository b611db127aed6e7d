//! The arenas of a base: what is stored of keys, beliefs, antecedent sets and justifications, and
//! how they are linked.
//!
//! The graph has two kinds of node that carry a label. A belief is an OR over its justifications;
//! an antecedent set is an AND over its beliefs and the set that it extends. Links are chains
//! through arenas, newest first, so that the last thing added is the head of every chain it is in
//! and can be taken off again.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::arena::{Arena, Dense, IdList, Mixer, Table, push_lean};
use super::nodes::{
    BeliefNode, JustificationNode, KeyEdge, KeyNode, Label, Link, NONE, SetEdge, SetNode,
    SourceNode, length,
};
use super::{BeliefId, JustificationId, JustificationKind, KeyId, NameId, SetId, Source, SourceId};

/// All arenas, with the tables that find what is in them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Graph {
    pub(crate) keys: Arena<KeyId, KeyNode>,
    pub(super) key_table: Table,
    /// Keys that have revisions, in the order of their first.
    pub(crate) key_order: Vec<KeyId>,
    /// Keys that have revisions but nothing believed, in no order.
    pub(crate) lost: Vec<KeyId>,
    /// Keys with several revisions believed.
    pub(crate) contested: BTreeSet<KeyId>,
    /// How many beliefs are believed.
    pub(crate) believed_count: usize,
    pub(crate) names: Arena<NameId, Arc<str>>,
    pub(super) name_table: Table,
    pub(crate) sources: Arena<SourceId, SourceNode>,
    pub(super) source_table: Table,
    pub(crate) labels: Dense<BeliefId, Label>,
    pub(crate) beliefs: Arena<BeliefId, BeliefNode>,
    pub(crate) sets: Dense<SetId, SetNode>,
    pub(super) set_table: Table,
    pub(crate) set_edges: Vec<SetEdge>,
    pub(crate) links: Dense<JustificationId, Link>,
    pub(crate) justifications: Arena<JustificationId, JustificationNode>,
    /// Premises by belief and source.
    pub(super) premise_table: Table,
    pub(crate) unless_edges: Vec<KeyEdge>,
    pub(crate) input_edges: Vec<KeyEdge>,
}

impl Graph {
    pub(crate) fn key(&self, text: &str) -> Option<KeyId> {
        self.key_table
            .find(text_hash(text), |id| &*self.keys.at(KeyId(id)).text == text)
            .map(KeyId)
    }

    pub(crate) fn push_key(&mut self, text: &str) -> KeyId {
        let id = KeyId::next(self.keys.len());
        self.key_table.insert(text_hash(text), id.0);
        self.keys.push(KeyNode {
            text: text.into(),
            revisions: IdList::None,
            believed: IdList::None,
            unless: NONE,
            inputs: NONE,
            rules: 0,
            order: NONE,
            lost_at: NONE,
        });
        id
    }

    pub(crate) fn pop_key(&mut self) {
        if let Some(key) = self.keys.pop() {
            self.key_table
                .remove(text_hash(&key.text), KeyId::next(self.keys.len()).0);
        }
    }

    pub(crate) fn name(&self, text: &str) -> Option<NameId> {
        self.name_table
            .find(text_hash(text), |id| &**self.names.at(NameId(id)) == text)
            .map(NameId)
    }

    pub(crate) fn push_name(&mut self, text: &str) -> NameId {
        let id = NameId::next(self.names.len());
        self.name_table.insert(text_hash(text), id.0);
        self.names.push(text.into());
        id
    }

    pub(crate) fn pop_name(&mut self) {
        if let Some(name) = self.names.pop() {
            self.name_table
                .remove(text_hash(&name), NameId::next(self.names.len()).0);
        }
    }

    pub(crate) fn find_source(&self, source: &Source) -> Option<SourceId> {
        self.source_table
            .find(source_hash(source), |id| {
                *self.sources.at(SourceId(id)).source == *source
            })
            .map(SourceId)
    }

    pub(crate) fn push_source(&mut self, node: SourceNode) -> SourceId {
        let id = SourceId::next(self.sources.len());
        self.source_table.insert(source_hash(&node.source), id.0);
        self.sources.push(node);
        id
    }

    pub(crate) fn pop_source(&mut self) {
        if let Some(node) = self.sources.pop() {
            self.source_table.remove(
                source_hash(&node.source),
                SourceId::next(self.sources.len()).0,
            );
        }
    }

    /// A source as its caller gave it.
    pub(crate) fn source(&self, id: SourceId) -> &Arc<Source> {
        &self.sources.at(id).source
    }

    pub(crate) fn find_set(&self, parent: u32, beliefs: &[BeliefId]) -> Option<SetId> {
        self.set_table
            .find(set_hash(parent, beliefs), |id| {
                let own = self.own_edges(SetId(id));
                self.sets.at(SetId(id)).parent == parent
                    && own.iter().map(|edge| &edge.belief).eq(beliefs)
            })
            .map(SetId)
    }

    /// Adds a set, labelled by the labels that its beliefs have now.
    pub(crate) fn push_set(&mut self, parent: u32, beliefs: &[BeliefId]) -> SetId {
        let id = SetId::next(self.sets.len());
        self.set_table.insert(set_hash(parent, beliefs), id.0);
        let start = length(self.set_edges.len());
        let mut out = 0;
        for belief in beliefs {
            let edge = length(self.set_edges.len());
            let label = self.labels.at_mut(*belief);
            push_lean(
                &mut self.set_edges,
                SetEdge {
                    belief: *belief,
                    set: id,
                    next: label.edges,
                },
            );
            label.edges = edge;
            out += u32::from(!label.is_in);
        }
        let mut next_child = NONE;
        let mut total = length(beliefs.len());
        if parent != NONE {
            let parent = self.sets.at_mut(SetId(parent));
            next_child = parent.children;
            parent.children = id.0;
            total = total.saturating_add(parent.total);
            out += u32::from(!parent.is_in);
        }
        self.sets.push(SetNode {
            parent,
            start,
            len: length(beliefs.len()),
            total,
            children: NONE,
            next_child,
            justifications: NONE,
            out,
            is_in: out == 0,
        });
        id
    }

    pub(crate) fn pop_set(&mut self) {
        let Some(set) = self.sets.pop() else { return };
        let id = SetId::next(self.sets.len());
        if set.parent != NONE {
            self.sets.at_mut(SetId(set.parent)).children = set.next_child;
        }
        let mut beliefs = Vec::new();
        for _ in 0..set.len {
            if let Some(edge) = self.set_edges.pop() {
                self.labels.at_mut(edge.belief).edges = edge.next;
                beliefs.push(edge.belief);
            }
        }
        beliefs.reverse();
        self.set_table.remove(set_hash(set.parent, &beliefs), id.0);
    }

    /// The beliefs that a set adds to the one that it extends.
    pub(crate) fn own_edges(&self, set: SetId) -> &[SetEdge] {
        let node = self.sets.at(set);
        let start = node.start as usize;
        self.set_edges
            .get(start..start + node.len as usize)
            .unwrap_or_default()
    }

    /// The sets that a set extends, the farthest first, and itself.
    pub(crate) fn lineage(&self, set: u32) -> Vec<SetId> {
        let mut lineage = Vec::new();
        let mut at = set;
        while at != NONE {
            lineage.push(SetId(at));
            at = self.sets.at(SetId(at)).parent;
        }
        lineage.reverse();
        lineage
    }

    /// Adds a revision of a key, not believed yet.
    pub(crate) fn push_belief(&mut self, node: BeliefNode) -> BeliefId {
        let id = BeliefId::next(self.beliefs.len());
        let place = length(self.key_order.len());
        let key = self.keys.at_mut(node.key);
        if key.revisions.len() == 0 {
            key.order = place;
            push_lean(&mut self.key_order, node.key);
            key.lost_at = length(self.lost.len());
            push_lean(&mut self.lost, node.key);
        }
        key.revisions.push(id.0);
        self.labels.push(Label {
            edges: NONE,
            valid: 0,
            anchors: 0,
            key: node.key,
            is_in: false,
            is_retracted: false,
        });
        self.beliefs.push(node);
        id
    }

    pub(crate) fn pop_belief(&mut self) {
        self.labels.pop();
        let Some(node) = self.beliefs.pop() else {
            return;
        };
        let key = self.keys.at_mut(node.key);
        key.revisions.remove(key.revisions.len().saturating_sub(1));
        if key.revisions.len() == 0 {
            key.order = NONE;
            self.key_order.pop();
            self.leave_lost(node.key);
        }
    }

    pub(crate) fn enter_lost(&mut self, key: KeyId) {
        self.keys.at_mut(key).lost_at = length(self.lost.len());
        push_lean(&mut self.lost, key);
    }

    pub(crate) fn leave_lost(&mut self, key: KeyId) {
        let at = std::mem::replace(&mut self.keys.at_mut(key).lost_at, NONE) as usize;
        if at < self.lost.len() {
            self.lost.swap_remove(at);
            if let Some(moved) = self.lost.get(at) {
                self.keys.at_mut(*moved).lost_at = length(at);
            }
        }
    }

    /// Finds the premise that a source gave for a belief.
    pub(crate) fn premise(&self, belief: BeliefId, source: SourceId) -> Option<JustificationId> {
        self.premise_table
            .find(pair_hash(belief, source), |id| {
                let id = JustificationId(id);
                self.links.at(id).belief == belief && self.justifications.at(id).source == source
            })
            .map(JustificationId)
    }

    /// Adds a justification; its faults are counted from the labels of now.
    pub(crate) fn push_justification(
        &mut self,
        belief: BeliefId,
        set: u32,
        unless: &[KeyId],
        mut node: JustificationNode,
    ) -> JustificationId {
        let id = JustificationId::next(self.links.len());
        let mut faults = 0;
        let mut next_of_set = NONE;
        if set != NONE {
            let set = self.sets.at_mut(SetId(set));
            next_of_set = set.justifications;
            set.justifications = id.0;
            faults += u32::from(!set.is_in);
        }
        if !unless.is_empty() {
            let start = length(self.unless_edges.len());
            node.extra.get_or_insert_default().unless = (start, length(unless.len()));
        }
        for key in unless {
            let edge = length(self.unless_edges.len());
            let node = self.keys.at_mut(*key);
            let next = std::mem::replace(&mut node.unless, edge);
            faults += u32::from(node.believed.len() > 0);
            push_lean(
                &mut self.unless_edges,
                KeyEdge {
                    key: *key,
                    justification: id,
                    next,
                },
            );
        }
        if node.kind == JustificationKind::Rule {
            self.keys.at_mut(self.beliefs.at(belief).key).rules += 1;
            for key in node.inputs() {
                let edge = length(self.input_edges.len());
                let next = std::mem::replace(&mut self.keys.at_mut(*key).inputs, edge);
                push_lean(
                    &mut self.input_edges,
                    KeyEdge {
                        key: *key,
                        justification: id,
                        next,
                    },
                );
            }
        }
        if node.kind == JustificationKind::Premise {
            self.premise_table
                .insert(pair_hash(belief, node.source), id.0);
        }
        self.links.push(Link {
            belief,
            set,
            next_of_set,
            faults,
            is_anchor: set == NONE && unless.is_empty(),
            is_expired: false,
        });
        self.beliefs.at_mut(belief).justifications.push(id.0);
        self.justifications.push(node);
        if faults == 0 {
            self.count_valid(id, true);
        }
        id
    }

    pub(crate) fn pop_justification(&mut self) {
        let id = JustificationId::next(self.links.len().saturating_sub(1));
        if self.links.get(id).is_some_and(|link| link.faults == 0) {
            self.count_valid(id, false);
        }
        let (Some(link), Some(node)) = (self.links.pop(), self.justifications.pop()) else {
            return;
        };
        let list = &mut self.beliefs.at_mut(link.belief).justifications;
        list.remove(list.len().saturating_sub(1));
        if link.set != NONE {
            self.sets.at_mut(SetId(link.set)).justifications = link.next_of_set;
        }
        let unless = node.extra.as_ref().map_or(0, |extra| extra.unless.1);
        for _ in 0..unless {
            if let Some(edge) = self.unless_edges.pop() {
                self.keys.at_mut(edge.key).unless = edge.next;
            }
        }
        if node.kind == JustificationKind::Rule {
            self.keys.at_mut(self.beliefs.at(link.belief).key).rules -= 1;
            for _ in node.inputs() {
                if let Some(edge) = self.input_edges.pop() {
                    self.keys.at_mut(edge.key).inputs = edge.next;
                }
            }
        }
        if node.kind == JustificationKind::Premise {
            self.premise_table
                .remove(pair_hash(link.belief, node.source), id.0);
        }
    }

    /// Counts a justification among the valid ones of its belief, or no longer.
    pub(crate) fn count_valid(&mut self, id: JustificationId, is_valid: bool) {
        let link = self.links.at(id);
        let label = self.labels.at_mut(link.belief);
        let anchors = u32::from(link.is_anchor);
        if is_valid {
            label.valid += 1;
            label.anchors += anchors;
        } else {
            label.valid -= 1;
            label.anchors -= anchors;
        }
    }

    pub(crate) fn unless(&self, id: JustificationId) -> impl Iterator<Item = KeyId> + '_ {
        let (start, len) = self
            .justifications
            .at(id)
            .extra
            .as_ref()
            .map_or((0, 0), |extra| extra.unless);
        self.unless_edges
            .get(start as usize..start as usize + len as usize)
            .unwrap_or_default()
            .iter()
            .map(|edge| edge.key)
    }
}

fn text_hash(text: &str) -> u32 {
    Mixer::default().text(text).finish()
}

fn set_hash(parent: u32, beliefs: &[BeliefId]) -> u32 {
    let start = Mixer::default().word(parent.into());
    let all = beliefs
        .iter()
        .fold(start, |mixer, id| mixer.word(id.0.into()));
    all.finish()
}

fn pair_hash(belief: BeliefId, source: SourceId) -> u32 {
    let pair = u64::from(belief.0) << 32 | u64::from(source.0);
    Mixer::default().word(pair).finish()
}

fn source_hash(source: &Source) -> u32 {
    let mut mixer = Mixer::default().word(source.kind as u64).text(&source.name);
    if let Some(arguments) = &source.arguments {
        mixer = mixer.word(1).text(&entail_json::to_canonical(arguments));
    }
    for text in [&source.quote, &source.origin] {
        mixer = text.as_ref().map_or(mixer.word(0), |text| mixer.text(text));
    }
    mixer.finish()
}
