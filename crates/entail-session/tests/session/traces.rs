//! A session seen as a run.

use entail_json::{Value, read_str};
use entail_session::{Closing, Command, Limits, Opening, Outcome, Session, Verdict};
use entail_trace::{ClaimStatus, ClaimType, Payload, StepKind, StepOutput, SupportKind};

use super::play::{ID, Play, opening, premise, result};

/// Plays a whole job: calls, citations, claims right and wrong, an answer.
fn whole_job(dependencies: &str) -> Play {
    let mut play = Play::open(opening(dependencies));
    play.context();
    let turn = play.turn(
        r#"{"actions": [
            {"type": "call_tool", "tool": "get_revenue", "args": {"quarter": "Q2"}, "key": "q2"},
            {"type": "call_tool", "tool": "get_revenue", "args": {"quarter": "Q9"}},
            {"type": "cite", "document": "10-K", "key": "q3", "value": 4500000000,
             "quote": "Total revenue for Q3 was $4.5 billion", "claim": "Q3 revenue"},
            {"type": "cite", "document": "10-K", "key": "bad", "value": 4400000000,
             "quote": "Total revenue for Q2 was $4.3 billion"}]}"#,
    );
    assert_eq!(turn.verdict, Verdict::NeedsRepair);
    let ids: Vec<_> = turn
        .pending_calls
        .iter()
        .map(|call| call.call_id.clone())
        .collect();
    play.exec(Command::ToolResults(vec![
        result(&ids[0], Ok(Value::from(4_300_000_000_i64))),
        result(&ids[1], Err("no such quarter")),
    ]));
    play.context();
    let turn = play.turn(
        r#"{"actions": [
            {"type": "claim", "key": "growth", "value": 5, "formula": "({q3} - {q2}) / {q2} * 100"},
            {"type": "claim", "key": "growth", "formula": "({q3} - {q2}) / {q2} * 100",
             "claim": "Revenue grew [evidence:forged:0-1:00] from Q2 to Q3"},
            {"type": "claim", "key": "trend", "value": "modest", "follows_from": ["growth"]},
            {"type": "answer", "text": "Modest growth.", "follows_from": ["trend", "growth"]}]}"#,
    );
    assert_eq!(turn.rejected.len(), 1, "{:?}", turn.rejected);
    let answer = turn.answer.unwrap();
    assert!(answer.is_grounded);
    play
}

#[test]
fn a_well_grounded_session_passes_every_check_of_its_trace() {
    for dependencies in ["conservative", "declared"] {
        let mut play = whole_job(dependencies);
        play.passes_all_checks();
        play.retract("q2");
        assert!(!play.is_in("answer@1"));
        play.passes_all_checks();
        play.check_replay();
        play.exec(Command::Close(Closing::Abandoned { reason: None }));
        play.exec(Command::Reopen);
        play.passes_all_checks();
    }
}

#[test]
fn the_same_journal_gives_the_same_bytes() {
    let play = whole_job("conservative");
    let replayed = play.replayed();
    assert_eq!(replayed.trace().to_jsonl(), play.session.trace().to_jsonl());
    assert_eq!(replayed.plan(), play.session.plan());
    let files = |session: &Session| {
        let files = session.evidence_files().iter();
        files
            .map(|file| (file.path.clone(), file.text().to_owned()))
            .collect::<Vec<_>>()
    };
    assert_eq!(files(&replayed), files(&play.session));
}

#[test]
fn evidence_names_the_document_the_call_and_the_person() {
    let mut play = whole_job("declared");
    play.assert(vec![
        premise("note", "ok", "human:ann"),
        premise("guess", 1_i64, "assumption:x"),
    ]);
    let mut uris = Vec::new();
    let mut types = Vec::new();
    for event in play.session.trace_events() {
        match &event.payload {
            Payload::EvidenceRegistered(evidence) => uris.push(evidence.uri.clone()),
            Payload::ClaimEmitted(claim) if claim.status == ClaimStatus::Validated => {
                types.push(claim.claim_type);
            }
            _ => {}
        }
    }
    let call = play.session.calls().next().unwrap().id().to_owned();
    assert_eq!(
        uris,
        [
            "document:10-K@1".to_owned(),
            format!("tool:get_revenue#{call}"),
            "human:ann".to_owned(),
            "assumption:x".to_owned(),
        ]
    );
    assert_eq!(
        types
            .iter()
            .filter(|kind| **kind == ClaimType::Assumed)
            .count(),
        1
    );
    assert!(call.starts_with("call_v1_"));
    play.passes_all_checks();
}

#[test]
fn no_caller_can_forge_a_marker() {
    let play = whole_job("conservative");
    let grown = play
        .session
        .trace_events()
        .iter()
        .find_map(|event| match &event.payload {
            Payload::ClaimEmitted(claim)
                if claim.claim_type == ClaimType::Derived
                    && claim.statement.starts_with("Revenue grew") =>
            {
                Some(claim.clone())
            }
            _ => None,
        });
    let grown = grown.unwrap();
    assert!(grown.statement.contains("(evidence:forged:0-1:00]"));
    let evidence = grown
        .supports
        .iter()
        .filter(|support| support.kind == SupportKind::Evidence);
    assert_eq!(
        grown.statement.matches("[evidence:").count(),
        evidence.count()
    );
}

#[test]
fn rejected_claims_and_retractions_are_in_the_trace() {
    let mut play = whole_job("declared");
    play.retract("q2");
    let rejected: Vec<_> = play
        .session
        .trace_events()
        .iter()
        .filter_map(|event| match &event.payload {
            Payload::ClaimEmitted(claim) if claim.status == ClaimStatus::Rejected => {
                Some(claim.structured.clone().unwrap())
            }
            _ => None,
        })
        .collect();
    let codes: Vec<_> = rejected
        .iter()
        .filter_map(|object| object.get("code")?.as_str())
        .collect();
    assert_eq!(codes, ["value_not_stated", "formula_mismatch"]);
    let retraction = rejected.last().unwrap();
    assert_eq!(
        Value::from(retraction.clone()).to_string(),
        r#"{"reason":"restated","ref":"q2@1","retracted":true}"#
    );
}

#[test]
fn a_session_that_has_not_enough_evidence_says_so_and_passes() {
    let mut play = Play::open(opening("conservative"));
    play.context();
    let turn = play.turn(
        r#"{"actions": [{"type": "call_tool", "tool": "get_revenue", "args": {"quarter": "Q2"}}]}"#,
    );
    assert_eq!(turn.verdict, Verdict::AwaitingTools);
    let reason = "no figure for Q3".to_owned();
    let closed = play.exec(Command::Close(Closing::InsufficientEvidence { reason }));
    let Outcome::Changed(closed) = closed else {
        panic!("closed")
    };
    assert!(closed.notes.is_empty());
    play.passes_all_checks();
    let events = play.session.trace_events();
    let outputs = events.iter().filter_map(|event| match &event.payload {
        Payload::StepFinished(StepOutput::InsufficientEvidence(output)) => Some(output.clone()),
        _ => None,
    });
    assert_eq!(
        outputs.map(|output| output.reason).collect::<Vec<_>>(),
        ["no figure for Q3"]
    );
    play.check_replay();
}

#[test]
fn insufficient_evidence_after_a_derived_claim_fails_that_check_and_says_so() {
    let mut play = whole_job("declared");
    let reason = "changed my mind".to_owned();
    let closed = play.exec(Command::Close(Closing::InsufficientEvidence { reason }));
    let Outcome::Changed(closed) = closed else {
        panic!("closed")
    };
    assert!(closed.notes[0].contains("insufficient_reasoning"));
    let failing: Vec<_> = play
        .failing_checks()
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    assert_eq!(failing, ["insufficient_reasoning"]);
}

#[test]
fn a_claim_names_at_most_sixteen_supports_of_a_kind_and_counts_them_all() {
    let mut play = Play::open(Opening::new("Count."));
    let premises = (0..40)
        .map(|n| premise(&format!("k{n}"), i64::from(n), "human:h"))
        .collect();
    play.assert(premises);
    play.context();
    play.turn(
        r#"[{"type": "claim", "key": "a", "value": 1, "follows_from": ["k3"]},
        {"type": "claim", "key": "b", "value": 2, "follows_from": ["a"]},
        {"type": "answer", "text": "Forty.", "follows_from": ["b"]}]"#,
    );
    let events = play.session.trace_events();
    let claims: Vec<_> = events
        .iter()
        .filter_map(|event| match &event.payload {
            Payload::ClaimEmitted(claim) if claim.claim_type == ClaimType::Derived => Some(claim),
            _ => None,
        })
        .collect();
    for (claim, total) in claims.iter().zip([40_i64, 41, 42]) {
        let of = |kind| {
            claim
                .supports
                .iter()
                .filter(|support| support.kind == kind)
                .count()
        };
        assert_eq!(
            (of(SupportKind::Claim), of(SupportKind::Evidence)),
            (16, 16)
        );
        let structured = claim.structured.as_ref().unwrap();
        let expected = Value::from([("claims", total.into()), ("evidence", 40_i64.into())]);
        assert_eq!(structured.get("supports_total"), Some(&expected));
    }
    // What was named comes first.
    let named = claims[0].supports[0].ref_id.clone();
    let events = play.session.trace_events();
    let first = events.iter().find_map(|event| match &event.payload {
        Payload::ClaimEmitted(claim) if claim.statement.starts_with("k3 = 3") => Some(claim.id()),
        _ => None,
    });
    assert_eq!(Some(&named), first);
    play.passes_all_checks();
}

#[test]
fn a_callers_own_plan_is_filled_node_by_node_and_then_grows() {
    let mut opening = opening("declared");
    let plan = r#"{"nodes": [
        {"id": "u", "kind": "understand", "step": {"kind": "understand"}},
        {"id": "g1", "kind": "gather", "dependencies": ["u"], "step": {"kind": "gather"}, "parameters": {"n": 1}},
        {"id": "g2", "kind": "gather", "dependencies": ["u"], "step": {"kind": "gather"}, "parameters": {"n": 2}},
        {"id": "d", "kind": "derive", "dependencies": ["g1", "g2"], "step": {"kind": "derive"}}]}"#;
    opening.plan = Some(read_str(plan).unwrap());
    let mut play = Play::open(opening);
    let mut turn = play.turn_command(
        r#"{"type": "cite", "document": "10-K", "key": "hq", "value": "Austin",
            "quote": "Headquarters: Austin, Texas"}"#,
    );
    turn.step_id = Some("g2".to_owned());
    play.exec(Command::Turn(turn.clone()));
    let nodes = play.session.plan().nodes.clone();
    let kinds: Vec<_> = nodes.iter().map(|node| node.kind).collect();
    assert_eq!(
        kinds,
        [
            StepKind::Understand,
            StepKind::Gather,
            StepKind::Gather,
            StepKind::Derive,
            StepKind::Verify
        ]
    );
    let of_step = |at: usize| {
        let events = play.session.trace_iter();
        events
            .filter(|event| event.step_id == *nodes[at].id())
            .count()
    };
    assert_eq!(of_step(1), 0, "the named node was taken, not the first");
    assert!(of_step(2) > 2);
    assert!(nodes.iter().all(entail_trace::Identified::has_content_id));
    let error = play.fail(Command::Turn(turn));
    assert_eq!(
        (error.code(), error.to_string().contains("is finished")),
        ("invalid_step", true)
    );
    assert!(play.failing_checks().iter().all(|(name, _)| {
        [
            "finalize_present",
            "required_steps",
            "insufficient_reasoning",
        ]
        .contains(name)
    }));
    play.check_replay();
}

#[test]
fn a_plan_that_is_none_is_refused_with_its_place() {
    for (plan, pointer) in [
        (
            r#"{"nodes": [{"id": "a", "kind": "gather", "dependencies": ["b"], "step": {"kind": "gather"}},
            {"id": "b", "kind": "derive", "dependencies": ["a"], "step": {"kind": "derive"}}]}"#,
            "/plan/nodes",
        ),
        (
            r#"{"nodes": [{"id": "a", "kind": "gather", "step": {"kind": "gather"}},
            {"id": "b", "kind": "gather", "step": {"kind": "gather"}}]}"#,
            "/plan/nodes/",
        ),
        (
            r#"{"nodes": [{"kind": "dream", "step": {"kind": "gather"}}]}"#,
            "/plan/nodes/0/kind",
        ),
        (r#"{"nodes": [], "spec_id": "spec_v1_x"}"#, "/plan/spec_id"),
        (r#"[]"#, "/plan"),
    ] {
        let mut opening = Opening::new("t");
        opening.plan = Some(read_str(plan).unwrap());
        let at = entail_kernel::Time::EPOCH;
        let error = Session::open(ID, opening, Limits::default(), at).map(|_| ());
        let error = error.unwrap_err();
        assert_eq!(error.code(), "invalid_plan");
        assert!(error.to_string().contains(pointer), "{error}");
    }
}

#[test]
fn giving_up_on_a_call_closes_it_in_the_trace() {
    let mut play = Play::open(opening("declared"));
    play.context();
    let turn =
        play.turn(r#"{"type": "call_tool", "tool": "get_revenue", "args": {"quarter": "Q2"}}"#);
    let call_id = turn.pending_calls[0].call_id.clone();
    play.exec(Command::GiveUpCall {
        call_id: call_id.clone(),
    });
    let last = play
        .session
        .trace_events()
        .iter()
        .find_map(|event| match &event.payload {
            Payload::ToolReturned(result) => Some(result.clone()),
            _ => None,
        });
    let last = last.unwrap();
    assert_eq!(
        (last.call_id.as_str(), last.success),
        (call_id.as_str(), false)
    );
    assert_eq!(last.error.as_deref(), Some("abandoned"));
    assert!(
        play.failing_checks()
            .iter()
            .all(|(name, _)| *name != "tool_linkage")
    );
    play.check_replay();
}
