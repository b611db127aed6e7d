//! Durable commits a second, and how long each takes: 64 writers over 1,000 sessions, 2 KB a
//! commit, on a private Postgres with `fsync` and on SQLite with `synchronous=FULL`; beside them
//! pgbench's floor of one row updated and one 2 KB row inserted a transaction.
//!
//! `cargo bench -p entail-store`, optionally `-- SECONDS`.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a benchmark reads the clock, prints, and fails by panicking"
)]

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use entail_json::{Digest, Value};
use entail_store::{Appended, Commit, Created, Creation, Options, RowUpdate, Store};
use entail_test_postgres::{Database, Durability, Programs, Server};
use entail_trace::journal::{Draft, Entry, Timestamp};
use uuid::Uuid;

const SESSIONS: u64 = 1_000;
const WRITERS: usize = 64;
const PAYLOAD_BYTES: usize = 2_000;

fn main() {
    // `cargo test --all-targets` runs benchmarks too, without this.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let seconds = std::env::args()
        .filter_map(|argument| argument.parse().ok())
        .next();
    let time = Duration::from_secs(seconds.unwrap_or(5));
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap();
    let server = Server::start(Durability::Full).unwrap();
    println!(
        "{:<34} {:>9} {:>8} {:>8} {:>8}",
        "", "commits/s", "p50 ms", "p99 ms", "p99.9 ms"
    );
    floor(&server, time);
    for (name, batching, writers) in [
        ("postgres, groups, 1 writer", true, 1),
        ("postgres, groups, 2 writers", true, 2),
        ("postgres, each alone", false, 1),
    ] {
        let database = Database::create_in(server.url()).unwrap();
        let mut options = Options::new(database.url());
        (options.batching, options.writers) = (batching, writers);
        options.connections = 64;
        runtime.block_on(measure(name, &options, time));
    }
    for (name, batching) in [("sqlite, groups", true), ("sqlite, each alone", false)] {
        let directory = std::env::temp_dir().join(format!("entail-bench-{}", std::process::id()));
        std::fs::create_dir(&directory).unwrap();
        let mut options = Options::new(format!(
            "sqlite://{}",
            directory.join("entail.db").display()
        ));
        options.batching = batching;
        options.acquire_timeout = Duration::from_secs(60);
        runtime.block_on(measure(name, &options, time));
        std::fs::remove_dir_all(&directory).unwrap();
    }
}

/// What pgbench reaches with as many connections and one transaction a commit.
fn floor(server: &Server, time: Duration) {
    let database = Database::create_in(server.url()).unwrap();
    let programs = Programs::find().unwrap();
    let psql = |sql: &str| {
        let mut psql = Command::new(programs.path("psql"));
        assert!(
            psql.args(["-X", "-q", "-d", database.url(), "-c", sql])
                .status()
                .unwrap()
                .success()
        );
    };
    psql("CREATE TABLE s (id int PRIMARY KEY, version bigint) WITH (fillfactor = 70)");
    psql("CREATE TABLE j (id int, version bigint, payload text, PRIMARY KEY (id, version))");
    psql("INSERT INTO s SELECT g, 0 FROM generate_series(1, 1000) g");
    let script = format!(
        "\\set id random(1, {SESSIONS})\nWITH u AS (UPDATE s SET version = version + 1 \
         WHERE id = :id RETURNING id, version) INSERT INTO j SELECT id, version, \
         repeat('x', {PAYLOAD_BYTES}) FROM u;\n"
    );
    let file = std::env::temp_dir().join(format!("entail-floor-{}.sql", std::process::id()));
    std::fs::write(&file, script).unwrap();
    let output = Command::new(programs.path("pgbench"))
        .args([
            "-n",
            "-M",
            "prepared",
            "-j",
            "2",
            "-c",
            &WRITERS.to_string(),
        ])
        .args(["-T", &time.as_secs().to_string(), "-f"])
        .arg(Path::new(&file))
        .arg(database.url())
        .output()
        .unwrap();
    std::fs::remove_file(&file).unwrap();
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let number = |before: &str| -> f64 {
        let after = printed.split_once(before).unwrap().1;
        after.split_whitespace().next().unwrap().parse().unwrap()
    };
    let (rate, mean) = (number("tps = "), number("latency average = "));
    println!(
        "{:<34} {rate:>9.0} {:>8} mean {mean:.2} ms",
        "pgbench, one a transaction", ""
    );
}

async fn measure(name: &str, options: &Options, time: Duration) {
    let store = Store::open(options).await.unwrap();
    store.migrate().await.unwrap();
    let mut lines = Vec::new();
    for number in 0..SESSIONS {
        let mut line = Line {
            id: Uuid::from_u64_pair(number, number),
            seq: 0,
            head: Digest::ZERO,
        };
        let commit = line.next();
        let creation = Creation {
            tenant: "bench".into(),
            commit,
            key: None,
        };
        assert_eq!(store.create(creation).await.unwrap(), Created::Done);
        lines.push(line);
    }
    let stop = Arc::new(AtomicBool::new(false));
    let mut tasks = Vec::new();
    for writer in 0..WRITERS {
        let (store, stop) = (store.clone(), stop.clone());
        let mut own: Vec<Line> = lines
            .iter()
            .skip(writer)
            .step_by(WRITERS)
            .cloned()
            .collect();
        tasks.push(tokio::spawn(async move {
            let mut took = Vec::new();
            for turn in 0.. {
                if stop.load(Ordering::Relaxed) {
                    break;
                }
                let next = turn % own.len();
                let commit = own.get_mut(next).unwrap().next();
                let start = Instant::now();
                assert_eq!(store.append(commit).await.unwrap(), Appended::Done);
                took.push(start.elapsed());
            }
            took
        }));
    }
    let start = Instant::now();
    tokio::time::sleep(time).await;
    stop.store(true, Ordering::Relaxed);
    let mut took = Vec::new();
    for task in tasks {
        took.extend(task.await.unwrap());
    }
    let rate = took.len() as f64 / start.elapsed().as_secs_f64();
    took.sort_unstable();
    let at = |share: f64| {
        let index = (took.len() as f64 * share) as usize;
        took.get(index).map_or(0.0, |took| took.as_secs_f64() * 1e3)
    };
    println!(
        "{name:<34} {rate:>9.0} {:>8.2} {:>8.2} {:>8.2}",
        at(0.5),
        at(0.99),
        at(0.999)
    );
    store.close().await.unwrap();
}

/// Where a session stands.
#[derive(Clone)]
struct Line {
    id: Uuid,
    seq: u64,
    head: Digest,
}

impl Line {
    fn next(&mut self) -> Commit {
        self.seq += 1;
        let payload = Value::String("x".repeat(PAYLOAD_BYTES));
        let draft = Draft {
            session_id: &self.id.to_string(),
            seq: self.seq,
            kind: "turn",
            payload: &payload,
            events: &Value::Array(vec![]),
            created_at: Timestamp::EPOCH,
        };
        let entry = Entry::seal(&self.head, &draft);
        self.head = entry.hash;
        Commit::new(self.id, entry, RowUpdate::default())
    }
}
