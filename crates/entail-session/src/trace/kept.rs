//! What is kept of the trace between commits, and the events made of it.
//!
//! A claim's statement, its markers and its supports are several kilobytes as a record; kept are
//! the belief that it speaks of and which records it rests on. The rest follows from the belief
//! base, in which a belief's key, value and words never change.

use entail_json::{Digest, Object, Value};
use entail_kernel::base::{Base, BeliefId};
use entail_trace::{
    Claim, ClaimContent, ClaimStatus, ClaimType, Confidence, Derived, Finalized, Gathered, Id,
    IdKind, InsufficientEvidence, Payload, Span, StepOutput, SupportKind, SupportRef, ToolCall,
    ToolResult, TraceEvent, Understood, Verified,
};

use super::TraceLog;
use super::statement::{of_belief, with_markers};

/// An event as it is kept.
#[derive(Debug)]
pub(super) struct Kept {
    /// The place of its step in the plan.
    pub step: u32,
    pub what: What,
}

/// What happened. Numbers are places of claims, or of evidence, in order of their registration.
#[derive(Debug)]
pub(super) enum What {
    Started,
    Understood(Box<str>),
    Gathered(Box<[u32]>),
    Derived(Box<[u32]>),
    Verified {
        validated: Box<[u32]>,
        rejected: Box<[u32]>,
    },
    Finalized {
        claim: Option<u32>,
    },
    Insufficient(Box<InsufficientEvidence>),
    Called(Box<ToolCall>),
    Returned(Box<ToolResult>),
    Evidence(u32),
    Claim(u32),
}

/// A claim as it is kept.
#[derive(Debug)]
pub(super) enum KeptClaim {
    /// A belief gained a reason.
    Accepted(Box<Accepted>),
    /// It was refused or taken back.
    Rejected(Box<Claim>),
}

/// The claim that a belief gained a reason.
#[derive(Debug)]
pub(super) struct Accepted {
    pub belief: BeliefId,
    pub id: Digest,
    /// Bytes of its statement.
    pub length: u64,
    /// The digest of its statement.
    pub sha256: Digest,
    pub confidence: f64,
    pub claim_type: ClaimType,
    pub formula: Option<Box<str>>,
    /// Claims it rests on, nearest first.
    pub claims: Box<[u32]>,
    /// Evidence it rests on, nearest first.
    pub evidence: Box<[u32]>,
    /// How many claims and pieces of evidence there are in all, and whether these are all; only
    /// of a derived claim.
    pub totals: Option<(usize, usize, bool)>,
}

impl TraceLog {
    /// The events from one place on, as records.
    pub(crate) fn events_from<'s>(
        &'s self,
        base: &'s Base,
        start: usize,
    ) -> impl Iterator<Item = TraceEvent> + 's {
        let numbered = self.events.iter().enumerate().skip(start);
        numbered.filter_map(|(at, kept)| {
            let step = self.plan.id(usize::try_from(kept.step).ok()?)?;
            let idx = u64::try_from(at).ok()?;
            Some(TraceEvent::new(
                idx,
                step.clone(),
                self.payload(base, &kept.what)?,
            ))
        })
    }

    fn payload(&self, base: &Base, what: &What) -> Option<Payload> {
        let claims = |places: &[u32]| places.iter().filter_map(|at| self.claim_id(*at)).collect();
        let output = match what {
            What::Started => return Some(Payload::StepStarted),
            What::Called(call) => return Some(Payload::ToolCalled((**call).clone())),
            What::Returned(result) => return Some(Payload::ToolReturned((**result).clone())),
            What::Evidence(at) => {
                return self
                    .evidence
                    .record(*at)
                    .cloned()
                    .map(Payload::EvidenceRegistered);
            }
            What::Claim(at) => return self.claim_record(base, *at).map(Payload::ClaimEmitted),
            What::Understood(task) => StepOutput::Understand(Understood {
                normalized_question: task.to_string(),
                assumptions: Vec::new(),
                task_type: "generic".to_owned(),
            }),
            What::Gathered(evidence) => {
                let records = evidence.iter().filter_map(|at| self.evidence.record(*at));
                StepOutput::Gather(Gathered {
                    evidence_ids: records.map(|record| record.id().clone()).collect(),
                    ..Gathered::default()
                })
            }
            What::Derived(places) => StepOutput::Derive(Derived {
                claim_ids: claims(places),
            }),
            What::Verified {
                validated,
                rejected,
            } => StepOutput::Verify(Verified {
                validated_claim_ids: claims(validated),
                rejected_claim_ids: claims(rejected),
                missing_support_claim_ids: Vec::new(),
            }),
            What::Finalized { claim } => StepOutput::Finalize(self.finalized(base, *claim)),
            What::Insufficient(output) => StepOutput::InsufficientEvidence((**output).clone()),
        };
        Some(Payload::StepFinished(output))
    }

    fn finalized(&self, base: &Base, claim: Option<u32>) -> Finalized {
        let belief = claim.and_then(|at| match self.claims.get(usize::try_from(at).ok()?)? {
            KeptClaim::Accepted(accepted) => base.belief(accepted.belief),
            KeptClaim::Rejected(_) => None,
        });
        Finalized {
            final_claim_ids: claim.and_then(|at| self.claim_id(at)).into_iter().collect(),
            final_answer: belief.map(|belief| match belief.value {
                Value::String(text) => text.clone(),
                other => other.to_string(),
            }),
            uncertainty: Value::Null,
        }
    }

    fn claim_id(&self, at: u32) -> Option<Id> {
        Some(match self.claims.get(usize::try_from(at).ok()?)? {
            KeptClaim::Accepted(accepted) => IdKind::Claim.id(accepted.id),
            KeptClaim::Rejected(claim) => claim.id().clone(),
        })
    }

    fn claim_record(&self, base: &Base, at: u32) -> Option<Claim> {
        Some(match self.claims.get(usize::try_from(at).ok()?)? {
            KeptClaim::Accepted(accepted) => {
                Claim::with_id(IdKind::Claim.id(accepted.id), self.content(base, accepted)?)
            }
            KeptClaim::Rejected(claim) => (**claim).clone(),
        })
    }

    /// What an accepted claim says.
    pub(super) fn content(&self, base: &Base, accepted: &Accepted) -> Option<ClaimContent> {
        let belief = base.belief(accepted.belief)?;
        let mut structured = Object::from([
            ("key", Value::from(&**belief.key)),
            ("ref", belief.reference().to_string().into()),
            ("value", belief.value.clone()),
        ]);
        if let Some(formula) = &accepted.formula {
            structured.insert("formula", (&**formula).into());
        }
        if accepted.claim_type == ClaimType::Derived {
            structured.insert("result_sha256", self.reasoning.into());
        }
        if let Some((claims, evidence, is_complete)) = accepted.totals {
            let mut total =
                Object::from([("claims", claims.into()), ("evidence", evidence.into())]);
            if !is_complete {
                total.insert("at_least", true.into());
            }
            structured.insert("supports_total", total.into());
        }
        let mut supports: Vec<SupportRef> = accepted
            .claims
            .iter()
            .filter_map(|at| self.claim_support(*at))
            .collect();
        let pieces = accepted
            .evidence
            .iter()
            .filter_map(|at| self.evidence.support(*at));
        supports.extend(pieces);
        let marked = supports
            .iter()
            .filter(|support| support.kind == SupportKind::Evidence);
        let statement = of_belief(belief.key, belief.value, belief.claim);
        Some(ClaimContent {
            statement: with_markers(statement, marked),
            status: ClaimStatus::Validated,
            confidence: Confidence::new(accepted.confidence).unwrap_or_default(),
            supports,
            claim_type: accepted.claim_type,
            structured: Some(structured),
        })
    }

    /// A claim's reference to the whole statement of another.
    fn claim_support(&self, at: u32) -> Option<SupportRef> {
        match self.claims.get(usize::try_from(at).ok()?)? {
            KeptClaim::Accepted(accepted) => Some(SupportRef {
                kind: SupportKind::Claim,
                ref_id: IdKind::Claim.id(accepted.id),
                span: Span::new(0, accepted.length)?,
                snippet_sha256: accepted.sha256,
            }),
            KeptClaim::Rejected(_) => None,
        }
    }
}
