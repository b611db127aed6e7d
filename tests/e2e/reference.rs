//! Traces between the binary and the reference tool `bijux-canon-reason`, in both directions.
//!
//! The tool is installed by `pip` into a virtual environment under `target/`. Where that cannot
//! be done the tests do not run: they are listed as ignored with the reason, and it is printed.

#![expect(
    clippy::print_stderr,
    reason = "a test says on standard error that it did not run"
)]

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, ExitCode, Output},
};

use entail_json::{Value, read, read_str};
use entail_tests::{Database, Scratch, Start, binary, python};
use libtest_mimic::{Arguments, Failed, Trial};

const PACKAGE: &str = "bijux-canon-reason==0.3.9";
const TOOL: &str = "bijux-canon-reason";
const EXAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/revenue/run.sh");

/// The checks of the tool, in its order.
const TEN: [&str; 10] = [
    "core_invariants",
    "tool_linkage",
    "claim_justifications",
    "derived_claim_grounding",
    "reasoning_trace",
    "insufficient_reasoning",
    "finalize_present",
    "required_steps",
    "evidence_hashes",
    "support_spans",
];

type Case = (&'static str, fn(&Path) -> Result<(), Failed>);

const CASES: [Case; 3] = [
    (
        "the_bundle_of_the_revenue_example_passes_all_ten_of_its_checks",
        bundle_passes_there,
    ),
    (
        "its_own_runs_get_the_same_ten_verdicts_here",
        runs_pass_here,
    ),
    (
        "a_run_tampered_with_fails_the_same_checks_on_both_sides",
        tampered_on_both_sides,
    ),
];

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let python = python(&[PACKAGE]);
    if let Err(reason) = &python {
        eprintln!("reference: DID NOT RUN: {reason}");
    }
    let trial = |(name, case): Case| match &python {
        Ok(python) => {
            let python = python.clone();
            Trial::test(format!("reference::{name}"), move || case(&python))
        }
        Err(reason) => Trial::test(format!("reference::{name}"), || Ok(()))
            .with_kind(format!("did not run: {reason}"))
            .with_ignored_flag(true),
    };
    libtest_mimic::run(&arguments, CASES.into_iter().map(trial).collect()).exit_code()
}

/// The bundle of the worked example, answer, retraction and all, unpacked and given to the tool.
fn bundle_passes_there(python: &Path) -> Result<(), Failed> {
    for (engine, database) in Database::each() {
        let service = Start::on(&database.url()).start();
        let client = service.client();
        let url = format!("http://{}", client.address());
        let played = Command::new("sh")
            .arg(EXAMPLE)
            .env("ENTAIL_URL", url)
            .output()?;
        let told = String::from_utf8(played.stdout)?;
        let session = told.rsplit("session: ").next().unwrap_or_default().trim();
        let scratch = Scratch::new();
        let packed = scratch.path().join("run.tar.gz");
        fs::write(&packed, &client.get(&format!("{session}/bundle")).body)?;
        let mut tar = Command::new("tar");
        tar.arg("-xzf").arg(&packed).arg("-C").arg(scratch.path());
        quietly(&mut tar)?;
        let mut verify = tool(python);
        verify
            .args(["verify", "--trace", "trace.jsonl", "--plan", "plan.json"])
            .arg("--fail-on-verify")
            .current_dir(scratch.path());
        quietly(&mut verify).map_err(|error| format!("{engine}: {error}"))?;
        let there = verdicts(&there(python, scratch.path())?)?;
        if there != TEN.map(|name| (name.to_owned(), true)) {
            return Err(format!("{engine}: {there:?}").into());
        }
    }
    Ok(())
}

/// Problems that make the tool go different ways: it refuses one, and retrieves for the other.
const PROBLEMS: [&str; 2] = [
    r#"{"description":"What is 2+2?","expected_output_type":"Claim","version":1}"#,
    r#"{"description":"What is the capital of France?","constraints":{"needs_retrieval":true}}"#,
];

/// Runs of the tool, verified here: every check of the tool gives the verdict that it recorded,
/// and all that is said beyond is that its nodes, calls and evidence bear ids that do not follow
/// from their content.
fn runs_pass_here(python: &Path) -> Result<(), Failed> {
    for problem in PROBLEMS {
        let scratch = Scratch::new();
        let directory = run(python, problem, scratch.path())?;
        let recorded = verdicts(&read(&fs::read(directory.join("verify.json"))?)?)?;
        let (status, report) = here(&directory)?;
        let all = verdicts(&report)?;
        if all.get(..10) != Some(&recorded) || recorded.len() != TEN.len() {
            return Err(format!("{problem}: {recorded:?} there, {all:?} here").into());
        }
        let failed = all.iter().filter(|(_, passed)| !passed);
        let failed: Vec<&str> = failed.map(|(name, _)| name.as_str()).collect();
        if failed != ["content_ids"] || status != Some(1) {
            return Err(format!("{problem}: {status:?}, {failed:?}").into());
        }
        for message in messages(&report) {
            let kinds = ["node `node_v1_", "call `call_v1_", "evidence `ev_v1_"];
            if !kinds.iter().any(|kind| message.contains(kind)) {
                return Err(format!("{problem}: {message}").into());
            }
        }
        let run = ["--trace", "trace.jsonl", "--plan", "plan.json"];
        let output = entail(Command::new(binary()).arg("verify").args(run), &directory)?;
        let said = String::from_utf8(output.stdout)?;
        if TEN
            .iter()
            .any(|name| !said.contains(&format!("ok   {name}")))
        {
            return Err(format!("{problem}: {said}").into());
        }
    }
    Ok(())
}

/// What is done to a run, by name: the trace's text in, the trace's text out.
type Tampering = (&'static str, fn(&str) -> String);

const TAMPERINGS: [Tampering; 7] = [
    ("as it was", |trace| trace.to_owned()),
    ("the last event cut off", |trace| {
        let mut lines: Vec<&str> = trace.lines().collect();
        lines.pop();
        lines.join("\n") + "\n"
    }),
    ("a claim's statement edited", |trace| {
        edit(
            trace,
            "\"claim_emitted\"",
            "\"statement\":\"",
            "\"statement\":\"No: ",
        )
    }),
    ("a cited digest exchanged", |trace| {
        edit(
            trace,
            "\"claim_emitted\"",
            "\"snippet_sha256\":\"",
            "\"snippet_sha256\":\"0",
        )
    }),
    ("nothing derived and nothing refused", |trace| {
        let kept = trace
            .lines()
            .filter(|line| !line.contains("\"claim_emitted\""));
        kept.map(|line| format!("{line}\n")).collect()
    }),
    ("a call without its result", |trace| {
        let kept = trace
            .lines()
            .filter(|line| !line.contains("\"tool_returned\""));
        kept.map(|line| format!("{line}\n")).collect()
    }),
    ("an unknown support", |trace| {
        edit(
            trace,
            "\"claim_emitted\"",
            "\"ref_id\":\"ev_v1_",
            "\"ref_id\":\"ev_v1_0",
        )
    }),
];

/// One line's first occurrence of a text replaced, the length of hexadecimal digits kept.
fn edit(trace: &str, line_with: &str, from: &str, to: &str) -> String {
    let mut out = String::new();
    for line in trace.lines() {
        let edited = line
            .contains(line_with)
            .then(|| line.split_once(from))
            .flatten();
        match edited {
            Some((before, after)) => {
                let digits = to.ends_with('0').then(|| after.split_once('"')).flatten();
                let after = match digits {
                    Some((digits, rest)) => {
                        let kept: String = digits.chars().skip(1).collect();
                        format!("{kept}\"{rest}")
                    }
                    None => after.to_owned(),
                };
                out.push_str(&format!("{before}{to}{after}\n"));
            }
            None => out.push_str(&format!("{line}\n")),
        }
    }
    out
}

fn tampered_on_both_sides(python: &Path) -> Result<(), Failed> {
    let scratch = Scratch::new();
    let directory = run(python, PROBLEMS[1], scratch.path())?;
    let good = fs::read_to_string(directory.join("trace.jsonl"))?;
    let mut failures = 0;
    for (name, tamper) in TAMPERINGS {
        let tampered = tamper(&good);
        if (tampered == good) != (name == TAMPERINGS[0].0) {
            return Err(format!("{name}: nothing is changed").into());
        }
        fs::write(directory.join("trace.jsonl"), tampered)?;
        let theirs = there(python, &directory)?;
        let (_, report) = here(&directory)?;
        let (theirs, ours) = (verdicts(&theirs)?, verdicts(&report)?);
        if ours.get(..10) != Some(&theirs) {
            return Err(format!("{name}: {theirs:?} there, {ours:?} here").into());
        }
        failures += theirs.iter().filter(|(_, passed)| !passed).count();
    }
    if failures < TAMPERINGS.len() - 1 {
        return Err("some of what was done to it was not found".into());
    }
    Ok(())
}

/// The command of the tool, run by the Python beside it: its first line names the place where it
/// was installed first.
fn tool(python: &Path) -> Command {
    let mut command = Command::new(python);
    command.arg(python.with_file_name(TOOL));
    command
}

/// Runs a command that has to succeed.
fn quietly(command: &mut Command) -> Result<(), String> {
    let program = command.get_program().to_string_lossy().into_owned();
    match command.output() {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => Err(format!(
            "`{program}` failed: {}{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        )),
        Err(error) => Err(format!("`{program}` cannot be started: {error}")),
    }
}

/// Has the tool run a problem: the directory of the run.
fn run(python: &Path, problem: &str, scratch: &Path) -> Result<PathBuf, Failed> {
    fs::write(scratch.join("spec.json"), problem)?;
    let mut command = tool(python);
    command
        .args(["run", "--spec", "spec.json", "--json"])
        .current_dir(scratch);
    let output = command.output()?;
    let said = String::from_utf8(output.stdout)?;
    let last = said.lines().last().unwrap_or_default();
    let told = read_str(last).map_err(|error| format!("{error}: {said}"))?;
    let directory = told.get("run_dir").and_then(Value::as_str);
    Ok(scratch.join(directory.ok_or("no run directory is told")?))
}

/// What the tool says of the trace in a directory. It writes beside it what it found, which is
/// taken away again.
fn there(python: &Path, directory: &Path) -> Result<Value, Failed> {
    let mut command = tool(python);
    command
        .args(["verify", "--trace", "trace.jsonl", "--plan", "plan.json"])
        .arg("--json")
        .current_dir(directory);
    let output = command.output()?;
    let said = String::from_utf8(output.stdout)?;
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.to_string_lossy().ends_with(".verify.json") {
            fs::remove_file(path)?;
        }
    }
    let complaint = String::from_utf8_lossy(&output.stderr);
    Ok(read_str(said.trim()).map_err(|error| format!("{error}: {said}{complaint}"))?)
}

/// What `entail verify` says of a directory, and its exit code.
fn here(directory: &Path) -> Result<(Option<i32>, Value), Failed> {
    let mut command = Command::new(binary());
    command.arg("verify").arg(directory).arg("--json");
    let output = entail(&mut command, directory)?;
    let report = read_str(std::str::from_utf8(&output.stdout)?.trim())?;
    Ok((output.status.code(), report))
}

fn entail(command: &mut Command, directory: &Path) -> Result<Output, Failed> {
    Ok(command.current_dir(directory).output()?)
}

/// The verdicts of a report, by name, in its order.
fn verdicts(report: &Value) -> Result<Vec<(String, bool)>, Failed> {
    let checks = report.get("checks").and_then(Value::as_array);
    let verdict = |check: &Value| {
        let passed = check.get("passed") == Some(&Value::Bool(true));
        Some((check.get("name")?.as_str()?.to_owned(), passed))
    };
    let all: Option<Vec<_>> = checks.ok_or("no checks")?.iter().map(verdict).collect();
    all.ok_or_else(|| "a check without a name".into())
}

fn messages(report: &Value) -> Vec<String> {
    let failures = report.get("failures").and_then(Value::as_array);
    let message = |failure: &Value| Some(failure.get("message")?.as_str()?.to_owned());
    failures
        .unwrap_or_default()
        .iter()
        .filter_map(message)
        .collect()
}
