//! The least that a turn has to write, written by pgbench.

use std::{fs, path::Path, process::Command, time::Duration};

use entail_test_postgres::{Programs, Server};
use entail_tests::Scratch;

use super::{
    CONNECTIONS, SESSIONS, TURNS_LAST,
    load::Loaded,
    process::{Family, Usage},
};
use crate::Measured;

/// Bytes of the journal row's text.
const ROW: usize = 2_048;

/// What pgbench reached.
pub(super) struct Floor {
    pub(super) load: Loaded,
    pub(super) database: Usage,
}

/// Measures one transaction that bumps a session's row and inserts a journal row, in a single
/// prepared statement: the fewest round trips there can be.
pub(super) fn measure(server: &Server, postgres: Family) -> Measured<Floor> {
    let programs = Programs::find()?;
    let directory = Scratch::new();
    let script = directory.path().join("turn.sql");
    fs::write(&script, turn())?;
    // Text is stored as it is, or Postgres would compress it away.
    let tables = format!(
        "CREATE TABLE floor_sessions (id int PRIMARY KEY, version bigint NOT NULL) \
         WITH (fillfactor = 70); \
         CREATE TABLE floor_journal (id int, seq bigint, payload text NOT NULL, \
         PRIMARY KEY (id, seq)); \
         ALTER TABLE floor_journal ALTER payload SET STORAGE PLAIN; \
         INSERT INTO floor_sessions SELECT id, 0 FROM generate_series(1, {SESSIONS}) id"
    );
    run(Command::new(programs.path("psql")).args(["-X", "-q", "-d", server.url(), "-c", &tables]))?;

    let before = postgres.usage()?;
    let mut pgbench = Command::new(programs.path("pgbench"));
    pgbench
        .current_dir(directory.path())
        .args([
            "--no-vacuum",
            "--protocol=prepared",
            "--jobs=2",
            "--log",
            "--log-prefix=waits",
        ])
        .arg(format!("--client={CONNECTIONS}"))
        .arg(format!("--time={}", TURNS_LAST.as_secs()))
        .arg("--file")
        .arg(&script)
        .arg(server.url());
    run(&mut pgbench)?;
    let database = postgres.usage()? - before;
    let load = Loaded::new(TURNS_LAST.as_secs_f64(), waits(directory.path())?);
    Ok(Floor { load, database })
}

fn turn() -> String {
    let payload = "x".repeat(ROW);
    format!(
        "\\set id random(1, {SESSIONS})\n\
         WITH bumped AS (UPDATE floor_sessions SET version = version + 1 WHERE id = :id \
         RETURNING id, version) \
         INSERT INTO floor_journal SELECT id, version, '{payload}' FROM bumped;\n"
    )
}

/// The time of every transaction, in microseconds, is the third word of its line.
fn waits(directory: &Path) -> Measured<Vec<Duration>> {
    let mut waits = Vec::new();
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        if !entry.file_name().to_string_lossy().starts_with("waits.") {
            continue;
        }
        for line in fs::read_to_string(entry.path())?.lines() {
            let time = line.split(' ').nth(2).and_then(|time| time.parse().ok());
            waits.push(Duration::from_micros(
                time.ok_or("pgbench's log has another form")?,
            ));
        }
    }
    Ok(waits)
}

fn run(command: &mut Command) -> Measured<()> {
    let output = command.output()?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    Err(format!("`{}` failed: {said}", command.get_program().display()).into())
}
