//! Two processes on one Postgres: every acknowledged turn is in the journal once, the chain
//! holds, and both serve the same state.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{collections::BTreeSet, thread};

use entail_json::Value;
use entail_tests::{Client, Database, Start};

const WRITERS: usize = 4;
const TURNS: usize = 15;

fn journal(client: &Client, session: &str) -> Vec<Value> {
    let text = client.get(&format!("{session}/journal")).text().to_owned();
    text.lines()
        .map(|line| entail_json::read_str(line).unwrap())
        .collect()
}

fn member(value: &Value, name: &str) -> String {
    value.get(name).cloned().unwrap_or_default().to_string()
}

#[test]
fn turns_posted_through_two_replicas_at_once_are_all_there_once_and_chained() {
    let database = Database::postgres();
    let start = Start::on(&database.url());
    let replicas = [start.start(), start.start()];
    let clients: Vec<_> = replicas.iter().map(entail_tests::Service::client).collect();
    let body = Value::from([
        ("task", "t".into()),
        ("policy", Value::from([("dependencies", "declared".into())])),
    ]);
    let opened = clients[0].post("/sessions", &body);
    assert_eq!(opened.status, 201, "{}", opened.text());
    let session = opened.header("location").unwrap().to_owned();
    let writers: Vec<_> = (0..WRITERS)
        .map(|writer| {
            let client = clients[writer % 2].clone();
            let session = session.clone();
            thread::spawn(move || write(&client, &session, writer))
        })
        .collect();
    let acknowledged: BTreeSet<u64> = writers
        .into_iter()
        .flat_map(|writer| writer.join().unwrap())
        .collect();
    assert_eq!(
        acknowledged.len(),
        WRITERS * TURNS,
        "a version was acknowledged twice"
    );

    let entries = journal(&clients[0], &session);
    assert_eq!(entries.len(), 1 + WRITERS * TURNS);
    let mut head = "0".repeat(64);
    for (index, entry) in entries.iter().enumerate() {
        assert_eq!(
            entry.get("seq").and_then(Value::as_u64),
            Some(index as u64 + 1)
        );
        assert_eq!(member(entry, "prev_hash"), format!("\"{head}\""));
        head = member(entry, "hash").trim_matches('"').to_owned();
        if index > 0 {
            assert!(acknowledged.contains(&(index as u64 + 1)));
        }
    }
    let version = entries.len();
    let states: Vec<_> = clients
        .iter()
        .map(|client| {
            let beliefs = client
                .get(&format!(
                    "{session}/beliefs?limit=1000&min_version={version}"
                ))
                .ok();
            let trace = client.get(&format!("{session}/trace?min_version={version}"));
            (member(&beliefs, "items"), trace.text().to_owned())
        })
        .collect();
    assert_eq!(states[0], states[1]);
    let believed = clients[1]
        .get(&format!("{session}?min_version={version}"))
        .ok();
    assert_eq!(member(&believed, "chain_head"), format!("\"{head}\""));
    let count = believed
        .get("counts")
        .and_then(|counts| counts.get("believed"));
    assert_eq!(
        count.and_then(Value::as_u64),
        Some((WRITERS * TURNS) as u64)
    );
}

/// Posts turns one after the other; the versions that were acknowledged.
fn write(client: &Client, session: &str, writer: usize) -> Vec<u64> {
    (0..TURNS)
        .map(|turn| {
            let action = Value::from([
                ("type", "claim".into()),
                ("key", format!("w{writer}:t{turn}").into()),
                ("value", Value::from(turn)),
            ]);
            let response = Value::from([("actions", Value::Array(vec![action]))]);
            let body = Value::from([("response", response)]);
            let answer = client.post(&format!("{session}/turns"), &body).ok();
            assert_eq!(
                answer.get("verdict").and_then(Value::as_str),
                Some("accepted"),
                "{answer}"
            );
            answer.get("version").and_then(Value::as_u64).unwrap()
        })
        .collect()
}
