//! The vectors of turns, played over HTTP on both stores: what the library holds, the service
//! holds too, final confidences included.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test reports a failure by a panic, its helpers too"
)]

mod play;

use std::{process::ExitCode, sync::Arc};

use entail_json::{Value, read_str};
use entail_tests::{Database, Service, Start};
use libtest_mimic::{Arguments, Trial};

const VECTORS: &str = include_str!("../../vectors/turns.jsonl");

/// How many sessions the vectors hold.
const CASES: usize = 18;

/// A service on a store; the store outlives it.
struct Running {
    service: Service,
    _database: Database,
}

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let cases: Vec<Arc<Value>> = VECTORS
        .lines()
        .map(|line| Arc::new(read_str(line).expect("the vectors are JSON")))
        .collect();
    let count = cases.len();
    let mut trials = vec![Trial::test("turns::every_case_is_played", move || {
        if count == CASES {
            Ok(())
        } else {
            Err(format!("{count} cases, not {CASES}").into())
        }
    })];
    for engine in ["sqlite", "postgres"] {
        for case in &cases {
            let name = case.get("id").and_then(Value::as_str).unwrap_or("unnamed");
            let case = Arc::clone(case);
            trials.push(Trial::test(format!("turns::{engine}::{name}"), move || {
                let running = start(engine);
                play::play(&running.service.client(), &case).map_err(Into::into)
            }));
        }
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn start(engine: &str) -> Running {
    let database = if engine == "sqlite" {
        Database::sqlite()
    } else {
        Database::postgres()
    };
    Running {
        service: Start::on(&database.url()).start(),
        _database: database,
    }
}
