//! A base from an image.

use std::collections::BTreeSet;

use super::image_write::part;
use super::nodes::{BeliefNode, Extra, JustificationNode, NONE, SourceNode, length};
use super::rules::Rules;
use super::{
    Base, BeliefId, Citation, Event, JustificationId, JustificationKind, KeyId, NameId, Retraction,
    Settings, Source, SourceId, SourceKind,
};
use crate::Time;
use crate::confidence::{Ledger, Totals};
use crate::image::{Malformed, Reader};
use crate::limits::BASE_ITEMS;

impl Base {
    /// Makes the base that [`write_image`](Self::write_image) wrote. Every handle is checked, and
    /// labels are derived: what comes out is a base like any other, whatever the bytes say.
    ///
    /// # Errors
    /// [`Malformed`] when the bytes are no image of a base.
    pub fn read_image(from: &mut Reader<'_>) -> Result<Self, Malformed> {
        let mut base = Self {
            settings: read_settings(from)?,
            ..Self::default()
        };
        base.read_names(from)?;
        base.read_sources(from)?;
        for _ in 0..count(from, 1)? {
            let key = from.text()?;
            if base.graph.key(key).is_some() {
                return Err(from.fault("a key that is there twice"));
            }
            base.graph.push_key(key);
        }
        let mut time = 0;
        for _ in 0..count(from, 5)? {
            base.read_belief(from, &mut time)?;
        }
        for _ in 0..count(from, 2)? {
            base.read_set(from)?;
        }
        let mut time = 0;
        let mut expired = Vec::new();
        for _ in 0..count(from, 7)? {
            base.read_justification(from, &mut time, &mut expired)?;
        }
        base.read_orders(from)?;
        base.label_anew(&expired);
        base.ledger = Ledger::read_image(from, base.graph.names.len())?;
        base.rules = Rules::read_image(from)?;
        let keys = base.graph.keys.len();
        let woken = from.list(1, |from| from.below(keys).map(KeyId))?;
        base.woken = BTreeSet::from_iter(woken);
        base.resolutions = from.number32()?;
        if base.has_defeat_loop() {
            return Err(from.fault("a belief that rests on the absence of what rests on it"));
        }
        Ok(base)
    }

    fn read_names(&mut self, from: &mut Reader<'_>) -> Result<(), Malformed> {
        for _ in 0..count(from, 1)? {
            let name = from.text()?;
            if self.graph.name(name).is_some() {
                return Err(from.fault("a name that is there twice"));
            }
            self.graph.push_name(name);
        }
        Ok(())
    }

    fn read_sources(&mut self, from: &mut Reader<'_>) -> Result<(), Malformed> {
        for _ in 0..count(from, 5)? {
            let source = read_source(from)?;
            let unnamed = from.fault("a source whose name is not there");
            let named = |text: &str| self.graph.name(text).ok_or(unnamed);
            let label: NameId = named(&source.label())?;
            let origin = match &source.origin {
                Some(origin) => named(origin)?,
                None => label,
            };
            if self.graph.find_source(&source).is_some() {
                return Err(from.fault("a source that is there twice"));
            }
            self.graph.push_source(SourceNode {
                source: source.into(),
                label,
                origin,
            });
        }
        Ok(())
    }

    fn read_belief(&mut self, from: &mut Reader<'_>, time: &mut i64) -> Result<(), Malformed> {
        let key = KeyId(from.below(self.graph.keys.len())?);
        let revisions = length(self.graph.keys.at(key).revisions.len());
        let node = BeliefNode {
            key,
            revision: revisions.saturating_add(1),
            value: from.value()?,
            claim: from.maybe(Reader::text)?.map(Into::into),
            metadata: from.maybe(Reader::object)?.map(Box::new),
            created_at: read_time(from, time)?,
            retraction: from.maybe(read_retraction)?.map(Box::new),
            justifications: super::arena::IdList::None,
        };
        let is_retracted = node.retraction.is_some();
        let id = self.graph.push_belief(node);
        self.graph.labels.at_mut(id).is_retracted = is_retracted;
        Ok(())
    }

    fn read_set(&mut self, from: &mut Reader<'_>) -> Result<(), Malformed> {
        let parent = read_handle(from, self.graph.sets.len())?;
        let beliefs = self.graph.beliefs.len();
        let own = from.list(1, |from| from.below(beliefs).map(BeliefId))?;
        if own.is_empty() || self.graph.set_edges.len().saturating_add(own.len()) > BASE_ITEMS {
            return Err(from.fault("a set of no beliefs, or of too many"));
        }
        self.graph.push_set(parent, &own);
        Ok(())
    }

    fn read_justification(
        &mut self,
        from: &mut Reader<'_>,
        time: &mut i64,
        expired: &mut Vec<JustificationId>,
    ) -> Result<(), Malformed> {
        let parts = from.number()?;
        let has = |part: u64| parts & part != 0;
        let belief = BeliefId(from.below(self.graph.beliefs.len())?);
        let kind = kind(from)?;
        let source = SourceId(from.below(self.graph.sources.len())?);
        let set = read_handle(from, self.graph.sets.len())?;
        let is_expired = from.flag()?;
        let mut node = JustificationNode {
            kind,
            source,
            confidence: f64::NAN,
            valid_until: i64::MAX,
            half_life: 0,
            created_at: read_time(from, time)?,
            extra: None,
        };
        if has(part::CONFIDENCE) {
            node.confidence = from.float()?;
        }
        if has(part::VALID_UNTIL) {
            node.valid_until = from.time()?.micros();
        }
        if has(part::HALF_LIFE) {
            node.half_life = from.signed()?;
        }
        let keys = self.graph.keys.len();
        let mut of_keys = |part: u64| {
            if has(part) {
                from.list(1, |from| from.below(keys).map(KeyId))
            } else {
                Ok(Vec::new())
            }
        };
        let unless = of_keys(part::UNLESS)?;
        let inputs = of_keys(part::INPUTS)?;
        let is_premise = kind == JustificationKind::Premise;
        if is_premise && (set != NONE || !unless.is_empty()) {
            return Err(from.fault("a premise with antecedents"));
        }
        if is_premise && self.graph.premise(belief, source).is_some() {
            return Err(from.fault("a premise that is there twice"));
        }
        if is_expired && !node.expires() {
            return Err(from.fault("something expired that cannot expire"));
        }
        let mut extra = Extra {
            inputs: inputs.into(),
            ..Extra::default()
        };
        if has(part::RULE_VERSION) {
            extra.rule_version = Some(from.number32()?);
        }
        if has(part::FORMULA) {
            extra.formula = Some(from.text()?.into());
        }
        if has(part::CITATION) {
            extra.citation = Some(Box::new(read_citation(from)?));
        }
        if has(part::NOTE) {
            extra.note = Some(from.text()?.into());
        }
        if parts >= part::INPUTS {
            node.extra = Some(Box::new(extra));
        }
        let id = self.graph.push_justification(belief, set, &unless, node);
        if is_expired {
            expired.push(id);
        }
        Ok(())
    }

    fn read_orders(&mut self, from: &mut Reader<'_>) -> Result<(), Malformed> {
        let beliefs = self.graph.beliefs.len();
        for _ in 0..from.count(3)? {
            let belief = BeliefId(from.below(beliefs)?);
            let order = from.list(1, Reader::number32)?;
            let list = &mut self.graph.beliefs.at_mut(belief).justifications;
            let mut sorted = order.clone();
            sorted.sort_unstable();
            if sorted != list.as_slice() {
                return Err(from.fault("an order of other justifications"));
            }
            *list = super::arena::IdList::None;
            for id in order {
                list.push(id);
            }
        }
        Ok(())
    }

    /// Lets what expired no longer count, and derives all labels.
    fn label_anew(&mut self, expired: &[JustificationId]) {
        let mark = self.mark();
        for id in expired {
            self.graph.links.at_mut(*id).is_expired = true;
            self.graph.fault(*id, true);
        }
        for id in (0..self.graph.links.len()).map(JustificationId::next) {
            self.watch_expiry(id);
        }
        for id in (0..self.graph.beliefs.len()).map(BeliefId::next) {
            self.seed_label(id, false);
        }
        self.settle();
        self.commit(mark);
    }

    fn has_defeat_loop(&mut self) -> bool {
        let all: Vec<_> = (0..self.graph.beliefs.len()).map(BeliefId::next).collect();
        self.defeat_loop(&all).is_some()
    }
}

/// How many items of a kind follow; fewer than a base may hold.
fn count(from: &mut Reader<'_>, least_bytes: usize) -> Result<usize, Malformed> {
    let count = from.count(least_bytes)?;
    if count <= BASE_ITEMS {
        Ok(count)
    } else {
        Err(from.fault("more than a base can hold"))
    }
}

fn read_settings(from: &mut Reader<'_>) -> Result<Settings, Malformed> {
    let value = from.value()?;
    match Event::from_json(&value) {
        Ok(Event::Configured(settings)) => Ok(*settings),
        _ => Err(from.fault("settings that are none")),
    }
}

fn read_handle(from: &mut Reader<'_>, bound: usize) -> Result<u32, Malformed> {
    match from.below(bound.saturating_add(1))?.checked_sub(1) {
        Some(handle) => Ok(handle),
        None => Ok(NONE),
    }
}

fn read_time(from: &mut Reader<'_>, before: &mut i64) -> Result<Time, Malformed> {
    let micros = before.saturating_add(from.signed()?);
    *before = micros;
    Time::from_micros(micros).ok_or(from.fault("a time out of range"))
}

fn read_source(from: &mut Reader<'_>) -> Result<Source, Malformed> {
    let byte = from.byte()?;
    let kind = SourceKind::ALL
        .into_iter()
        .find(|kind| *kind as u8 == byte)
        .ok_or(from.fault("no kind of source"))?;
    Ok(Source {
        kind,
        name: from.text()?.to_owned(),
        arguments: from.maybe(Reader::value)?,
        quote: from.maybe(Reader::text)?.map(str::to_owned),
        origin: from.maybe(Reader::text)?.map(str::to_owned),
    })
}

fn kind(from: &mut Reader<'_>) -> Result<JustificationKind, Malformed> {
    let byte = from.byte()?;
    JustificationKind::ALL
        .into_iter()
        .find(|kind| *kind as u8 == byte)
        .ok_or(from.fault("no kind of justification"))
}

fn read_retraction(from: &mut Reader<'_>) -> Result<Retraction, Malformed> {
    Ok(Retraction {
        reason: from.maybe(Reader::text)?.map(str::to_owned),
        at: from.time()?,
    })
}

fn read_citation(from: &mut Reader<'_>) -> Result<Citation, Malformed> {
    Ok(Citation {
        version: from.number32()?,
        document: from.digest()?,
        start: from.number()?,
        end: from.number()?,
        digest: from.digest()?,
    })
}

/// What is known of a source as of a time.
pub(crate) fn read_totals(from: &mut Reader<'_>) -> Result<Totals, Malformed> {
    Ok(Totals {
        correct: from.float()?,
        total: from.float()?,
        as_of: from.time()?,
    })
}
