//! Taking times.

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

/// How many runs a median is taken of.
const RUNS: usize = 7;

/// A run repeats a short piece of work until it has lasted so long.
const RUN: Duration = Duration::from_millis(40);

/// The time a short piece of work takes, in seconds: the median of runs that repeat it.
pub(crate) fn repeated<T>(mut work: impl FnMut() -> T) -> f64 {
    let mut repeat = |times: u32| {
        let start = now();
        for _ in 0..times {
            black_box(work());
        }
        start.elapsed()
    };
    let mut times = 1;
    while repeat(times) < RUN {
        times *= 2;
    }
    median((0..RUNS).map(|_| repeat(times).as_secs_f64() / f64::from(times)))
}

/// The time a piece of work takes that changes what it works on, in seconds: the median of runs,
/// each on a fresh one, whose making and dropping are not counted.
pub(crate) fn fresh<S, T>(mut make: impl FnMut() -> S, mut work: impl FnMut(&mut S) -> T) -> f64 {
    median((0..RUNS).map(|_| {
        let mut state = make();
        let start = now();
        let result = black_box(work(&mut state));
        let elapsed = start.elapsed();
        drop(result);
        elapsed.as_secs_f64()
    }))
}

/// The time of one run, in seconds, and what it made.
pub(crate) fn once<T>(work: impl FnOnce() -> T) -> (f64, T) {
    let start = now();
    let result = black_box(work());
    (start.elapsed().as_secs_f64(), result)
}

fn median(times: impl Iterator<Item = f64>) -> f64 {
    let mut times: Vec<f64> = times.collect();
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or_default()
}

#[expect(clippy::disallowed_methods, reason = "a benchmark reads a clock")]
pub(crate) fn now() -> Instant {
    Instant::now()
}
