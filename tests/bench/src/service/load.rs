//! Callers at work, and how long they wait.

use std::{
    sync::{
        Barrier,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

use entail_tests::Client;

use super::connection::Connection;
use crate::{Measured, Outcome, measure::now};

/// How the service is called.
#[derive(Clone, Copy)]
pub(super) struct Load {
    callers: usize,
    lasts: Duration,
    /// How long after a caller's call its next is due; `None` for as soon as it is answered.
    every: Option<Duration>,
}

/// How long the answers took.
pub(super) struct Loaded {
    seconds: f64,
    /// Ascending.
    waits: Vec<Duration>,
}

impl Load {
    /// Every caller calls again as soon as it is answered.
    pub(super) fn full(callers: usize, lasts: Duration) -> Self {
        Self {
            callers,
            lasts,
            every: None,
        }
    }

    /// So many calls a second in all, whether or not answers come; a late start counts as a wait.
    pub(super) fn paced(callers: usize, lasts: Duration, rate: f64) -> Self {
        let callers_f = callers as f64;
        Self {
            callers,
            lasts,
            every: Some(Duration::from_secs_f64(callers_f / rate.max(1.0))),
        }
    }

    /// Lets every caller do the work that `job` gives it, on a connection of its own.
    pub(super) fn run<J>(self, client: &Client, job: impl Fn(usize) -> J + Sync) -> Measured<Loaded>
    where
        J: FnMut(&mut Connection) -> Outcome,
    {
        let ready = Barrier::new(self.callers);
        let failed = AtomicBool::new(false);
        let call = |caller: usize| -> Measured<Vec<Duration>> {
            let connection = Connection::open(client);
            ready.wait();
            let mut connection =
                connection.inspect_err(|_| failed.store(true, Ordering::Relaxed))?;
            let mut job = job(caller);
            let begun = now();
            // The callers' due times are spread over the interval.
            let mut due = self
                .every
                .map(|every| every.mul_f64(caller as f64 / self.callers as f64));
            let mut waits = Vec::new();
            while begun.elapsed() < self.lasts && !failed.load(Ordering::Relaxed) {
                let start = match due {
                    None => begun.elapsed(),
                    Some(due) => {
                        thread::sleep(due.saturating_sub(begun.elapsed()));
                        due
                    }
                };
                job(&mut connection).inspect_err(|_| failed.store(true, Ordering::Relaxed))?;
                waits.push(begun.elapsed().saturating_sub(start));
                due = due.zip(self.every).map(|(due, every)| due + every);
            }
            Ok(waits)
        };
        let begun = now();
        let waits = thread::scope(|scope| {
            let call = &call;
            let callers: Vec<_> = (0..self.callers)
                .map(|caller| scope.spawn(move || call(caller)))
                .collect();
            let mut waits = Vec::new();
            for caller in callers {
                waits.extend(caller.join().map_err(|_| "a caller panicked")??);
            }
            Measured::Ok(waits)
        })?;
        Ok(Loaded::new(begun.elapsed().as_secs_f64(), waits))
    }
}

impl Loaded {
    pub(super) fn new(seconds: f64, mut waits: Vec<Duration>) -> Self {
        waits.sort_unstable();
        Self { seconds, waits }
    }

    /// How many calls were answered.
    pub(super) fn calls(&self) -> usize {
        self.waits.len()
    }

    /// How many calls were answered a second.
    pub(super) fn rate(&self) -> f64 {
        self.calls() as f64 / self.seconds
    }

    /// The wait that so many thousandths of the calls did not exceed, in seconds.
    pub(super) fn within(&self, thousandths: usize) -> f64 {
        let last = self.waits.len().saturating_sub(1);
        let rank = (self.waits.len() * thousandths).div_ceil(1_000);
        let wait = self.waits.get(rank.saturating_sub(1).min(last));
        wait.map_or(0.0, Duration::as_secs_f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_is_the_smallest_wait_that_so_many_did_not_exceed() {
        let waits = (1..=1_000).rev().map(Duration::from_secs).collect();
        let loaded = Loaded::new(2.0, waits);
        assert_eq!(loaded.rate(), 500.0);
        assert_eq!(loaded.within(500), 500.0);
        assert_eq!(loaded.within(990), 990.0);
        assert_eq!(loaded.within(999), 999.0);
        assert_eq!(loaded.within(1_000), 1_000.0);
        assert_eq!(Loaded::new(1.0, Vec::new()).within(500), 0.0);
    }
}
