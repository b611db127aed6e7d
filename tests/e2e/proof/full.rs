//! SQLite at its page limit, under load.

use std::thread;

use entail_tests::{Client, Database, Random, Start};

use crate::{
    audit::{audit, sessions},
    door::{Closing, Door},
    load::Load,
    log::Sent,
    scale,
    served::{agrees, replays},
};

/// What a premise carries beside, in bytes, so that the file fills.
const PADDING: usize = 6_000;

#[test]
fn a_full_sqlite_file_refuses_cleanly_loses_nothing_and_goes_on_with_more_room() {
    let database = Database::sqlite();
    let within =
        |pages: usize| Start::on(&format!("{}?max_page_count={pages}", database.url())).start();
    let service = within(scale::PAGES);
    let client = service.client();
    let random = Random::new(Random::seed("a full file"));
    let mut log = write(&client, &random, "f", None);
    let refused = log.iter().filter(|sent| sent.is_without_room()).count();
    assert!(
        refused > 2 * scale::LOAD,
        "{refused} requests found no room"
    );

    // What was refused is not there, and everything else can be read.
    let (found, figures) = audit(&client, &log);
    eprintln!("full: {figures:?}");
    for session in &found {
        agrees(&[&client], session);
        replays(&client, session);
        let report = client.get(&format!("{}/report", session.session));
        assert_eq!(report.status, 200, "{}", report.text());
    }
    assert_eq!(client.get("/livez").status, 200);
    let (status, said) = service.terminate();
    assert!(status.success(), "{said}");

    let service = within(scale::MORE_PAGES);
    let client = service.client();
    assert_eq!(client.get("/readyz").status, 200);
    assert_eq!(sessions(&client).len(), found.len());
    let door = Door::new(std::slice::from_ref(&client));
    for sent in log.iter_mut().filter(|sent| sent.is_without_room()) {
        sent.send(&door, 0);
        assert!(!sent.is_without_room(), "{sent:?}");
    }
    log.extend(write(&client, &random, "g", Some(scale::REQUESTS_BETWEEN)));
    let (found, figures) = audit(&client, &log);
    eprintln!("with more room: {figures:?}, refused before: {refused}");
    for session in &found {
        agrees(&[&client], session);
        replays(&client, session);
    }
}

/// Writers at work, until so many requests were sent, or else until there is no room.
fn write(client: &Client, random: &Random, name: &str, requests: Option<usize>) -> Vec<Sent> {
    let door = Door::new(std::slice::from_ref(client));
    let mut load = Load::new(&door);
    load.padding = PADDING;
    thread::scope(|scope| {
        let writers: Vec<_> = (0..scale::LOAD)
            .map(|who| {
                let (load, random) = (&load, random.split(who));
                scope.spawn(move || load.write(format!("{name}{who}"), random))
            })
            .collect();
        if let Some(requests) = requests {
            let _closing = Closing(&door);
            door.wait_for_requests(requests);
        }
        writers
            .into_iter()
            .flat_map(|writer| writer.join().unwrap())
            .collect()
    })
}
