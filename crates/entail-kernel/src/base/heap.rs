//! How much memory a base takes.

use entail_json::{Object, Value};

use super::graph::Graph;
use super::nodes::{Extra, KeyEdge, SetEdge};
use super::undo::Undo;
use super::{Base, Citation, Event, JustificationId, KeyId, Retraction, Source};

impl Base {
    /// Bytes on the heap, spare capacity included.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        // A B-tree's nodes are at least half full; its entries are counted twice for that.
        let ordered = self.expiring.len() * 2 * size_of::<(i64, JustificationId)>()
            + self.woken.len() * 2 * size_of::<KeyId>();
        self.graph.heap_bytes()
            + self.ledger.heap_bytes()
            + self.region.heap_bytes()
            + self.undo.capacity() * size_of::<Undo>()
            + self.events.capacity() * size_of::<Event>()
            + ordered
    }
}

impl Graph {
    fn heap_bytes(&self) -> usize {
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
#[must_use]
pub fn value_bytes(value: &Value) -> usize {
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

/// The same of an object.
#[must_use]
pub fn object_bytes(object: &Object) -> usize {
    object
        .iter()
        .map(|(name, value)| name.len() + size_of::<(String, Value)>() + value_bytes(value))
        .sum()
}
