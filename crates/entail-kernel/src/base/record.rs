//! The elementary changes: each changes the base, notes how to undo it and says what happened.
//!
//! Operations decide and then only use these; replays use the same ones without deciding.

use std::sync::Arc;

use entail_json::{Object, Value};

use super::arena::IdList;
use super::nodes::{BeliefNode, Extra, JustificationNode, NONE, SourceNode, length};
use super::undo::{Overwritten, Undo};
use super::{
    Base, BaseError, BeliefId, Citation, Event, JustificationId, JustificationKind, KeyId, Lesson,
    NameId, Record, Ref, Retraction, SetId, Settings, Source, SourceId,
};
use crate::confidence::Totals;
use crate::limits::BASE_ITEMS;
use crate::{Span, Time};

/// A justification to be added.
#[derive(Clone, Debug)]
pub(super) struct Reason {
    pub(super) kind: JustificationKind,
    pub(super) source: SourceId,
    pub(super) set: Option<SetId>,
    pub(super) unless: Vec<KeyId>,
    pub(super) inputs: Vec<KeyId>,
    pub(super) rule_version: Option<u32>,
    pub(super) formula: Option<String>,
    pub(super) confidence: Option<f64>,
    pub(super) valid_until: Option<Time>,
    pub(super) half_life: Option<Span>,
    pub(super) citation: Option<Citation>,
    pub(super) note: Option<String>,
}

impl Base {
    /// Notes what happened, except while that is being told to us.
    pub(super) fn say(&mut self, event: impl FnOnce(&Self) -> Event) {
        if !self.is_replaying {
            let event = event(self);
            self.events.push(event);
        }
    }

    pub(super) fn check_room(&self) -> Result<(), BaseError> {
        let graph = &self.graph;
        let most = [
            graph.keys.len(),
            graph.names.len(),
            graph.sources.len(),
            graph.beliefs.len(),
            graph.sets.len(),
            graph.links.len(),
            graph.set_edges.len(),
        ]
        .into_iter()
        .max()
        .unwrap_or_default();
        if most < BASE_ITEMS {
            Ok(())
        } else {
            Err(BaseError::argument(
                "base",
                format!("holds {BASE_ITEMS} items, the most it can: open another session"),
            ))
        }
    }

    pub(super) fn configure_now(&mut self, settings: Settings) {
        let old = std::mem::replace(&mut self.settings, settings);
        self.undo.push(Undo::Configure(Box::new(old)));
        self.say(|base| Event::Configured(Box::new(base.settings.clone())));
    }

    pub(super) fn seed_now(&mut self, source: NameId, totals: Totals) {
        let old = self.ledger.seed(source, Some(totals));
        self.undo.push(Undo::Seed(source, old.map(Box::new)));
        self.say(|base| Event::Seeded {
            source: Arc::clone(base.graph.names.at(source)),
            totals,
        });
    }

    pub(super) fn rate_now(&mut self, source: NameId, prior: Option<f64>) {
        let old = self.ledger.rate(source, prior);
        self.undo.push(Undo::Rate(source, old.map(Box::new)));
        self.say(|base| Event::Rated {
            source: Arc::clone(base.graph.names.at(source)),
            prior,
        });
    }

    pub(super) fn tell_now(&mut self, source: NameId, correct: bool, lesson: Lesson, at: Time) {
        let undo = self.ledger.tell(source, correct, at);
        self.undo.push(Undo::Outcome(source, undo));
        self.say(|base| Event::Outcome {
            source: Arc::clone(base.graph.names.at(source)),
            correct,
            lesson,
            at,
        });
    }

    /// The handle of a source, made if need be.
    pub(super) fn intern_source(&mut self, source: &Source) -> SourceId {
        // Most often it is the source of the operation before.
        if let Some(node) = self.last_source.and_then(|id| self.graph.sources.get(id))
            && *node.source == *source
            && let Some(last) = self.last_source
        {
            return last;
        }
        let id = self.graph.find_source(source).unwrap_or_else(|| {
            let label = self.intern_name(&source.label());
            let origin = source
                .origin
                .as_ref()
                .map_or(label, |origin| self.intern_name(origin));
            self.undo.push(Undo::Source);
            self.graph.push_source(SourceNode {
                source: Arc::new(source.clone()),
                label,
                origin,
            })
        });
        self.last_source = Some(id);
        id
    }

    pub(super) fn add_belief(
        &mut self,
        key: KeyId,
        value: Value,
        claim: Option<String>,
        metadata: Option<Object>,
        at: Time,
    ) -> BeliefId {
        let revision = length(self.graph.keys.at(key).revisions.len()).saturating_add(1);
        self.undo.push(Undo::Belief);
        let id = self.graph.push_belief(BeliefNode {
            key,
            revision,
            value,
            claim: claim.map(Into::into),
            metadata: metadata.map(Box::new),
            created_at: at,
            retraction: None,
            justifications: IdList::None,
        });
        self.say(|base| {
            let node = base.graph.beliefs.at(id);
            Event::BeliefAdded {
                belief: base.reference(id),
                value: node.value.clone(),
                claim: node.claim.as_deref().map(Into::into),
                metadata: node.metadata.as_deref().cloned(),
                at,
            }
        });
        id
    }

    /// The handle of a set, made if need be. Nothing at all is no set.
    pub(super) fn intern_set(
        &mut self,
        extends: Option<SetId>,
        beliefs: &[BeliefId],
    ) -> Option<SetId> {
        if beliefs.is_empty() {
            return extends;
        }
        let parent = extends.map_or(NONE, |set| set.0);
        Some(
            self.graph
                .find_set(parent, beliefs)
                .unwrap_or_else(|| self.add_set(parent, beliefs)),
        )
    }

    pub(super) fn add_set(&mut self, parent: u32, beliefs: &[BeliefId]) -> SetId {
        self.undo.push(Undo::Set);
        let set = self.graph.push_set(parent, beliefs);
        self.say(|base| Event::SetAdded {
            set: set.0,
            extends: (parent != NONE).then_some(parent),
            refs: beliefs.iter().map(|id| base.reference(*id)).collect(),
        });
        set
    }

    pub(super) fn add_reason(
        &mut self,
        belief: BeliefId,
        reason: Reason,
        at: Time,
    ) -> JustificationId {
        self.undo.push(Undo::Justification);
        let unless = reason.unless.clone();
        let set = reason.set.map_or(NONE, |set| set.0);
        let id = self
            .graph
            .push_justification(belief, set, &unless, node_of(reason, at));
        self.watch_expiry(id);
        self.seed_label(belief, false);
        self.say(|base| Event::JustificationAdded {
            justification: id.0,
            belief: base.reference(belief),
            record: Box::new(base.record(id)),
        });
        id
    }

    pub(super) fn pop_justification(&mut self) {
        let id = JustificationId::next(self.graph.links.len().saturating_sub(1));
        self.unwatch_expiry(id);
        self.graph.pop_justification();
    }

    /// Puts a premise in the place of an older one of the same source.
    pub(super) fn replace_reason(&mut self, id: JustificationId, reason: Reason, at: Time) {
        let belief = self.graph.links.at(id).belief;
        self.unwatch_expiry(id);
        let link = *self.graph.links.at(id);
        let node = std::mem::replace(self.graph.justifications.at_mut(id), node_of(reason, at));
        let list = &mut self.graph.beliefs.at_mut(belief).justifications;
        let place = list
            .as_slice()
            .iter()
            .position(|there| *there == id.0)
            .unwrap_or_default();
        list.remove(place);
        list.push(id.0);
        if link.is_expired {
            self.graph.links.at_mut(id).is_expired = false;
            self.graph.fault(id, false);
        }
        self.watch_expiry(id);
        self.undo.push(Undo::Overwrite(Box::new(Overwritten {
            id,
            link,
            node,
            place,
        })));
        self.seed_label(belief, false);
        self.say(|base| Event::JustificationReplaced {
            justification: id.0,
            belief: base.reference(belief),
            record: Box::new(base.record(id)),
        });
    }

    pub(super) fn put_back(&mut self, old: Overwritten) {
        let Overwritten {
            id,
            link,
            node,
            place,
        } = old;
        self.unwatch_expiry(id);
        *self.graph.justifications.at_mut(id) = node;
        if link.is_expired {
            self.graph.links.at_mut(id).is_expired = true;
            self.graph.fault(id, true);
        }
        self.watch_expiry(id);
        let list = &mut self.graph.beliefs.at_mut(link.belief).justifications;
        list.remove(list.len().saturating_sub(1));
        list.insert(place, id.0);
    }

    pub(super) fn retract_now(&mut self, belief: BeliefId, reason: Option<&str>, at: Time) {
        self.undo.push(Undo::Retract(belief));
        self.graph.beliefs.at_mut(belief).retraction = Some(Box::new(Retraction {
            reason: reason.map(Into::into),
            at,
        }));
        self.graph.labels.at_mut(belief).is_retracted = true;
        self.seed_label(belief, true);
        self.say(|base| Event::Retracted {
            belief: base.reference(belief),
            reason: reason.map(Into::into),
            at,
        });
    }

    pub(super) fn restore_now(&mut self, belief: BeliefId, at: Time) {
        if let Some(retraction) = self.graph.beliefs.at_mut(belief).retraction.take() {
            self.undo.push(Undo::Restore(belief, retraction));
        }
        self.graph.labels.at_mut(belief).is_retracted = false;
        self.seed_label(belief, false);
        self.say(|base| Event::Restored {
            belief: base.reference(belief),
            at,
        });
    }

    pub(super) fn expire_now(&mut self, ids: &[JustificationId], at: Time) {
        for id in ids {
            self.unwatch_expiry(*id);
            self.graph.links.at_mut(*id).is_expired = true;
            self.graph.fault(*id, true);
            self.undo.push(Undo::Expire(*id));
            self.seed_label(self.graph.links.at(*id).belief, true);
        }
        self.say(|_| Event::Expired {
            justifications: ids.iter().map(|id| id.0).collect(),
            at,
        });
    }

    pub(super) fn unexpire(&mut self, id: JustificationId) {
        self.graph.links.at_mut(id).is_expired = false;
        self.graph.fault(id, false);
        self.watch_expiry(id);
    }

    pub(super) fn resolved_now(&mut self, event: Event) {
        self.resolutions = self.resolutions.saturating_add(1);
        self.undo.push(Undo::Resolved);
        self.say(|_| event);
    }

    /// Lets a justification expire when its time comes.
    pub(super) fn watch_expiry(&mut self, id: JustificationId) {
        let node = self.graph.justifications.at(id);
        if node.expires() && !self.graph.links.at(id).is_expired {
            self.expiring.insert((node.valid_until, id));
        }
    }

    fn unwatch_expiry(&mut self, id: JustificationId) {
        if let Some(node) = self.graph.justifications.get(id)
            && node.expires()
        {
            self.expiring.remove(&(node.valid_until, id));
        }
    }

    /// The ref of a belief of this base.
    pub(super) fn reference(&self, belief: BeliefId) -> Ref {
        let node = self.graph.beliefs.at(belief);
        Ref {
            key: Arc::clone(&self.graph.keys.at(node.key).text),
            revision: node.revision,
        }
    }

    /// What is recorded of a justification.
    pub(super) fn record(&self, id: JustificationId) -> Record {
        let graph = &self.graph;
        let (link, node) = (graph.links.at(id), graph.justifications.at(id));
        let text = |key: KeyId| Arc::clone(&graph.keys.at(key).text);
        let extra = node.extra.as_deref();
        Record {
            kind: node.kind,
            source: Arc::clone(graph.source(node.source)),
            set: (link.set != NONE).then_some(link.set),
            unless: graph.unless(id).map(text).collect(),
            inputs: node.inputs().iter().copied().map(text).collect(),
            rule_version: node.rule_version(),
            formula: node.formula().map(Into::into),
            confidence: node.confidence(),
            valid_until: node.valid_until(),
            half_life: node.half_life(),
            citation: extra.and_then(|extra| extra.citation.as_deref().copied()),
            note: extra.and_then(|extra| extra.note.as_deref().map(Into::into)),
            at: node.created_at,
        }
    }
}

fn node_of(reason: Reason, at: Time) -> JustificationNode {
    let extra = Extra {
        unless: (0, 0),
        inputs: reason.inputs.into(),
        rule_version: reason.rule_version,
        formula: reason.formula.map(Into::into),
        citation: reason.citation.map(Box::new),
        note: reason.note.map(Into::into),
    };
    let is_plain = extra.inputs.is_empty()
        && extra.rule_version.is_none()
        && extra.formula.is_none()
        && extra.citation.is_none()
        && extra.note.is_none();
    JustificationNode {
        kind: reason.kind,
        source: reason.source,
        confidence: reason.confidence.unwrap_or(f64::NAN),
        valid_until: reason.valid_until.map_or(i64::MAX, Time::micros),
        half_life: reason.half_life.map_or(0, Span::micros),
        created_at: at,
        extra: (!is_plain).then(|| Box::new(extra)),
    }
}
