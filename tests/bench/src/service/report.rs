//! The rows that a time of work fills.

use super::{floor::Floor, load::Loaded, process::Phase};
use crate::table::{Table, seconds};

pub(super) fn print_floor(table: &mut Table, floor: &Floor) {
    table.heading("(a) the floor: pgbench, one statement that bumps a row and inserts 2 KB");
    waits(table, "transactions", &floor.load, String::new());
    let each = floor.load.calls().max(1);
    let cpu = floor.database.cpu / each as f64;
    table.time("CPU each, of the database", cpu, "");
    bytes(table, floor.database.written, each);
}

/// The rows of a time of work, whose calls are called `calls`; beside the floor where one is
/// given.
pub(super) fn print(
    table: &mut Table,
    heading: impl Into<String>,
    calls: &str,
    phase: &Phase,
    floor: Option<&Floor>,
) {
    table.heading(heading);
    let ratio = floor.map(|floor| phase.load.rate() / floor.load.rate());
    let beside = ratio.map_or_else(String::new, |ratio| format!("{ratio:.2} × the floor"));
    waits(table, calls, &phase.load, beside);
    let each = phase.load.calls().max(1);
    let share = |cpu: f64| cpu / each as f64;
    let database = phase.database.map(|usage| share(usage.cpu));
    table.time(
        "CPU each, of the service",
        share(phase.service.cpu),
        database.map_or_else(String::new, |cpu| format!("database {}", seconds(cpu))),
    );
    let written = match phase.database {
        None => phase.service.written,
        Some(database) => phase
            .service
            .written
            .zip(database.written)
            .map(|(a, b)| a + b),
    };
    bytes(table, written, each);
    table.count(
        "resident memory of the service",
        megabytes(phase.resident),
        "",
    );
}

fn waits(table: &mut Table, calls: &str, load: &Loaded, beside: String) {
    table.count(
        format!("{calls} a second"),
        format!("{:.0}", load.rate()),
        beside,
    );
    table.time(
        "wait, p50",
        load.within(500),
        format!(
            "p99 {}, p99.9 {}",
            seconds(load.within(990)),
            seconds(load.within(999))
        ),
    );
}

fn bytes(table: &mut Table, written: Option<u64>, each: usize) {
    let each = u64::try_from(each).unwrap_or(u64::MAX);
    let written = written.map(|bytes| (bytes / each).to_string());
    table.count(
        "bytes written each",
        written.unwrap_or_else(|| "untold".to_owned()),
        "",
    );
}

pub(super) fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}
