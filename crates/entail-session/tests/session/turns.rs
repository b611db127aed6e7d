//! Validating responses.

use std::sync::Arc;

use entail_json::Value;
use entail_session::{
    Command, Context, Limits, Opening, Outcome, TurnContext, TurnOutcome, Verdict,
};

use super::play::{Play, opening, policy, premise};

fn codes(turn: &TurnOutcome) -> Vec<(Option<usize>, &'static str)> {
    turn.rejected
        .iter()
        .map(|problem| (problem.action, problem.code.as_str()))
        .collect()
}

fn with_facts(dependencies: &str) -> Play {
    let mut play = Play::open(opening(dependencies));
    play.assert(vec![
        premise("a", 10_i64, "tool:t"),
        premise("b", 4_i64, "tool:t"),
        premise("text", "ten", "tool:t"),
    ]);
    play.context();
    play
}

#[test]
fn an_action_is_refused_with_the_first_fault_in_the_contracts_order() {
    let mut play = with_facts("declared");
    play.assert(vec![
        premise("disputed", 1_i64, "tool:t"),
        premise("disputed", 2_i64, "tool:u"),
    ]);
    play.context();
    for (action, code) in [
        // Reserved before invalid, both before dependencies.
        (
            r#"{"type":"claim","key":"answer","value":1,"follows_from":["ghost"]}"#,
            "reserved_key",
        ),
        (
            r#"{"type":"claim","key":"a b","value":1,"follows_from":["ghost"]}"#,
            "invalid_key",
        ),
        // Dependencies before the formula, in the order listed.
        (
            r#"{"type":"claim","key":"x","formula":"1 +","follows_from":["ghost"]}"#,
            "unknown_key",
        ),
        (
            r#"{"type":"claim","key":"x","formula":"{ghost} + (","follows_from":["disputed"]}"#,
            "not_visible",
        ),
        (
            r#"{"type":"claim","key":"x","formula":"{ghost} +"}"#,
            "unknown_key",
        ),
        // The formula before the key's holder.
        (
            r#"{"type":"claim","key":"a","formula":"{b} +"}"#,
            "invalid_formula",
        ),
        (
            r#"{"type":"claim","key":"a","value":9,"formula":"{b}"}"#,
            "formula_mismatch",
        ),
        (
            r#"{"type":"claim","key":"x","formula":"{text} + 1"}"#,
            "invalid_formula",
        ),
        // The holder before what has changed.
        (
            r#"{"type":"claim","key":"disputed","value":1,"follows_from":["a"]}"#,
            "key_in_conflict",
        ),
        (
            r#"{"type":"claim","key":"a","value":9,"follows_from":["b"]}"#,
            "key_holds_other_value",
        ),
        (r#"{"type":"answer","text":"x"}"#, "answer_without_support"),
        (
            r#"{"type":"answer","text":"x","follows_from":["ghost"]}"#,
            "unknown_key",
        ),
        // Citations and calls.
        (
            r#"{"type":"cite","document":"no","quote":"x","key":"answer:3","value":1}"#,
            "reserved_key",
        ),
        (
            r#"{"type":"cite","document":"no","quote":"x","key":"a@1","value":1}"#,
            "invalid_key",
        ),
        (
            r#"{"type":"cite","document":"no","quote":"x","key":"x","value":1}"#,
            "unknown_document",
        ),
        (
            r#"{"type":"cite","document":"10-K","quote":"  ","key":"x","value":1}"#,
            "quote_not_found",
        ),
        (
            r#"{"type":"cite","document":"10-K","quote":"Q2 was $4.3 billion","key":"x","value":1}"#,
            "value_not_stated",
        ),
        (
            r#"{"type":"cite","document":"10-K","quote":"Austin","key":"x","value":["Austin"]}"#,
            "value_not_stated",
        ),
        (
            r#"{"type":"call_tool","tool":"no","key":"answer"}"#,
            "unknown_tool",
        ),
        (
            r#"{"type":"call_tool","tool":"get_revenue","key":"answer"}"#,
            "invalid_arguments",
        ),
        (
            r#"{"type":"call_tool","tool":"get_revenue","args":{"quarter":"Q2"},"key":"a b"}"#,
            "invalid_key",
        ),
        (
            r#"{"type":"call_tool","tool":"get_revenue","args":{"quarter":"Q2"},"key":"answer"}"#,
            "reserved_key",
        ),
    ] {
        let turn = play.turn(action);
        assert_eq!(codes(&turn), [(Some(1), code)], "{action}");
        let message = &turn.rejected[0].message;
        assert!(!message.is_empty() && !message.contains('\n'), "{message}");
    }
}

#[test]
fn a_refusal_says_what_is_wrong_and_what_to_do() {
    let mut play = with_facts("declared");
    for (action, message) in [
        (
            r#"{"type":"claim","key":"x","value":5,"formula":"{a} / {b}"}"#,
            "the formula evaluates to 2.5, but the claim states 5; correct the value or leave it out",
        ),
        (
            r#"{"type":"claim","key":"a","value":9}"#,
            "`a` already holds 10; use a new key",
        ),
        (
            r#"{"type":"cite","document":"10-K","key":"x","value":4400000000,"quote":"Q2 was $4.3 billion"}"#,
            "the quote states 4.3 billion, the claim says 4400000000; cite the value that the quote states, or another quote",
        ),
        (
            r#"{"type":"call_tool","tool":"revenue"}"#,
            "there is no tool `revenue`; there is `get_revenue`",
        ),
    ] {
        assert_eq!(play.turn(action).rejected[0].message, message);
    }
}

#[test]
fn a_claim_may_not_rest_on_what_was_called_or_cited_in_the_same_response() {
    let mut play = with_facts("declared");
    let turn = play.turn(
        r#"[{"type":"call_tool","tool":"get_revenue","args":{"quarter":"Q2"},"key":"q2"},
            {"type":"cite","document":"10-K","quote":"Headquarters: Austin","key":"hq","value":"Austin"},
            {"type":"claim","key":"x","value":1,"follows_from":["q2"]},
            {"type":"claim","key":"y","value":1,"follows_from":["hq"]},
            {"type":"claim","key":"q2","value":1}]"#,
    );
    assert_eq!(
        codes(&turn),
        [
            (Some(3), "same_response_tool_result"),
            (Some(4), "not_visible"),
            (Some(5), "key_holds_other_value")
        ]
    );
    // An earlier call that still runs is no secret, but nothing to rest on.
    let turn = play.turn(r#"[{"type":"claim","key":"x","value":1,"follows_from":["q2"]}]"#);
    assert_eq!(codes(&turn), [(Some(1), "not_visible")]);
}

#[test]
fn a_conservative_claim_depends_on_everything_shown_and_claimed() {
    let mut play = with_facts("conservative");
    play.turn(
        r#"[{"type":"claim","key":"x","value":1,"follows_from":["a"]},
            {"type":"claim","key":"y","value":2}]"#,
    );
    play.retract("text");
    assert!(!play.is_in("x@1") && !play.is_in("y@1"));
    let mut play = with_facts("declared");
    play.turn(
        r#"[{"type":"claim","key":"x","value":1,"follows_from":["a"]},
            {"type":"claim","key":"y","value":2}]"#,
    );
    play.retract("text");
    assert!(play.is_in("x@1") && play.is_in("y@1"));
}

#[test]
fn claiming_a_shown_key_again_does_not_make_it_rest_on_itself() {
    let mut play = with_facts("conservative");
    play.turn(r#"[{"type":"claim","key":"a","value":10}]"#);
    let base = play.session.base();
    let a = base.find("a@1").unwrap();
    let reasons = base.justifications(a);
    let step = reasons
        .iter()
        .find(|reason| reason.antecedents.is_some())
        .unwrap();
    let rests_on = base.antecedents(step.antecedents.unwrap());
    assert!(!rests_on.contains(&a) && rests_on.len() == 2);
}

#[test]
fn two_turns_on_one_context_are_each_validated_against_the_present() {
    for (dependencies, expected) in [
        ("conservative", vec![(Some(1), "context_changed")]),
        ("declared", vec![]),
    ] {
        let mut play = with_facts(dependencies);
        play.stale_turn(r#"[{"type":"claim","key":"x","value":1,"follows_from":["a"]}]"#);
        play.retract("b");
        let turn =
            play.stale_turn(r#"[{"type":"claim","key":"y","value":1,"follows_from":["a"]}]"#);
        assert_eq!(codes(&turn), expected);
        let turn =
            play.stale_turn(r#"[{"type":"claim","key":"z","value":1,"follows_from":["b"]}]"#);
        assert_eq!(codes(&turn), [(Some(1), "context_changed")]);
    }
}

#[test]
fn a_citation_that_makes_a_conflict_changes_the_context_of_what_follows() {
    let mut play = Play::open(opening("conservative"));
    play.assert(vec![premise("q2", 4_200_000_000_i64, "tool:t")]);
    play.context();
    let turn = play.turn(
        r#"[{"type":"claim","key":"x","value":1},
            {"type":"cite","document":"10-K","quote":"Total revenue for Q2 was $4.3 billion","key":"q2","value":4300000000},
            {"type":"claim","key":"y","value":1}]"#,
    );
    assert_eq!(codes(&turn), [(Some(3), "context_changed")]);
    assert_eq!(turn.verdict, Verdict::ConflictingEvidence);
    assert_eq!(turn.accepted.len(), 2);
    assert!(play.session.base().is_disputed("q2"));
}

#[test]
fn formulas_read_the_revisions_that_were_shown() {
    let mut play = with_facts("declared");
    // The same key gets a second believed revision of an equal value, then the first one goes.
    play.assert(vec![premise("c", 1_i64, "human:h")]);
    let turn = play.stale_turn(r#"[{"type":"claim","key":"x","formula":"{c} + 1"}]"#);
    assert_eq!(
        codes(&turn),
        [(Some(1), "not_visible")],
        "the context did not show it"
    );
    let turn = play
        .stale_turn(r#"[{"type":"claim","key":"x","formula":"{a} + 1","follows_from":["a@1"]}]"#);
    assert_eq!(
        turn.accepted[0].value,
        Some(Value::from(entail_json::Number::from_f64(11.0)))
    );
    let turn = play.stale_turn(r#"[{"type":"claim","key":"y","value":1,"follows_from":["a@2"]}]"#);
    assert_eq!(codes(&turn), [(Some(1), "not_visible")]);
}

#[test]
fn a_cite_is_matched_against_the_version_its_context_showed() {
    let mut play = Play::open(opening("declared"));
    play.context();
    play.put_document("10-K", "Total revenue for Q2 was $4.1 billion (restated).");
    let cite = |value: i64, quote: &str| {
        format!(
            r#"{{"type":"cite","document":"10-K","quote":"{quote}","key":"q{value}","value":{value}}}"#
        )
    };
    let turn = play.stale_turn(&cite(4_300_000_000, "revenue for Q2 was $4.3 billion"));
    assert_eq!(turn.verdict, Verdict::Accepted);
    let turn = play.stale_turn(&cite(4_100_000_000, "revenue for Q2 was $4.1 billion"));
    assert_eq!(codes(&turn), [(Some(1), "quote_not_found")]);
    play.context();
    let turn = play.turn(&cite(4_100_000_000, "revenue for Q2 was $4.1 billion"));
    assert_eq!(turn.verdict, Verdict::Accepted);
    let base = play.session.base();
    let versions: Vec<_> = base
        .beliefs()
        .map(|belief| base.justifications(belief.id)[0].citation.unwrap().version)
        .collect();
    assert_eq!(versions, [1, 2]);
    let turn = play.turn(
        r#"[{"type":"cite","document":"10-K","quote":"$4.1 billion","key":"k","value":4.1}]"#,
    );
    assert_eq!(turn.verdict, Verdict::Accepted);
}

#[test]
fn only_formulas_and_citations_teach_about_the_model() {
    let reliability = |play: &Play| {
        play.session
            .base()
            .reliability("model:scripted", play.clock)
    };
    let mut play = with_facts("declared");
    assert!((reliability(&play) - 0.9).abs() < 1e-12);
    // Nothing of this says whether the model was right.
    play.turn(
        r#"[{"type":"claim","key":"f1","formula":"{a} + 1"}, {"type":"claim","key":"f2","value":3,"formula":"1 + 2"},
            {"type":"claim","key":"f3","value":1,"formula":"{a} +"}, {"type":"zap"},
            {"type":"cite","document":"no","quote":"x","key":"c","value":1}, {"type":"claim","key":"v","value":1}]"#,
    );
    assert!((reliability(&play) - 0.9).abs() < 1e-12);
    // One right formula, one wrong; one citation right, two wrong; each stands even when the
    // action is refused for another reason.
    play.turn(
        r#"[{"type":"claim","key":"a","value":11,"formula":"{a} + 1"},
            {"type":"claim","key":"g","value":12,"formula":"{a} + 1"},
            {"type":"cite","document":"10-K","quote":"Austin","key":"hq","value":"Austin"},
            {"type":"cite","document":"10-K","quote":"Boston","key":"c1","value":"Boston"},
            {"type":"cite","document":"10-K","quote":"Austin","key":"c2","value":"Boston"}]"#,
    );
    assert!((reliability(&play) - (9.0 + 2.0) / (10.0 + 5.0)).abs() < 1e-12);
    play.exec(Command::Patch(entail_session::Patch {
        policy: Some(policy(r#"{"dependencies":"declared","learn":false}"#)),
        ..Default::default()
    }));
    let before = reliability(&play);
    play.context();
    play.turn(
        r#"[{"type":"cite","document":"10-K","quote":"Boston","key":"c1","value":"Boston"}]"#,
    );
    assert!((reliability(&play) - before).abs() < 1e-12);
}

#[test]
fn actions_after_an_accepted_answer_are_ignored_but_their_shapes_are_not() {
    let mut play = with_facts("declared");
    let turn = play.turn(
        r#"[{"type":"answer","text":"Ten.","follows_from":["a"]}, {"type":"claim","key":"x","value":1},
            {"type":"claim"}, {"type":"answer","text":"Eleven.","follows_from":["a"]}]"#,
    );
    let ignored: Vec<_> = turn.ignored.iter().map(|ignored| ignored.action).collect();
    assert_eq!(
        (ignored, codes(&turn)[0]),
        (vec![2, 4], (Some(3), "missing_field"))
    );
    assert_eq!(turn.verdict, Verdict::NeedsRepair);
    assert_eq!(turn.answer.unwrap().reference, "answer@1");
    let turn = play.turn(r#"{"type":"answer","text":"Eleven.","follows_from":["a"]}"#);
    assert_eq!(
        (turn.verdict, turn.answer.unwrap().reference.as_str()),
        (Verdict::Answered, "answer:2@1")
    );
}

#[test]
fn an_answer_that_rests_on_a_models_word_alone_is_not_grounded() {
    let mut play = with_facts("declared");
    play.turn(r#"[{"type":"claim","key":"x","value":1}]"#);
    let turn = play.turn(r#"{"type":"answer","text":"One.","follows_from":["x","a"]}"#);
    assert!(!turn.answer.unwrap().is_grounded);
    let turn = play.turn(r#"{"type":"answer","text":"Ten.","follows_from":["a"]}"#);
    assert!(turn.answer.unwrap().is_grounded);
}

#[test]
fn an_unusable_response_is_still_a_turn() {
    let mut play = with_facts("declared");
    let turns = play.session.turns().len();
    let turn = play.turn("I cannot do that.");
    assert_eq!(
        (turn.verdict, codes(&turn)),
        (Verdict::Unusable, vec![(None, "response_not_json")])
    );
    assert_eq!(play.session.turns().len(), turns + 1);
    assert!(play.session.feedback().contains("response"));
    play.turn(r#"{"actions": []}"#);
    assert_eq!(play.session.feedback(), "");
}

#[test]
fn limits_of_the_session_are_refused_action_by_action() {
    let limits = Limits {
        beliefs: 4,
        value_bytes: 100,
        actions: 5,
        ..Limits::default()
    };
    let mut play = Play::open_with(opening("declared"), limits);
    play.assert(vec![
        premise("a", 1_i64, "tool:t"),
        premise("b", 1_i64, "tool:t"),
    ]);
    play.context();
    let long = "x".repeat(200);
    let turn = play.turn(&format!(
        r#"[{{"type":"claim","key":"big","value":"{long}"}}, {{"type":"claim","key":"c","value":1}},
            {{"type":"claim","key":"d","value":1}}, {{"type":"claim","key":"e","value":1}},
            {{"type":"cite","document":"10-K","quote":"Austin","key":"f","value":"Austin"}}]"#
    ));
    assert_eq!(
        codes(&turn),
        [
            (Some(1), "unsupported_value"),
            (Some(4), "limit_exceeded"),
            (Some(5), "limit_exceeded")
        ]
    );
    let many = [r#"{"type":"claim","key":"k","value":1}"#; 6].join(",");
    let turn = play.turn(&format!("[{many}]"));
    assert_eq!(
        (turn.verdict, codes(&turn)),
        (Verdict::Unusable, vec![(None, "limit_exceeded")])
    );
}

#[test]
fn a_turn_without_a_context_answers_the_present_state_and_names_it() {
    let mut play = Play::open(opening("declared"));
    play.assert(vec![premise("a", 1_i64, "tool:t")]);
    let turn = play.stale_turn(r#"[{"type":"claim","key":"x","value":1,"follows_from":["a"]}]"#);
    assert_eq!(
        (turn.verdict, turn.context_id.as_str()),
        (Verdict::Accepted, "present")
    );
    let mut command = play.turn_command("[]");
    command.context = TurnContext::Given(Arc::new(Context {
        id: "other".to_owned(),
        version: 1,
        as_of: play.clock,
        refs: vec!["ghost@1".to_owned()],
        documents: Vec::new(),
        scope: None,
    }));
    let error = play.fail(Command::Turn(command));
    assert_eq!(
        (error.code(), error.pointer()),
        ("invalid_argument", "/context_id")
    );
}

#[test]
fn a_turn_is_told_from_its_journal_entry() {
    let mut play = with_facts("conservative");
    play.turn(r#"[{"type":"claim","key":"x","value":1}, {"type":"claim","key":"a","value":2}]"#);
    let view = play
        .session
        .turn_view(play.journal.last().unwrap())
        .unwrap();
    let text = |name: &str| view.get(name).unwrap().to_string();
    assert_eq!(text("verdict"), r#""needs_repair""#);
    assert_eq!(
        view.get("context")
            .unwrap()
            .get("refs")
            .unwrap()
            .to_string(),
        r#"["a@1","b@1","text@1"]"#
    );
    assert!(
        text("accepted").contains(r#""ref":"x@1""#) && text("accepted").contains(r#""value":1"#)
    );
    assert!(text("rejected").contains("key_holds_other_value"));
    assert!(play.session.turn_view(&play.journal[0]).is_none());
}

#[test]
fn a_models_name_is_its_source_and_default_where_none_is_given() {
    let mut play = Play::open(Opening::new("t"));
    let mut turn = play.turn_command(r#"[{"type":"claim","key":"x","value":1}]"#);
    turn.model = None;
    let Outcome::Turn(done) = play.exec(Command::Turn(turn.clone())) else {
        panic!("a turn")
    };
    assert_eq!(done.verdict, Verdict::Accepted);
    let base = play.session.base();
    assert_eq!(
        base.justifications(base.find("x@1").unwrap())[0]
            .source
            .to_string(),
        "model:default"
    );
    turn.model = Some(String::new());
    assert_eq!(play.fail(Command::Turn(turn)).pointer(), "/model");
}

#[test]
fn a_models_claims_have_no_more_words_than_a_value_has_room() {
    let limits = Limits {
        value_bytes: 1_000,
        ..Limits::default()
    };
    let mut play = Play::open_with(opening("declared"), limits);
    play.context();
    let (words, fewer) = ("x".repeat(1_001), "x".repeat(1_000));
    let turn = play.turn(&format!(
        r#"[{{"type":"claim","key":"a","value":1,"claim":"{words}"}},
            {{"type":"cite","document":"10-K","quote":"Austin","key":"hq","value":"Austin","claim":"{words}"}},
            {{"type":"call_tool","tool":"get_revenue","args":{{"quarter":"Q2"}},"claim":"{words}"}},
            {{"type":"claim","key":"b","value":1,"claim":"{fewer}"}}]"#
    ));
    let codes: Vec<_> = turn.rejected.iter().map(|r| r.code.as_str()).collect();
    assert_eq!(codes, ["unsupported_value"; 3]);
    assert_eq!(turn.accepted[0].key, "b");
}
