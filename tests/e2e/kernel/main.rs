//! The vectors of the kernel, played over HTTP: what the library holds after each step, a session
//! of the service holds too.
//!
//! Only `advance` moves the clock of the vectors, and nothing over HTTP moves that of the service.
//! A case with an `advance` is played up to it, each step compared; its rest and its end are left
//! to the library, which plays them all, and the kind of its trial says so.

#![expect(
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod end;
mod play;
mod reading;
mod running;

use std::{
    process::ExitCode,
    sync::{Arc, OnceLock},
    thread,
};

use entail_json::{Value, read_str};
use libtest_mimic::{Arguments, Failed, Trial};

use reading::{list, text};
use running::Running;

const VECTORS: &str = include_str!("../../vectors/kernel.jsonl");

/// How many cases the vectors hold, in how many of them the clock has to move, and how many steps
/// that leaves to the library.
const COUNTS: [usize; 3] = [120, 31, 618];

/// So many cases are played at a time on one service.
const PLAYERS: usize = 4;

/// A case, and how many of its steps come before the clock has to move.
struct Case {
    name: String,
    vector: Value,
    playable: usize,
}

impl Case {
    fn read(line: &str) -> Result<Self, String> {
        let vector = read_str(line).map_err(|error| error.to_string())?;
        let steps = list(&vector, "steps")?;
        let moves = |step: &Value| step.get("op").and_then(Value::as_str) == Some("advance");
        let playable = steps.iter().position(moves).unwrap_or(steps.len());
        Ok(Self {
            name: text(&vector, "id")?.to_owned(),
            playable,
            vector,
        })
    }

    /// How many steps are left to the library.
    fn left(&self) -> usize {
        let steps = list(&self.vector, "steps").map_or(0, <[Value]>::len);
        steps - self.playable
    }

    fn kind(&self) -> String {
        match self.left() {
            0 => String::new(),
            left => format!("until the clock moves: the library plays {left} steps more"),
        }
    }

    fn play(&self, running: &Running) -> Result<(), String> {
        play::play(&running.tenant(&self.name), &self.vector, self.playable)
    }
}

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let cases: Vec<Arc<Case>> = VECTORS
        .lines()
        .map(|line| Arc::new(Case::read(line).expect("the vectors are cases")))
        .collect();
    let mut trials = vec![Trial::test("kernel::every_case_is_played", {
        let cases = cases.clone();
        move || counted(&cases)
    })];
    // One service plays all the cases that one process runs.
    let sqlite = Arc::new(OnceLock::new());
    for case in &cases {
        let (name, kind) = (format!("kernel::sqlite::{}", case.name), case.kind());
        let (case, sqlite) = (Arc::clone(case), Arc::clone(&sqlite));
        let trial = Trial::test(name, move || {
            case.play(sqlite.get_or_init(Running::on_sqlite))
                .map_err(Failed::from)
        });
        trials.push(trial.with_kind(kind));
    }
    // One trial, since each process that runs one starts a Postgres of its own.
    trials.push(Trial::test("kernel::postgres::every_case", move || {
        every(&cases, &Running::on_postgres())
    }));
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn counted(cases: &[Arc<Case>]) -> Result<(), Failed> {
    let partly: Vec<_> = cases.iter().filter(|case| case.left() > 0).collect();
    let left = partly.iter().map(|case| case.left()).sum();
    let counts = [cases.len(), partly.len(), left];
    if counts == COUNTS {
        return Ok(());
    }
    let names: Vec<_> = partly.iter().map(|case| case.name.as_str()).collect();
    Err(format!("{counts:?}, not {COUNTS:?}; the clock moves in {names:?}").into())
}

fn every(cases: &[Arc<Case>], running: &Running) -> Result<(), Failed> {
    let fault = |case: &Arc<Case>| Some(format!("{}: {}", case.name, case.play(running).err()?));
    let share = cases.len().div_ceil(PLAYERS);
    let faults: Vec<_> = thread::scope(|scope| {
        let players: Vec<_> = cases
            .chunks(share)
            .map(|cases| scope.spawn(move || cases.iter().filter_map(fault).collect::<Vec<_>>()))
            .collect();
        let faults = players
            .into_iter()
            .flat_map(|player| player.join().expect("no player panicked"));
        faults.collect()
    });
    if faults.is_empty() {
        return Ok(());
    }
    Err(faults.join("\n").into())
}
