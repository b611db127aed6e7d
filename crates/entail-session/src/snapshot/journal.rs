//! What only the journal of a session knows: the history, and each outcome of the ledger.

use entail_json::Value;
use entail_kernel::Time;
use entail_kernel::base::{Event as BaseEvent, JustificationKind, Ref};
use entail_kernel::confidence::Totals;
use entail_kernel::limits::LEDGER_OUTCOMES;
use entail_trace::journal::Entry;
use std::collections::{BTreeMap, VecDeque};

use super::kept::Kept;
use super::write::SnapshotError;
use super::{IMPORT, time};
use crate::event::Event;
use crate::fields::Faults;
use crate::replay;
use crate::session::{Session, read_journal_json};
use crate::text::shorten;

/// Characters of a value that a line of the history shows.
const SHOWN_CHARACTERS: usize = 60;

/// What the journal tells.
#[derive(Default)]
pub(super) struct Told {
    pub kept: Kept,
    /// How many justifications came with the import.
    pub imported: usize,
    pub history: Vec<Value>,
    /// What a source's ledger began with, unless that came with the import.
    pub seeds: BTreeMap<String, Totals>,
    /// The session's own outcomes by source, oldest first.
    pub outcomes: BTreeMap<String, VecDeque<(Time, bool, &'static str)>>,
}

/// Reads the whole journal of a session.
pub(super) fn read<'e>(
    session: &Session,
    journal: impl IntoIterator<Item = &'e Entry>,
    faults: &mut Faults,
) -> Result<Told, SnapshotError> {
    let mut told = Told::default();
    let (mut seq, mut head) = (0, entail_json::Digest::ZERO);
    for entry in journal {
        if entry.seq != seq + 1 || entry.prev_hash != head || entry.session_id != session.id() {
            break;
        }
        (seq, head) = (entry.seq, entry.hash);
        told.take(entry, faults)?;
    }
    if seq == session.version() && head == session.chain_head() {
        Ok(told)
    } else {
        Err(SnapshotError::OtherJournal { seq })
    }
}

impl Told {
    fn take(&mut self, entry: &Entry, faults: &mut Faults) -> Result<(), SnapshotError> {
        let events = replay::read_events(entry)?;
        let is_import = entry.kind == IMPORT;
        if is_import {
            let payload = read_journal_json(&entry.payload).ok();
            let kept = payload.as_ref().and_then(Kept::read);
            self.kept = kept.ok_or(SnapshotError::Payload { seq: entry.seq })?;
            self.history = std::mem::take(&mut self.kept.history);
        }
        // The value of a belief that was just added and has no reason yet.
        let mut new: Option<(&Ref, &Value)> = None;
        for event in &events {
            let Event::Base(event) = event else { continue };
            match event {
                BaseEvent::Seeded { source, totals } if !is_import => {
                    self.seeds.insert(source.to_string(), *totals);
                }
                BaseEvent::Outcome {
                    source,
                    correct,
                    lesson,
                    at,
                } => self.outcome(source, *correct, lesson.word(), *at),
                BaseEvent::JustificationAdded { .. } if is_import => {
                    self.imported = self.imported.saturating_add(1);
                }
                BaseEvent::BeliefAdded { belief, value, .. } => new = Some((belief, value)),
                event if !is_import => {
                    if let Some((at, action, about, detail)) = line(event, &mut new) {
                        let pointer = format!("/history/{}", self.history.len());
                        let at = time::value(at, &pointer, faults);
                        self.history.push(Value::from([
                            ("at", at),
                            ("action", action.into()),
                            ("ref", about.into()),
                            ("detail", detail.into()),
                        ]));
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn outcome(&mut self, source: &str, correct: bool, lesson: &'static str, at: Time) {
        let outcomes = self.outcomes.entry(source.to_owned()).or_default();
        outcomes.push_back((at, correct, lesson));
        if outcomes.len() > LEDGER_OUTCOMES {
            outcomes.pop_front();
        }
    }
}

/// An event as a line of the history, in the library's words: when, what, of what, and more.
fn line<'e>(
    event: &'e BaseEvent,
    new: &mut Option<(&'e Ref, &'e Value)>,
) -> Option<(Time, &'static str, String, String)> {
    Some(match event {
        BaseEvent::JustificationAdded { belief, record, .. } => {
            let added = new.take_if(|(there, _)| *there == belief);
            let is_premise = record.kind == JustificationKind::Premise;
            let by = match record.kind {
                JustificationKind::Premise => format!("by {}", record.source),
                JustificationKind::Rule => format!("derived via {}", record.source),
                JustificationKind::Model => format!("derived by {}", record.source),
            };
            let (action, detail) = match added {
                Some((_, value)) => {
                    let value = shorten(&value.to_string(), SHOWN_CHARACTERS);
                    let action = if is_premise { "assert" } else { "derive" };
                    (action, format!("= {value} {by}"))
                }
                None => ("support", by),
            };
            (record.at, action, belief.to_string(), detail)
        }
        BaseEvent::JustificationReplaced { belief, record, .. } => {
            let by = format!("by {}", record.source);
            (record.at, "renew", belief.to_string(), by)
        }
        BaseEvent::Retracted { belief, reason, at } => {
            let reason = reason.clone().unwrap_or_default();
            (*at, "retract", belief.to_string(), reason)
        }
        BaseEvent::Restored { belief, at } => (*at, "restore", belief.to_string(), String::new()),
        BaseEvent::Resolved {
            key,
            constraint,
            retracted,
            at,
            ..
        } => {
            let about = match (key, constraint) {
                (Some(key), _) => format!("value:{key}"),
                (None, name) => format!("constraint:{}", name.as_deref().unwrap_or_default()),
            };
            let gone: Vec<String> = retracted.iter().map(Ref::to_string).collect();
            (
                *at,
                "resolve",
                about,
                format!("retracted {}", gone.join(", ")),
            )
        }
        _ => return None,
    })
}
