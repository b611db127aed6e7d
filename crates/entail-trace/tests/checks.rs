//! What each check finds, one wrong thing at a time.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "the fixture is known"
)]

mod fixture;

use entail_json::{Digest, Object, Value, sha256};
use entail_trace::{
    Bytes, CheckName, Claim, ClaimContent, ClaimStatus, ClaimType, EvidenceRef, Id,
    InsufficientEvidence, Payload, Plan, PlanIndex, PlanNode, Span, StepKind, StepOutput, Subject,
    SupportKind, SupportRef, Trace, TraceEvent, TraceHeaderContent, Verification, verify_trace,
};
use fixture::{Session, session};

use CheckName::{
    ClaimJustifications, ClaimSpans, ContentIds, CoreInvariants, DerivedClaimGrounding,
    EvidenceHashes, FinalizePresent, InsufficientReasoning, ReasoningTrace, RequiredSteps,
    Serialization, SupportSpans, ToolLinkage,
};

fn check(session: &Session) -> Verification {
    let trace = session.trace.to_jsonl().into_bytes();
    let subject = Subject {
        trace: &trace as &dyn Bytes,
        files: Some(&session.evidence),
        spec: Some(&session.spec),
    };
    verify_trace(subject, PlanIndex::new(&session.plan)).expect("readable")
}

fn failed(verified: &Verification) -> Vec<CheckName> {
    let failed = verified
        .results
        .all()
        .iter()
        .filter(|result| !result.passed());
    failed.map(entail_trace::CheckResult::name).collect()
}

/// Changes the events, numbers them anew and gives the trace its right id again: what is found
/// then is the change itself.
fn with_events(change: impl FnOnce(&mut Vec<TraceEvent>)) -> Vec<CheckName> {
    let mut session = session();
    let mut events = session.trace.events().to_vec();
    change(&mut events);
    for (event, idx) in events.iter_mut().zip(0..) {
        event.idx = Some(idx);
    }
    session.trace = Trace::new(session.trace.header().content().clone(), events);
    failed(&check(&session))
}

fn with_header(change: impl FnOnce(&mut TraceHeaderContent)) -> Vec<CheckName> {
    let mut session = session();
    let mut header = session.trace.header().content().clone();
    change(&mut header);
    session.trace = Trace::new(header, session.trace.events().to_vec());
    failed(&check(&session))
}

fn with_plan(change: impl FnOnce(&mut Vec<PlanNode>, &mut Vec<(Id, Id)>)) -> Vec<CheckName> {
    let mut session = session();
    let (id, mut content) = (
        session.plan.id().clone(),
        session.plan.clone().into_content(),
    );
    change(&mut content.nodes, &mut content.edges);
    session.plan = Plan::with_id(id, content);
    failed(&check(&session))
}

fn find(events: &[TraceEvent], nth: usize, kind: &str) -> usize {
    let mut of_kind = events
        .iter()
        .enumerate()
        .filter(|(_, event)| event.kind() == kind);
    of_kind.nth(nth).expect("the event is there").0
}

fn claim(events: &[TraceEvent], statement: &str) -> usize {
    let is = |event: &TraceEvent| matches!(&event.payload, Payload::ClaimEmitted(claim) if claim.statement.starts_with(statement));
    events.iter().position(is).expect("the claim is there")
}

/// Changes a claim, which gets the id of its new content; what refers to it does, too.
fn edit_claim(events: &mut [TraceEvent], statement: &str, edit: impl FnOnce(&mut ClaimContent)) {
    let at = claim(events, statement);
    let Payload::ClaimEmitted(old) = events[at].payload.clone() else {
        unreachable!()
    };
    let mut content = old.clone().into_content();
    edit(&mut content);
    let new = Claim::new(content);
    let swap = |ids: &mut Vec<Id>| {
        ids.iter_mut()
            .filter(|id| *id == old.id())
            .for_each(|id| *id = new.id().clone());
    };
    events[at].payload = Payload::ClaimEmitted(new.clone());
    for event in events {
        match &mut event.payload {
            Payload::StepFinished(StepOutput::Derive(output)) => swap(&mut output.claim_ids),
            Payload::StepFinished(StepOutput::Finalize(output)) => {
                swap(&mut output.final_claim_ids)
            }
            Payload::StepFinished(StepOutput::Verify(output)) => {
                swap(&mut output.validated_claim_ids);
                swap(&mut output.rejected_claim_ids);
            }
            _ => {}
        }
    }
}

fn support(events: &mut [TraceEvent], nth: usize, edit: impl FnOnce(&mut SupportRef)) {
    edit_claim(events, "revenue grew", |claim| {
        edit(&mut claim.supports[nth])
    });
}

#[test]
fn a_good_trace_has_nothing_wrong() {
    assert_eq!(with_events(|_| {}), []);
}

#[test]
fn an_event_of_a_step_that_is_not_running_breaks_the_order() {
    for moved in ["tool_called", "evidence_registered", "claim_emitted"] {
        let found = with_events(|events| {
            let event = events.remove(find(events, 0, moved));
            let start = find(events, 1, "step_started");
            events.insert(start, event);
        });
        assert!(found.contains(&CoreInvariants), "{moved}: {found:?}");
    }
}

#[test]
fn steps_start_once_finish_once_and_put_out_what_their_kind_does() {
    let found = with_events(|events| events.insert(1, events[0].clone()));
    assert_eq!(found, [CoreInvariants]);
    let found = with_events(|events| events.insert(2, events[1].clone()));
    assert_eq!(found, [CoreInvariants]);
    let found = with_events(|events| {
        events[1].payload =
            Payload::StepFinished(StepOutput::Derive(entail_trace::Derived::default()));
    });
    assert_eq!(found, [CoreInvariants]);
    let found = with_events(|events| drop(events.remove(0)));
    assert_eq!(found, [CoreInvariants]);
}

#[test]
fn a_missing_wrong_or_repeated_number_is_found() {
    for idx in [None, Some(0), Some(7), Some(u64::from(u32::MAX))] {
        let mut session = session();
        let mut events = session.trace.events().to_vec();
        events[3].idx = idx;
        session.trace = Trace::new(session.trace.header().content().clone(), events);
        assert_eq!(failed(&check(&session)), [CoreInvariants]);
    }
}

#[test]
fn a_call_without_result_a_result_without_call_and_a_second_result_are_found() {
    let at = |events: &[TraceEvent]| find(events, 0, "tool_returned");
    let found = with_events(|events| drop(events.remove(at(events))));
    assert!(
        found.contains(&ToolLinkage) && !found.contains(&CoreInvariants),
        "{found:?}"
    );
    let found = with_events(|events| events.insert(at(events), events[at(events)].clone()));
    assert_eq!(found, [ToolLinkage]);
    let found = with_events(|events| drop(events.remove(find(events, 0, "tool_called"))));
    assert!(
        found.contains(&ToolLinkage) && found.contains(&CoreInvariants),
        "{found:?}"
    );
}

#[test]
fn what_is_registered_twice_is_found() {
    for kind in ["tool_called", "evidence_registered", "claim_emitted"] {
        let found = with_events(|events| {
            let at = find(events, 0, kind);
            events.insert(at, events[at].clone());
        });
        assert!(found.contains(&CoreInvariants), "{kind}: {found:?}");
    }
}

#[test]
fn an_output_that_names_what_never_was_is_found() {
    for nth in 1..8 {
        let found = with_events(|events| {
            let at = find(events, nth, "step_finished");
            let nobody = || vec![Id::new("nobody").expect("an id")];
            match &mut events[at].payload {
                Payload::StepFinished(StepOutput::Gather(output)) => output.evidence_ids = nobody(),
                Payload::StepFinished(StepOutput::Derive(output)) => output.claim_ids = nobody(),
                Payload::StepFinished(StepOutput::Verify(output)) => {
                    output.missing_support_claim_ids = nobody();
                }
                Payload::StepFinished(StepOutput::Finalize(output)) => {
                    output.final_claim_ids = nobody();
                }
                other => panic!("{other:?}"),
            }
        });
        assert_eq!(found, [CoreInvariants], "output {nth}");
    }
}

#[test]
fn a_claim_may_rest_only_on_what_came_before_it() {
    let found = with_events(|events| {
        let (from, to) = (claim(events, "revenue grew"), claim(events, "Q3 revenue"));
        let event = events.remove(from);
        events.insert(to, event);
    });
    assert_eq!(found, [ClaimJustifications, ClaimSpans]);
    for kind in [
        SupportKind::Claim,
        SupportKind::Evidence,
        SupportKind::ToolCall,
    ] {
        let found = with_events(|events| {
            support(events, 0, |support| {
                support.kind = kind;
                support.ref_id = Id::new("nobody").expect("an id");
            });
        });
        assert!(found.contains(&ClaimJustifications), "{kind}: {found:?}");
    }
}

#[test]
fn an_open_call_cannot_be_cited() {
    let found = with_events(|events| {
        let result = find(events, 0, "tool_returned");
        let event = events.remove(result);
        let last = find(events, 7, "step_started");
        events.insert(last, event);
    });
    assert!(found.contains(&ClaimSpans), "{found:?}");
}

#[test]
fn a_span_of_a_claim_or_a_result_is_compared_with_its_bytes() {
    for nth in [0, 4] {
        let found = with_events(|events| {
            support(events, nth, |support| {
                support.span = Span::new(0, support.span.end() - 1).expect("a span");
            });
        });
        assert_eq!(found, [ClaimSpans], "another span");
        let found = with_events(|events| {
            support(events, nth, |support| {
                support.span = Span::new(0, support.span.end() + 1).expect("a span");
            });
        });
        assert_eq!(found, [ClaimSpans], "past the end");
        let found = with_events(|events| {
            support(events, nth, |support| support.snippet_sha256 = Digest::ZERO);
        });
        assert_eq!(found, [ClaimSpans], "another digest");
    }
}

#[test]
fn evidence_without_a_marker_and_a_marker_without_evidence_are_found() {
    let found = with_events(|events| {
        edit_claim(events, "revenue grew", |claim| {
            claim.statement = "revenue grew".into()
        });
    });
    assert_eq!(found, [DerivedClaimGrounding]);
    let found = with_events(|events| {
        edit_claim(events, "revenue grew", |claim| {
            let forged = format!(" [evidence:e:0-5:{}]", sha256(b"forged"));
            claim.statement.push_str(&forged);
        });
    });
    assert_eq!(found, [DerivedClaimGrounding]);
    let found = with_events(|events| {
        edit_claim(events, "revenue grew", |claim| {
            claim.statement.push_str(" [evidence: see below]")
        });
    });
    assert_eq!(found, [], "text that only looks like a marker is text");
}

#[test]
fn a_derived_claim_needs_as_much_evidence_as_the_policy_says_and_two_pieces_without_one() {
    let policy = |header: &mut TraceHeaderContent, min: Value| {
        header.metadata.insert(
            "reasoning_policy",
            Value::Object(Object::from([("min_supports_per_claim", min)])),
        );
    };
    assert_eq!(with_header(|header| policy(header, Value::from(2_i64))), []);
    assert_eq!(
        with_header(|header| policy(header, Value::from(3_i64))),
        [DerivedClaimGrounding]
    );
    for wrong in [Value::from(-1_i64), Value::from("2"), Value::Bool(true)] {
        assert_eq!(
            with_header(|header| policy(header, wrong)),
            [DerivedClaimGrounding]
        );
    }
    assert_eq!(
        with_header(|header| drop(header.metadata.remove("reasoning_policy"))),
        []
    );
}

#[test]
fn a_derived_claim_names_the_reasoning_trace_of_the_header() {
    assert_eq!(
        with_header(|header| drop(header.metadata.remove("reasoning_trace"))),
        [ReasoningTrace]
    );
    let other = Value::Object(Object::from([(
        "reasoning_trace_sha256",
        Value::from("short"),
    )]));
    assert_eq!(
        with_header(|header| drop(header.metadata.insert("reasoning_trace", other))),
        [ReasoningTrace]
    );
    let found = with_events(|events| {
        edit_claim(events, "revenue grew", |claim| claim.structured = None);
    });
    assert_eq!(found, [ReasoningTrace]);
}

fn refuse(events: &mut [TraceEvent]) {
    let at = find(events, 2, "step_finished");
    events[at].payload =
        Payload::StepFinished(StepOutput::InsufficientEvidence(InsufficientEvidence {
            reason: "too little".into(),
            retrieved: 1,
            required: 2,
        }));
}

#[test]
fn a_refusal_stands_beside_no_derived_claim_rejected_or_not_and_without_one_there_is_a_refusal() {
    assert_eq!(
        with_events(|events| refuse(events)),
        [InsufficientReasoning]
    );
    let found = with_events(|events| {
        refuse(events);
        edit_claim(events, "revenue grew", |claim| {
            claim.status = ClaimStatus::Rejected
        });
    });
    assert_eq!(found, [InsufficientReasoning]);
    let observed = |claim: &mut ClaimContent| claim.claim_type = ClaimType::Observed;
    let found = with_events(|events| {
        refuse(events);
        edit_claim(events, "revenue grew", observed);
    });
    assert_eq!(found, []);
    let found = with_events(|events| edit_claim(events, "revenue grew", observed));
    assert_eq!(found, [InsufficientReasoning]);
}

#[test]
fn a_trace_without_an_end_and_without_a_kind_of_step_is_found() {
    let found = with_events(|events| events.truncate(events.len() - 2));
    assert_eq!(found, [FinalizePresent, RequiredSteps]);
}

#[test]
fn evidence_whose_file_is_gone_changed_or_not_its_own_is_found() {
    let mut session = session();
    let document = session
        .evidence
        .keys()
        .find(|path| path.ends_with(".txt"))
        .cloned();
    let documents: Vec<String> = session
        .evidence
        .keys()
        .filter(|path| path.ends_with(".txt"))
        .cloned()
        .collect();
    assert_eq!(documents.len(), 2, "one is cited, one is only kept");
    assert!(document.is_some());
    for path in documents {
        session.evidence.remove(&path);
    }
    assert_eq!(
        failed(&check(&session)),
        [EvidenceHashes, SupportSpans, ClaimSpans]
    );

    let found = with_events(|events| {
        let at = find(events, 0, "evidence_registered");
        let Payload::EvidenceRegistered(evidence) = &events[at].payload else {
            unreachable!()
        };
        let id = evidence.id().clone();
        let mut content = evidence.clone().into_content();
        content.chunk_id = Digest::ZERO;
        events[at].payload = Payload::EvidenceRegistered(EvidenceRef::with_id(id, content));
    });
    assert_eq!(found, [ContentIds, ClaimSpans]);
}

#[test]
fn a_plan_with_a_cycle_a_stranger_or_a_twin_is_no_plan() {
    let found = with_plan(|nodes, edges| {
        edges.push((nodes[3].id().clone(), nodes[0].id().clone()));
    });
    assert_eq!(found, [CoreInvariants, ContentIds]);
    let found = with_plan(|nodes, edges| {
        edges.push((nodes[3].id().clone(), Id::new("stranger").expect("an id")));
    });
    assert_eq!(found, [CoreInvariants, ContentIds]);
    let found = with_plan(|nodes, _| nodes.push(nodes[0].clone()));
    assert_eq!(found, [CoreInvariants, ContentIds]);
    let found = with_plan(|nodes, _| {
        let (id, mut content) = (nodes[0].id().clone(), nodes[0].clone().into_content());
        content.dependencies.push(id.clone());
        nodes[0] = PlanNode::with_id(id, content);
    });
    assert_eq!(found, [CoreInvariants, ContentIds]);
}

#[test]
fn a_chain_of_a_hundred_thousand_steps_is_walked_without_recursion() {
    let mut session = session();
    let mut content = session.plan.clone().into_content();
    let names: Vec<Id> = (0..100_000)
        .map(|n| Id::new(format!("n{n}")).expect("an id"))
        .collect();
    let template = content.nodes[0].clone().into_content();
    for (n, name) in names.iter().enumerate() {
        let mut node = template.clone();
        node.dependencies = names.get(n + 1).cloned().into_iter().collect();
        content.nodes.push(PlanNode::with_id(name.clone(), node));
    }
    session.plan = Plan::with_id(session.plan.id().clone(), content);
    let found = failed(&check(&session));
    assert_eq!(found, [ContentIds]);
}

#[test]
fn a_record_under_an_id_that_is_not_its_own_is_found_wherever_it_stands() {
    let found = with_events(|events| {
        let at = claim(events, "the ceo");
        let Payload::ClaimEmitted(claim) = &events[at].payload else {
            unreachable!()
        };
        let (id, mut content) = (claim.id().clone(), claim.clone().into_content());
        content.statement = content.statement.replace("Jane", "John");
        events[at].payload = Payload::ClaimEmitted(Claim::with_id(id, content));
    });
    assert_eq!(found, [ContentIds]);
}

#[test]
fn links_between_spec_plan_and_trace_are_compared() {
    let nobody = || Id::new("nobody").expect("an id");
    assert_eq!(
        with_header(|header| header.plan_id = nobody()),
        [CoreInvariants]
    );
    assert_eq!(
        with_header(|header| header.spec_id = nobody()),
        [CoreInvariants]
    );
}

#[test]
fn versions_nobody_knows_are_found() {
    let changes: [fn(&mut TraceHeaderContent); 5] = [
        |header| header.schema_version = 3,
        |header| header.schema_version = 0,
        |header| header.runtime_protocol_version = 2,
        |header| header.canonicalization_version = 2,
        |header| header.fingerprint_algo = "sha512".into(),
    ];
    for change in changes {
        assert_eq!(with_header(change), [CoreInvariants]);
    }
    assert_eq!(with_header(|header| header.schema_version = 2), []);
}

#[test]
fn other_bytes_for_the_same_records_read_alike_but_are_not_what_was_written() {
    let session = session();
    let text = session.trace.to_jsonl();
    let spaced = text.replacen("{\"event\":", "{ \"event\": ", 1);
    let others = [
        text.replace('\n', "\r\n"),
        format!("\n{text}"),
        spaced,
        text.trim_end().to_owned(),
    ];
    for other in others {
        let bytes = other.into_bytes();
        let subject = Subject {
            trace: &bytes as &dyn Bytes,
            files: Some(&session.evidence),
            spec: None,
        };
        let verified = verify_trace(subject, PlanIndex::new(&session.plan)).expect("readable");
        assert_eq!(failed(&verified), [Serialization]);
        assert_eq!(&verified.end.trace_id, session.trace.header().id());
        assert_ne!(verified.end.fingerprint, sha256(text.as_bytes()));
    }
}

#[test]
fn a_flood_of_faults_is_counted_and_not_kept() {
    let mut session = session();
    let step = session.plan.nodes[0].id().clone();
    let mut events = session.trace.events().to_vec();
    events.extend((0..5_000).map(|_| TraceEvent::new(0, step.clone(), Payload::StepStarted)));
    session.trace = Trace::new(session.trace.header().content().clone(), events);
    let verified = check(&session);
    let core = verified.results.get(CoreInvariants).expect("run");
    assert_eq!(core.failures().len(), entail_trace::limits::MAX_FAILURES);
    assert_eq!(core.errors(), 10_000);
}

#[test]
fn the_kinds_of_steps_are_all_in_the_fixture() {
    let session = session();
    for kind in StepKind::ALL {
        assert!(session.plan.nodes.iter().any(|node| node.kind == *kind));
    }
}
