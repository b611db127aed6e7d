//! Two replicas on one Postgres, written to by many at once.

use std::{sync::Barrier, thread};

use entail_json::Value;
use entail_tests::{Client, Database, Random, Service, Start, wait};

use crate::{
    audit::{Found, audit},
    door::Door,
    log::{Request, Sent, Writer},
    says, scale,
    served::{agrees, beliefs, is_sound, replays},
};

/// Sessions that half of the turns go to, so that races are lost as well.
const HOT: usize = 8;

/// Rounds of a race in one session.
const ROUNDS: usize = 10;

#[test]
fn what_two_replicas_acknowledge_is_in_one_chain_once_and_gives_the_state_they_serve() {
    let database = Database::postgres();
    let start = Start::on(&database.url());
    let replicas = [start.start(), start.start()];
    let clients: Vec<_> = replicas.iter().map(Service::client).collect();
    let door = Door::new(&clients);
    let random = Random::new(Random::seed("two replicas"));
    let mut log = open(&door);
    let sessions: Vec<String> = log.iter().map(|sent| sent.located().to_owned()).collect();
    let writing = Barrier::new(scale::WRITERS + 1);
    thread::scope(|scope| {
        let (door, sessions, writing) = (&door, &sessions[..], &writing);
        let writers: Vec<_> = (0..scale::WRITERS)
            .map(|who| {
                let random = random.split(who);
                scope.spawn(move || {
                    writing.wait();
                    claim(door, sessions, who, random)
                })
            })
            .collect();
        let random = random.split(scale::WRITERS);
        let third = scope.spawn(move || {
            writing.wait();
            retract(door, sessions, random)
        });
        for writer in writers {
            log.extend(writer.join().unwrap());
        }
        door.close();
        log.extend(third.join().unwrap());
    });

    let (found, figures) = audit(&clients[0], &log);
    assert_eq!(found.len(), scale::SESSIONS);
    learned_once(&clients, &log);
    // One that starts now has nothing but what the store holds.
    let fresh = start.start();
    let fresh_client = fresh.client();
    for session in &found {
        agrees(&[&clients[0], &clients[1], &fresh_client], session);
    }
    for session in found.iter().take(scale::replayed_bundles()) {
        replays(&clients[1], session);
    }
    let conflicts: Vec<u64> = clients.iter().map(conflicts).collect();
    eprintln!("{figures:?}, races lost and applied again: {conflicts:?}");
    assert!(
        conflicts.iter().sum::<u64>() > 0,
        "the replicas never raced for a session"
    );
    // A connection tells its counts at the latest when it ends.
    for replica in replicas.into_iter().chain([fresh]) {
        let (status, log) = replica.terminate();
        assert!(status.success(), "{log}");
    }
    assert_eq!(deadlocks(&database), "0");
}

/// A session each that has a premise, opened through both replicas.
fn open(door: &Door) -> Vec<Sent> {
    let mut writer = Writer::new(door, scale::WRITERS + 1);
    for number in 0..scale::SESSIONS {
        let opening = says::opening(&writer.mark(), None);
        writer.done(number % 2, Request::OPEN, &opening);
    }
    writer.log
}

/// Claims on the sessions' premise, through both replicas.
fn claim(door: &Door, sessions: &[String], who: usize, mut random: Random) -> Vec<Sent> {
    let mut writer = Writer::new(door, who);
    for turn in 0..scale::turns_of_a_writer() {
        // Every session is written to by somebody.
        let own = who + turn * scale::WRITERS;
        let session = match random.percent(50) {
            true => &sessions[random.below(HOT)],
            false => &sessions[own % sessions.len()],
        };
        let mark = writer.mark();
        let request = Request::to(session, "turn", "turns");
        let body = says::claim(&mark, &mark, "p0");
        let turn = writer.done(random.below(2), request, &body);
        let verdict = turn.get("verdict").and_then(Value::as_str);
        // The third party may have taken the premise back.
        assert!(
            matches!(verdict, Some("accepted" | "needs_repair")),
            "{turn}"
        );
    }
    writer.log
}

/// Takes the premise back and asserts it again, here and there, as long as others write.
fn retract(door: &Door, sessions: &[String], mut random: Random) -> Vec<Sent> {
    let mut writer = Writer::new(door, scale::WRITERS);
    while !door.is_over() {
        let session = match random.percent(50) {
            true => &sessions[random.below(HOT)],
            false => random.of(sessions),
        };
        let retraction = Request::to(session, "retract", "retractions");
        let body = match random.percent(50) {
            true => says::retraction("p0", &writer.mark()),
            false => says::correction("p0", &writer.mark()),
        };
        writer.done(random.below(2), retraction, &body);
        let assertion = Request::to(session, "premises", "premises");
        let body = says::premise("p0", &writer.mark());
        writer.done(random.below(2), assertion, &body);
    }
    writer.log
}

/// Both replicas take what sessions teach into the tenant's ledger: each lesson once.
fn learned_once(clients: &[Client], log: &[Sent]) {
    let taught = log
        .iter()
        .filter(|sent| sent.body.contains("\"fault\""))
        .count() as u64;
    assert!(taught > 0, "the third party corrected nothing");
    let wrong = |client: &Client| {
        let told = client.get("/sources/human%3Ah");
        let number = |name: &str| told.json().get(name).and_then(Value::as_u64);
        number("total")
            .zip(number("correct"))
            .map_or(0, |(all, right)| all - right)
    };
    wait::until("the ledger knows all lessons", || {
        wrong(&clients[0]) >= taught
    });
    for client in clients {
        assert_eq!(wrong(client), taught);
    }
}

/// How many races a replica lost, and applied its commit again.
fn conflicts(client: &Client) -> u64 {
    let metrics = client.get("/metrics");
    metrics
        .text()
        .lines()
        .filter(|line| line.starts_with("entail_commit_conflicts_total"))
        .filter_map(|line| line.rsplit(' ').next()?.parse::<u64>().ok())
        .sum()
}

fn deadlocks(database: &Database) -> String {
    let Database::Postgres(database) = database else {
        panic!("only postgres counts them");
    };
    database
        .query("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()")
        .unwrap()
}

#[test]
fn a_claim_that_races_the_retraction_of_its_premise_is_never_in_without_it() {
    let database = Database::postgres();
    let start = Start::on(&database.url());
    let replicas = [start.start(), start.start()];
    let clients: Vec<_> = replicas.iter().map(Service::client).collect();
    let door = Door::new(&clients);
    let mut random = Random::new(Random::seed("races"));
    let mut opener = Writer::new(&door, 0);
    let (mut claimer, mut retractor) = (Writer::new(&door, 1), Writer::new(&door, 2));
    let mut accepted = 0;
    for round in 0..scale::RACES {
        if round % ROUNDS == 0 {
            let opening = says::opening(&opener.mark(), None);
            opener.done(round / ROUNDS % 2, Request::OPEN, &opening);
        }
        let opened = opener.log.iter().rfind(|sent| sent.kind == "open");
        let session = opened.unwrap().located().to_owned();
        let premise = format!("q{round}");
        let body = says::premise(&premise, &opener.mark());
        let request = Request::to(&session, "premises", "premises");
        let asserted = opener.done(round % 2, request, &body);
        let version = asserted.get("version").and_then(Value::as_u64);
        // Both replicas know it, so neither has to catch up first.
        for client in &clients {
            let query = format!("{session}?min_version={}", version.unwrap());
            assert_eq!(client.get(&query).status, 200);
        }
        let (here, there) = (random.below(2), random.below(2_000));
        let start = Barrier::new(2);
        let turn = thread::scope(|scope| {
            let (start, claimer, retractor) = (&start, &mut claimer, &mut retractor);
            let (session, premise) = (&session, &premise);
            let turn = scope.spawn(move || {
                let body = says::claim(&claimer.mark(), &claimer.mark(), premise);
                start.wait();
                hesitate(there);
                claimer.done(here, Request::to(session, "turn", "turns"), &body)
            });
            let body = says::retraction(premise, &retractor.mark());
            start.wait();
            hesitate(2_000 - there);
            let request = Request::to(session, "retract", "retractions");
            retractor.done(1 - here, request, &body);
            turn.join().unwrap()
        });
        let verdict = turn.get("verdict").and_then(Value::as_str);
        accepted += usize::from(verdict == Some("accepted"));
    }
    let log = [opener.log, claimer.log, retractor.log].concat();
    let (found, figures) = audit(&clients[0], &log);
    let lost: u64 = clients.iter().map(conflicts).sum();
    eprintln!(
        "{figures:?}, races lost and applied again: {lost}, claims first: {accepted} of {}",
        scale::RACES
    );
    for session in &found {
        for client in &clients {
            let beliefs = beliefs(client, session);
            is_sound(&session.session, &beliefs);
            all_out(session, &beliefs);
        }
        agrees(&[&clients[0], &clients[1]], session);
        replays(&clients[1], session);
    }
    assert!(accepted > 0, "the retraction always came first");
    assert!(accepted < scale::RACES, "the claim always came first");
}

/// Gives the other a start.
fn hesitate(turns: usize) {
    for _ in 0..turns {
        std::hint::spin_loop();
    }
}

/// Every premise that was raced for is OUT in the end, and so is every claim on it.
fn all_out(found: &Found, beliefs: &[Value]) {
    for belief in beliefs {
        let text = |name: &str| belief.get(name).and_then(Value::as_str);
        if text("key") != Some("p0") {
            assert_eq!(text("status"), Some("OUT"), "{}: {belief}", found.session);
        }
    }
}
