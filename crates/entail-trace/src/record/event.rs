//! The events of a trace.

use entail_json::Value;

use super::{Claim, EvidenceRef, Record, StepOutput, ToolCall, ToolResult, sealed::Plumbing};
use crate::fault::{At, Faults};
use crate::fields::{self, Fields, natural, text};
use crate::id::Id;
use crate::sink::Sink;
use crate::words::unknown;

/// An event of a trace: something that a step did.
#[derive(Clone, Debug, PartialEq)]
pub struct TraceEvent {
    /// The step.
    pub step_id: Id,
    /// Which event of its trace it is, counted from 0.
    pub idx: Option<u64>,
    /// What happened.
    pub payload: Payload,
}

/// What an event says, by its `kind`.
#[derive(Clone, Debug, PartialEq)]
pub enum Payload {
    /// `step_started`
    StepStarted,
    /// `step_finished`, with the step's output.
    StepFinished(StepOutput),
    /// `tool_called`; on input the call may also be named `tool_call`.
    ToolCalled(ToolCall),
    /// `tool_returned`; on input the result may also be named `tool_result`.
    ToolReturned(ToolResult),
    /// `evidence_registered`
    EvidenceRegistered(EvidenceRef),
    /// `claim_emitted`
    ClaimEmitted(Claim),
}

const KINDS: [&str; 6] = [
    "step_started",
    "step_finished",
    "tool_called",
    "tool_returned",
    "evidence_registered",
    "claim_emitted",
];

impl TraceEvent {
    /// An event at a place in its trace.
    #[must_use]
    pub fn new(idx: u64, step_id: Id, payload: Payload) -> Self {
        Self {
            step_id,
            idx: Some(idx),
            payload,
        }
    }

    /// The word for what happened.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self.payload {
            Payload::StepStarted => "step_started",
            Payload::StepFinished(_) => "step_finished",
            Payload::ToolCalled(_) => "tool_called",
            Payload::ToolReturned(_) => "tool_returned",
            Payload::EvidenceRegistered(_) => "evidence_registered",
            Payload::ClaimEmitted(_) => "claim_emitted",
        }
    }

    /// The id of the record that this event brings in, if it brings one.
    #[must_use]
    pub fn subject_id(&self) -> Option<&Id> {
        match &self.payload {
            Payload::StepStarted | Payload::StepFinished(_) => None,
            Payload::ToolCalled(call) => Some(call.id()),
            Payload::ToolReturned(result) => Some(&result.call_id),
            Payload::EvidenceRegistered(evidence) => Some(evidence.id()),
            Payload::ClaimEmitted(claim) => Some(claim.id()),
        }
    }
}

impl Plumbing for TraceEvent {
    fn parse(value: Value, at: &At<'_>, faults: &mut Faults) -> Option<Self> {
        let mut fields = Fields::open(value, at, faults)?;
        let kind = fields.required(&["kind"], text)?;
        let step_id = fields.required(&["step_id"], fields::id);
        let idx = fields.nullable("idx", natural);
        let payload = match kind.as_str() {
            "step_started" => Some(Payload::StepStarted),
            "step_finished" => fields
                .required(&["output"], StepOutput::parse)
                .map(Payload::StepFinished),
            "tool_called" => fields
                .required(&["call", "tool_call"], ToolCall::parse)
                .map(Payload::ToolCalled),
            "tool_returned" => fields
                .required(&["result", "tool_result"], ToolResult::parse)
                .map(Payload::ToolReturned),
            "evidence_registered" => fields
                .required(&["evidence"], EvidenceRef::parse)
                .map(Payload::EvidenceRegistered),
            "claim_emitted" => fields
                .required(&["claim"], Claim::parse)
                .map(Payload::ClaimEmitted),
            other => {
                fields.fault("kind", unknown(other, "kind of event", &KINDS));
                return None;
            }
        };
        fields.close();
        Some(Self {
            step_id: step_id?,
            idx: idx?,
            payload: payload?,
        })
    }

    fn emit<S: Sink>(&self, sink: &mut S) {
        sink.open();
        match &self.payload {
            Payload::ToolCalled(call) => {
                sink.name("call");
                call.emit(sink);
            }
            Payload::ClaimEmitted(claim) => {
                sink.name("claim");
                claim.emit(sink);
            }
            Payload::EvidenceRegistered(evidence) => {
                sink.name("evidence");
                evidence.emit(sink);
            }
            Payload::StepStarted | Payload::StepFinished(_) | Payload::ToolReturned(_) => {}
        }
        sink.name("idx");
        match self.idx {
            Some(idx) => sink.integer(idx),
            None => sink.value(&Value::Null),
        }
        sink.text_member("kind", self.kind());
        match &self.payload {
            Payload::StepFinished(output) => {
                sink.name("output");
                output.emit(sink);
            }
            Payload::ToolReturned(result) => {
                sink.name("result");
                result.emit(sink);
            }
            Payload::StepStarted
            | Payload::ToolCalled(_)
            | Payload::EvidenceRegistered(_)
            | Payload::ClaimEmitted(_) => {}
        }
        sink.text_member("step_id", &self.step_id);
        sink.close();
    }
}

impl Record for TraceEvent {
    const NAME: &'static str = "TraceEvent";
}
