//! What was acknowledged is there after a kill: the same beliefs, the same trace, byte for byte.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test reports a failure by a panic, its helpers too"
)]

use entail_json::Value;
use entail_tests::{Client, Database, Start};

fn open(client: &Client) -> String {
    let body = r#"{"task": "How did revenue develop?", "policy": {"dependencies": "declared"},
        "documents": [{"name": "10-Q", "text": "Revenue for Q2 was $4.3 billion."}],
        "tools": {"get_revenue": {"description": "d", "parameters": {"type": "object",
            "properties": {"quarter": {"type": "string"}}}}}}"#;
    let opened = client.call(
        "POST",
        "/sessions",
        Some(("application/json", body.as_bytes())),
    );
    assert_eq!(opened.status, 201, "{}", opened.text());
    opened.header("location").unwrap().to_owned()
}

fn post(client: &Client, path: &str, body: &str) -> Value {
    client
        .call("POST", path, Some(("application/json", body.as_bytes())))
        .ok()
}

/// Everything that has to be the same: beliefs without their time, trace, version, chain.
fn everything(client: &Client, session: &str) -> Vec<String> {
    let beliefs = client.get(&format!("{session}/beliefs?limit=1000")).ok();
    let about = client.get(session).ok();
    let member =
        |value: &Value, name: &str| value.get(name).cloned().unwrap_or_default().to_string();
    vec![
        member(&beliefs, "items"),
        member(&about, "version"),
        member(&about, "chain_head"),
        member(&about, "counts"),
        client.get(&format!("{session}/trace")).text().to_owned(),
        client
            .get(&format!("{session}/documents/10-Q"))
            .text()
            .to_owned(),
    ]
}

#[test]
fn a_service_killed_between_turns_shows_the_same_beliefs_and_the_same_trace_bytes() {
    const TURNS: [&str; 5] = [
        r#"{"response": {"actions": [{"type": "cite", "document": "10-Q", "key": "revenue:Q2",
            "value": 4300000000, "quote": "revenue for Q2 was $4.3 billion"},
            {"type": "call_tool", "tool": "get_revenue", "args": {"quarter": "Q3"}, "key": "revenue:Q3"}]}}"#,
        r#"{"response": "nothing that can be read"}"#,
        r#"{"response": {"actions": [{"type": "claim", "key": "growth",
            "formula": "({revenue:Q3} - {revenue:Q2}) / {revenue:Q2} * 100"}]}}"#,
        r#"{"response": {"actions": [{"type": "claim", "key": "growth:wrong", "value": 1,
            "formula": "{growth}"}, {"type": "claim", "key": "big",
            "value": 123456789012345678901234567890, "follows_from": ["growth"]}]}}"#,
        r#"{"response": {"actions": [{"type": "answer", "text": "It grew 4.65%.", "follows_from": ["growth"]}]}}"#,
    ];
    for (engine, database) in Database::each() {
        let start = Start::on(&database.url());
        let mut service = start.start();
        let session = open(&service.client());
        for (number, turn) in TURNS.into_iter().enumerate() {
            let taken = post(&service.client(), &format!("{session}/turns"), turn);
            if number == 0 {
                let calls = taken
                    .get("pending_calls")
                    .and_then(Value::as_array)
                    .unwrap();
                let id = calls[0].get("call_id").unwrap();
                let result = format!(r#"[{{"call_id": {id}, "value": 4500000000}}]"#);
                post(
                    &service.client(),
                    &format!("{session}/tool-results"),
                    &result,
                );
            }
            let before = everything(&service.client(), &session);
            service.kill();
            service = start.start();
            let after = everything(&service.client(), &session);
            assert_eq!(before, after, "{engine}, after turn {number}");
        }
        let answer = service
            .client()
            .get(&format!("{session}/beliefs/answer@1"))
            .ok();
        assert_eq!(
            answer.get("status").and_then(Value::as_str),
            Some("IN"),
            "{engine}"
        );
        let retraction = r#"{"target": "revenue:Q2"}"#;
        post(
            &service.client(),
            &format!("{session}/retractions"),
            retraction,
        );
        service.kill();
        let service = start.start();
        let answer = service
            .client()
            .get(&format!("{session}/beliefs/answer@1"))
            .ok();
        assert_eq!(
            answer.get("status").and_then(Value::as_str),
            Some("OUT"),
            "{engine}"
        );
    }
}
