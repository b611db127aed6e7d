//! What claims rest on.

use std::collections::HashSet;

use entail_json::{Digest, Object, Value};

use super::catalog::CheckName;
use super::citation::{Citations, Uncitable};
use super::marker::markers;
use super::result::{CheckResult, shown};
use super::{Here, Registered, Registry};
use crate::record::{Claim, EvidenceRef, StepOutput, SupportRef, TraceHeader};
use crate::words::{ClaimType, SupportKind};

/// How much evidence a derived claim needs unless the trace's reasoning policy says otherwise.
const MIN_SUPPORTS: u64 = 2;

/// The checks of claims: `claim_justifications`, `derived_claim_grounding`, `reasoning_trace`,
/// `insufficient_reasoning`, `support_spans` and `claim_spans`.
pub(super) struct Claims {
    min_supports: u64,
    /// The digest of the reasoning trace that every derived claim must name.
    reasoning_trace: Option<String>,
    justifications: CheckResult,
    grounding: CheckResult,
    reasoning: CheckResult,
    support_spans: CheckResult,
    claim_spans: CheckResult,
    claims: u64,
    derived: u64,
    supports: u64,
    refusals: u64,
    evidence_spans: u64,
    other_spans: u64,
}

impl Claims {
    pub(super) fn new(header: &TraceHeader) -> Self {
        let mut grounding = CheckResult::new(CheckName::DerivedClaimGrounding);
        let mut reasoning = CheckResult::new(CheckName::ReasoningTrace);
        Self {
            min_supports: min_supports(&header.metadata, &mut grounding),
            reasoning_trace: reasoning_trace(&header.metadata, &mut reasoning),
            justifications: CheckResult::new(CheckName::ClaimJustifications),
            grounding,
            reasoning,
            support_spans: CheckResult::new(CheckName::SupportSpans),
            claim_spans: CheckResult::new(CheckName::ClaimSpans),
            claims: 0,
            derived: 0,
            supports: 0,
            refusals: 0,
            evidence_spans: 0,
            other_spans: 0,
        }
    }

    pub(super) fn output(&mut self, output: &StepOutput) {
        if matches!(output, StepOutput::InsufficientEvidence(_)) {
            self.refusals = self.refusals.saturating_add(1);
        }
    }

    /// Checks the span of evidence that is being registered: its digest, if it can be read.
    pub(super) fn evidence(
        &mut self,
        here: Here,
        evidence: &EvidenceRef,
        citations: &mut Citations<'_>,
    ) -> Option<Digest> {
        self.other_spans = self.other_spans.saturating_add(1);
        let found = citations.in_file(here.line(), evidence.span);
        let fault = match &found {
            Ok(digest) if *digest == evidence.chunk_id => return Some(*digest),
            Ok(digest) => format!("has the digest `{digest}`, its chunk_id is another"),
            Err(uncitable) => uncitable.to_string(),
        };
        let (id, span) = (shown(evidence.id()), evidence.span);
        self.claim_spans
            .error(format!("{here}: evidence `{id}`: its span {span} {fault}"));
        found.ok()
    }

    pub(super) fn claim(
        &mut self,
        here: Here,
        claim: &Claim,
        registry: &Registry,
        citations: &mut Citations<'_>,
    ) {
        self.claims = self.claims.saturating_add(1);
        for support in &claim.supports {
            self.supports = self.supports.saturating_add(1);
            self.support(here, support, registry, citations);
        }
        if claim.claim_type == ClaimType::Derived {
            self.derived = self.derived.saturating_add(1);
            self.ground(here, claim);
            self.reason(here, claim);
        }
    }

    fn support(
        &mut self,
        here: Here,
        support: &SupportRef,
        registry: &Registry,
        citations: &mut Citations<'_>,
    ) {
        let id = &support.ref_id;
        let line = match support.kind {
            SupportKind::Claim => registry
                .claims
                .find(id)
                .and_then(|at| registry.claims.get(at)),
            SupportKind::Evidence => {
                let found = registry
                    .evidence
                    .find(id)
                    .and_then(|at| registry.evidence.get(at));
                if found.is_some_and(|found| found.has(support.span, &support.snippet_sha256)) {
                    self.evidence_spans = self.evidence_spans.saturating_add(1);
                    return;
                }
                found.map(Registered::line)
            }
            SupportKind::ToolCall => {
                let call = registry
                    .calls
                    .find(id)
                    .and_then(|at| registry.calls.get(at));
                if call.is_some_and(|call| !call.returned) {
                    let message = format!("{here}: call `{}` has no result to cite", shown(id));
                    self.claim_spans.error(message);
                    return;
                }
                call.map(|call| call.result)
            }
        };
        let spans = match support.kind {
            SupportKind::Evidence => {
                self.evidence_spans = self.evidence_spans.saturating_add(1);
                &mut self.support_spans
            }
            SupportKind::Claim | SupportKind::ToolCall => {
                self.other_spans = self.other_spans.saturating_add(1);
                &mut self.claim_spans
            }
        };
        let (kind, shown_id) = (support.kind, shown(id));
        let Some(line) = line else {
            let message = format!("{here}: no {kind} `{shown_id}` came before");
            self.justifications.error(message.clone());
            spans.error(message);
            return;
        };
        let digest = match support.kind {
            SupportKind::Evidence => citations.in_file(line, support.span),
            SupportKind::Claim | SupportKind::ToolCall => citations.in_event(line, support.span),
        };
        if let Some(fault) = compare(digest, &support.snippet_sha256) {
            let span = support.span;
            spans.error(format!(
                "{here}: span {span} of {kind} `{shown_id}` {fault}"
            ));
        }
    }

    fn ground(&mut self, here: Here, claim: &Claim) {
        let cited: HashSet<String> = claim
            .supports
            .iter()
            .filter(|support| support.kind == SupportKind::Evidence)
            .map(SupportRef::marker)
            .collect();
        let id = shown(claim.id());
        let count = u64::try_from(cited.len()).unwrap_or(u64::MAX);
        if count < self.min_supports {
            let wanted = self.min_supports;
            self.grounding.error(format!(
                "{here}: claim `{id}` rests on {count} pieces of evidence, {wanted} are needed"
            ));
        }
        let marked: HashSet<&str> = markers(&claim.statement).collect();
        let unmarked = cited
            .iter()
            .filter(|marker| !marked.contains(marker.as_str()))
            .count();
        if unmarked > 0 {
            self.grounding.error(format!(
                "{here}: claim `{id}` does not mark {unmarked} of its pieces of evidence"
            ));
        }
        let unsupported = marked
            .iter()
            .filter(|marker| !cited.contains(**marker))
            .count();
        if unsupported > 0 {
            self.grounding.error(format!(
                "{here}: claim `{id}` marks {unsupported} pieces of evidence it does not rest on"
            ));
        }
    }

    fn reason(&mut self, here: Here, claim: &Claim) {
        let named = claim
            .structured
            .as_ref()
            .and_then(|structured| structured.get("result_sha256"));
        let named = named.and_then(Value::as_str);
        if named.is_none() || named != self.reasoning_trace.as_deref() {
            let id = shown(claim.id());
            self.reasoning.error(format!(
                "{here}: claim `{id}` does not name the header's reasoning trace in `result_sha256`"
            ));
        }
    }

    pub(super) fn finish(mut self) -> Vec<CheckResult> {
        let mut insufficient = CheckResult::new(CheckName::InsufficientReasoning);
        if self.refusals > 0 && self.derived > 0 {
            insufficient.error(format!(
                "evidence is said to be insufficient, but {} derived claims stand",
                self.derived
            ));
        }
        if self.refusals == 0 && self.derived == 0 {
            insufficient
                .error("nothing was derived, and evidence is not said to be insufficient either");
        }
        insufficient.count("refusals", self.refusals);
        self.justifications.count("claims", self.claims);
        self.justifications.count("supports", self.supports);
        self.grounding.count("derived_claims", self.derived);
        self.grounding.count("min_supports", self.min_supports);
        self.support_spans.count("spans", self.evidence_spans);
        self.claim_spans.count("spans", self.other_spans);
        vec![
            self.justifications,
            self.grounding,
            self.reasoning,
            insufficient,
            self.support_spans,
            self.claim_spans,
        ]
    }
}

fn compare(found: Result<Digest, Uncitable>, recorded: &Digest) -> Option<String> {
    match found {
        Ok(found) if found == *recorded => None,
        Ok(found) => Some(format!(
            "has the digest `{found}`, recorded is `{recorded}`"
        )),
        Err(uncitable) => Some(uncitable.to_string()),
    }
}

fn min_supports(metadata: &Object, grounding: &mut CheckResult) -> u64 {
    let policy = metadata.get("reasoning_policy");
    match policy.and_then(|policy| policy.get("min_supports_per_claim")) {
        None | Some(Value::Null) => MIN_SUPPORTS,
        Some(value) => value.as_u64().unwrap_or_else(|| {
            grounding.error("the reasoning policy's `min_supports_per_claim` is no count");
            MIN_SUPPORTS
        }),
    }
}

fn reasoning_trace(metadata: &Object, reasoning: &mut CheckResult) -> Option<String> {
    let trace = metadata.get("reasoning_trace")?;
    let digest = trace.get("reasoning_trace_sha256").and_then(Value::as_str);
    let digest = digest.filter(|text| text.parse::<Digest>().is_ok());
    if digest.is_none() {
        reasoning.error("the header's `reasoning_trace_sha256` is no sha-256 digest");
    }
    digest.map(str::to_owned)
}
