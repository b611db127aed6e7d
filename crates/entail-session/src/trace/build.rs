//! One commit as trace events.

use entail_json::{Object, Value, sha256};
use entail_kernel::Time;
use entail_kernel::base::{
    Base, BeliefId, Event as BaseEvent, JustificationKind, Record as Reason, Ref, SetId, SourceKind,
};
use entail_trace::{
    Claim, ClaimContent, ClaimStatus, ClaimType, Confidence, Derived, Finalized, Gathered, Id,
    InsufficientEvidence, Payload, ProblemSpec, ProblemSpecContent, Span, StepKind, StepOutput,
    SupportKind, SupportRef, ToolCall, ToolCallContent, ToolRequest, ToolResult, TraceEvent,
    Understood, Verified,
};

use super::statement::{of_belief, unmarked, with_markers};
use super::support::Walk;
use super::{Noted, TraceLog, Undo, evidence};
use crate::command::Closing;
use crate::event::{CallOpened, Event};
use crate::limits::CLAIM_SUPPORTS;
use crate::state::State;

/// What a commit brings into the trace, step by step.
#[derive(Default)]
struct Steps {
    calls: Vec<ToolCall>,
    requests: Vec<ToolRequest>,
    results: Vec<ToolResult>,
    evidence: Vec<entail_trace::EvidenceRef>,
    claims: Vec<Claim>,
    validated: Vec<Id>,
    rejected: Vec<Id>,
    answer: Option<(BeliefId, Id)>,
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
    confidences: rustc_hash::FxHashMap<BeliefId, f64>,
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
                Event::Accepted(accepted) if accepted.kind == "answer" => {
                    let belief = accepted.reference.as_deref().and_then(|r| base.find(r));
                    let noted = belief.and_then(|belief| Some((belief, self.noted(belief)?)));
                    steps.answer = noted.map(|(belief, noted)| (belief, noted.id.clone()));
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
        let Some(id) = view.base.find_ref(reference) else {
            return;
        };
        let Some(belief) = view.base.belief(id) else {
            return;
        };
        let mut structured = Object::from([
            ("key", Value::from(&**belief.key)),
            ("ref", reference.to_string().into()),
            ("value", belief.value.clone()),
        ]);
        let mut own = Vec::new();
        let supports = if reason.kind == JustificationKind::Premise {
            let found = match result {
                Some((call_id, value)) => evidence::of_result(&reason.source.name, call_id, value),
                None => evidence::of_premise(&belief, reason, view.state),
            };
            let Some(found) = found else { return };
            let (at, record) = self.evidence.register(found);
            steps.evidence.extend(record);
            own.push(at);
            self.evidence.support(at).cloned().into_iter().collect()
        } else {
            if let Some(formula) = &reason.formula {
                structured.insert("formula", formula.as_str().into());
            }
            structured.insert("result_sha256", self.reasoning.into());
            let set = reason.set.map(SetId::from_number);
            self.supports(view, walk, set, reason, &mut structured)
        };
        let claim_type = match (reason.kind, reason.source.kind) {
            (JustificationKind::Premise, SourceKind::Assumption) => ClaimType::Assumed,
            (JustificationKind::Premise, _) => ClaimType::Observed,
            _ => ClaimType::Derived,
        };
        let statement = of_belief(belief.key, belief.value, belief.claim);
        let marked = supports
            .iter()
            .filter(|support| support.kind == SupportKind::Evidence);
        let content = ClaimContent {
            statement: with_markers(statement, marked),
            status: ClaimStatus::Validated,
            confidence: view
                .confidences
                .get(&id)
                .and_then(|confidence| Confidence::new(*confidence))
                .unwrap_or_default(),
            supports,
            claim_type,
            structured: Some(structured),
        };
        let length = u64::try_from(content.statement.len()).unwrap_or(u64::MAX);
        let digest = sha256(content.statement.as_bytes());
        let claim = Claim::new(content);
        if let Some(before) = self.noted(id) {
            let first = own.first().copied();
            own.extend(
                before
                    .evidence
                    .iter()
                    .copied()
                    .filter(|at| Some(*at) != first),
            );
        }
        self.note(
            id,
            Noted {
                id: claim.id().clone(),
                length,
                sha256: digest,
                evidence: own,
            },
        );
        steps.validated.push(claim.id().clone());
        if claim_type == ClaimType::Derived {
            self.derived = self.derived.saturating_add(1);
        }
        self.emit(steps, claim);
    }

    /// The supports of a derived claim, and how many there are in all.
    fn supports(
        &self,
        view: &View<'_>,
        walk: &mut Walk,
        set: Option<SetId>,
        reason: &Reason,
        structured: &mut Object,
    ) -> Vec<SupportRef> {
        let Some(set) = set else {
            structured.insert(
                "supports_total",
                Value::from([("claims", 0_i64.into()), ("evidence", 0_i64.into())]),
            );
            return Vec::new();
        };
        walk.to(view.base, &self.claims, set);
        let named = reason.inputs.iter().filter_map(|key| {
            let revisions = view.base.revisions(key);
            revisions
                .into_iter()
                .rev()
                .find(|belief| walk.holds(*belief))
        });
        let named: Vec<BeliefId> = named.take(CLAIM_SUPPORTS).collect();
        let mut claims: Vec<SupportRef> = Vec::new();
        let mut pieces: Vec<usize> = Vec::new();
        for belief in named.iter().copied().chain(walk.nearest()) {
            let Some(noted) = self.noted(belief) else {
                continue;
            };
            pieces.extend(noted.evidence.iter().copied());
            if let Some(span) = Span::new(0, noted.length)
                && claims.len() < CLAIM_SUPPORTS
                && !claims.iter().any(|support| support.ref_id == noted.id)
            {
                claims.push(SupportRef {
                    kind: SupportKind::Claim,
                    ref_id: noted.id.clone(),
                    span,
                    snippet_sha256: noted.sha256,
                });
            }
        }
        pieces.extend(walk.pieces());
        let mut seen = rustc_hash::FxHashSet::default();
        pieces.retain(|piece| seen.insert(*piece));
        pieces.truncate(CLAIM_SUPPORTS);
        let (claims_total, evidence_total) = walk.totals();
        let mut total = Object::from([
            ("claims", claims_total.into()),
            ("evidence", evidence_total.into()),
        ]);
        if !walk.is_complete() {
            total.insert("at_least", true.into());
        }
        structured.insert("supports_total", total.into());
        let pieces = pieces
            .into_iter()
            .filter_map(|at| self.evidence.support(at).cloned());
        claims.into_iter().chain(pieces).collect()
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
        steps.rejected.push(claim.id().clone());
        self.emit(steps, claim);
    }

    /// Adds a claim to the commit's, unless the very same was emitted before.
    fn emit(&mut self, steps: &mut Steps, claim: Claim) {
        if self.claim_ids.insert(claim.id().clone()) {
            self.undo.push(Undo::ClaimId(claim.id().clone()));
            steps.claims.push(claim);
        }
    }

    fn write(&mut self, view: &View<'_>, mut steps: Steps) {
        let step_id = steps.step_id.take();
        let step_id = step_id.as_deref();
        let version = view.version;
        if let Some(task) = steps.understood.take() {
            let step = self.plan.take(StepKind::Understand, version, step_id, &[]);
            self.push(&step, Payload::StepStarted);
            let output = StepOutput::Understand(Understood {
                normalized_question: task,
                assumptions: Vec::new(),
                task_type: "generic".to_owned(),
            });
            self.push(&step, Payload::StepFinished(output));
        }
        let is_insufficient = steps.insufficient.is_some();
        let gathers =
            !(steps.calls.is_empty() && steps.results.is_empty() && steps.evidence.is_empty());
        if gathers || (is_insufficient && !self.has_gathered) {
            self.gather(version, step_id, &mut steps);
        }
        if let Some(reason) = steps.insufficient.take() {
            self.give_up(version, step_id, reason);
            return;
        }
        if !steps.claims.is_empty() {
            let step = self.plan.take(StepKind::Derive, version, step_id, &[]);
            self.push(&step, Payload::StepStarted);
            let claim_ids = steps
                .claims
                .iter()
                .map(|claim| claim.id().clone())
                .collect();
            for claim in steps.claims.drain(..) {
                self.push(&step, Payload::ClaimEmitted(claim));
            }
            self.push(
                &step,
                Payload::StepFinished(StepOutput::Derive(Derived { claim_ids })),
            );
        }
        if !(steps.validated.is_empty() && steps.rejected.is_empty()) {
            let step = self.plan.take(StepKind::Verify, version, step_id, &[]);
            self.push(&step, Payload::StepStarted);
            let output = StepOutput::Verify(Verified {
                validated_claim_ids: distinct(steps.validated),
                rejected_claim_ids: distinct(steps.rejected),
                missing_support_claim_ids: Vec::new(),
            });
            self.push(&step, Payload::StepFinished(output));
        }
        if let Some((belief, claim_id)) = steps.answer {
            let step = self.plan.take(StepKind::Finalize, version, step_id, &[]);
            self.push(&step, Payload::StepStarted);
            let text = view.base.belief(belief).map(|belief| match belief.value {
                Value::String(text) => text.clone(),
                other => other.to_string(),
            });
            let output = StepOutput::Finalize(Finalized {
                final_claim_ids: vec![claim_id],
                final_answer: text,
                uncertainty: Value::Null,
            });
            self.push(&step, Payload::StepFinished(output));
        }
    }

    fn gather(&mut self, version: u64, step_id: Option<&str>, steps: &mut Steps) {
        let step = self
            .plan
            .take(StepKind::Gather, version, step_id, &steps.requests);
        self.has_gathered = true;
        self.push(&step, Payload::StepStarted);
        for call in steps.calls.drain(..) {
            self.push(&step, Payload::ToolCalled(call));
        }
        for result in steps.results.drain(..) {
            self.push(&step, Payload::ToolReturned(result));
        }
        let evidence_ids = steps
            .evidence
            .iter()
            .map(|evidence| evidence.id().clone())
            .collect();
        for evidence in steps.evidence.drain(..) {
            self.push(&step, Payload::EvidenceRegistered(evidence));
        }
        let output = StepOutput::Gather(Gathered {
            evidence_ids,
            ..Gathered::default()
        });
        self.push(&step, Payload::StepFinished(output));
    }

    /// The end of a session that has not enough evidence for an answer.
    fn give_up(&mut self, version: u64, step_id: Option<&str>, reason: String) {
        let retrieved = u64::try_from(self.evidence.len()).unwrap_or(u64::MAX);
        let required = retrieved.saturating_add(1);
        for (kind, output) in [
            (
                StepKind::Derive,
                StepOutput::InsufficientEvidence(InsufficientEvidence {
                    reason,
                    retrieved,
                    required,
                }),
            ),
            (StepKind::Verify, StepOutput::Verify(Verified::default())),
            (
                StepKind::Finalize,
                StepOutput::Finalize(Finalized::default()),
            ),
        ] {
            let step = self.plan.take(kind, version, step_id, &[]);
            self.push(&step, Payload::StepStarted);
            self.push(&step, Payload::StepFinished(output));
        }
    }

    fn push(&mut self, step: &Id, payload: Payload) {
        let idx = u64::try_from(self.events.len()).unwrap_or(u64::MAX);
        self.events
            .push(TraceEvent::new(idx, step.clone(), payload));
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
fn weigh(events: &[Event], base: &Base, at: Time) -> rustc_hash::FxHashMap<BeliefId, f64> {
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

fn distinct(mut ids: Vec<Id>) -> Vec<Id> {
    let mut seen = rustc_hash::FxHashSet::default();
    ids.retain(|id| seen.insert(id.clone()));
    ids
}
