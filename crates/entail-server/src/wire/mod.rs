//! What requests say: bodies read into the commands of the session engine.
//!
//! Each type that a body has is also described for the OpenAPI document, beside its decoder.

mod closing;
mod context;
mod opening;
mod patch;
mod premise;
mod retraction;
mod rule;
mod settlement;
mod step;
mod tool;
mod tool_result;
mod turn;

pub(crate) use closing::{ClosingBody, closing};
pub(crate) use context::{ContextBody, context_options};
pub(crate) use opening::{DocumentTextBody, OpeningBody, OpeningRequest, opening};
pub(crate) use patch::{Expiry, PatchBody, PatchRequest, patch};
pub(crate) use premise::{PremiseBody, premise};
pub(crate) use retraction::{RestorationBody, RetractionBody, restoration, retraction};
pub(crate) use rule::{ConstraintBody, RuleBody, constraint, rule};
pub(crate) use settlement::{
    OutcomeBody, ReverificationBody, SettlementBody, VerdictBody, reverification, settlement, told,
    verdict,
};
pub(crate) use step::{DerivationBody, JustificationBody, derivation, justification};
pub(crate) use tool::{ToolBody, tool};
pub(crate) use tool_result::{ToolResultBody, tool_result};
pub(crate) use turn::{TurnBody, TurnRequest, turn};

use entail_json::Value;
use entail_kernel::{Span, Time, base::Source};
use entail_session::Faults as SessionFaults;

use crate::{
    body::decode::{Decoded, Pointer, positive, text},
    problem::{Fault, Place, quoted},
};

/// A value read by the session engine's own reader.
fn by_session<T>(
    read: impl FnOnce(&Value, &str) -> Result<T, SessionFaults>,
) -> impl FnOnce(Value, &Pointer) -> Decoded<T> {
    move |value, place| read(&value, place.as_str()).map_err(|faults| session_faults(&faults))
}

/// The engine's faults as a problem tells them.
pub(crate) fn session_faults(faults: &SessionFaults) -> Vec<Fault> {
    let fault = |fault: &entail_session::Fault| Fault {
        place: Place::Body(fault.pointer.clone()),
        detail: fault.to_string(),
    };
    faults
        .0
        .iter()
        .take(crate::limits::BODY_FAULTS)
        .map(fault)
        .collect()
}

/// A span of time in seconds.
fn seconds(value: Value, place: &Pointer) -> Decoded<Span> {
    let seconds = positive(value, place)?;
    entail_session::limits::SPAN_SECONDS
        .contains(&seconds)
        .then(|| Span::from_seconds(seconds))
        .flatten()
        .ok_or_else(|| {
            let range = entail_session::limits::SPAN_SECONDS;
            let (least, most) = (range.start(), range.end());
            place.fault(format!(
                "{seconds} seconds is no span of {least} to {most} seconds"
            ))
        })
}

/// A point in time, RFC 3339.
pub(crate) fn time(value: Value, place: &Pointer) -> Decoded<Time> {
    let text = text(value, place)?;
    text.parse().map_err(|_| {
        place.fault(format!(
            "{} is no time; write it as `2026-01-31T12:00:00Z`",
            quoted(&text)
        ))
    })
}

/// A source, `kind:name`.
fn source(value: Value, place: &Pointer) -> Decoded<Source> {
    let text = text(value, place)?;
    text.parse().map_err(|_| {
        place.fault(format!(
            "{} is no source; write `kind:name`, its kind `tool`, `document`, `human` or \
             `assumption`",
            quoted(&text)
        ))
    })
}
