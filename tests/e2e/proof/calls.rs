//! The calls of the http tool: the clients' logs and the tool's own against the journals.

use std::collections::{BTreeMap, BTreeSet};

use entail_json::Value;
use entail_tests::{Client, journal, wait};

use crate::{
    audit::{pages, sessions},
    log::Sent,
    tool::Tool,
};

/// Waits until no call is pending, and checks that every accepted one was made, no attempt twice,
/// and that its result was committed once; how many calls there were, and how many of them were
/// attempted more than once.
pub(crate) fn calls_are_made(client: &Client, tool: &Tool, log: &[Sent]) -> (usize, usize) {
    let sessions = sessions(client);
    for session in &sessions {
        wait::until(&format!("{session} has no pending call"), || {
            let pending = client.get(&format!("{session}/calls?state=pending")).ok();
            pending.get("items").and_then(Value::as_array) == Some(&[])
        });
    }
    let text = |value: &Value, name: &str| {
        let member = value.get(name).and_then(Value::as_str);
        member.unwrap_or_else(|| panic!("{value}")).to_owned()
    };
    let mut accepted: BTreeSet<String> = log
        .iter()
        .filter(|sent| sent.kind == "turn" && sent.is_done())
        .flat_map(|sent| {
            let turn = sent.answer().json();
            let pending = turn.get("pending_calls").and_then(Value::as_array);
            let pending = pending.expect("a turn lists them");
            pending
                .iter()
                .map(|call| text(call, "call_id"))
                .collect::<Vec<_>>()
        })
        .collect();
    let attempts = tool.attempts();
    for session in &sessions {
        let mut results: BTreeMap<String, usize> = BTreeMap::new();
        for line in journal(client, session) {
            if line.kind == "tool_results" {
                for result in line
                    .payload
                    .get("results")
                    .and_then(Value::as_array)
                    .unwrap()
                {
                    *results.entry(text(result, "call_id")).or_default() += 1;
                }
            }
        }
        for call in pages(client, &format!("{session}/calls"), "") {
            let id = text(&call, "call_id");
            assert_eq!(text(&call, "state"), "returned", "{session}: {call}");
            assert_eq!(results.remove(&id), Some(1), "{session}: {call}");
            assert!(accepted.remove(&id), "nobody was told of {call}");
            let belief = client.get(&format!("{session}/beliefs/{}@1", text(&call, "key")));
            let args = call.get("args").and_then(|args| args.get("q"));
            assert_eq!(belief.ok().get("value"), args, "{session}: {call}");
            let made: BTreeSet<_> = attempts[&id].iter().collect();
            assert_eq!(made.len(), attempts[&id].len(), "twice under one number");
        }
        assert!(results.is_empty(), "{session}: no such calls: {results:?}");
    }
    assert!(accepted.is_empty(), "forgotten: {accepted:?}");
    let again = attempts.values().filter(|made| made.len() > 1).count();
    (attempts.len(), again)
}
