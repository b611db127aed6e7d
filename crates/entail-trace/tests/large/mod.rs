//! Traces of any length, made and not kept: gather steps with evidence, derive steps with claims.

#![allow(dead_code, reason = "each user takes its own part")]

use std::io::{self, Write};

use entail_json::{Object, Value, sha256};
use entail_trace::{
    Bytes, Claim, ClaimContent, ClaimStatus, ClaimType, Confidence, ContentPath, Derived,
    EvidenceRef, EvidenceRefContent, Files, Finalized, Gathered, Id, Payload, Plan, PlanContent,
    PlanNode, PlanNodeContent, ProblemSpec, ProblemSpecContent, Span, StepKind, StepOutput,
    StepSpec, SupportKind, SupportRef, TraceEvent, TraceHeaderContent, Understood, Verified,
    write_trace,
};

/// A trace with so many pieces of evidence, a claim read off each and perhaps one derived from
/// that, and its plan.
pub(crate) struct Large {
    pub(crate) evidence: u64,
    /// How long each statement is, in bytes.
    pub(crate) padding: usize,
    /// Whether a claim is derived from each one read off, or from the first alone.
    pub(crate) derived: bool,
    pub(crate) spec: ProblemSpec,
    pub(crate) plan: Plan,
    header: TraceHeaderContent,
    reasoning: String,
}

impl Large {
    pub(crate) fn new(evidence: u64, padding: usize) -> Self {
        let spec = ProblemSpec::new(ProblemSpecContent::new("a large session"));
        let mut nodes: Vec<PlanNode> = Vec::new();
        for kind in StepKind::ALL {
            nodes.push(PlanNode::new(PlanNodeContent {
                kind: *kind,
                dependencies: nodes
                    .last()
                    .map(|node| node.id().clone())
                    .into_iter()
                    .collect(),
                step: StepSpec::new(*kind),
                parameters: Object::new(),
            }));
        }
        let plan = Plan::new(PlanContent {
            problem: spec.description.clone(),
            spec_id: spec.id().clone(),
            nodes,
            edges: Vec::new(),
        });
        let reasoning = sha256(spec.id().as_bytes()).to_string();
        let mut header = TraceHeaderContent::new(spec.id().clone(), plan.id().clone());
        let metadata = format!(
            r#"{{"reasoning_policy":{{"min_supports_per_claim":1}},"reasoning_trace":{{"reasoning_trace_sha256":"{reasoning}"}}}}"#
        );
        let metadata = entail_json::read_str(&metadata).expect("json");
        header.metadata = metadata.as_object().cloned().expect("an object");
        Self {
            evidence,
            padding,
            derived: true,
            spec,
            plan,
            header,
            reasoning,
        }
    }

    pub(crate) fn write(&self, out: impl Write) -> io::Result<u64> {
        let (_, written) = write_trace(out, self.header.clone(), || self.events())?;
        Ok(written.bytes)
    }

    fn content(n: u64) -> String {
        format!("The figure of quarter {n} was {}.\n", n * 7 % 1_000)
    }

    fn evidence(n: u64) -> EvidenceRef {
        let content = Self::content(n);
        EvidenceRef::new(EvidenceRefContent {
            uri: format!("document:q{n}@1"),
            sha256: sha256(content.as_bytes()).to_string(),
            span: Span::whole(content.len()).expect("not empty"),
            chunk_id: sha256(content.as_bytes()),
            content_path: ContentPath::new(&format!("evidence/{n}.txt")).expect("a safe path"),
        })
    }

    fn observed(&self, n: u64) -> Claim {
        let evidence = Self::evidence(n);
        let support = SupportRef {
            kind: SupportKind::Evidence,
            ref_id: evidence.id().clone(),
            span: evidence.span,
            snippet_sha256: evidence.chunk_id,
        };
        let mut claim = ClaimContent::new(format!(
            "q{n} {} {}",
            "x".repeat(self.padding),
            support.marker()
        ));
        claim.status = ClaimStatus::Validated;
        claim.claim_type = ClaimType::Observed;
        claim.confidence = Confidence::new(0.9).expect("in range");
        claim.supports = vec![support];
        Claim::new(claim)
    }

    fn derived(&self, n: u64) -> Claim {
        let observed = self.observed(n);
        let mut claim = ClaimContent::new(format!(
            "follows from q{n} {}",
            observed.supports[0].marker()
        ));
        claim.status = ClaimStatus::Validated;
        claim.supports = vec![
            SupportRef {
                kind: SupportKind::Claim,
                ref_id: observed.id().clone(),
                span: Span::whole(observed.statement.len()).expect("not empty"),
                snippet_sha256: sha256(observed.statement.as_bytes()),
            },
            observed.supports[0].clone(),
        ];
        claim.structured = Some(Object::from([(
            "result_sha256",
            Value::from(self.reasoning.as_str()),
        )]));
        Claim::new(claim)
    }

    /// The events, each made when it is asked for.
    pub(crate) fn events(&self) -> impl Iterator<Item = TraceEvent> {
        let finished = |kind, output| [(kind, Payload::StepFinished(output))];
        let started = |kind| [(kind, Payload::StepStarted)];
        use StepKind::{Derive, Finalize, Gather, Understand, Verify};
        let understood = StepOutput::Understand(Understood {
            normalized_question: self.spec.description.clone(),
            assumptions: Vec::new(),
            task_type: "generic".to_owned(),
        });
        let evidence =
            (0..self.evidence).map(|n| (Gather, Payload::EvidenceRegistered(Self::evidence(n))));
        let claims = (0..self.evidence).flat_map(|n| {
            // A trace in which nothing is derived is none that ends well.
            let derived = (self.derived || n == 0).then(|| self.derived(n));
            let claims = std::iter::once(self.observed(n)).chain(derived);
            claims.map(|claim| (Derive, Payload::ClaimEmitted(claim)))
        });
        let steps = self
            .plan
            .nodes
            .iter()
            .map(|node| (node.kind, node.id().clone()));
        let steps: Vec<(StepKind, Id)> = steps.collect();
        let step = move |kind: StepKind| {
            let step = steps.iter().find(|(there, _)| *there == kind);
            step.expect("each kind has a node").1.clone()
        };
        started(Understand)
            .into_iter()
            .chain(finished(Understand, understood))
            .chain(started(Gather))
            .chain(evidence)
            .chain(finished(Gather, StepOutput::Gather(Gathered::default())))
            .chain(started(Derive))
            .chain(claims)
            .chain(finished(Derive, StepOutput::Derive(Derived::default())))
            .chain(started(Verify))
            .chain(finished(Verify, StepOutput::Verify(Verified::default())))
            .chain(started(Finalize))
            .chain(finished(
                Finalize,
                StepOutput::Finalize(Finalized::default()),
            ))
            .zip(0..)
            .map(move |((kind, payload), idx)| TraceEvent::new(idx, step(kind), payload))
    }
}

/// The evidence files, made when they are opened.
impl Files for Large {
    fn open(&self, path: &str) -> io::Result<Option<Box<dyn Bytes + '_>>> {
        let number = path
            .strip_prefix("evidence/")
            .and_then(|name| name.strip_suffix(".txt"));
        let number = number.and_then(|number| number.parse().ok());
        Ok(number.map(|n| Box::new(Self::content(n).into_bytes()) as Box<dyn Bytes>))
    }

    fn visit_paths(&self, visit: &mut dyn FnMut(&str)) -> io::Result<()> {
        (0..self.evidence).for_each(|n| visit(&format!("evidence/{n}.txt")));
        Ok(())
    }
}
