//! The checks of a trace, in one pass over it.
//!
//! What is kept of the trace is a few bytes an id (see [`index`]); statements, results and
//! evidence are read again from where they stand when something cites them.

mod catalog;
mod citation;
mod claims;
mod core;
mod evidence;
mod index;
mod marker;
mod plan;
mod result;

use std::io::BufReader;

pub use catalog::{CheckName, Layer};
pub use plan::PlanIndex;
pub use result::{CheckResult, LayerOutcome, LayerStatus, Results};
pub(crate) use result::{shown, shown_message, summary_of};

use crate::bytes::{Bytes, Files, Stream};
use crate::jsonl::{Place, ReadTraceError, TraceEnd, TraceReader};
use crate::record::{Payload, ProblemSpec, TraceEvent, TraceHeader};
use citation::Citations;
use claims::Claims;
use core::Core;
use evidence::Evidence;
pub(crate) use evidence::{FileDigests, file_digest};
pub(crate) use index::{Added, Ids, Line, Registered};
pub(crate) use marker::markers;

/// A trace and what it is checked against.
#[derive(Clone, Copy)]
pub struct Subject<'s> {
    /// `trace.jsonl`
    pub trace: &'s dyn Bytes,
    /// Where evidence files are; without it, every check of evidence fails as soon as there is
    /// evidence.
    pub files: Option<&'s dyn Files>,
    /// The problem, if it is there; then its id is checked.
    pub spec: Option<&'s ProblemSpec>,
}

/// What checking a trace gave.
#[derive(Debug)]
pub struct Verification {
    /// The ten checks of the format, then content ids, claim spans, records and serialization.
    pub results: Results,
    /// The header of the trace.
    pub header: TraceHeader,
    /// What is known of the trace as a whole.
    pub end: TraceEnd,
    /// What it took.
    pub work: Work,
    pub(crate) files: FileDigests,
}

/// What checking a trace took: the same for the same trace on any machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// How many ids were kept.
    pub ids: usize,
    /// How many bytes were held for them at the end.
    pub bytes_held: usize,
    /// How many bytes were read again for citations.
    pub bytes_cited: u64,
    /// How many evidence files were digested; each once.
    pub files_digested: u64,
}

/// Checks a trace against its plan.
///
/// # Errors
/// [`ReadTraceError`] if the trace cannot be read to its end; nothing can be said of it then.
pub fn verify_trace(subject: Subject<'_>, plan: PlanIndex) -> Result<Verification, ReadTraceError> {
    let mut reader =
        TraceReader::new(BufReader::with_capacity(BUFFER, Stream::new(subject.trace)))?;
    let mut pass = Pass::new(subject, reader.header(), plan);
    while let Some((place, event)) = reader.next_event()? {
        pass.event(place, event);
    }
    let header = reader.header().clone();
    let end = reader.finish()?;
    Ok(pass.finish(header, end))
}

const BUFFER: usize = 256 * 1024;

/// What an event is told apart by in messages.
#[derive(Clone, Copy, Debug)]
struct Here {
    /// Which event it is, from 0.
    number: u64,
    place: Place,
}

impl std::fmt::Display for Here {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}, event {}", self.place.line, self.number)
    }
}

impl Here {
    fn line(&self) -> Line {
        Line::new(self.place.offset, self.place.length)
    }
}

/// The ids that were registered so far.
#[derive(Debug, Default)]
struct Registry {
    claims: Ids<Line>,
    evidence: Ids<Registered>,
    calls: Ids<Call>,
}

/// A tool call and where its result stands.
#[derive(Clone, Copy, Debug, Default)]
struct Call {
    returned: bool,
    result: Line,
}

/// One pass over a trace.
struct Pass<'s> {
    number: u64,
    registry: Registry,
    citations: Citations<'s>,
    core: Core,
    evidence: Evidence<'s>,
    claims: Claims,
    ids: CheckResult,
}

impl<'s> Pass<'s> {
    fn new(subject: Subject<'s>, header: &TraceHeader, plan: PlanIndex) -> Self {
        let mut ids = plan.ids.clone();
        if let Some(spec) = subject.spec
            && !spec.has_content_id()
        {
            let (id, content_id) = (shown(spec.id()), spec.content_id());
            ids.error(format!("spec `{id}`: its content gives `{content_id}`"));
        }
        let mut citations = Citations::new(subject.trace, subject.files);
        citations.allow_for(subject.trace.length().unwrap_or(0));
        Self {
            number: 0,
            registry: Registry::default(),
            citations,
            core: Core::new(header, plan, subject.spec),
            evidence: Evidence::new(subject.files),
            claims: Claims::new(header),
            ids,
        }
    }

    fn event(&mut self, place: Place, event: TraceEvent) {
        let here = Here {
            number: self.number,
            place,
        };
        self.number = self.number.saturating_add(1);
        self.core.event(here, &event, &self.registry);
        match event.payload {
            Payload::StepStarted => {}
            Payload::StepFinished(output) => self.claims.output(&output),
            Payload::ToolCalled(call) => {
                self.check_id(here, "call", call.id(), call.has_content_id());
                let added = self.registry.calls.add(call.id(), Call::default());
                self.core.added(here, "call", call.id(), added);
            }
            Payload::ToolReturned(result) => {
                let found = self.registry.calls.find(&result.call_id);
                if let Some(call) = found.and_then(|at| self.registry.calls.get_mut(at)) {
                    *call = Call {
                        returned: true,
                        result: here.line(),
                    };
                }
            }
            Payload::EvidenceRegistered(evidence) => {
                self.check_id(here, "evidence", evidence.id(), evidence.has_content_id());
                let (digest, digested) = self.evidence.registered(here, &evidence);
                self.citations.allow_for(digested);
                self.citations.hold(here.line(), &evidence, digest);
                let mut registered = Registered::new(here.line());
                let digest = self.claims.evidence(here, &evidence, &mut self.citations);
                if let Some(digest) = digest {
                    registered.keep(evidence.span, &digest);
                }
                let added = self.registry.evidence.add(evidence.id(), registered);
                self.core.added(here, "evidence", evidence.id(), added);
            }
            Payload::ClaimEmitted(claim) => {
                self.check_id(here, "claim", claim.id(), claim.has_content_id());
                self.claims
                    .claim(here, &claim, &self.registry, &mut self.citations);
                let added = self.registry.claims.add(claim.id(), here.line());
                self.core.added(here, "claim", claim.id(), added);
            }
        }
    }

    fn check_id(&mut self, here: Here, what: &str, id: &str, holds: bool) {
        if !holds {
            let id = shown(id);
            self.ids.error(format!(
                "{here}: {what} `{id}` does not follow from its content"
            ));
        }
    }

    fn finish(mut self, header: TraceHeader, end: TraceEnd) -> Verification {
        if *header.id() != end.trace_id {
            let (id, content_id) = (shown(header.id()), &end.trace_id);
            self.ids
                .error(format!("trace `{id}`: its content gives `{content_id}`"));
        }
        let registry = &self.registry;
        let ids = [
            registry.claims.len(),
            registry.evidence.len(),
            registry.calls.len(),
        ];
        let held = [
            registry.claims.bytes_held(),
            registry.evidence.bytes_held(),
            registry.calls.bytes_held(),
            self.core.bytes_held(),
            self.evidence.bytes_held(),
        ];
        let work = Work {
            ids: ids.iter().sum::<usize>().saturating_add(self.core.steps()),
            bytes_held: held.iter().sum(),
            bytes_cited: self.citations.bytes_read(),
            files_digested: self.evidence.files_digested(),
        };
        let count = |n: usize| u64::try_from(n).unwrap_or(u64::MAX);
        self.ids.count("ids", count(work.ids).saturating_add(2));
        let mut results = Results::default();
        let evidence = count(registry.evidence.len());
        results.extend(self.core.finish(&self.registry));
        results.extend(self.claims.finish());
        let (evidence, files) = self.evidence.finish(evidence);
        results.put(evidence);
        results.put(self.ids);
        let mut records = CheckResult::new(CheckName::Records);
        records.count("events", end.events);
        results.put(records);
        results.put(serialization(&end));
        Verification {
            results,
            header,
            end,
            work,
            files,
        }
    }
}

fn serialization(end: &TraceEnd) -> CheckResult {
    let mut result = CheckResult::new(CheckName::Serialization);
    result.count("bytes", end.bytes);
    if let Some(line) = end.first_uncanonical_line {
        result.error(format!(
            "line {line} of the trace is not written canonically"
        ));
    }
    result
}
