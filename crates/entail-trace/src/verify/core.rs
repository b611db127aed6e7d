//! Versions, links, order, tools and steps.

use std::collections::BTreeSet;

use super::catalog::CheckName;
use super::index::{Added, Ids};
use super::plan::{PlanIndex, Step};
use super::result::{CheckResult, shown};
use super::{Here, Registry};
use crate::id::Id;
use crate::record::{
    CANONICALIZATION_VERSION, FINGERPRINT_ALGO, Payload, ProblemSpec, RUNTIME_PROTOCOL_VERSION,
    SCHEMA_VERSIONS, StepOutput, TraceEvent, TraceHeader,
};
use crate::words::StepKind;

const SCHEMA: &str = "INV-SCH-001";
const LINKS: &str = "INV-LNK-001";
const ORDER: &str = "INV-ORD-001";

/// The checks of the trace's frame: `core_invariants`, `tool_linkage`, `finalize_present` and
/// `required_steps`.
pub(super) struct Core {
    steps: Ids<Step>,
    core: CheckResult,
    tools: CheckResult,
    calls: u64,
    results: u64,
    events: u64,
    finalized: bool,
    finished: BTreeSet<StepKind>,
}

impl Core {
    pub(super) fn new(header: &TraceHeader, plan: PlanIndex, spec: Option<&ProblemSpec>) -> Self {
        let mut core = plan.core;
        check_versions(header, &mut core);
        let mut link = |name: &str, given: &Id, wanted: &Id| {
            if given != wanted {
                let (given, wanted) = (shown(given), shown(wanted));
                core.broken(
                    LINKS,
                    format!("{name} is `{given}`, but there is `{wanted}`"),
                );
            }
        };
        link("the trace's plan_id", &header.plan_id, &plan.id);
        link("the trace's spec_id", &header.spec_id, &plan.spec_id);
        if let Some(spec) = spec {
            link("the plan's spec_id", &plan.spec_id, spec.id());
        }
        Self {
            steps: plan.steps,
            core,
            tools: CheckResult::new(CheckName::ToolLinkage),
            calls: 0,
            results: 0,
            events: 0,
            finalized: false,
            finished: BTreeSet::new(),
        }
    }

    pub(super) fn event(&mut self, here: Here, event: &TraceEvent, registry: &Registry) {
        self.events = self.events.saturating_add(1);
        if event.idx != Some(here.number) {
            let idx = event
                .idx
                .map_or_else(|| "missing".to_owned(), |idx| format!("`{idx}`"));
            self.core.broken(ORDER, format!("{here}: its idx is {idx}"));
        }
        self.step(here, event);
        match &event.payload {
            Payload::StepStarted | Payload::EvidenceRegistered(_) | Payload::ClaimEmitted(_) => {}
            Payload::StepFinished(output) => self.output(here, output, registry),
            Payload::ToolCalled(call) => {
                self.calls = self.calls.saturating_add(1);
                if call.step_id != event.step_id {
                    let id = shown(call.id());
                    self.tools
                        .error(format!("{here}: call `{id}` is of another step"));
                }
            }
            Payload::ToolReturned(result) => {
                self.results = self.results.saturating_add(1);
                let id = &result.call_id;
                match registry
                    .calls
                    .find(id)
                    .and_then(|at| registry.calls.get(at))
                {
                    None => {
                        let message = format!("{here}: no call `{}` was made before", shown(id));
                        self.core.broken(LINKS, message.clone());
                        self.tools.error(message);
                    }
                    Some(call) if call.returned => {
                        self.tools
                            .error(format!("{here}: call `{}` returned before", shown(id)));
                    }
                    Some(_) => {}
                }
            }
        }
    }

    /// Says what became of an id that an event brought in.
    pub(super) fn added(&mut self, here: Here, what: &str, id: &str, added: Added) {
        match added {
            Added::New(_) => {}
            Added::Present(_) => {
                let message = format!("{here}: {what} `{}` is there twice", shown(id));
                self.core.broken(LINKS, message);
            }
            Added::Full => self.core.broken(LINKS, format!("{here}: too many ids")),
        }
    }

    fn step(&mut self, here: Here, event: &TraceEvent) {
        let id = &event.step_id;
        let Some(step) = self.steps.find(id).and_then(|at| self.steps.get_mut(at)) else {
            let message = format!("{here}: step `{}` is not in the plan", shown(id));
            self.core.broken(LINKS, message);
            return;
        };
        if matches!(event.payload, Payload::StepFinished(_)) {
            self.finished.insert(step.kind);
        }
        let fault = match &event.payload {
            Payload::StepStarted if step.started => Some("is started twice"),
            Payload::StepStarted => {
                step.started = true;
                None
            }
            _ if !step.started => Some("is not started"),
            _ if step.finished => Some("is finished already"),
            Payload::StepFinished(output) => {
                step.finished = true;
                let kind = output.step_kind().unwrap_or(step.kind);
                (kind != step.kind).then_some("puts out what a step of another kind does")
            }
            _ => None,
        };
        if let Some(fault) = fault {
            self.core
                .broken(ORDER, format!("{here}: step `{}` {fault}", shown(id)));
        }
    }

    fn output(&mut self, here: Here, output: &StepOutput, registry: &Registry) {
        let mut claims = |ids: &[Id]| {
            for id in ids.iter().filter(|id| registry.claims.find(id).is_none()) {
                let message = format!("{here}: no claim `{}` was emitted before", shown(id));
                self.core.broken(LINKS, message);
            }
        };
        match output {
            StepOutput::Understand(_) | StepOutput::InsufficientEvidence(_) => {}
            StepOutput::Derive(output) => claims(&output.claim_ids),
            StepOutput::Verify(output) => {
                claims(&output.validated_claim_ids);
                claims(&output.rejected_claim_ids);
                claims(&output.missing_support_claim_ids);
            }
            StepOutput::Finalize(output) => {
                claims(&output.final_claim_ids);
                self.finalized = true;
            }
            StepOutput::Gather(output) => {
                let known = |id: &&Id| registry.evidence.find(id).is_none();
                for id in output.evidence_ids.iter().filter(known) {
                    let message = format!("{here}: no evidence `{}` was registered", shown(id));
                    self.core.broken(LINKS, message);
                }
            }
        }
    }

    pub(super) fn steps(&self) -> usize {
        self.steps.len()
    }

    pub(super) fn bytes_held(&self) -> usize {
        self.steps.bytes_held()
    }

    pub(super) fn finish(mut self, registry: &Registry) -> Vec<CheckResult> {
        for (key, step) in self.steps.iter() {
            if step.started && !step.finished {
                let message = format!("step {} is started and never finished", key.describe());
                self.core.broken(ORDER, message);
            }
        }
        for (key, call) in registry.calls.iter() {
            if !call.returned {
                self.tools
                    .error(format!("call {} has no result", key.describe()));
            }
        }
        self.core.count("events", self.events);
        self.core
            .count("steps", u64::try_from(self.steps.len()).unwrap_or(u64::MAX));
        self.tools.count("calls", self.calls);
        self.tools.count("results", self.results);
        let mut finalize = CheckResult::new(CheckName::FinalizePresent);
        if !self.finalized {
            finalize.error("no step puts out a finalize output");
        }
        let mut required = CheckResult::new(CheckName::RequiredSteps);
        for kind in StepKind::ALL {
            if !self.finished.contains(kind) {
                required.error(format!("no step of kind `{kind}` is finished"));
            }
        }
        vec![self.core, self.tools, finalize, required]
    }
}

fn check_versions(header: &TraceHeader, core: &mut CheckResult) {
    let mut unknown = |name: &str, given: &dyn std::fmt::Display, known: &str| {
        let given = shown(&given.to_string());
        core.broken(
            SCHEMA,
            format!("the trace's {name} is `{given}`: known is {known}"),
        );
    };
    if !SCHEMA_VERSIONS.contains(&header.schema_version) {
        unknown("schema_version", &header.schema_version, "1 or 2");
    }
    if header.runtime_protocol_version != RUNTIME_PROTOCOL_VERSION {
        unknown(
            "runtime_protocol_version",
            &header.runtime_protocol_version,
            "1",
        );
    }
    if header.fingerprint_algo != FINGERPRINT_ALGO {
        unknown("fingerprint_algo", &header.fingerprint_algo, "`sha256`");
    }
    if header.canonicalization_version != CANONICALIZATION_VERSION {
        unknown(
            "canonicalization_version",
            &header.canonicalization_version,
            "1",
        );
    }
}
