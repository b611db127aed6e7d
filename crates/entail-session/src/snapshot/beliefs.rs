//! Reading the beliefs of a snapshot.

use std::sync::Arc;

use entail_json::Value;
use entail_kernel::Time;
use entail_kernel::base::{Event as BaseEvent, Ref, Source};
use rustc_hash::FxHashMap;

use super::kept::SourceOf;
use super::read::{filled, filled_object, is_full, value_fault};
use super::{source, time};
use crate::commands::key_fault;
use crate::fields::{Faults, Fields};
use crate::limits::Limits;

/// The beliefs read.
#[derive(Default)]
pub(super) struct Beliefs<'a> {
    pub events: Vec<BaseEvent>,
    /// Refs in order.
    pub refs: Vec<Ref>,
    /// Places in that list by ref.
    pub places: FxHashMap<String, usize>,
    /// Source and confidence of each.
    given: Vec<(Source, f64)>,
    pub retracted: Vec<(Ref, Option<String>)>,
    pub latest: Option<Time>,
    revisions: FxHashMap<&'a str, u32>,
}

pub(super) fn read<'a>(list: &'a [Value], limits: &Limits, faults: &mut Faults) -> Beliefs<'a> {
    let mut beliefs = Beliefs::default();
    if list.len() > limits.beliefs {
        let (count, limit) = (list.len(), limits.beliefs);
        faults.push("/beliefs", format!("are {count}: the limit is {limit}"));
        return beliefs;
    }
    for (index, item) in list.iter().enumerate() {
        if is_full(faults) {
            break;
        }
        beliefs.read_one(item, &format!("/beliefs/{index}"), limits, faults);
    }
    beliefs
}

impl<'a> Beliefs<'a> {
    fn read_one(
        &mut self,
        item: &'a Value,
        pointer: &str,
        limits: &Limits,
        faults: &mut Faults,
    ) -> Option<()> {
        let mut fields = Fields::open(item, pointer, faults)?;
        let is_retracted = fields.flag("retracted", faults).unwrap_or_default();
        let reason = filled(fields.text("retract_reason", faults));
        let belief = fields.value("belief");
        let belief = fields.required("belief", belief, faults);
        let pointer = fields.at("belief");
        fields.close(faults);
        let mut fields = Fields::open(belief?, &pointer, faults)?;
        let reference = self.reference(&mut fields, faults);
        let value = fields.any("value");
        let value = fields.required("value", value, faults);
        if let Some(value) = value {
            let fault = value_fault(value, fields.at("value"), limits.value_bytes);
            faults.0.extend(fault);
        }
        let claim = filled(fields.text("claim", faults));
        if claim
            .as_ref()
            .is_some_and(|text| text.len() > limits.value_bytes)
        {
            let limit = limits.value_bytes;
            faults.push(fields.at("claim"), format!("is longer than {limit} bytes"));
        }
        let metadata = filled_object(fields.object("metadata", faults));
        if let Some(metadata) = fields.value("metadata") {
            let fault = value_fault(metadata, fields.at("metadata"), limits.value_bytes);
            faults.0.extend(fault);
        }
        let given = fields.value("source");
        let given = fields.required("source", given, faults);
        let given = given.and_then(|given| source::read(given, &fields.at("source"), faults));
        let confidence = fields.share("confidence", faults);
        let confidence = fields.required("confidence", confidence, faults);
        let at = time::required(&mut fields, "created_at", faults);
        fields.close(faults);
        let (reference, at) = (reference?, at?);
        self.latest = self.latest.max(Some(at));
        if is_retracted {
            self.retracted.push((reference.clone(), reason));
        }
        self.events.push(BaseEvent::BeliefAdded {
            belief: reference.clone(),
            value: value?.clone(),
            claim,
            metadata,
            at,
        });
        self.given.push((given?, confidence?));
        Some(())
    }

    /// The ref; revisions of a key are given in order and without a gap.
    fn reference(&mut self, fields: &mut Fields<'a>, faults: &mut Faults) -> Option<Ref> {
        let key = fields.text("key", faults);
        let key = fields.required("key", key, faults);
        let revision = fields.count("revision", faults);
        let revision = fields.required("revision", revision, faults);
        let key = key?;
        if let Some(fault) = key_fault(key) {
            faults.push(fields.at("key"), fault);
            return None;
        }
        let next = self.revisions.entry(key).or_default();
        *next = next.saturating_add(1);
        if revision? != u64::from(*next) {
            faults.push(
                fields.at("revision"),
                format!("is not {next}, which comes next of `{key}`"),
            );
            return None;
        }
        let reference = Ref {
            key: Arc::from(key),
            revision: *next,
        };
        self.places.insert(reference.to_string(), self.refs.len());
        self.refs.push(reference.clone());
        Some(reference)
    }

    /// The beliefs whose source or confidence is not that of their first justification.
    pub(super) fn differing(&self, first: &FxHashMap<usize, (Arc<Source>, f64)>) -> Vec<SourceOf> {
        let all = self.refs.iter().zip(&self.given).enumerate();
        let differs =
            |(place, (reference, (source, confidence))): (usize, (&Ref, &(Source, f64)))| {
                let is_same = first.get(&place).is_some_and(|(there, certainty)| {
                    **there == *source && certainty.total_cmp(confidence).is_eq()
                });
                (!is_same).then(|| SourceOf {
                    belief: reference.to_string(),
                    source: source.clone(),
                    confidence: *confidence,
                })
            };
        all.filter_map(differs).collect()
    }
}
