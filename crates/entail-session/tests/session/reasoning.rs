//! Rules, conflicts, re-derivation and reverification.

use std::sync::Arc;

use entail_json::{Number, Value};
use entail_kernel::base::{Derivation, Step};
use entail_session::{
    Command, ConstraintDefinition, Opening, Outcome, Patch, Reverification, RuleDefinition,
    Settlement, Told, Turn, TurnContext, TurnOutcome, Verdict,
};

use super::play::{Play, opening, policy, premise, tool};

fn rule(parameters: &[&str], expression: &str) -> RuleDefinition {
    RuleDefinition {
        parameters: parameters.iter().map(|name| (*name).to_owned()).collect(),
        expression: expression.to_owned(),
        confidence: None,
    }
}

fn with_growth() -> Play {
    let mut opening = Opening::new("t");
    opening.rules.push((
        "growth".to_owned(),
        rule(&["prev", "cur"], "(cur - prev) / prev * 100.0"),
    ));
    opening.premises = vec![
        premise("q2", 200_i64, "tool:a"),
        premise("q3", 250_i64, "tool:a"),
    ];
    let mut play = Play::open(opening);
    play.exec(Command::Derive(Derivation::new(
        "growth",
        "growth",
        ["q2", "q3"],
    )));
    play
}

#[test]
fn rules_run_again_by_themselves_in_the_commit_that_made_it_necessary() {
    let mut play = with_growth();
    let mut restated = premise("q3", 300_i64, "tool:b");
    restated.supersede = true;
    let version = play.session.version();
    let Outcome::Changed(changed) = play.assert(vec![restated]) else {
        panic!()
    };
    assert_eq!(play.session.version(), version + 1);
    let ins: Vec<_> = changed
        .changes
        .iter()
        .map(|change| change.reference.as_str())
        .collect();
    assert!(ins.contains(&"growth@2"), "{ins:?}");
    let base = play.session.base();
    assert_eq!(
        base.belief(base.find("growth@2").unwrap()).unwrap().value,
        &Value::from(Number::from_f64(50.0))
    );
    play.check_replay();
}

#[test]
fn a_rules_change_is_a_new_version_and_the_same_again_is_none() {
    let mut play = with_growth();
    let put = |expression: &str| Command::PutRule {
        name: "growth".to_owned(),
        rule: rule(&["prev", "cur"], expression),
    };
    let version = play.session.version();
    let Outcome::Rule { version: same, .. } = play.exec(put("(cur - prev) / prev * 100.0")) else {
        panic!()
    };
    assert_eq!((same, play.session.version()), (1, version));
    let Outcome::Rule { version: next, .. } = play.exec(put("cur - prev")) else {
        panic!()
    };
    assert_eq!(next, 2);
    assert_eq!(play.fail(put("cur +")).code(), "invalid_rule");
    play.exec(Command::DeleteRule {
        name: "growth".to_owned(),
    });
    assert_eq!(
        play.fail(Command::DeleteRule {
            name: "growth".to_owned()
        })
        .code(),
        "unknown_rule"
    );
    let derive = Command::Derive(Derivation::new("g", "growth", ["q2", "q3"]));
    assert_eq!(play.fail(derive).code(), "unknown_rule");
    play.check_replay();
}

#[test]
fn a_sessions_conflict_policy_settles_in_the_same_commit() {
    let mut play = with_growth();
    play.assert(vec![premise("q3", 400_i64, "human:ann")]);
    assert!(play.session.base().is_disputed("q3"));
    let ranked = policy(r#"{"conflict":{"kind":"source_rank"}}"#);
    let Outcome::Changed(changed) = play.exec(Command::Patch(Patch {
        policy: Some(ranked),
        ..Patch::default()
    })) else {
        panic!()
    };
    assert_eq!(changed.conflicts, Vec::<String>::new());
    assert!(play.is_in("q3@2") && !play.is_in("q3@1"));
    assert!(
        play.is_in("growth@2"),
        "the rule ran on what the policy left"
    );
    play.check_replay();
}

#[test]
fn a_constraint_that_does_not_hold_is_a_conflict_that_hides_nothing() {
    let mut play = with_growth();
    let constraint = ConstraintDefinition {
        inputs: vec![
            ("a".to_owned(), "q2".to_owned()),
            ("b".to_owned(), "q3".to_owned()),
        ],
        expression: "a > b".to_owned(),
    };
    play.exec(Command::PutConstraint {
        name: "falling".to_owned(),
        constraint: constraint.clone(),
    });
    let view = play.context();
    assert_eq!(view.conflicts, ["q2", "q3"]);
    assert_eq!(view.visible.len(), 3);
    let version = play.session.version();
    play.exec(Command::PutConstraint {
        name: "falling".to_owned(),
        constraint,
    });
    assert_eq!(play.session.version(), version);
    let settlement = Settlement {
        retract: vec!["q3@1".to_owned()],
        ..Settlement::default()
    };
    play.exec(Command::Resolve {
        conflict: "constraint:falling".to_owned(),
        settlement,
    });
    assert!(!play.is_in("q3@1"));
    play.exec(Command::DeleteConstraint {
        name: "falling".to_owned(),
    });
    let error = play.fail(Command::DeleteConstraint {
        name: "falling".to_owned(),
    });
    assert_eq!(error.code(), "unknown_constraint");
    play.check_replay();
}

#[test]
fn a_conflict_settled_as_ground_truth_teaches() {
    let mut play = Play::open(Opening::new("t"));
    play.assert(vec![
        premise("k", 1_i64, "tool:a"),
        premise("k", 2_i64, "tool:b"),
    ]);
    let settlement = Settlement {
        keep: vec!["k@2".to_owned()],
        learn: true,
        ..Settlement::default()
    };
    let done = play
        .try_exec(Command::Resolve {
            conflict: "k".to_owned(),
            settlement,
        })
        .unwrap();
    let lessons: Vec<_> = done
        .lessons
        .iter()
        .map(|l| (l.source.as_str(), l.correct))
        .collect();
    assert_eq!(lessons, [("tool:a", false), ("tool:b", true)]);
    let error = play.fail(Command::Resolve {
        conflict: "k".to_owned(),
        settlement: Settlement::default(),
    });
    assert_eq!(error.code(), "no_conflict");
    let told = Told {
        source: "tool:a".to_owned(),
        correct: false,
    };
    let done = play.try_exec(Command::Outcomes(vec![told])).unwrap();
    assert_eq!(done.lessons.len(), 1);
    let told = Told {
        source: "nobody".to_owned(),
        correct: false,
    };
    assert_eq!(
        play.fail(Command::Outcomes(vec![told])).pointer(),
        "/0/source"
    );
    play.check_replay();
}

#[test]
fn the_orchestrators_own_step_is_justified_like_any_other() {
    let mut play = with_growth();
    let mut step = Step::new("high", true, "human:ann".parse().unwrap(), ["growth"]);
    step.unless = vec!["override".to_owned()];
    play.exec(Command::Justify(Box::new(step.clone())));
    assert!(play.is_in("high@1"));
    play.assert(vec![premise("override", true, "human:bob")]);
    assert!(!play.is_in("high@1"));
    step.key = "answer".to_owned();
    assert_eq!(
        play.fail(Command::Justify(Box::new(step))).code(),
        "reserved_key"
    );
    let lost = Step::new("x", 1_i64, "human:ann".parse().unwrap(), ["high"]);
    assert_eq!(
        play.fail(Command::Justify(Box::new(lost))).code(),
        "not_believed"
    );
    play.check_replay();
}

/// A session in which `trend` waits for the model, since what it rested on was restated.
fn waiting(dependencies: &str) -> Play {
    let mut play = Play::open(opening(dependencies));
    play.assert(vec![
        premise("q2", 200_i64, "tool:a"),
        premise("q3", 250_i64, "tool:a"),
    ]);
    play.context();
    play.turn(
        r#"[{"type":"claim","key":"trend","value":"up","claim":"Which way revenue went","follows_from":["q2","q3"]},
            {"type":"claim","key":"advice","value":"buy","follows_from":["trend"]}]"#,
    );
    let mut restated = premise("q3", 260_i64, "tool:b");
    restated.supersede = true;
    play.assert(vec![restated]);
    play
}

#[test]
fn what_waits_for_the_model_is_listed_and_its_context_shows_exactly_the_inputs() {
    let mut play = waiting("declared");
    let waiting = play.session.rederivations();
    let keys: Vec<_> = waiting
        .iter()
        .map(|w| (w.key.as_str(), w.is_ready))
        .collect();
    assert_eq!(keys, [("trend", true), ("advice", false)]);
    let view = play
        .session
        .rederivation_context("trend", "r", play.clock)
        .unwrap();
    assert_eq!(view.context.refs, ["q2@1", "q3@2"]);
    assert!(view.prompt.contains("Which way revenue went"));
    assert!(
        !view.prompt.contains("\"up\""),
        "what was concluded before is not shown"
    );
    let error = play
        .session
        .rederivation_context("advice", "r", play.clock)
        .unwrap_err();
    assert_eq!(error.code(), "unknown_rederivation");
    let mut command = play.turn_command("[]");
    command.context = TurnContext::Given(Arc::new(view.context));
    let rederive = |response: &str| {
        let mut turn = command.clone();
        turn.response = response.to_owned();
        Command::Rederive {
            key: "trend".to_owned(),
            turn,
        }
    };
    let Outcome::Turn(left) = play.exec(rederive(r#"{"actions": []}"#)) else {
        panic!()
    };
    assert_eq!(left.verdict, Verdict::Accepted);
    assert_eq!(play.session.rederivations().len(), 2, "it is left waiting");
    let Outcome::Turn(refused) = play.exec(rederive(
        r#"[{"type":"claim","key":"other","value":1}, {"type":"answer","text":"x","follows_from":["q2"]},
            {"type":"cite","document":"10-K","quote":"Austin","key":"hq","value":"Austin"},
            {"type":"call_tool","tool":"get_revenue","args":{"quarter":"Q2"}}]"#,
    )) else {
        panic!()
    };
    assert_eq!((refused.accepted.len(), refused.rejected.len()), (0, 4));
    let Outcome::Turn(again) =
        play.exec(rederive(r#"[{"type":"claim","key":"trend","value":"up"}]"#))
    else {
        panic!()
    };
    assert_eq!(
        again.accepted[0].reference.as_deref(),
        Some("trend@1"),
        "an equal value revives"
    );
    assert!(play.is_in("advice@1"), "and the cascade stops there");
    assert!(play.session.rederivations().is_empty());
    play.check_replay();
}

#[test]
fn another_value_is_a_new_revision_and_changed_inputs_are_refused() {
    let mut play = waiting("conservative");
    let view = play
        .session
        .rederivation_context("trend", "r", play.clock)
        .unwrap();
    let mut turn = play
        .turn_command(r#"[{"type":"claim","key":"trend","value":"flat","follows_from":["q2"]}]"#);
    turn.context = TurnContext::Given(Arc::new(view.context));
    let rederive = Command::Rederive {
        key: "trend".to_owned(),
        turn: turn.clone(),
    };
    let wrong = Command::Rederive {
        key: "advice".to_owned(),
        turn,
    };
    assert_eq!(play.fail(wrong).pointer(), "/context_id");
    let mut restated = premise("q2", 210_i64, "tool:b");
    restated.supersede = true;
    let before = play.session.version();
    play.assert(vec![restated.clone()]);
    let Outcome::Turn(refused) = play.exec(rederive.clone()) else {
        panic!()
    };
    assert_eq!(refused.rejected[0].code.as_str(), "context_changed");
    play.retract("q2@2");
    play.exec(Command::Restore {
        target: "q2@1".to_owned(),
    });
    let Outcome::Turn(again) = play.exec(rederive) else {
        panic!()
    };
    assert_eq!(again.accepted[0].reference.as_deref(), Some("trend@2"));
    let base = play.session.base();
    let reason = base.justifications(base.find("trend@2").unwrap());
    let rests_on = base.antecedents(reason[0].antecedents.unwrap());
    assert_eq!(rests_on.len(), 2, "it rests on exactly its inputs");
    assert!(play.session.version() > before);
    play.check_replay();
}

#[test]
fn an_answer_is_derived_again_under_its_own_key() {
    let mut play = Play::open(opening("declared"));
    play.assert(vec![premise("a", 1_i64, "tool:t")]);
    play.context();
    play.turn(r#"{"type":"answer","text":"One.","follows_from":["a"]}"#);
    let mut restated = premise("a", 2_i64, "tool:u");
    restated.supersede = true;
    play.assert(vec![restated]);
    let view = play
        .session
        .rederivation_context("answer", "r", play.clock)
        .unwrap();
    let mut turn = play.turn_command(r#"{"type":"answer","text":"Two.","follows_from":["a"]}"#);
    turn.context = TurnContext::Given(Arc::new(view.context));
    let Outcome::Turn(again) = play.exec(Command::Rederive {
        key: "answer".to_owned(),
        turn,
    }) else {
        panic!()
    };
    assert_eq!(again.answer.unwrap().reference, "answer@2");
    play.context();
    let next = play.turn(r#"{"type":"answer","text":"More.","follows_from":["a"]}"#);
    assert_eq!(
        next.answer.unwrap().reference,
        "answer:2@1",
        "re-deriving is no further answer"
    );
    play.check_replay();
}

/// A session whose answer waits for the model, and the turn that answers its context.
fn waiting_answer() -> (Play, String, Turn) {
    let mut play = Play::open(opening("declared"));
    play.assert(vec![premise("a", 1_i64, "tool:t")]);
    play.context();
    play.turn(r#"{"type":"answer","text":"One it was.","follows_from":["a"]}"#);
    let mut restated = premise("a", 2_i64, "tool:u");
    restated.supersede = true;
    play.assert(vec![restated]);
    let view = play
        .session
        .rederivation_context("answer", "r", play.clock)
        .unwrap();
    let mut turn = play.turn_command("");
    turn.context = TurnContext::Given(Arc::new(view.context));
    (play, view.prompt, turn)
}

fn answered_again(play: &mut Play, turn: &Turn, response: &str) -> TurnOutcome {
    let mut turn = turn.clone();
    turn.response = response.to_owned();
    match play.exec(Command::Rederive {
        key: "answer".to_owned(),
        turn,
    }) {
        Outcome::Turn(turn) => *turn,
        other => panic!("a turn comes to {other:?}"),
    }
}

#[test]
fn an_answer_derived_again_as_a_claim_of_its_key_is_the_sessions_answer() {
    let (mut play, prompt, turn) = waiting_answer();
    assert!(prompt.contains("one `answer`"), "{prompt}");
    let claim = r#"{"type":"claim","key":"answer","value":"Two.","follows_from":["a"]}"#;
    let again = answered_again(&mut play, &turn, claim);
    assert_eq!(again.verdict, Verdict::Answered);
    assert_eq!(again.answer.unwrap().reference, "answer@2");
    assert_eq!(
        play.session.summary().answer,
        Some(("answer@2".to_owned(), true))
    );
    play.passes_all_checks();
    play.check_replay();
}

#[test]
fn the_prompt_for_an_answer_does_not_show_the_answer_before() {
    let (_, prompt, _) = waiting_answer();
    assert!(!prompt.contains("One it was"), "{prompt}");
}

#[test]
fn an_answer_that_was_derived_again_is_not_contradicted_through_the_same_context() {
    let (mut play, _, turn) = waiting_answer();
    let two = r#"{"type":"answer","text":"Two.","follows_from":["a"]}"#;
    answered_again(&mut play, &turn, two);
    let three = r#"{"type":"answer","text":"Three.","follows_from":["a"]}"#;
    let refused = answered_again(&mut play, &turn, three);
    assert_eq!(refused.rejected[0].code.as_str(), "key_holds_other_value");
    assert!(play.session.base().conflicts().is_empty());
    assert!(play.is_in("answer@2"));
    play.check_replay();
}

#[test]
fn stale_and_faded_tool_premises_are_called_again_and_renewed_in_place() {
    let mut opening = opening("declared");
    let definition = r#"{"description":"d","parameters":{"type":"object","properties":{"s":{"type":"string"}}},
        "ttl_s":60,"half_life_s":20}"#;
    opening.tools.push(("price".to_owned(), tool(definition)));
    let mut play = Play::open(opening);
    play.context();
    let turn = play.turn(
        r#"[{"type":"call_tool","tool":"price","args":{"s":"x"},"key":"x"},
            {"type":"call_tool","tool":"price","args":{"s":"y"},"key":"y"}]"#,
    );
    for call in &turn.pending_calls {
        play.answer_call(&call.call_id, 9_i64);
    }
    play.context();
    play.turn(r#"[{"type":"claim","key":"cheap","value":true,"follows_from":["x"]}]"#);
    let reverify = Command::Reverify(Reverification {
        keys: vec!["x".to_owned()],
        faded: 0.5,
    });
    let Outcome::Reverified(none) = play.exec(reverify.clone()) else {
        panic!()
    };
    assert!(none.pending_calls.is_empty(), "it has not faded yet");
    play.wait(21.0);
    let Outcome::Reverified(faded) = play.exec(reverify.clone()) else {
        panic!()
    };
    assert_eq!(faded.pending_calls.len(), 1);
    play.wait(60.0);
    assert!(!play.is_in("x@1") && !play.is_in("cheap@1"));
    let Outcome::Reverified(open) = play.exec(reverify) else {
        panic!()
    };
    assert!(open.pending_calls.is_empty(), "the call is open already");
    play.answer_call(&faded.pending_calls[0].call_id, 9_i64);
    assert!(
        play.is_in("x@1") && play.is_in("cheap@1"),
        "renewed in place"
    );
    let Outcome::Reverified(rest) = play.exec(Command::Reverify(Reverification::default())) else {
        panic!()
    };
    assert_eq!(rest.pending_calls[0].key, "y");
    play.exec(Command::DeleteTool {
        name: "price".to_owned(),
    });
    play.exec(Command::GiveUpCall {
        call_id: rest.pending_calls[0].call_id.clone(),
    });
    let Outcome::Reverified(noted) = play.exec(Command::Reverify(Reverification::default())) else {
        panic!()
    };
    assert!(noted.notes[0].contains("no longer registered"));
    play.check_replay();
}

#[test]
fn propagating_tells_what_waits_and_why() {
    let mut play = waiting("declared");
    let Outcome::Propagated(done) = play.exec(Command::Propagate) else {
        panic!()
    };
    assert!(done.derived.is_empty());
    let keys: Vec<_> = done
        .pending
        .iter()
        .map(|waiting| waiting.key.as_str())
        .collect();
    assert_eq!(keys, ["trend", "advice"]);
    assert!(
        done.pending
            .iter()
            .all(|waiting| !waiting.reason.is_empty())
    );
}
