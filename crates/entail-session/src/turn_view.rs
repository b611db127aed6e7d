//! A turn as its journal entry tells it.

use entail_json::{Object, Value};
use entail_kernel::base::SetId;
use entail_trace::journal::Entry;

use crate::event::{Event, TurnTaken};
use crate::replay::read_events;
use crate::session::{Session, read_journal_json};

impl Session {
    /// A turn of this session, from its journal entry: `{turn, at, response, model, step_id,
    /// context: {id, version, as_of, refs, documents}, verdict, accepted, rejected, ignored}`;
    /// `None` for an entry that is no turn.
    #[must_use]
    pub fn turn_view(&self, entry: &Entry) -> Option<Value> {
        let events = read_events(entry).ok()?;
        let payload = read_journal_json(&entry.payload).ok()?;
        let mut accepted = Vec::new();
        let mut rejected = Vec::new();
        let mut taken: Option<&TurnTaken> = None;
        for event in &events {
            match event {
                Event::Accepted(one) => {
                    let mut object = Object::from([
                        ("action", one.action.into()),
                        ("type", one.kind.as_str().into()),
                        ("key", one.key.as_str().into()),
                    ]);
                    if let Some(reference) = &one.reference {
                        object.insert("ref", reference.as_str().into());
                        let belief = self
                            .base
                            .find(reference)
                            .and_then(|id| self.base.belief(id));
                        object.insert("value", belief.map(|belief| belief.value.clone()).into());
                    }
                    if let Some(call_id) = &one.call_id {
                        object.insert("call_id", call_id.as_str().into());
                    }
                    accepted.push(Value::from(object));
                }
                Event::Refused { problem, .. } => rejected.push(problem.to_value()),
                Event::TurnTaken(turn) => taken = Some(turn),
                _ => {}
            }
        }
        let taken = taken?;
        let shown = taken
            .shown
            .map(|set| self.base.antecedents(SetId::from_number(set)));
        let mut shown = shown.unwrap_or_default();
        shown.sort_unstable();
        let refs = shown.into_iter().filter_map(|id| self.base.ref_of(id));
        let documents = taken.documents.iter();
        let documents: Object = documents
            .map(|(name, version)| (name.clone(), (*version).into()))
            .collect();
        let context = Value::from([
            ("id", taken.context_id.as_str().into()),
            ("version", taken.context_version.into()),
            ("as_of", taken.as_of.to_string().into()),
            (
                "refs",
                refs.map(|reference| reference.to_string()).collect(),
            ),
            ("documents", documents.into()),
        ]);
        let ignored = taken.ignored.iter().map(|(action, kind)| {
            Value::from([("action", (*action).into()), ("type", kind.as_str().into())])
        });
        Some(Value::from([
            ("turn", entry.seq.into()),
            ("at", entry.created_at.to_string().into()),
            (
                "response",
                payload.get("response").cloned().unwrap_or_default(),
            ),
            ("model", taken.model.as_str().into()),
            ("step_id", taken.step_id.clone().into()),
            ("context", context),
            ("verdict", taken.verdict.word().into()),
            ("accepted", accepted.into_iter().collect()),
            ("rejected", rejected.into_iter().collect()),
            ("ignored", ignored.collect()),
        ]))
    }
}
