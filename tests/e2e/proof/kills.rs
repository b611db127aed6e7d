//! The service killed (SIGKILL) at random points under load, or asked to stop (SIGTERM).

use std::thread;

use entail_tests::{Client, Database, Random, Service, Start};

use crate::{
    audit::audit,
    calls::calls_are_made,
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

/// How a replica ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// By SIGKILL, whatever it does.
    Killed,
    /// By SIGTERM: it finishes what it does.
    Asked,
}

#[test]
fn a_killed_service_on_sqlite_loses_nothing_acknowledged_and_applies_nothing_twice() {
    strike(&Database::sqlite(), 1, End::Killed, "kills on sqlite");
}

#[test]
fn replicas_killed_on_postgres_lose_nothing_acknowledged_and_apply_nothing_twice() {
    strike(&Database::postgres(), 2, End::Killed, "kills on postgres");
}

#[test]
fn replicas_replaced_one_after_the_other_under_load_end_in_order_and_lose_nothing() {
    strike(&Database::postgres(), 2, End::Asked, "replacements");
}

fn strike(database: &Database, replicas: usize, end: End, name: &str) {
    let blows = match end {
        End::Killed => scale::kills(),
        End::Asked => scale::replacements(),
    };
    let start = Start::on(&database.url()).arg("--allow-tool-addresses=127.0.0.1");
    let mut services: Vec<Option<Service>> = (0..replicas).map(|_| Some(start.start())).collect();
    let clients: Vec<Client> = services.iter().flatten().map(Service::client).collect();
    let door = Door::new(&clients);
    let tool = Tool::start();
    let mut load = Load::new(&door);
    load.tool_url = Some(tool.url());
    if end == End::Asked {
        // One that is asked to stop waits for the calls it makes.
        tool.hold_no_more();
    }
    let mut random = Random::new(Random::seed(name));
    let log: Vec<Sent> = thread::scope(|scope| {
        let writers: Vec<_> = (0..scale::LOAD)
            .map(|who| {
                let (load, random) = (&load, random.split(who));
                scope.spawn(move || load.write(who, random))
            })
            .collect();
        let closing = Closing(&door);
        for blow in 0..blows {
            let between = scale::REQUESTS_BETWEEN + random.below(scale::REQUESTS_BETWEEN);
            door.wait_for_requests(between);
            for _ in 0..random.below(HESITATION) {
                std::hint::spin_loop();
            }
            let all = end == End::Killed && random.percent(ALL_AT_ONCE);
            let only = match end {
                End::Killed => random.below(replicas),
                End::Asked => blow % replicas,
            };
            for (place, service) in services.iter_mut().enumerate() {
                if all || place == only {
                    bring_to(end, service.take());
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
    eprintln!("{name}: {blows}, {figures:?}, calls of the http tool: {calls}, made again: {again}");
}

fn bring_to(end: End, service: Option<Service>) {
    match (end, service) {
        (_, None) => {}
        (End::Killed, Some(service)) => service.kill(),
        (End::Asked, Some(service)) => {
            let (status, log) = service.terminate();
            assert!(status.success(), "{log}");
            assert!(!log.contains("requests unfinished"), "{log}");
        }
    }
}
