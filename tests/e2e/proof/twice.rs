//! One request sent twice at once, through two replicas.

use std::{sync::Barrier, thread};

use entail_json::Value;
use entail_tests::{Answer, Client, Database, Service, Start, journal, wait};

use crate::says;

/// How often.
const ROUNDS: usize = 30;

#[test]
fn a_request_sent_through_both_replicas_at_once_under_one_key_is_done_once_and_answered_alike() {
    let database = Database::postgres();
    let start = Start::on(&database.url());
    let replicas = [start.start(), start.start()];
    let clients: Vec<_> = replicas.iter().map(Service::client).collect();
    let opened = twice(&clients, "/sessions", "opening", &says::opening("s", None));
    let session = opened.header("location").unwrap().to_owned();
    for round in 0..ROUNDS {
        let mark = |kind: &str| format!("{kind}{round}");
        let premises = format!("{session}/premises");
        let (key, body) = (mark("a"), says::premise("p", &mark("a")));
        let asserted = twice(&clients, &premises, &key, &body).ok();
        // Both know it, so that neither has to catch up first.
        let version = asserted.get("version").and_then(Value::as_u64).unwrap();
        for client in &clients {
            let read = client.get(&format!("{session}?min_version={version}"));
            assert_eq!(read.status, 200);
        }
        // Done a second time, it would be refused: the premise is no longer believed.
        let retractions = format!("{session}/retractions");
        let (key, body) = (mark("r"), says::retraction("p", &mark("r")));
        let _ = twice(&clients, &retractions, &key, &body).ok();
    }
    assert_eq!(journal(&clients[0], &session).len(), 1 + 2 * ROUNDS);
    let listed = clients[0].get("/sessions").ok();
    let items = listed.get("items").and_then(Value::as_array);
    assert_eq!(items.map(<[Value]>::len), Some(1));
}

/// Sends a request to both at once, each until it is answered for good; the answer they give.
fn twice(clients: &[Client], path: &str, key: &str, body: &Value) -> Answer {
    let start = Barrier::new(clients.len());
    let answers: Vec<Answer> = thread::scope(|scope| {
        let sending: Vec<_> = clients
            .iter()
            .map(|client| {
                let (start, client) = (&start, client.clone().with_header("idempotency-key", key));
                scope.spawn(move || {
                    start.wait();
                    let mut answer = client.post(path, body);
                    let is_busy = |answer: &Answer| {
                        answer.status == 409 && answer.code() == "idempotency_key_busy"
                    };
                    wait::until("the first is done", || {
                        if is_busy(&answer) {
                            answer = client.post(path, body);
                        }
                        !is_busy(&answer)
                    });
                    answer
                })
            })
            .collect();
        sending.into_iter().map(|one| one.join().unwrap()).collect()
    });
    for answer in &answers {
        assert_eq!(answer.text(), answers[0].text(), "{path}");
    }
    // None of them where both made the very same entry, down to the microsecond of its time.
    let before = |answer: &&Answer| answer.header("idempotency-replayed").is_some();
    assert!(answers.iter().filter(before).count() <= 1, "{path}");
    answers[0].clone()
}
