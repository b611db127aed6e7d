//! What survives a crash: of the process, of the database, of the room to write.

pub(crate) mod postgres;
pub(crate) mod sqlite;

use std::env;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};

use entail_store::{Appended, Store};
use uuid::Uuid;

use crate::bed::{Bed, Kind, Line, TENANT, WAYS, journal, number};
use crate::cases;

cases![WAYS;
    what_was_acknowledged_survives_the_process_being_killed,
    two_processes_on_one_session_keep_one_chain_when_both_are_killed,
];

/// Set for a child of this program: where it is to append, and how.
const CHILD: &str = "ENTAIL_TEST_APPEND_TO";

pub(crate) fn is_child() -> bool {
    env::var_os(CHILD).is_some()
}

/// A child's whole life: it appends to a session and prints each payload acknowledged.
pub(crate) async fn append_until_killed() {
    let task = env::var(CHILD).unwrap();
    let [batching, id, url] = task.splitn(3, ' ').collect::<Vec<_>>()[..] else {
        panic!("`{task}`");
    };
    let id: Uuid = id.parse().unwrap();
    let mut options = Kind::Sqlite.options(url);
    options.batching = batching == "true";
    let store = Store::open(&options).await.unwrap();
    let mut out = std::io::stdout();
    loop {
        let payload = format!("\"{} said {}\"", std::process::id(), number());
        loop {
            let row = store.session(TENANT, id).await.unwrap().unwrap();
            match store.append(Line::at(&row).saying(&payload)).await.unwrap() {
                Appended::Done => break,
                Appended::Conflict { .. } => {}
                other => panic!("{other:?}"),
            }
        }
        writeln!(out, "{payload}").unwrap();
    }
}

fn spawn(bed: &Bed, id: Uuid) -> Child {
    let batching = bed.kind.options("").batching;
    Command::new(env::current_exe().unwrap())
        .env(CHILD, format!("{batching} {id} {}", bed.url()))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Kills a child (SIGKILL) once it has acknowledged so many; all that it acknowledged.
fn kill_after(child: &mut Child, acknowledged: usize) -> Vec<String> {
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut said: Vec<String> = lines
        .by_ref()
        .take(acknowledged)
        .map(Result::unwrap)
        .collect();
    child.kill().unwrap();
    child.wait().unwrap();
    // A line cut off by the kill was not said; whole ones were.
    said.extend(
        lines
            .map_while(Result::ok)
            .filter(|line| line.ends_with('"')),
    );
    said
}

/// Everything acknowledged is there once, and what is there beside it is at most one commit a
/// writer, which was made and not yet acknowledged.
async fn assert_survived(store: &Store, id: Uuid, acknowledged: &[String], writers: usize) {
    let entries = journal(store, id).await;
    let payloads: Vec<&str> = entries[1..]
        .iter()
        .map(|entry| entry.payload.as_str())
        .collect();
    for said in acknowledged {
        let times = payloads.iter().filter(|payload| *payload == said).count();
        assert_eq!(times, 1, "{said}");
    }
    let beside = payloads.len() - acknowledged.len();
    assert!(beside <= writers, "{beside} commits nobody heard of");
}

async fn what_was_acknowledged_survives_the_process_being_killed(bed: Bed) {
    let mut line = bed.open_session().await;
    let mut acknowledged = Vec::new();
    for round in 1..=3 {
        acknowledged.extend(kill_after(&mut spawn(&bed, line.id), 10 * round));
        assert_survived(&bed.store, line.id, &acknowledged, round).await;
    }
    line = Line::at(&bed.row(line.id).await);
    bed.append(&mut line).await;
}

async fn two_processes_on_one_session_keep_one_chain_when_both_are_killed(bed: Bed) {
    let line = bed.open_session().await;
    let (mut one, mut two) = (spawn(&bed, line.id), spawn(&bed, line.id));
    let mut acknowledged = kill_after(&mut one, 15);
    acknowledged.extend(kill_after(&mut two, 15));
    assert_survived(&bed.store, line.id, &acknowledged, 2).await;
}
