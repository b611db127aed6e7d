//! The service killed (SIGKILL) at random points under load.

use std::{
    collections::{BTreeMap, BTreeSet},
    thread,
};

use entail_json::Value;
use entail_tests::{Client, Database, Random, Service, Start, journal, wait};

use crate::{
    audit::{audit, pages, sessions},
    door::{Closing, Door},
    load::Load,
    log::Sent,
    scale,
    served::{agrees, replays},
    tool::Tool,
};

/// How long a kill waits at most once enough requests were sent, in turns of a loop: so it falls
/// anywhere in the work on one.
const HESITATION: usize = 500_000;

/// How often all replicas are killed at once, of a hundred.
const ALL_AT_ONCE: usize = 25;

#[test]
fn a_killed_service_on_sqlite_loses_nothing_acknowledged_and_applies_nothing_twice() {
    kill(&Database::sqlite(), 1, "kills on sqlite");
}

#[test]
fn replicas_killed_on_postgres_lose_nothing_acknowledged_and_apply_nothing_twice() {
    kill(&Database::postgres(), 2, "kills on postgres");
}

fn kill(database: &Database, replicas: usize, name: &str) {
    let start = Start::on(&database.url()).arg("--allow-tool-addresses=127.0.0.1");
    let mut services: Vec<Option<Service>> = (0..replicas).map(|_| Some(start.start())).collect();
    let clients: Vec<Client> = services.iter().flatten().map(Service::client).collect();
    let door = Door::new(&clients);
    let tool = Tool::start();
    let mut load = Load::new(&door);
    load.tool_url = Some(tool.url());
    let mut random = Random::new(Random::seed(name));
    let log: Vec<Sent> = thread::scope(|scope| {
        let writers: Vec<_> = (0..scale::LOAD)
            .map(|who| {
                let (load, random) = (&load, random.split(who));
                scope.spawn(move || load.write(who, random))
            })
            .collect();
        let closing = Closing(&door);
        for _ in 0..scale::kills() {
            let between = scale::REQUESTS_BETWEEN + random.below(scale::REQUESTS_BETWEEN);
            door.wait_for_requests(between);
            for _ in 0..random.below(HESITATION) {
                std::hint::spin_loop();
            }
            let all = random.percent(ALL_AT_ONCE);
            let only = random.below(replicas);
            for (place, service) in services.iter_mut().enumerate() {
                if all || place == only {
                    let _ = service.take().map(Service::kill);
                }
            }
            tool.blow();
            for (place, service) in services.iter_mut().enumerate() {
                if service.is_none() {
                    let started = start.start();
                    door.take(place, &started.client());
                    *service = Some(started);
                }
            }
        }
        door.wait_for_requests(scale::REQUESTS_BETWEEN);
        drop(closing);
        writers
            .into_iter()
            .flat_map(|writer| writer.join().unwrap())
            .collect()
    });
    tool.hold_no_more();

    let clients: Vec<Client> = services.iter().flatten().map(Service::client).collect();
    let (calls, again) = calls_are_made(&clients[0], &tool, &log);
    let (found, figures) = audit(&clients[0], &log);
    let fresh = start.start();
    let fresh = fresh.client();
    for session in &found {
        let mut all: Vec<&Client> = clients.iter().collect();
        all.push(&fresh);
        agrees(&all, session);
    }
    for session in found.iter().take(scale::replayed_bundles()) {
        replays(&clients[0], session);
    }
    eprintln!(
        "{name}: {} kills, {figures:?}, calls of the http tool: {calls}, made again: {again}",
        scale::kills()
    );
}

/// Waits until no call is pending, and checks that every accepted one was made, no attempt twice,
/// and that its result was committed once; how many calls there were, and how many of them were
/// attempted more than once.
fn calls_are_made(client: &Client, tool: &Tool, log: &[Sent]) -> (usize, usize) {
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
