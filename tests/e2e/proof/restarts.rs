//! The database restarted at once (immediate mode, as a crash) under load.

use std::thread;

use entail_test_postgres::{Database, Durability, Server};
use entail_tests::{Client, Random, Service, Start, wait};

use crate::{
    audit::audit,
    calls::calls_are_made,
    door::{Closing, Door},
    load::Load,
    log::{Seen, Sent},
    scale,
    served::{agrees, replays},
    tool::Tool,
};

#[test]
fn replicas_whose_database_crashes_lose_nothing_and_recover_by_themselves() {
    let mut server = Server::start(Durability::Full).unwrap();
    let database = Database::create_in(server.url()).unwrap();
    let start = Start::on(database.url()).arg("--allow-tool-addresses=127.0.0.1");
    let replicas = [start.start(), start.start()];
    let clients: Vec<_> = replicas.iter().map(Service::client).collect();
    let door = Door::new(&clients);
    let tool = Tool::start();
    let mut load = Load::new(&door);
    load.tool_url = Some(tool.url());
    let mut random = Random::new(Random::seed("restarts of postgres"));
    let log: Vec<Sent> = thread::scope(|scope| {
        let writers: Vec<_> = (0..scale::LOAD)
            .map(|who| {
                let (load, random) = (&load, random.split(who));
                scope.spawn(move || load.write(who, random))
            })
            .collect();
        let closing = Closing(&door);
        for restart in 0..scale::restarts() {
            let between = scale::REQUESTS_BETWEEN + random.below(scale::REQUESTS_BETWEEN);
            door.wait_for_requests(between);
            server.crash().unwrap();
            // Every other time it is back before anybody asks.
            if restart % 2 == 0 {
                for client in &clients {
                    wait::until("/readyz is red", || readiness(client) == 503);
                    assert_eq!(client.get("/livez").status, 200);
                }
            }
            server.restart().unwrap();
            for client in &clients {
                wait::until("/readyz is green", || readiness(client) == 200);
            }
            tool.blow();
        }
        door.wait_for_requests(scale::REQUESTS_BETWEEN);
        drop(closing);
        writers
            .into_iter()
            .flat_map(|writer| writer.join().unwrap())
            .collect()
    });
    tool.hold_no_more();

    for sent in &log {
        let broken = |seen: &Seen| matches!(seen, Seen::Broken(_));
        assert!(!sent.seen.iter().any(broken), "{sent:?}");
    }
    let (calls, again) = calls_are_made(&clients[0], &tool, &log);
    let (found, figures) = audit(&clients[0], &log);
    for session in &found {
        let all: Vec<&Client> = clients.iter().collect();
        agrees(&all, session);
    }
    for session in found.iter().take(scale::replayed_bundles()) {
        replays(&clients[0], session);
    }
    eprintln!(
        "restarts of postgres: {}, {figures:?}, calls of the http tool: {calls}, made again: {again}",
        scale::restarts()
    );
}

/// The status of `/readyz`, where a refusal is a clean one.
fn readiness(client: &Client) -> u16 {
    let answer = client.get("/readyz");
    if answer.status != 200 {
        let code = answer.code();
        assert!(
            matches!(code.as_str(), "store_unavailable" | "not_ready"),
            "{code}"
        );
        assert!(answer.header("retry-after").is_some(), "{}", answer.text());
    }
    answer.status
}
