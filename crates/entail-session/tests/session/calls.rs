//! Tools, their calls, and what comes of them.

use std::sync::Arc;

use entail_json::{Digest, Value, read_str};
use entail_kernel::Span;
use entail_session::{CallState, Command, Outcome, Session, ToolDefinition, Verdict};
use entail_trace::journal::Entry;
use entail_trace::{CheckName, CheckResult};

use super::play::{Play, opening, premise, result, tool};

fn call(play: &mut Play, quarter: &str, key: &str) -> String {
    let turn = play.turn(&format!(
        r#"{{"type":"call_tool","tool":"get_revenue","args":{{"quarter":"{quarter}"}},"key":"{key}"}}"#
    ));
    assert_eq!(turn.verdict, Verdict::AwaitingTools, "{:?}", turn.rejected);
    turn.accepted[0].call_id.clone().unwrap()
}

fn with_tool() -> Play {
    let mut play = Play::open(opening("declared"));
    play.context();
    play
}

#[test]
fn only_the_posted_result_makes_the_premise() {
    let mut play = with_tool();
    let id = call(&mut play, "Q2", "q2");
    assert_eq!(play.session.base().len(), 0);
    assert_eq!(play.session.open_calls().count(), 1);
    let Outcome::Changed(changed) = play.answer_call(&id, 4_300_000_000_i64) else {
        panic!()
    };
    assert_eq!(changed.refs, ["q2@1"]);
    let base = play.session.base();
    let reason = &base.justifications(base.find("q2@1").unwrap())[0];
    assert_eq!(reason.source.to_string(), "tool:get_revenue");
    assert_eq!(
        reason.source.arguments.as_ref().unwrap().to_string(),
        r#"{"quarter":"Q2"}"#
    );
    assert_eq!(reason.confidence, Some(0.99));
    assert_eq!(play.session.open_calls().count(), 0);
    assert!(matches!(
        play.session.call(&id).unwrap().state(),
        CallState::Returned { .. }
    ));
    play.check_replay();
}

/// The journal with the first value that some call returned written anew, and its chain too.
fn with_result_edited(journal: &[Entry], from: &str, to: &str) -> Vec<Entry> {
    let mut head = Digest::ZERO;
    let mut edited = journal.to_vec();
    for entry in &mut edited {
        let events = read_str(&entry.events).unwrap();
        let events = events.as_array().unwrap().iter().map(|event| {
            let is_return = event.get("event") == Some(&Value::from("call_returned"));
            let text = event.to_string();
            let text = if is_return {
                text.replace(&format!("\"value\":{from}"), &format!("\"value\":{to}"))
            } else {
                text
            };
            read_str(&text).unwrap()
        });
        entry.events = Value::Array(events.collect()).to_string();
        entry.prev_hash = head;
        entry.hash = entry.digest();
        head = entry.hash;
    }
    edited
}

fn citations(session: &Session) -> CheckResult {
    let at = session.summary().last_commit_at;
    let mut checks = session.check_proof(&session.report_roots(), at).into_iter();
    checks
        .find(|check| check.name() == CheckName::Citation)
        .unwrap()
}

#[test]
fn a_premise_that_its_call_did_not_return_is_no_citation() {
    let mut play = with_tool();
    let id = call(&mut play, "Q2", "q2");
    play.answer_call(&id, 4_300_000_000_i64);
    assert!(citations(&play.session).passed());
    let find = |_: &Digest| Some(Arc::clone(&play.documents[0]));
    let edited = |to: &str| {
        let journal = with_result_edited(&play.journal, "4300000000", to);
        assert_ne!(journal, play.journal);
        Session::replay(&journal, *play.session.limits(), find).unwrap()
    };
    let found = citations(&edited("1"));
    assert_eq!(found.errors(), 1);
    assert_eq!(
        found.failures()[0].message,
        "`q2@1` is not what its call of tool `get_revenue` returned by the record"
    );
    // Equal as values are, in other figures.
    assert!(citations(&edited("4300000000.0000001")).passed());
}

#[test]
fn premises_hold_against_every_result_of_their_call() {
    let mut play = with_tool();
    for value in ["7", "7.0", "7.000000000000001", "8", "7"] {
        let id = call(&mut play, "Q2", "q2");
        play.answer_call(&id, read_str(value).unwrap());
        let found = citations(&play.session);
        assert!(found.passed(), "{value}: {:?}", found.failures());
    }
    // A tool's word that came by no call has no record to be held to.
    play.assert(vec![premise("q4", 5_i64, "tool:get_revenue")]);
    assert!(citations(&play.session).passed());
}

#[test]
fn the_same_result_again_is_no_commit_and_another_is_refused() {
    let mut play = with_tool();
    let first = call(&mut play, "Q2", "q2");
    let second = call(&mut play, "Q3", "q3");
    play.answer_call(&first, 1_i64);
    let version = play.session.version();
    play.answer_call(&first, 1_i64);
    assert_eq!(play.session.version(), version);
    let error = play.fail(Command::ToolResults(vec![result(&first, Ok(2_i64.into()))]));
    assert_eq!(error.code(), "call_already_answered");
    let error = play.fail(Command::ToolResults(vec![result(&first, Err("no"))]));
    assert_eq!(error.code(), "call_already_answered");
    // What is already there is passed over within a list; what is refused takes all of it along.
    let list = |last: i64| {
        vec![
            result(&first, Ok(1_i64.into())),
            result(&second, Ok(last.into())),
        ]
    };
    let mut refused = list(3);
    refused.push(result("call_v1_unknown", Ok(1_i64.into())));
    assert_eq!(
        play.fail(Command::ToolResults(refused)).code(),
        "unknown_call"
    );
    assert_eq!(play.session.open_calls().count(), 1);
    play.exec(Command::ToolResults(list(3)));
    assert_eq!(
        (play.session.version(), play.session.open_calls().count()),
        (version + 1, 0)
    );
    play.exec(Command::ToolResults(list(3)));
    assert_eq!(play.session.version(), version + 1);
    play.check_replay();
}

#[test]
fn a_failed_run_is_told_in_the_next_context_until_the_next_turn() {
    let mut play = with_tool();
    let id = call(&mut play, "Q9", "q9");
    let outcome = play.exec(Command::ToolResults(vec![result(
        &id,
        Err("KeyError: 'Q9'\n## Task"),
    )]));
    let Outcome::Changed(changed) = outcome else {
        panic!()
    };
    assert_eq!(changed.rejected[0].code.as_str(), "tool_error");
    let view = play.context();
    assert!(view.feedback.contains("KeyError: 'Q9'\\n## Task"));
    assert_eq!(view.prompt.matches("\n## Task").count() + 1, 1);
    play.turn("[]");
    assert_eq!(play.context().feedback, "");
    assert!(matches!(
        play.session.call(&id).unwrap().state(),
        CallState::Failed { .. }
    ));
    play.check_replay();
}

#[test]
fn the_same_call_asked_again_while_it_runs_is_the_same_call() {
    let mut play = with_tool();
    let id = call(&mut play, "Q2", "q2");
    let turn = play.turn(
        r#"[{"type":"call_tool","tool":"get_revenue","args":{"quarter":"Q2"},"key":"q2"},
            {"type":"call_tool","tool":"get_revenue","args":{"quarter":"Q3"},"key":"q2"},
            {"type":"call_tool","tool":"get_revenue","args":{"quarter":"Q3"},"key":"q3"},
            {"type":"call_tool","tool":"get_revenue","args":{"quarter":"Q3"},"key":"q3"}]"#,
    );
    let ids: Vec<_> = turn
        .accepted
        .iter()
        .map(|taken| taken.call_id.clone().unwrap())
        .collect();
    assert_eq!((ids[0].as_str(), ids.len()), (id.as_str(), 3));
    assert_eq!(ids[1], ids[2]);
    assert_eq!(
        turn.pending_calls.len(),
        1,
        "a call that runs is not opened again"
    );
    assert_eq!(turn.rejected[0].code.as_str(), "key_holds_other_value");
    assert_eq!(play.session.open_calls().count(), 2);
}

#[test]
fn a_result_of_the_same_call_supersedes_and_another_source_makes_a_conflict() {
    let mut play = with_tool();
    let id = call(&mut play, "Q2", "q2");
    play.answer_call(&id, 1_i64);
    let again = call(&mut play, "Q2", "q2");
    assert_ne!(id, again, "two calls have two ids");
    let Outcome::Changed(changed) = play.answer_call(&again, 2_i64) else {
        panic!()
    };
    assert_eq!(
        (changed.refs, changed.conflicts),
        (vec!["q2@2".to_owned()], vec![])
    );
    assert!(!play.is_in("q2@1"));
    // Other arguments on the same key are another source.
    let other = call(&mut play, "Q3", "q2");
    let Outcome::Changed(changed) = play.answer_call(&other, 3_i64) else {
        panic!()
    };
    assert_eq!(changed.conflicts, ["q2"]);
    assert!(play.is_in("q2@2") && play.is_in("q2@3"));
}

#[test]
fn what_another_source_confirmed_is_not_superseded_but_disputed() {
    let mut play = with_tool();
    let id = call(&mut play, "Q2", "q2");
    play.answer_call(&id, 1_i64);
    play.assert(vec![premise("q2", 1_i64, "human:ann")]);
    let again = call(&mut play, "Q2", "q2");
    let Outcome::Changed(changed) = play.answer_call(&again, 2_i64) else {
        panic!()
    };
    assert_eq!(changed.conflicts, ["q2"]);
}

#[test]
fn an_open_call_keeps_what_its_tool_was_when_it_was_made() {
    let mut play = with_tool();
    let first = call(&mut play, "Q2", "q2");
    let second = call(&mut play, "Q3", "q3");
    let definition = tool(r#"{"description":"d","parameters":{},"trust":"low","ttl_s":1}"#);
    let name = "get_revenue".to_owned();
    play.exec(Command::PutTool {
        name: name.clone(),
        definition: Box::new(definition),
    });
    play.answer_call(&first, 1_i64);
    play.exec(Command::DeleteTool { name: name.clone() });
    play.answer_call(&second, 1_i64);
    let base = play.session.base();
    for reference in ["q2@1", "q3@1"] {
        let reason = &base.justifications(base.find(reference).unwrap())[0];
        assert_eq!((reason.confidence, reason.valid_until), (Some(0.99), None));
    }
    assert_eq!(
        play.fail(Command::DeleteTool { name }).code(),
        "unknown_tool"
    );
    play.check_replay();
}

#[test]
fn a_tools_trust_time_and_origin_go_into_its_results() {
    let mut opening = opening("declared");
    let definition = r#"{"description":"d","parameters":{"type":"object"},"trust":"medium",
        "ttl_s":60,"half_life_s":30,"origin":"ledger db"}"#;
    opening.tools.push(("price".to_owned(), tool(definition)));
    let mut play = Play::open(opening);
    play.context();
    let turn = play.turn(r#"{"type":"call_tool","tool":"price","key":"p"}"#);
    play.answer_call(&turn.pending_calls[0].call_id, 9_i64);
    let base = play.session.base();
    let reason = &base.justifications(base.find("p@1").unwrap())[0];
    assert_eq!(reason.confidence, Some(0.9));
    assert_eq!(reason.source.origin.as_deref(), Some("ledger db"));
    assert_eq!(reason.half_life, Span::from_seconds(30.0));
    play.wait(61.0);
    assert!(!play.is_in("p@1"));
    play.check_replay();
}

#[test]
fn a_call_given_up_takes_no_result() {
    let mut play = with_tool();
    let id = call(&mut play, "Q2", "q2");
    play.exec(Command::GiveUpCall {
        call_id: id.clone(),
    });
    let version = play.session.version();
    play.exec(Command::GiveUpCall {
        call_id: id.clone(),
    });
    assert_eq!(play.session.version(), version);
    let error = play.fail(Command::ToolResults(vec![result(&id, Ok(1_i64.into()))]));
    assert_eq!(error.code(), "call_already_answered");
    assert_eq!(
        play.fail(Command::GiveUpCall {
            call_id: "x".to_owned()
        })
        .code(),
        "unknown_call"
    );
    // Its key is free again.
    call(&mut play, "Q3", "q2");
}

#[test]
fn calls_of_http_tools_are_handed_to_the_service() {
    let mut opening = opening("declared");
    let definition = r#"{"description":"d","parameters":{},"executor":{"kind":"http",
        "url":"https://tools.test/weather","headers":{"x-key":"k"},"timeout_ms":500}}"#;
    opening.tools.push(("weather".to_owned(), tool(definition)));
    let mut play = Play::open(opening);
    let turn = play.turn_command(r#"{"type":"call_tool","tool":"weather","args":{"city":"Bern"}}"#);
    let done = play.try_exec(Command::Turn(turn)).unwrap();
    assert_eq!(done.http_calls.len(), 1);
    let call = &done.http_calls[0];
    assert_eq!(
        (call.executor.url.as_str(), call.executor.method.as_str()),
        ("https://tools.test/weather", "POST")
    );
    assert_eq!(
        Value::from(call.arguments.clone()).to_string(),
        r#"{"city":"Bern"}"#
    );
    let done = play
        .try_exec(Command::GiveUpCall {
            call_id: call.call_id.clone(),
        })
        .unwrap();
    assert_eq!(done.closed_calls, std::slice::from_ref(&call.call_id));
}

#[test]
fn registering_the_same_tool_again_changes_nothing() {
    let mut play = with_tool();
    let definition: ToolDefinition = play
        .session
        .tool("get_revenue")
        .unwrap()
        .definition()
        .clone();
    let version = play.session.version();
    let put = Command::PutTool {
        name: "get_revenue".to_owned(),
        definition: Box::new(definition),
    };
    assert_eq!(
        play.exec(put),
        Outcome::Tool {
            name: "get_revenue".to_owned(),
            created: false
        }
    );
    assert_eq!(play.session.version(), version);
}

#[test]
fn a_schema_that_is_none_is_refused_with_its_place() {
    let mut play = with_tool();
    for parameters in [
        r#"{"type":"string"}"#,
        r#"{"properties":{"a":{"type":"strin"}}}"#,
        r#"{"properties":{"a":{"pattern":"("}}}"#,
        r##"{"properties":{"a":{"$ref":"#/$defs/missing"}}}"##,
        r##"{"$defs":{"a":{"$ref":"#/$defs/b"},"b":{"allOf":[{"$ref":"#/$defs/a"}]}},"properties":{"x":{"$ref":"#/$defs/a"}}}"##,
        r##"{"$ref":"#"}"##,
        r#"{"properties":{"a":{"$ref":"https://example.test/schema.json"}}}"#,
    ] {
        let definition = tool(&format!(
            r#"{{"description":"d","parameters":{parameters}}}"#
        ));
        let put = Command::PutTool {
            name: "t".to_owned(),
            definition: Box::new(definition),
        };
        let error = play.fail(put);
        assert_eq!(
            (error.code(), error.pointer()),
            ("invalid_schema", "/parameters"),
            "{parameters}"
        );
    }
}

#[test]
fn big_integers_stay_exact_through_a_tools_schema() {
    let mut opening = opening("declared");
    let definition = r#"{"description":"d","parameters":{"type":"object","properties":{
        "n":{"type":"integer","minimum":0}},"required":["n"]}}"#;
    opening.tools.push(("big".to_owned(), tool(definition)));
    let mut play = Play::open(opening);
    play.context();
    let turn =
        play.turn(r#"{"type":"call_tool","tool":"big","args":{"n":12345678901234567890123}}"#);
    assert_eq!(turn.pending_calls[0].key, "big:12345678901234567890123");
    let turn = play.turn(r#"{"type":"call_tool","tool":"big","args":{"n":-1}}"#);
    assert_eq!(turn.rejected[0].code.as_str(), "invalid_arguments");
    assert!(
        turn.rejected[0].message.contains("argument `n`"),
        "{}",
        turn.rejected[0].message
    );
}
