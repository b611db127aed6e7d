//! The small parts of an image.

use std::sync::Arc;

use entail_json::Digest;
use entail_kernel::image::{Malformed, Reader, Writer};
use entail_kernel::text::Document;

use super::ImageError;
use crate::event::{CallOpened, Event};
use crate::tool::{Executor, ToolDefinition};

/// Something as the event that would bring it about.
pub(super) fn write_event(out: &mut Writer, event: &Event) {
    out.value(&event.to_value());
}

pub(super) fn read_event(from: &mut Reader<'_>) -> Result<Event, Malformed> {
    let value = from.value()?;
    Event::read(&value).map_err(|_| from.fault("an event that is none"))
}

/// The text of a digest.
pub(super) fn read_document(
    documents: &mut dyn FnMut(&Digest) -> Option<Arc<Document>>,
    sha256: Digest,
) -> Result<Arc<Document>, ImageError> {
    documents(&sha256)
        .filter(|document| document.id() == sha256)
        .ok_or(ImageError::MissingDocument { sha256 })
}

pub(super) fn write_call(out: &mut Writer, call: &CallOpened) {
    out.text(&call.call_id);
    out.text(&call.tool);
    out.object(&call.arguments);
    out.text(&call.key);
    out.maybe(call.claim.as_deref(), Writer::text);
    out.text(&call.step_id);
    out.number(call.call_idx);
    out.float(call.trust);
    let span = |out: &mut Writer, span: entail_kernel::Span| out.signed(span.micros());
    out.maybe(call.ttl, span);
    out.maybe(call.half_life, span);
    out.maybe(call.origin.as_deref(), Writer::text);
    let executor = match &call.executor {
        Executor::Client => None,
        executor @ Executor::Http(_) => Some(ToolDefinition {
            executor: executor.clone(),
            ..ToolDefinition::default()
        }),
    };
    out.maybe(executor, |out, tool| out.value(&tool.to_value()));
}

pub(super) fn read_call(from: &mut Reader<'_>) -> Result<CallOpened, Malformed> {
    Ok(CallOpened {
        call_id: from.text()?.to_owned(),
        tool: from.text()?.to_owned(),
        arguments: from.object()?,
        key: from.text()?.to_owned(),
        claim: from.maybe(Reader::text)?.map(str::to_owned),
        step_id: from.text()?.to_owned(),
        call_idx: from.number()?,
        trust: from.float()?,
        ttl: from.maybe(Reader::span)?,
        half_life: from.maybe(Reader::span)?,
        origin: from.maybe(Reader::text)?.map(str::to_owned),
        executor: from.maybe(read_executor)?.unwrap_or_default(),
    })
}

fn read_executor(from: &mut Reader<'_>) -> Result<Executor, Malformed> {
    let value = from.value()?;
    ToolDefinition::read(&value, "")
        .map(|tool| tool.executor)
        .map_err(|_| from.fault("an executor that is none"))
}
