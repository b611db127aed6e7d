//! A session seen as a run: the problem, the plan that grows, the trace, and the evidence.
//!
//! It is a deterministic view of the journal: each commit is taken in once, when it is made or
//! replayed, so the same journal always gives the same bytes and the cost follows the commit.
//!
//! | module | subject |
//! |---|---|
//! | `plan` | the plan: the caller's own, and the nodes that commits add |
//! | `evidence` | premises as evidence files with spans |
//! | `support` | what a claim rests on, nearest first |
//! | `statement` | claims in words, with markers that nobody can forge |
//! | `build` | taking a commit in |
//! | `kept` | what is kept, and the records made of it |
//! | `image`, `heap` | all of it as bytes, and what it takes of memory |

mod build;
mod evidence;
mod heap;
mod image;
mod kept;
mod plan;
mod statement;
mod support;

use entail_json::{Digest, Object, Value, sha256};
use entail_kernel::base::BeliefId;
use entail_trace::{
    Plan, ProblemSpec, ProblemSpecContent, ToolCall, ToolCallContent, ToolRequest,
    TraceHeaderContent,
};
use rustc_hash::FxHashMap;

use crate::error::CommandError;

pub use evidence::{EvidenceContent, EvidenceFile};
pub(crate) use plan::OwnPlan;

use evidence::EvidenceLog;
use kept::{Kept, KeptClaim};
use plan::PlanLog;

/// The run so far.
#[derive(Debug)]
pub(crate) struct TraceLog {
    spec: ProblemSpec,
    /// The digest that every derived claim names as its result: that of the spec's id.
    reasoning: Digest,
    plan: PlanLog,
    evidence: EvidenceLog,
    events: Vec<Kept>,
    /// Every claim, in order of its emission.
    claims: Vec<KeptClaim>,
    /// Claims by the digest in their ids.
    claim_ids: FxHashMap<Digest, u32>,
    /// What is noted of beliefs, by their numbers.
    notes: Vec<Option<Note>>,
    has_gathered: bool,
    derived: usize,
    undo: Vec<Undo>,
    /// Where the last commit that stands ended.
    settled: Settled,
}

/// What is noted of a belief: its newest claim, and the evidence of its own.
#[derive(Clone, Debug)]
struct Note {
    claim: u32,
    evidence: Box<[u32]>,
}

#[derive(Debug)]
enum Undo {
    Note(usize, Option<Note>),
    ClaimId(Digest),
    Spec(Box<ProblemSpec>),
}

#[derive(Clone, Copy, Debug, Default)]
struct Settled {
    events: usize,
    claims: usize,
    has_gathered: bool,
    derived: usize,
}

impl TraceLog {
    pub(crate) fn new() -> Self {
        let mut log = Self {
            spec: ProblemSpec::new(ProblemSpecContent::new("")),
            reasoning: Digest::ZERO,
            plan: PlanLog::default(),
            evidence: EvidenceLog::default(),
            events: Vec::new(),
            claims: Vec::new(),
            claim_ids: FxHashMap::default(),
            notes: Vec::new(),
            has_gathered: false,
            derived: 0,
            undo: Vec::new(),
            settled: Settled::default(),
        };
        log.set_spec(ProblemSpec::new(ProblemSpecContent::new("")));
        log
    }

    fn set_spec(&mut self, spec: ProblemSpec) {
        self.reasoning = sha256(spec.id().as_str().as_bytes());
        self.spec = spec;
    }

    /// Lets everything so far stand.
    pub(crate) fn settle(&mut self) {
        self.undo.clear();
        self.plan.settle();
        self.evidence.settle();
        self.settled = Settled {
            events: self.events.len(),
            claims: self.claims.len(),
            has_gathered: self.has_gathered,
            derived: self.derived,
        };
    }

    /// Takes back everything since the last [`settle`](Self::settle).
    pub(crate) fn rollback(&mut self) {
        while let Some(undo) = self.undo.pop() {
            match undo {
                Undo::Note(at, before) => {
                    if let Some(note) = self.notes.get_mut(at) {
                        *note = before;
                    }
                }
                Undo::ClaimId(id) => {
                    self.claim_ids.remove(&id);
                }
                Undo::Spec(spec) => self.set_spec(*spec),
            }
        }
        self.events.truncate(self.settled.events);
        self.claims.truncate(self.settled.claims);
        self.has_gathered = self.settled.has_gathered;
        self.derived = self.settled.derived;
        self.plan.rollback();
        self.evidence.rollback();
    }

    /// Whether a derived claim was accepted so far.
    pub(crate) const fn has_derived_claims(&self) -> bool {
        self.derived > 0
    }

    /// Whether a turn may work on a node of the plan.
    pub(crate) fn check_step(&self, step_id: &str) -> Result<(), CommandError> {
        self.plan.check(step_id)
    }

    /// The ids that calls of a commit will have, each with its step and its place there.
    pub(crate) fn call_ids(
        &self,
        version: u64,
        step_id: Option<&str>,
        requests: &[ToolRequest],
    ) -> Vec<(String, String, u64)> {
        if requests.is_empty() {
            return Vec::new();
        }
        let step = self.plan.gather_step(version, step_id, requests);
        let numbered = (0_u64..).zip(requests);
        numbered
            .map(|(call_idx, request)| {
                let call = ToolCall::new(ToolCallContent {
                    tool_name: request.tool_name.clone(),
                    arguments: request.arguments.clone(),
                    step_id: step.clone(),
                    call_idx,
                });
                (call.id().to_string(), step.to_string(), call_idx)
            })
            .collect()
    }

    fn noted(&self, belief: BeliefId) -> Option<&Note> {
        self.notes.get(usize::from(belief)).and_then(Option::as_ref)
    }

    fn note(&mut self, belief: BeliefId, note: Note) {
        let at = usize::from(belief);
        if self.notes.len() <= at {
            self.notes.resize(at.saturating_add(1), None);
        }
        if let Some(slot) = self.notes.get_mut(at) {
            let before = slot.replace(note);
            self.undo.push(Undo::Note(at, before));
        }
    }

    /// The problem.
    pub(crate) const fn spec(&self) -> &ProblemSpec {
        &self.spec
    }

    /// The plan as far as it has grown. Linear in the plan.
    pub(crate) fn plan(&self) -> Plan {
        self.plan.to_plan(&self.spec)
    }

    /// How many events there are.
    pub(crate) fn len(&self) -> usize {
        self.events.len()
    }

    /// The header of the trace, whose id follows from it and all events.
    pub(crate) fn header(&self, plan: &Plan) -> TraceHeaderContent {
        let mut header = TraceHeaderContent::new(self.spec.id().clone(), plan.id().clone());
        let policy = Value::from([("min_supports_per_claim", 1_i64.into())]);
        let reasoning = Value::from([("reasoning_trace_sha256", self.reasoning.into())]);
        header.metadata =
            Object::from([("reasoning_policy", policy), ("reasoning_trace", reasoning)]);
        header
    }

    /// The files of evidence, each once.
    pub(crate) fn files(&self) -> &[EvidenceFile] {
        self.evidence.files()
    }
}
