//! One commit as trace events.

use entail_json::{Digest, Object, Value, sha256};
use entail_kernel::Time;
use entail_kernel::base::{
    Base, BeliefId, Event as BaseEvent, JustificationKind, Record as Reason, Ref, SetId, SourceKind,
};
use entail_trace::{
    Claim, ClaimContent, ClaimStatus, ClaimType, Confidence, Id, InsufficientEvidence, ProblemSpec,
    ProblemSpecContent, StepKind, ToolCall, ToolCallContent, ToolRequest, ToolResult,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::kept::{Accepted, Kept, KeptClaim, What};
use super::statement::unmarked;
use super::support::Walk;
use super::{Note, TraceLog, Undo, evidence};
use crate::command::Closing;
use crate::commands::is_reserved;
use crate::event::{CallOpened, Event};
use crate::limits::CLAIM_SUPPORTS;
use crate::state::State;

/// What a commit brings into the trace, step by step. Numbers are places of claims and evidence.
#[derive(Default)]
struct Steps {
    calls: Vec<ToolCall>,
    requests: Vec<ToolRequest>,
    results: Vec<ToolResult>,
    evidence: Vec<u32>,
    claims: Vec<u32>,
    validated: Vec<u32>,
    rejected: Vec<u32>,
    answer: Option<u32>,
    understood: Option<String>,
    insufficient: Option<String>,
    step_id: Option<String>,
}

/// What a commit is seen with.
struct View<'v> {
    version: u64,
    base: &'v Base,
    state: &'v State,
    /// Confidences of the beliefs of the commit.
    confidences: FxHashMap<BeliefId, f64>,
}

impl TraceLog {
    /// Takes a commit in. Base and state are those after it.
    pub(crate) fn commit(
        &mut self,
        version: u64,
        at: Time,
        events: &[Event],
        base: &Base,
        state: &State,
    ) {
        let view = View {
            version,
            base,
            state,
            confidences: weigh(events, base, at),
        };
        let mut steps = Steps::default();
        let mut walk = Walk::default();
        let mut returned: Option<(&str, &Value)> = None;
        for event in events {
            match event {
                Event::Opened { options, plan } => {
                    self.undo.push(Undo::Spec(Box::new(self.spec.clone())));
                    self.set_spec(ProblemSpec::new(ProblemSpecContent::new(&*options.task)));
                    if let Some(plan) = plan {
                        self.plan.adopt(plan);
                    }
                    steps.understood = Some(options.task.clone());
                }
                Event::CallOpened(opened) => steps.open_call(opened),
                Event::CallReturned { call_id, result } => {
                    returned = result.as_ref().ok().map(|value| (call_id.as_str(), value));
                    steps.return_call(call_id, result.as_ref());
                }
                Event::CallAbandoned { call_id } => {
                    steps.return_call(call_id, Err(&"abandoned".to_owned()));
                }
                Event::Base(
                    BaseEvent::JustificationAdded { belief, record, .. }
                    | BaseEvent::JustificationReplaced { belief, record, .. },
                ) => {
                    let result = returned.take();
                    self.believe(&view, &mut steps, &mut walk, belief, record, result);
                }
                Event::Base(BaseEvent::Retracted { belief, reason, .. }) => {
                    self.retract(&view, &mut steps, belief, reason.as_deref());
                }
                Event::Refused {
                    problem,
                    statement: Some(statement),
                } => {
                    self.refuse(&view, &mut steps, problem, statement);
                }
                Event::Accepted(accepted) if is_reserved(&accepted.key) => {
                    let belief = accepted.reference.as_deref().and_then(|r| base.find(r));
                    steps.answer = belief.and_then(|id| self.noted(id)).map(|note| note.claim);
                }
                Event::TurnTaken(taken) => steps.step_id.clone_from(&taken.step_id),
                Event::Closed(Closing::InsufficientEvidence { reason }) => {
                    steps.insufficient = Some(reason.clone());
                }
                _ => {}
            }
        }
        self.write(&view, steps);
    }

    /// A belief gained a reason: evidence and an observed claim, or a derived claim.
    fn believe(
        &mut self,
        view: &View<'_>,
        steps: &mut Steps,
        walk: &mut Walk,
        reference: &Ref,
        reason: &Reason,
        result: Option<(&str, &Value)>,
    ) {
        let Some(belief) = view.base.find_ref(reference) else {
            return;
        };
        let is_premise = reason.kind == JustificationKind::Premise;
        let mut accepted = Accepted {
            belief,
            id: Digest::ZERO,
            length: 0,
            sha256: Digest::ZERO,
            confidence: view.confidences.get(&belief).copied().unwrap_or_default(),
            claim_type: match reason.source.kind {
                SourceKind::Assumption if is_premise => ClaimType::Assumed,
                _ if is_premise => ClaimType::Observed,
                _ => ClaimType::Derived,
            },
            formula: reason.formula.as_deref().map(Into::into),
            claims: Box::default(),
            evidence: Box::default(),
            totals: None,
        };
        let mut own: Vec<u32> = Vec::new();
        if is_premise {
            let found = match result {
                Some((call_id, value)) => evidence::of_result(&reason.source.name, call_id, value),
                None => view
                    .base
                    .belief(belief)
                    .and_then(|belief| evidence::of_premise(&belief, reason, view.state)),
            };
            let Some(found) = found else { return };
            let (at, is_new) = self.evidence.register(found);
            if is_new {
                steps.evidence.push(at);
            }
            own.push(at);
            accepted.evidence = Box::new([at]);
        } else {
            self.rest(view, walk, reason, &mut accepted);
        }
        let Some(content) = self.content(view.base, &accepted) else {
            return;
        };
        accepted.length = u64::try_from(content.statement.len()).unwrap_or(u64::MAX);
        accepted.sha256 = sha256(content.statement.as_bytes());
        accepted.id = digest_of(Claim::new(content).id());
        if let Some(before) = self.noted(belief) {
            let first = own.first().copied();
            own.extend(
                before
                    .evidence
                    .iter()
                    .copied()
                    .filter(|at| Some(*at) != first),
            );
        }
        if accepted.claim_type == ClaimType::Derived {
            self.derived = self.derived.saturating_add(1);
        }
        let claim = self.emit(steps, accepted.id, KeptClaim::Accepted(Box::new(accepted)));
        let evidence = own.into_boxed_slice();
        self.note(belief, Note { claim, evidence });
        steps.validated.push(claim);
    }

    /// What a derived claim rests on, and how much there is in all.
    fn rest(&self, view: &View<'_>, walk: &mut Walk, reason: &Reason, accepted: &mut Accepted) {
        let Some(set) = reason.set.map(SetId::from_number) else {
            accepted.totals = Some((0, 0, true));
            return;
        };
        walk.to(view.base, &self.notes, set);
        let named = reason.inputs.iter().filter_map(|key| {
            let revisions = view.base.revisions(key);
            revisions
                .into_iter()
                .rev()
                .find(|belief| walk.holds(*belief))
        });
        let named: Vec<BeliefId> = named.take(CLAIM_SUPPORTS).collect();
        let mut claims: Vec<u32> = Vec::new();
        let mut pieces: Vec<u32> = Vec::new();
        for belief in named.iter().copied().chain(walk.nearest()) {
            let Some(note) = self.noted(belief) else {
                continue;
            };
            pieces.extend(note.evidence.iter());
            if claims.len() < CLAIM_SUPPORTS && !claims.contains(&note.claim) {
                claims.push(note.claim);
            }
        }
        pieces.extend(walk.pieces());
        let mut seen = FxHashSet::default();
        pieces.retain(|piece| seen.insert(*piece));
        pieces.truncate(CLAIM_SUPPORTS);
        let (claims_total, evidence_total) = walk.totals();
        accepted.claims = claims.into_boxed_slice();
        accepted.evidence = pieces.into_boxed_slice();
        accepted.totals = Some((claims_total, evidence_total, walk.is_complete()));
    }

    fn retract(&mut self, view: &View<'_>, steps: &mut Steps, belief: &Ref, reason: Option<&str>) {
        let turn = view.version;
        let mut statement = format!("retracted in commit {turn}: {belief}");
        if let Some(reason) = reason {
            statement.push_str(&format!(" ({reason})"));
        }
        let structured = Object::from([
            ("ref", belief.to_string().into()),
            ("retracted", true.into()),
            ("reason", reason.map(str::to_owned).into()),
        ]);
        self.reject(steps, &statement, structured);
    }

    fn refuse(
        &mut self,
        view: &View<'_>,
        steps: &mut Steps,
        problem: &entail_contract::Problem,
        statement: &str,
    ) {
        let turn = view.version;
        let action = problem.action.unwrap_or_default();
        let statement = format!("refused in commit {turn}, action {action}: {statement}");
        let structured = Object::from([
            ("key", problem.key.clone().into()),
            ("code", problem.code.as_str().into()),
            ("message", problem.message.as_str().into()),
        ]);
        self.reject(steps, &statement, structured);
    }

    fn reject(&mut self, steps: &mut Steps, statement: &str, structured: Object) {
        let claim = Claim::new(ClaimContent {
            statement: unmarked(statement),
            status: ClaimStatus::Rejected,
            confidence: Confidence::ZERO,
            supports: Vec::new(),
            claim_type: ClaimType::Assumed,
            structured: Some(structured),
        });
        let id = digest_of(claim.id());
        let claim = self.emit(steps, id, KeptClaim::Rejected(Box::new(claim)));
        steps.rejected.push(claim);
    }

    /// Adds a claim to the commit's, unless the very same was emitted before; gives its place.
    fn emit(&mut self, steps: &mut Steps, id: Digest, claim: KeptClaim) -> u32 {
        if let Some(before) = self.claim_ids.get(&id) {
            return *before;
        }
        let at = u32::try_from(self.claims.len()).unwrap_or(u32::MAX);
        self.claim_ids.insert(id, at);
        self.undo.push(Undo::ClaimId(id));
        self.claims.push(claim);
        steps.claims.push(at);
        at
    }

    fn write(&mut self, view: &View<'_>, mut steps: Steps) {
        let step_id = steps.step_id.take();
        let step_id = step_id.as_deref();
        let version = view.version;
        if let Some(task) = steps.understood.take() {
            let step = self.plan.take(StepKind::Understand, version, step_id, &[]);
            self.push(step, What::Started);
            self.push(step, What::Understood(task.into()));
        }
        let is_insufficient = steps.insufficient.is_some();
        let gathers =
            !steps.calls.is_empty() || !steps.results.is_empty() || !steps.evidence.is_empty();
        if gathers || (is_insufficient && !self.has_gathered) {
            self.gather(version, step_id, &mut steps);
        }
        if let Some(reason) = steps.insufficient.take() {
            self.give_up(version, step_id, reason);
            return;
        }
        if !steps.claims.is_empty() {
            let step = self.plan.take(StepKind::Derive, version, step_id, &[]);
            self.push(step, What::Started);
            for claim in &steps.claims {
                self.push(step, What::Claim(*claim));
            }
            self.push(step, What::Derived(steps.claims.into()));
        }
        if !(steps.validated.is_empty() && steps.rejected.is_empty()) {
            let step = self.plan.take(StepKind::Verify, version, step_id, &[]);
            self.push(step, What::Started);
            let validated = distinct(steps.validated);
            let rejected = distinct(steps.rejected);
            self.push(
                step,
                What::Verified {
                    validated,
                    rejected,
                },
            );
        }
        if steps.answer.is_some() {
            let step = self.plan.take(StepKind::Finalize, version, step_id, &[]);
            self.push(step, What::Started);
            self.push(
                step,
                What::Finalized {
                    claim: steps.answer,
                },
            );
        }
    }

    fn gather(&mut self, version: u64, step_id: Option<&str>, steps: &mut Steps) {
        let step = self
            .plan
            .take(StepKind::Gather, version, step_id, &steps.requests);
        self.has_gathered = true;
        self.push(step, What::Started);
        for call in steps.calls.drain(..) {
            self.push(step, What::Called(Box::new(call)));
        }
        for result in steps.results.drain(..) {
            self.push(step, What::Returned(Box::new(result)));
        }
        for evidence in &steps.evidence {
            self.push(step, What::Evidence(*evidence));
        }
        let evidence = std::mem::take(&mut steps.evidence);
        self.push(step, What::Gathered(evidence.into()));
    }

    /// The end of a session that has not enough evidence for an answer.
    fn give_up(&mut self, version: u64, step_id: Option<&str>, reason: String) {
        let retrieved = u64::try_from(self.evidence.len()).unwrap_or(u64::MAX);
        let required = retrieved.saturating_add(1);
        let output = InsufficientEvidence {
            reason,
            retrieved,
            required,
        };
        let nothing = What::Verified {
            validated: Box::default(),
            rejected: Box::default(),
        };
        for (kind, what) in [
            (StepKind::Derive, What::Insufficient(Box::new(output))),
            (StepKind::Verify, nothing),
            (StepKind::Finalize, What::Finalized { claim: None }),
        ] {
            let step = self.plan.take(kind, version, step_id, &[]);
            self.push(step, What::Started);
            self.push(step, what);
        }
    }

    fn push(&mut self, step: u32, what: What) {
        self.events.push(Kept { step, what });
    }
}

impl Steps {
    fn open_call(&mut self, opened: &CallOpened) {
        let Ok(step_id) = Id::new(opened.step_id.as_str()) else {
            return;
        };
        self.requests.push(ToolRequest {
            tool_name: opened.tool.clone(),
            arguments: opened.arguments.clone(),
        });
        self.calls.push(ToolCall::new(ToolCallContent {
            tool_name: opened.tool.clone(),
            arguments: opened.arguments.clone(),
            step_id,
            call_idx: opened.call_idx,
        }));
    }

    fn return_call(&mut self, call_id: &str, result: Result<&Value, &String>) {
        let Ok(call_id) = Id::new(call_id) else {
            return;
        };
        self.results.push(ToolResult {
            call_id,
            success: result.is_ok(),
            result: result.ok().cloned().unwrap_or_default(),
            error: result.err().cloned(),
        });
    }
}

/// The confidences of the beliefs that a commit gives reasons for.
fn weigh(events: &[Event], base: &Base, at: Time) -> FxHashMap<BeliefId, f64> {
    let mut beliefs: Vec<BeliefId> = events
        .iter()
        .filter_map(|event| match event {
            Event::Base(
                BaseEvent::JustificationAdded { belief, .. }
                | BaseEvent::JustificationReplaced { belief, .. },
            ) => base.find_ref(belief),
            _ => None,
        })
        .collect();
    beliefs.sort_unstable();
    beliefs.dedup();
    let confidences = base.confidences_of(&beliefs, at);
    beliefs.into_iter().zip(confidences).collect()
}

fn distinct(mut places: Vec<u32>) -> Box<[u32]> {
    let mut seen = FxHashSet::default();
    places.retain(|place| seen.insert(*place));
    places.into_boxed_slice()
}

/// The digest that an id made of content ends in.
pub(super) fn digest_of(id: &Id) -> Digest {
    let digest = id
        .as_str()
        .rsplit('_')
        .next()
        .and_then(|hex| hex.parse().ok());
    digest.unwrap_or(Digest::ZERO)
}
