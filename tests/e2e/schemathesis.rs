//! The OpenAPI document against the service that it describes, by schemathesis: every request it
//! thinks of is answered as the document says, and none with a 5xx.
//!
//! The program is installed by `pip` into a virtual environment under `target/`. Where that cannot
//! be done the tests do not run: they are listed as ignored with the reason, and it is printed.
//! `ENTAIL_SCHEMATHESIS=full` makes every phase, at length, on both stores, with another seed
//! each time.

#![expect(
    clippy::print_stderr,
    reason = "a test that does not run says so on standard error"
)]

use std::{
    fs,
    path::Path,
    process::{Command, ExitCode},
};

use entail_tests::{Database, Scratch, Start, python};
use libtest_mimic::{Arguments, Failed, Trial};

const PROGRAM: &str = "schemathesis==4.32.5";
const ENTRY: &str = "from schemathesis.cli import schemathesis; schemathesis()";
const DOCUMENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../openapi/openapi.json");
const CONFIGURATION: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../openapi/schemathesis.toml");
const KEY: &str = "a-key-of-at-least-24-characters";

/// A store by name, how to get one, and what is done on it.
type Engine = (&'static str, fn() -> Database, (&'static str, &'static str));

/// What is done in every run: the phases, and how many requests of an operation or sequences of
/// them the last one thinks of.
const SQLITE: (&str, &str) = ("examples,coverage", "10");
const POSTGRES: (&str, &str) = ("examples,stateful", "10");
const FULL: (&str, &str) = ("examples,coverage,fuzzing,stateful", "100");

/// The seed of every run that is not full.
const SEED: &str = "1";

/// How much of what the program said is shown when it fails, in lines.
const SHOWN: usize = 200;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let python = python(&[PROGRAM]);
    if let Err(reason) = &python {
        eprintln!("schemathesis: DID NOT RUN: {reason}");
    }
    let trial = |(engine, database, plan): Engine| {
        let name = format!("schemathesis::the_service_answers_as_the_document_says_on_{engine}");
        match &python {
            Ok(python) => {
                let python = python.clone();
                Trial::test(name, move || check(&python, &database(), plan))
            }
            Err(reason) => Trial::test(name, || Ok(()))
                .with_kind(format!("did not run: {reason}"))
                .with_ignored_flag(true),
        }
    };
    let is_full = std::env::var("ENTAIL_SCHEMATHESIS").is_ok_and(|what| what == "full");
    let plan = |bounded| if is_full { FULL } else { bounded };
    let engines: [Engine; 2] = [
        ("sqlite", Database::sqlite, plan(SQLITE)),
        ("postgres", Database::postgres, plan(POSTGRES)),
    ];
    libtest_mimic::run(&arguments, engines.into_iter().map(trial).collect()).exit_code()
}

fn check(
    python: &Path,
    database: &Database,
    (phases, examples): (&str, &str),
) -> Result<(), Failed> {
    let scratch = Scratch::new();
    let key = scratch.path().join("key");
    fs::write(&key, KEY)?;
    let service = Start::on(&database.url())
        .arg(&format!("--bootstrap-key-file={}", key.display()))
        .start();
    let address = service.client().address();
    let mut command = Command::new(python);
    command
        .current_dir(scratch.path())
        // The script that `pip` wrote names where the environment was made, not where it is.
        .args(["-c", ENTRY])
        .args(["--config-file", CONFIGURATION, "run"])
        .args([DOCUMENT, "--url", &format!("http://{address}")])
        .args(["--phases", phases, "--max-examples", examples])
        .args(["--header", &format!("Authorization: Bearer {KEY}")])
        .arg("--continue-on-failure");
    if (phases, examples) != FULL {
        command.args(["--seed", SEED]);
    }
    let output = command.output()?;
    let (_, log) = service.terminate();
    if let Some(line) = log.lines().find(|line| line.contains("\"status\":5")) {
        return Err(format!("a request was answered 5xx: {line}").into());
    }
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stdout);
    let lines: Vec<_> = said.lines().collect();
    let shown = lines.len().saturating_sub(SHOWN);
    let errors = String::from_utf8_lossy(&output.stderr);
    Err(format!(
        "{}\n{errors}",
        lines.get(shown..).unwrap_or_default().join("\n")
    )
    .into())
}
