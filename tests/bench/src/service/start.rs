//! Starting, and being idle.

use entail_tests::{Start, binary};

use crate::{Outcome, measure::once, table::Table};

/// How many starts a median is taken of.
const STARTS: usize = 5;

/// What a start may take, in seconds.
const START: f64 = 0.2;

/// What an idle service may hold, in bytes.
const IDLE: u64 = 25_000_000;

pub(super) fn measure(table: &mut Table) -> Outcome {
    // Built before a start is timed.
    if !binary().is_file() {
        return Err(format!("there is no `{}`", binary().display()).into());
    }
    let mut starts: Vec<(f64, u64)> = (0..STARTS)
        .map(|_| {
            let (time, service) = once(|| Start::default().start());
            (time, service.memory().0)
        })
        .collect();
    starts.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    let (time, memory) = starts
        .get(STARTS / 2)
        .copied()
        .ok_or("nothing was started")?;
    table.heading("starting on fresh SQLite");
    let aim = if time <= START { "within" } else { "beyond" };
    table.time("start to ready", time, format!("{aim} the aim of 200 ms"));
    let aim = if memory <= IDLE { "within" } else { "beyond" };
    table.count(
        "resident memory when idle",
        super::report::megabytes(memory),
        format!("{aim} the aim of 25 MB"),
    );
    Ok(())
}
