//! Taking journal entries in.

use std::sync::Arc;

use entail_json::{Digest, Value};
use entail_kernel::Time;
use entail_kernel::base::Event as BaseEvent;
use entail_kernel::text::Document;
use entail_trace::journal::Entry;

use crate::call::CallState;
use crate::error::ReplayError;
use crate::event::Event;
use crate::session::{Session, read_journal_json};
use crate::tool::Tool;

/// The events of an entry as JSON.
pub(crate) fn read_list(entry: &Entry) -> Result<Value, ReplayError> {
    read_journal_json(&entry.events).map_err(|reason| malformed(entry.seq, 0, reason))
}

/// The events of an entry.
pub(crate) fn read_events(entry: &Entry) -> Result<Vec<Event>, ReplayError> {
    let list = read_list(entry)?;
    let items = list
        .as_array()
        .ok_or_else(|| malformed(entry.seq, 0, "the events are no list".to_owned()))?;
    let read =
        |(index, item)| Event::read(item).map_err(|reason| malformed(entry.seq, index, reason));
    items.iter().enumerate().map(read).collect()
}

/// Applies the events of an entry, all or (after the caller has rolled back) nothing.
pub(crate) fn apply(
    session: &mut Session,
    seq: u64,
    at: Time,
    events: &[Event],
    documents: &mut dyn FnMut(&Digest) -> Option<Arc<Document>>,
) -> Result<(), ReplayError> {
    let of_base = events.iter().filter_map(|event| match event {
        Event::Base(event) => Some(event),
        _ => None,
    });
    let of_base: Vec<&BaseEvent> = of_base.collect();
    session
        .base
        .replay(of_base)
        .map_err(|error| malformed(seq, 0, error.to_string()))?;
    for (index, event) in events.iter().enumerate() {
        apply_one(session, seq, at, index, event, documents)?;
    }
    session
        .trace
        .commit(seq, at, events, &session.base, &session.state);
    Ok(())
}

fn apply_one(
    session: &mut Session,
    seq: u64,
    at: Time,
    index: usize,
    event: &Event,
    documents: &mut dyn FnMut(&Digest) -> Option<Arc<Document>>,
) -> Result<(), ReplayError> {
    let fail = |reason: String| malformed(seq, index, reason);
    let state = &mut session.state;
    match event {
        Event::Base(_) | Event::Relabelled { .. } => {}
        Event::Opened { options, plan } => {
            state.set_options((**options).clone());
            state.set_plan(plan.clone());
        }
        Event::Patched { options } => state.set_options((**options).clone()),
        Event::DocumentPut {
            name,
            version,
            sha256,
            ..
        } => {
            let document = documents(sha256).filter(|document| document.id() == *sha256);
            let missing = || ReplayError::MissingDocument {
                name: name.clone(),
                sha256: *sha256,
            };
            let given = state.put_document(name, document.ok_or_else(missing)?);
            if given != *version {
                return Err(fail(format!(
                    "document `{name}` is at version {given} by now"
                )));
            }
        }
        Event::ToolPut {
            name,
            definition,
            order,
        } => {
            let tool = Tool::with_order(name, (**definition).clone(), order.clone());
            state.put_tool(Arc::new(tool.map_err(|error| fail(error.to_string()))?));
        }
        Event::ToolDeleted { name } => state.delete_tool(name),
        Event::CallOpened(opened) => state.open_call(Arc::new((**opened).clone()), seq),
        Event::CallReturned { call_id, result } => {
            state.settle_call(call_id, CallState::of(result));
        }
        Event::CallAbandoned { call_id } => state.settle_call(call_id, CallState::Abandoned),
        Event::Refused { problem, .. } => state.refuse(problem),
        Event::Accepted(accepted) => state.accept(accepted, seq),
        Event::TurnTaken(taken) => state.take_turn(taken, seq, at),
        Event::Closed(closing) => state.set_closed(Some(closing.clone())),
        Event::Reopened => state.set_closed(None),
    }
    Ok(())
}

fn malformed(seq: u64, index: usize, reason: String) -> ReplayError {
    ReplayError::Malformed { seq, index, reason }
}
