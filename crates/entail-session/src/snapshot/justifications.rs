//! Reading the justifications of a snapshot.

use std::sync::Arc;

use entail_json::Value;
use entail_kernel::base::{
    Citation, Event as BaseEvent, JustificationKind, Record, Source, SourceKind,
};
use entail_kernel::text::Document;
use entail_kernel::{Span, Time};
use rustc_hash::{FxHashMap, FxHashSet};

use super::beliefs::Beliefs;
use super::read::{filled, is_full};
use super::{source, time};
use crate::commands::key_fault;
use crate::fields::{Faults, Fields};

/// The library knows rules by name only; a step is taken to be by the first version.
const RULE_VERSION: u32 = 1;

/// The justifications read.
#[derive(Default)]
pub(super) struct Steps {
    /// Sets and justifications.
    pub events: Vec<BaseEvent>,
    /// The ids in order, if they are not simply `j1`, `j2`, ….
    pub ids: Option<Vec<String>>,
    /// Source and confidence of the first justification of each belief.
    pub first: FxHashMap<usize, (Arc<Source>, f64)>,
    pub latest: Option<Time>,
}

pub(super) fn read(
    list: &[Value],
    beliefs: &Beliefs<'_>,
    documents: &[(&str, Arc<Document>)],
    faults: &mut Faults,
) -> Steps {
    let mut reading = Reading {
        beliefs,
        documents: documents.iter().map(|(name, text)| (*name, text)).collect(),
        sources: FxHashMap::default(),
        sets: Sets::default(),
        ids: Vec::with_capacity(list.len()),
        known: FxHashSet::default(),
        steps: Steps::default(),
    };
    for (index, item) in list.iter().enumerate() {
        if is_full(faults) {
            break;
        }
        let number = u32::try_from(index).unwrap_or(u32::MAX);
        reading.read_one(item, number, &format!("/justifications/{index}"), faults);
    }
    let is_plain = reading
        .ids
        .iter()
        .enumerate()
        .all(|(index, id)| *id == plain_id(index));
    let ids = reading.ids.into_iter().map(str::to_owned);
    reading.steps.ids = (!is_plain).then(|| ids.collect());
    reading.steps
}

/// The id of a justification that the library gave no other.
pub(super) fn plain_id(index: usize) -> String {
    format!("j{}", index.saturating_add(1))
}

struct Reading<'a, 'b> {
    beliefs: &'b Beliefs<'a>,
    documents: FxHashMap<&'b str, &'b Arc<Document>>,
    /// Sources by their text, so that equal ones are kept once.
    sources: FxHashMap<String, Arc<Source>>,
    sets: Sets,
    ids: Vec<&'b str>,
    known: FxHashSet<&'b str>,
    steps: Steps,
}

impl<'b> Reading<'_, 'b> {
    fn read_one(
        &mut self,
        item: &'b Value,
        number: u32,
        pointer: &str,
        faults: &mut Faults,
    ) -> Option<()> {
        let mut fields = Fields::open(item, pointer, faults)?;
        let id = fields.text("id", faults);
        let id = fields.required("id", id, faults);
        if let Some(id) = id {
            if !self.known.insert(id) {
                faults.push(fields.at("id"), format!("`{id}` is given twice"));
            }
            self.ids.push(id);
        }
        let conclusion = self.conclusion(&mut fields, faults);
        let kind = kind(&mut fields, faults);
        let antecedents = self.antecedents(&mut fields, faults);
        let unless = keys("unless", &mut fields, faults);
        let inputs = keys("inputs", &mut fields, faults);
        let source = self.source(&mut fields, faults);
        let rule = fields.text("rule", faults);
        let formula = filled(fields.text("formula", faults));
        let confidence = fields.share("confidence", faults);
        let confidence = fields.required("confidence", confidence, faults);
        let valid_until = time::optional(&mut fields, "valid_until", faults);
        let half_life: Option<Span> = fields.seconds("half_life", faults);
        let note = filled(fields.text("note", faults));
        let at = time::required(&mut fields, "created_at", faults);
        let (kind, source, antecedents) = (kind?, source?, antecedents?);
        let is_premise = kind == JustificationKind::Premise;
        if is_premise && !(antecedents.is_empty() && unless.as_ref()?.is_empty()) {
            let what =
                "is a premise, which rests on nothing: it cannot have antecedents or `unless`";
            faults.push(fields.at("kind"), what);
        }
        check_rule(&fields, kind, &source, rule, faults);
        fields.close(faults);
        let (conclusion, confidence, at) = (conclusion?, confidence?, at?);
        let citation = self.citation(kind, &source);
        let set = self
            .sets
            .of(antecedents, self.beliefs, &mut self.steps.events);
        self.steps.latest = self.steps.latest.max(Some(at));
        self.steps
            .first
            .entry(conclusion)
            .or_insert_with(|| (Arc::clone(&source), confidence));
        self.steps.events.push(BaseEvent::JustificationAdded {
            justification: number,
            belief: self.beliefs.refs.get(conclusion)?.clone(),
            record: Box::new(Record {
                kind,
                source,
                set,
                unless: unless?,
                inputs: inputs?,
                rule_version: (kind == JustificationKind::Rule).then_some(RULE_VERSION),
                formula,
                confidence: Some(confidence),
                valid_until,
                half_life,
                citation,
                note,
                at,
            }),
        });
        Some(())
    }

    fn conclusion(&self, fields: &mut Fields<'_>, faults: &mut Faults) -> Option<usize> {
        let text = fields.text("conclusion", faults);
        let text = fields.required("conclusion", text, faults)?;
        self.place(text, fields.at("conclusion"), faults)
    }

    fn place(&self, reference: &str, pointer: String, faults: &mut Faults) -> Option<usize> {
        let place = self.beliefs.places.get(reference).copied();
        if place.is_none() {
            let reference = crate::text::shorten(reference, 80);
            faults.push(
                pointer,
                format!("`{reference}` is no belief of the snapshot"),
            );
        }
        place
    }

    /// Places of the antecedents, each once.
    fn antecedents(&self, fields: &mut Fields<'_>, faults: &mut Faults) -> Option<Vec<u32>> {
        let texts = fields.list("antecedents", faults).unwrap_or_default();
        let mut seen = FxHashSet::default();
        let mut places = Vec::with_capacity(texts.len());
        for (index, text) in texts.iter().enumerate() {
            let pointer = format!("{}/{index}", fields.at("antecedents"));
            let Some(text) = text.as_str() else {
                faults.push(pointer, "must be a string");
                return None;
            };
            let place = self.place(text, pointer, faults)?;
            if seen.insert(place) {
                places.push(u32::try_from(place).ok()?);
            }
        }
        Some(places)
    }

    fn source(&mut self, fields: &mut Fields<'_>, faults: &mut Faults) -> Option<Arc<Source>> {
        let value = fields.value("source");
        let value = fields.required("source", value, faults)?;
        let text = value.to_string();
        if let Some(source) = self.sources.get(&text) {
            return Some(Arc::clone(source));
        }
        let source = Arc::new(source::read(value, &fields.at("source"), faults)?);
        self.sources.insert(text, Arc::clone(&source));
        Some(source)
    }

    /// Where the quote of a document stands, if both are there.
    fn citation(&self, kind: JustificationKind, source: &Source) -> Option<Citation> {
        if kind != JustificationKind::Premise || source.kind != SourceKind::Document {
            return None;
        }
        let document = self.documents.get(source.name.as_str())?;
        let found = document.find(source.quote.as_deref()?)?;
        let offset = |at: usize| u64::try_from(at).unwrap_or(u64::MAX);
        Some(Citation {
            version: 1,
            document: document.id(),
            start: offset(found.span.start),
            end: offset(found.span.end),
            digest: found.sha256,
        })
    }
}

fn kind(fields: &mut Fields<'_>, faults: &mut Faults) -> Option<JustificationKind> {
    let word = fields.text("kind", faults);
    let word = fields.required("kind", word, faults)?;
    let kinds = [
        JustificationKind::Premise,
        JustificationKind::Rule,
        JustificationKind::Model,
    ];
    let kind = kinds.into_iter().find(|kind| kind.word() == word);
    if kind.is_none() {
        let word = crate::text::shorten(word, 40);
        faults.push(
            fields.at("kind"),
            format!("`{word}` is no kind of justification"),
        );
    }
    kind
}

/// A rule's step names the rule twice; nothing else names one.
fn check_rule(
    fields: &Fields<'_>,
    kind: JustificationKind,
    source: &Source,
    rule: Option<&str>,
    faults: &mut Faults,
) {
    let is_rule = kind == JustificationKind::Rule;
    let fits = if is_rule {
        source.kind == SourceKind::Rule && rule == Some(source.name.as_str())
    } else {
        rule.is_none() && (kind != JustificationKind::Premise || source.kind != SourceKind::Rule)
    };
    if !fits {
        let rule = rule.map_or("no rule".to_owned(), |rule| format!("rule `{rule}`"));
        faults.push(
            fields.at("rule"),
            format!(
                "names {rule} where the kind is {} and the source `{source}`",
                kind.word()
            ),
        );
    }
}

fn keys(name: &'static str, fields: &mut Fields<'_>, faults: &mut Faults) -> Option<Vec<Arc<str>>> {
    let texts = fields.list(name, faults).unwrap_or_default();
    let mut keys = Vec::with_capacity(texts.len());
    for (index, text) in texts.iter().enumerate() {
        let fault = match text.as_str() {
            None => Some("must be a string".to_owned()),
            Some(text) => {
                keys.push(Arc::from(text));
                key_fault(text)
            }
        };
        if let Some(fault) = fault {
            faults.push(format!("{}/{index}", fields.at(name)), fault);
        }
    }
    (keys.len() == texts.len()).then_some(keys)
}

/// Antecedent sets, shared: one that begins with the set made last only adds what is new.
#[derive(Default)]
struct Sets {
    numbers: FxHashMap<Vec<u32>, u32>,
    last: Option<(Vec<u32>, u32)>,
}

impl Sets {
    /// The number of the set of these beliefs; none of none.
    fn of(
        &mut self,
        places: Vec<u32>,
        beliefs: &Beliefs<'_>,
        events: &mut Vec<BaseEvent>,
    ) -> Option<u32> {
        if places.is_empty() {
            return None;
        }
        if let Some(number) = self.numbers.get(&places) {
            return Some(*number);
        }
        let number = u32::try_from(self.numbers.len()).unwrap_or(u32::MAX);
        let last = self
            .last
            .as_ref()
            .filter(|(last, _)| places.starts_with(last));
        let (extends, from) = last.map_or((None, 0), |(last, number)| (Some(*number), last.len()));
        let own = places.get(from..).unwrap_or_default().iter();
        let refs = own.filter_map(|place| beliefs.refs.get(*place as usize).cloned());
        events.push(BaseEvent::SetAdded {
            set: number,
            extends,
            refs: refs.collect(),
        });
        self.numbers.insert(places.clone(), number);
        self.last = Some((places, number));
        Some(number)
    }
}
