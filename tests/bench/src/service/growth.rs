//! One session that grows.

use std::time::Duration;

use entail_json::Value;
use entail_tests::{Client, Start};

use super::{connection::Connection, jobs::Session, load::Loaded};
use crate::{
    Measured, Outcome,
    measure::{now, once},
    table::Table,
};

/// Beliefs in the session when turns are measured in it.
const SIZES: [usize; 3] = [100, 1_000, 10_000];

/// One size more.
const FULL: usize = 100_000;

/// Beliefs that a context shows at most, unless the policy says otherwise.
const SHOWN: usize = 500;

/// Turns that are measured at each size.
const TURNS: usize = 200;

/// Beliefs in a turn that only makes the session larger.
const FILL: usize = 200;

/// Beliefs of a turn.
const TURN: usize = 4;

/// With room for the largest session and the turns in it.
pub(super) fn room(start: Start) -> Start {
    start.arg("--max-beliefs").arg(&(2 * FULL).to_string())
}

pub(super) fn measure(table: &mut Table, client: &Client, full: bool) -> Outcome {
    table.heading("(e) one session as it grows on Postgres, declared, one caller");
    let connection = &mut Connection::open(client)?;
    let session = Session::open(connection, "declared")?;
    let mut beliefs = 0;
    let mut first: Option<(usize, f64)> = None;
    for size in SIZES.into_iter().chain(full.then_some(FULL)) {
        while beliefs < size {
            let more = FILL.min(size - beliefs);
            session.fill(connection, more)?;
            beliefs += more;
        }
        let (contexts, turns) = round(connection, &session)?;
        beliefs += TURNS * TURN;
        let context = contexts.within(500);
        // Once a context shows all that it may, only the selection grows with the session.
        let more = match first {
            _ if size <= SHOWN => String::new(),
            None => {
                first = Some((size, context));
                String::new()
            }
            Some((smaller, least)) => {
                let each = (context - least) / (size - smaller) as f64;
                format!("{:.0} ns a belief more", each * 1e9)
            }
        };
        table.time(format!("context at {size} beliefs, p50"), context, more);
        table.time("… p99", contexts.within(990), "");
        table.time(
            format!("turn at {size} beliefs, p50"),
            turns.within(500),
            "",
        );
        table.time("… p99", turns.within(990), "");
    }
    Ok(())
}

/// Turns, each after a context: the times of the contexts and of the turns.
fn round(connection: &mut Connection, session: &Session) -> Measured<(Loaded, Loaded)> {
    let (mut contexts, mut turns) = (Vec::new(), Vec::new());
    let begun = now();
    for _ in 0..TURNS {
        let (time, context) = once(|| connection.post(&format!("{}/context", session.path), "{}"));
        contexts.push(Duration::from_secs_f64(time));
        let context = context?.json();
        let id = context
            .get("id")
            .and_then(Value::as_str)
            .ok_or("a context has no id")?;
        let (time, turn) = once(|| session.turn_after(connection, id));
        turn?;
        turns.push(Duration::from_secs_f64(time));
    }
    let seconds = begun.elapsed().as_secs_f64();
    Ok((Loaded::new(seconds, contexts), Loaded::new(seconds, turns)))
}
