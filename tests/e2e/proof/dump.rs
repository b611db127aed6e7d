//! A database dumped (`pg_dump`) and restored into another: the same records, byte for byte.

use std::thread;

use entail_json::Value;
use entail_test_postgres::Database;
use entail_tests::{Client, Random, Scratch, Start};

use crate::{
    audit::{Found, audit},
    door::{Closing, Door},
    load::Load,
    log::{Request, Sent, Writer},
    says, scale,
    served::{agrees, replays},
};

#[test]
fn a_restored_dump_serves_the_same_trace_report_and_bundle_bytes_and_goes_on() {
    let database = Database::create().unwrap();
    let service = Start::on(database.url()).start();
    let client = service.client();
    let log = write(&client);
    let (found, figures) = audit(&client, &log);
    let directory = Scratch::new();
    let file = directory.path().join("entail.dump");
    // The service goes on while it is dumped.
    database.dump(&file).unwrap();
    let restored = Database::create().unwrap();
    restored.restore(&file).unwrap();
    let successor = Start::on(restored.url()).start();
    let other = successor.client();
    for session in &found {
        for (ours, theirs) in records(&client, session)
            .into_iter()
            .zip(records(&other, session))
        {
            assert!(
                ours == theirs,
                "{}: {} differs: {} {}",
                session.session,
                ours.0,
                String::from_utf8_lossy(&ours.1),
                String::from_utf8_lossy(&theirs.1),
            );
        }
        agrees(&[&other], session);
        replays(&other, session);
    }

    // What was answered is answered again, and the chains go on.
    let done: Vec<&Sent> = log.iter().filter(|sent| sent.is_done()).collect();
    for sent in done.iter().step_by(done.len() / 20) {
        let again = sent.once(&other).unwrap();
        assert_eq!(again.header("idempotency-replayed"), Some("true"));
        assert_eq!(again.text(), sent.answer().text());
    }
    let door = Door::new(std::slice::from_ref(&other));
    let mut writer = Writer::new(&door, "after");
    for session in &found {
        let turn = Request::to(&session.session, "turn", "turns");
        let body = says::claim(&writer.mark(), &writer.mark(), "p0");
        writer.done(0, turn, &body);
    }
    let (gone_on, _) = audit(&other, &[log, writer.log].concat());
    assert_eq!(gone_on.len(), found.len());
    eprintln!("dump and restore: {figures:?}");
}

/// Some of everything.
fn write(client: &Client) -> Vec<Sent> {
    let door = Door::new(std::slice::from_ref(client));
    let load = Load::new(&door);
    let random = Random::new(Random::seed("dump and restore"));
    thread::scope(|scope| {
        let writers: Vec<_> = (0..scale::LOAD)
            .map(|who| {
                let (load, random) = (&load, random.split(who));
                scope.spawn(move || load.write(who, random))
            })
            .collect();
        let closing = Closing(&door);
        door.wait_for_requests(2 * scale::REQUESTS_BETWEEN);
        drop(closing);
        writers
            .into_iter()
            .flat_map(|writer| writer.join().unwrap())
            .collect()
    })
}

/// What a session is on record with; the report as of its last commit.
fn records(client: &Client, found: &Found) -> Vec<(String, Vec<u8>)> {
    let session = &found.session;
    let Value::Object(mut about) = client.get(session).ok() else {
        panic!("a session is an object");
    };
    // When it was asked for.
    about.remove("as_of");
    let at = about.get("last_activity").and_then(Value::as_str);
    let at = at
        .expect("a session tells when it was last active")
        .to_owned();
    let about = Value::Object(about).to_string();
    let mut records = vec![("session".to_owned(), about.into_bytes())];
    let mut paths: Vec<String> = ["trace", "bundle", "journal", "manifest", "spec", "plan"]
        .map(str::to_owned)
        .to_vec();
    for format in ["json", "markdown", "html", "junit", "sarif", "text"] {
        paths.push(format!("report?format={format}&at={at}"));
    }
    for path in paths {
        let answer = client.get(&format!("{session}/{path}"));
        assert_eq!(answer.status, 200, "{path}: {}", answer.text());
        assert!(!answer.body.is_empty(), "{path}");
        records.push((path, answer.body));
    }
    records
}
