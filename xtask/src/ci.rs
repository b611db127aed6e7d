//! Everything that has to hold before a change lands, in the order of what fails fastest.

use std::{env, path::Path};

use entail_test_postgres::{Durability, Server};

use crate::{
    browser,
    run::{Outcome, capture, run, run_with, works},
    tidy::tidy,
};

/// Names the Postgres that the tests use; each test makes itself a database there.
const DATABASE_URL: &str = "DATABASE_URL";

/// Names the binary that the tests start; without it each test program builds it again.
const ENTAIL_BIN: &str = "ENTAIL_BIN";

/// Formats, lints, tidies, tests, and builds the documentation.
pub(crate) fn ci(root: &Path) -> Outcome {
    step("format");
    run(root, "cargo", &["fmt", "--all", "--check"])?;
    step("tidy");
    tidy(root)?;
    step("clippy");
    run(
        root,
        "cargo",
        &[
            "clippy",
            "--workspace",
            "--all-targets",
            "--locked",
            "--",
            "--deny",
            "warnings",
        ],
    )?;
    step("fuzz targets build");
    run(
        root,
        "cargo",
        &[
            "check",
            "--manifest-path",
            "fuzz/Cargo.toml",
            "--target-dir",
            "target/fuzz",
        ],
    )?;
    step("documentation");
    run_with(
        root,
        "cargo",
        &["doc", "--workspace", "--no-deps", "--locked", "--quiet"],
        &[("RUSTDOCFLAGS", "--deny warnings")],
    )?;
    step("examples in the documentation");
    run(
        root,
        "cargo",
        &["test", "--workspace", "--doc", "--locked", "--quiet"],
    )?;
    tests(root)
}

/// Runs all tests on SQLite and on Postgres: the one that `DATABASE_URL` names, else a private
/// one, from installed programs or from those that it then installs.
fn tests(root: &Path) -> Outcome {
    browser::provide(root, step);
    let private = match env::var(DATABASE_URL) {
        Ok(_) => {
            step("tests, on the Postgres that DATABASE_URL names");
            None
        }
        Err(_) => {
            step("tests, on a private Postgres");
            let server = Server::start_or_install(Durability::ProcessOnly, step);
            Some(server.map_err(|error| error.to_string())?)
        }
    };
    let url = private.as_ref().map(|server| (DATABASE_URL, server.url()));
    let binary = binary(root)?;
    let mut variables = vec![(ENTAIL_BIN, binary.as_str())];
    variables.extend(url);
    let runner: &[&str] = if works(root, "cargo", &["nextest", "--version"]) {
        &["nextest", "run"]
    } else {
        &["test", "--all-targets"]
    };
    let selection = ["--workspace", "--locked", "--no-fail-fast"];
    run_with(root, "cargo", &[runner, &selection].concat(), &variables)
}

/// Builds the service and says where it is.
fn binary(root: &Path) -> Outcome<String> {
    let cargo = [
        "build",
        "--package",
        "entail-server",
        "--bin",
        "entail",
        "--locked",
    ];
    let messages = ["--message-format", "json-render-diagnostics"];
    let told = capture(root, "cargo", &[&cargo[..], &messages].concat())?;
    let path = told
        .rsplit_once("\"executable\":\"")
        .and_then(|(_, rest)| rest.split_once('"'));
    path.map(|(path, _)| path.to_owned())
        .ok_or_else(|| "cargo names no binary `entail`".to_owned())
}

#[expect(clippy::print_stdout, reason = "a command line tool says what it does")]
fn step(name: &str) {
    println!("== {name}");
}
