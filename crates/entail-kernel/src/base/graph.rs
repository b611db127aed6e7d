//! The arenas of a base: what is stored of keys, beliefs, antecedent sets and justifications, and
//! how they are linked.
//!
//! The graph has two kinds of node that carry a label. A belief is an OR over its justifications;
//! an antecedent set is an AND over its beliefs and the set that it extends. Links are chains
//! through arenas, newest first, so that the last thing added is the head of every chain it is in
//! and can be taken off again.

use std::collections::BTreeSet;
use std::sync::Arc;

use entail_json::{Object, Value};

use super::arena::{Arena, Dense, IdList, Mixer, Table, push_lean};
use super::{
    BeliefId, Citation, JustificationId, JustificationKind, KeyId, NameId, Retraction, SetId,
    Source, SourceId,
};
use crate::{Span, Time};

/// The end of a chain, or no handle at all.
pub(crate) const NONE: u32 = u32::MAX;

/// A key.
#[derive(Clone, Debug)]
pub(crate) struct KeyNode {
    pub(crate) text: Arc<str>,
    /// All revisions, oldest first.
    pub(crate) revisions: IdList,
    /// The revisions that are IN, oldest first.
    pub(crate) believed: IdList,
    /// Chain of [`KeyEdge`]s: what its being believed defeats.
    pub(crate) unless: u32,
    /// Chain of [`KeyEdge`]s: rules that have it as an input.
    pub(crate) inputs: u32,
    /// How many justifications by rules its revisions have.
    pub(crate) rules: u32,
    /// Its place in the order in which keys got their first revision.
    pub(crate) order: u32,
    /// Its place among the keys that have revisions but nothing believed.
    pub(crate) lost_at: u32,
}

/// The part of a belief that labelling reads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Label {
    /// Chain of [`SetEdge`]s: the sets that it is in.
    pub(crate) edges: u32,
    /// How many of its justifications are valid.
    pub(crate) valid: u32,
    /// How many of those rest on nothing that could change: neither antecedents nor `unless`.
    pub(crate) anchors: u32,
    pub(crate) key: KeyId,
    pub(crate) is_in: bool,
    pub(crate) is_retracted: bool,
}

impl Label {
    /// What its justifications say that it should be.
    pub(crate) const fn wanted(&self) -> bool {
        !self.is_retracted && self.valid > 0
    }
}

/// The rest of a belief.
#[derive(Clone, Debug)]
pub(crate) struct BeliefNode {
    pub(crate) key: KeyId,
    pub(crate) revision: u32,
    pub(crate) value: Value,
    pub(crate) claim: Option<Box<str>>,
    pub(crate) metadata: Option<Box<Object>>,
    pub(crate) created_at: Time,
    pub(crate) retraction: Option<Box<Retraction>>,
    /// Its justifications, the one given or renewed last at the end.
    pub(crate) justifications: IdList,
}

/// An antecedent set.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SetNode {
    /// The set that it extends.
    pub(crate) parent: u32,
    /// Its own [`SetEdge`]s: from here, so many.
    pub(crate) start: u32,
    pub(crate) len: u32,
    /// How many beliefs it holds with those of the set that it extends.
    pub(crate) total: u32,
    /// Chain of the sets that extend it.
    pub(crate) children: u32,
    pub(crate) next_child: u32,
    /// Chain of the justifications that rest on it.
    pub(crate) justifications: u32,
    /// How many of its beliefs, and the set that it extends, are OUT.
    pub(crate) out: u32,
    pub(crate) is_in: bool,
}

/// A belief in a set.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SetEdge {
    pub(crate) belief: BeliefId,
    pub(crate) set: SetId,
    pub(crate) next: u32,
}

/// A key in the `unless` or the inputs of a justification.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeyEdge {
    pub(crate) key: KeyId,
    pub(crate) justification: JustificationId,
    pub(crate) next: u32,
}

/// The part of a justification that labelling reads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Link {
    pub(crate) belief: BeliefId,
    /// The set that it rests on.
    pub(crate) set: u32,
    pub(crate) next_of_set: u32,
    /// How many things speak against it: its set being OUT, each key that defeats it, having
    /// expired. It is valid when nothing does.
    pub(crate) faults: u32,
    pub(crate) is_anchor: bool,
    pub(crate) is_expired: bool,
}

/// The rest of a justification.
#[derive(Clone, Debug)]
pub(crate) struct JustificationNode {
    pub(crate) kind: JustificationKind,
    pub(crate) source: SourceId,
    /// NaN when none was given.
    pub(crate) confidence: f64,
    /// Microseconds since the epoch; `i64::MAX` when it never expires.
    pub(crate) valid_until: i64,
    /// Microseconds; 0 when it never fades.
    pub(crate) half_life: i64,
    pub(crate) created_at: Time,
    pub(crate) extra: Option<Box<Extra>>,
}

/// What few justifications have.
#[derive(Clone, Debug, Default)]
pub(crate) struct Extra {
    /// Its [`KeyEdge`]s among the `unless` edges: from here, so many.
    pub(crate) unless: (u32, u32),
    /// Keys to re-derive it from.
    pub(crate) inputs: Box<[KeyId]>,
    pub(crate) rule_version: Option<u32>,
    pub(crate) formula: Option<Box<str>>,
    pub(crate) citation: Option<Box<Citation>>,
    pub(crate) note: Option<Box<str>>,
}

impl JustificationNode {
    pub(crate) fn confidence(&self) -> Option<f64> {
        (!self.confidence.is_nan()).then_some(self.confidence)
    }

    pub(crate) fn expires(&self) -> bool {
        self.valid_until != i64::MAX
    }

    pub(crate) fn valid_until(&self) -> Option<Time> {
        self.expires()
            .then(|| Time::from_micros(self.valid_until))
            .flatten()
    }

    pub(crate) fn half_life(&self) -> Option<Span> {
        (self.half_life > 0).then(|| Span::from_micros(self.half_life))
    }

    pub(crate) fn rule_version(&self) -> Option<u32> {
        self.extra.as_ref().and_then(|extra| extra.rule_version)
    }

    pub(crate) fn formula(&self) -> Option<&str> {
        self.extra
            .as_ref()
            .and_then(|extra| extra.formula.as_deref())
    }

    pub(crate) fn inputs(&self) -> &[KeyId] {
        self.extra.as_ref().map_or(&[], |extra| &extra.inputs)
    }
}

/// A source.
#[derive(Clone, Debug)]
pub(crate) struct SourceNode {
    pub(crate) source: Arc<Source>,
    pub(crate) label: NameId,
    /// The declared origin, or the label.
    pub(crate) origin: NameId,
}

/// All arenas, with the tables that find what is in them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Graph {
    pub(crate) keys: Arena<KeyId, KeyNode>,
    key_table: Table,
    /// Keys that have revisions, in the order of their first.
    pub(crate) key_order: Vec<KeyId>,
    /// Keys that have revisions but nothing believed, in no order.
    pub(crate) lost: Vec<KeyId>,
    /// Keys with several revisions believed.
    pub(crate) contested: BTreeSet<KeyId>,
    /// How many beliefs are believed.
    pub(crate) believed_count: usize,
    pub(crate) names: Arena<NameId, Arc<str>>,
    name_table: Table,
    pub(crate) sources: Arena<SourceId, SourceNode>,
    source_table: Table,
    pub(crate) labels: Dense<BeliefId, Label>,
    pub(crate) beliefs: Arena<BeliefId, BeliefNode>,
    pub(crate) sets: Dense<SetId, SetNode>,
    set_table: Table,
    pub(crate) set_edges: Vec<SetEdge>,
    pub(crate) links: Dense<JustificationId, Link>,
    pub(crate) justifications: Arena<JustificationId, JustificationNode>,
    /// Premises by belief and source.
    premise_table: Table,
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

    pub(crate) fn heap_bytes(&self) -> usize {
        let arenas = self.keys.heap_bytes()
            + self.names.heap_bytes()
            + self.sources.heap_bytes()
            + self.labels.heap_bytes()
            + self.beliefs.heap_bytes()
            + self.sets.heap_bytes()
            + self.links.heap_bytes()
            + self.justifications.heap_bytes();
        let tables = self.key_table.heap_bytes()
            + self.name_table.heap_bytes()
            + self.source_table.heap_bytes()
            + self.set_table.heap_bytes()
            + self.premise_table.heap_bytes();
        let lists = (self.key_order.capacity() + self.lost.capacity()) * size_of::<KeyId>()
            + self.set_edges.capacity() * size_of::<SetEdge>()
            + (self.unless_edges.capacity() + self.input_edges.capacity()) * size_of::<KeyEdge>();
        // The counters in front of shared text.
        const COUNTERS: usize = 2 * size_of::<usize>();
        let keys: usize = self
            .keys
            .iter()
            .map(|key| {
                COUNTERS + key.text.len() + key.revisions.heap_bytes() + key.believed.heap_bytes()
            })
            .sum();
        let names: usize = self.names.iter().map(|name| COUNTERS + name.len()).sum();
        let sources: usize = self
            .sources
            .iter()
            .map(|node| {
                let source = &node.source;
                let text = |text: &Option<String>| text.as_ref().map_or(0, String::capacity);
                COUNTERS
                    + size_of::<Source>()
                    + source.name.capacity()
                    + text(&source.quote)
                    + text(&source.origin)
                    + source.arguments.as_ref().map_or(0, value_bytes)
            })
            .sum();
        let beliefs: usize = self
            .beliefs
            .iter()
            .map(|belief| {
                value_bytes(&belief.value)
                    + belief.claim.as_ref().map_or(0, |claim| claim.len())
                    + belief
                        .metadata
                        .as_ref()
                        .map_or(0, |metadata| size_of::<Object>() + object_bytes(metadata))
                    + belief.retraction.as_ref().map_or(0, |retraction| {
                        size_of::<Retraction>()
                            + retraction.reason.as_ref().map_or(0, String::capacity)
                    })
                    + belief.justifications.heap_bytes()
            })
            .sum();
        let justifications: usize = self
            .justifications
            .iter()
            .filter_map(|justification| justification.extra.as_ref())
            .map(|extra| {
                size_of::<Extra>()
                    + size_of_val(&*extra.inputs)
                    + extra.formula.as_ref().map_or(0, |formula| formula.len())
                    + extra.note.as_ref().map_or(0, |note| note.len())
                    + extra.citation.as_ref().map_or(0, |_| size_of::<Citation>())
            })
            .sum();
        arenas + tables + lists + keys + names + sources + beliefs + justifications
    }
}

/// What a value holds on the heap, its spare capacity not counted.
pub(crate) fn value_bytes(value: &Value) -> usize {
    let mut bytes = 0;
    let mut rest = vec![value];
    while let Some(value) = rest.pop() {
        match value {
            Value::Null | Value::Bool(_) => {}
            Value::Number(number) if number.is_integer() && number.as_i64().is_none() => {
                bytes += number.to_string().len();
            }
            Value::Number(_) => {}
            Value::String(text) => bytes += text.capacity(),
            Value::Array(items) => {
                bytes += items.capacity() * size_of::<Value>();
                rest.extend(items);
            }
            Value::Object(object) => {
                bytes += object.len() * size_of::<(String, Value)>();
                for (name, value) in object {
                    bytes += name.len();
                    rest.push(value);
                }
            }
        }
    }
    bytes
}

fn object_bytes(object: &Object) -> usize {
    object
        .iter()
        .map(|(name, value)| name.len() + size_of::<(String, Value)>() + value_bytes(value))
        .sum()
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

/// A length as what chains and counters hold. Limits far below `u32::MAX` are checked before
/// anything is added.
pub(crate) fn length(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_stored_of_a_belief_with_one_step_stays_small() {
        let parts = [
            size_of::<KeyNode>(),
            size_of::<Label>(),
            size_of::<BeliefNode>(),
            size_of::<SetNode>(),
            size_of::<SetEdge>(),
            size_of::<Link>(),
            size_of::<JustificationNode>(),
        ];
        assert!(parts.iter().sum::<usize>() <= 304, "{parts:?}");
    }
}
