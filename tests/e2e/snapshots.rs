//! Snapshots between the binary and the Python library `corollary`, in both directions.
//!
//! The library is installed by `pip` into a virtual environment under `target/`. Where that cannot
//! be done the tests do not run: they are listed as ignored with the reason, and it is printed.

#![expect(
    clippy::expect_used,
    clippy::print_stderr,
    reason = "a test fails by panicking, and says on standard error that it did not run"
)]

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, ExitCode, Output},
};

use entail_json::{Value, read_str, to_canonical};
use entail_tests::{Client, Database, Scratch, Start, binary, python, quietly};
use libtest_mimic::{Arguments, Failed, Trial};

const LIBRARY: &str = "corollary==0.1.0a4";
const FIXTURES: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../crates/entail-session/tests/snapshots"
);

type Case = (&'static str, fn(&Path) -> Result<(), Failed>);

const CASES: [Case; 3] = [
    (
        "the_library_still_writes_and_says_what_is_committed",
        writes_what_is_committed,
    ),
    (
        "a_snapshot_of_the_library_is_imported_and_exported_again",
        there_and_back,
    ),
    ("the_library_loads_what_a_session_is_exported_as", exported),
];

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let python = python(&[LIBRARY]);
    if let Err(reason) = &python {
        eprintln!("snapshots: DID NOT RUN: {reason}");
    }
    let trial = |(name, case): Case| match &python {
        Ok(python) => {
            let python = python.clone();
            Trial::test(format!("snapshots::{name}"), move || case(&python))
        }
        Err(reason) => Trial::test(format!("snapshots::{name}"), || Ok(()))
            .with_kind(format!("did not run: {reason}"))
            .with_ignored_flag(true),
    };
    libtest_mimic::run(&arguments, CASES.into_iter().map(trial).collect()).exit_code()
}

/// Running the script that made the fixtures makes the same ones.
fn writes_what_is_committed(python: &Path) -> Result<(), Failed> {
    let scratch = Scratch::new();
    let script = scratch.path().join("generate.py");
    fs::copy(format!("{FIXTURES}/generate.py"), &script)?;
    quietly(Command::new(python).arg(&script))?;
    for committed in fixtures()? {
        let name = committed.file_name().ok_or("a file has a name")?;
        if fs::read(&committed)? != fs::read(scratch.path().join(name))? {
            let name = name.to_string_lossy();
            return Err(format!("`{name}` differs: run {FIXTURES}/generate.py").into());
        }
    }
    Ok(())
}

/// The library's snapshots, imported and looked at over HTTP, and exported again: label for label
/// and confidence for confidence what the library says of the original.
fn there_and_back(python: &Path) -> Result<(), Failed> {
    let (scratch, database) = (Scratch::new(), Database::sqlite());
    let url = database.url();
    let mut sessions = Vec::new();
    for fixture in fixtures()? {
        let name = fixture
            .file_stem()
            .ok_or("a file has a name")?
            .to_string_lossy()
            .into_owned();
        let snapshot = scratch.path().join(format!("{name}.json"));
        let whole = read_str(&fs::read_to_string(&fixture)?)?;
        fs::write(
            &snapshot,
            to_canonical(whole.get("snapshot").ok_or("no snapshot")?),
        )?;
        let id = stdout(&entail(&url, &["import", path(&snapshot)?])?)?
            .trim()
            .to_owned();
        let back = scratch.path().join(format!("{name}-back.json"));
        fs::write(&back, export(&url, &id)?)?;
        sessions.push((name, id, snapshot, back));
    }
    let service = Start::on(&url).start();
    let seen = sessions
        .iter()
        .map(|(_, id, ..)| beliefs(&service.client(), id));
    let seen: Vec<_> = seen.collect();
    let originals = sessions.iter().map(|(_, _, snapshot, _)| snapshot);
    let originals = judge(python, originals.zip(seen.iter().map(|(at, _)| at)))?;
    let backs = sessions.iter().map(|(.., back)| back);
    let backs = judge(python, backs.zip(seen.iter().map(|(at, _)| at)))?;
    let judged = originals.into_iter().zip(backs);
    for (((name, ..), (_, here)), (original, back)) in sessions.iter().zip(&seen).zip(judged) {
        same_beliefs(here, &original).map_err(|error| format!("{name}: {error}"))?;
        if back != original {
            return Err(format!("{name}: the library judges the exported one otherwise").into());
        }
    }
    Ok(())
}

/// A session that grew over HTTP, exported, is to the library what it is to the service.
fn exported(python: &Path) -> Result<(), Failed> {
    let scratch = Scratch::new();
    for (engine, database) in Database::each() {
        let url = database.url();
        let service = Start::on(&url).start();
        let id = grow(&service.client())?;
        let snapshot = scratch.path().join(format!("{engine}.json"));
        fs::write(&snapshot, export(&url, &id)?)?;
        let (at, here) = beliefs(&service.client(), &id);
        let refs = here.iter().filter_map(|belief| belief.get("ref")?.as_str());
        let refs: Vec<_> = refs.collect();
        if refs != GROWN {
            return Err(format!("{engine}: {refs:?}").into());
        }
        let there = judge(python, [(&snapshot, &at)])?.remove(0);
        same_beliefs(&here, &there).map_err(|error| format!("{engine}: {error}"))?;
        let disputed: Value = ["staff"].into_iter().collect();
        if there.get("conflicts") != Some(&disputed) {
            return Err(format!("{engine}: {:?} are disputed", there.get("conflicts")).into());
        }
    }
    Ok(())
}

/// What [`grow`] makes.
const GROWN: [&str; 9] = [
    "revenue:Q2@1",
    "revenue:Q3@1",
    "growth@1",
    "trend@1",
    "answer@1",
    "staff@1",
    "staff@2",
    "site@1",
    "local@1",
];

/// A session with something of everything that a snapshot holds. The half-life is long, since the
/// library's clock counts in whole milliseconds.
fn grow(client: &Client) -> Result<String, Failed> {
    let opening = r#"{"task": "How did revenue develop?", "documents": [{"name": "10-K",
        "text": "Total revenue for Q2 was $4.3 billion. Total revenue for Q3 was $4.5 billion."}]}"#;
    let session = client.post("/sessions", &read_str(opening)?).ok();
    let id = session
        .get("id")
        .and_then(Value::as_str)
        .ok_or("no id")?
        .to_owned();
    let cite = r#"{"response": {"actions": [{"type": "cite", "document": "10-K",
        "quote": "Total revenue for Q2 was $4.3 billion", "key": "revenue:Q2", "value": 4300000000},
        {"type": "cite", "document": "10-K", "key": "revenue:Q3", "value": 4500000000,
        "quote": "Total revenue for Q3 was $4.5 billion"}]}}"#;
    let claim = r#"{"response": {"actions": [{"type": "claim", "key": "growth",
        "follows_from": ["revenue:Q2", "revenue:Q3"], "confidence": 0.9, "claim": "Revenue grew",
        "formula": "({revenue:Q3} - {revenue:Q2}) / {revenue:Q2} * 100"},
        {"type": "claim", "key": "trend", "value": "up", "follows_from": ["growth"]},
        {"type": "answer", "text": "It grew.", "follows_from": ["trend"]}]}}"#;
    for turn in [cite, claim] {
        let _ = client
            .post(&format!("/sessions/{id}/context"), &read_str("{}")?)
            .ok();
        let _ = client
            .post(&format!("/sessions/{id}/turns"), &read_str(turn)?)
            .ok();
    }
    for (resource, body) in [
        (
            "premises",
            r#"[{"key": "staff", "value": 900, "source": "tool:hr", "half_life_s": 10000000},
            {"key": "staff", "value": 901, "source": "human:ann", "confidence": 0.8},
            {"key": "site", "value": "Austin", "source": "tool:hr", "origin": "erp"},
            {"key": "site", "value": "Austin", "source": "human:bob"}]"#,
        ),
        (
            "justifications",
            r#"{"key": "local", "value": true, "antecedents": ["site"], "source": "model:m",
            "confidence": 0.7, "unless": ["moved"]}"#,
        ),
        ("outcomes", r#"[{"source": "tool:hr", "correct": false}]"#),
        (
            "retractions",
            r#"{"target": "revenue:Q3", "reason": "restated", "fault": "source"}"#,
        ),
    ] {
        let _ = client
            .post(&format!("/sessions/{id}/{resource}"), &read_str(body)?)
            .ok();
    }
    Ok(id)
}

fn fixtures() -> Result<Vec<PathBuf>, Failed> {
    let mut files = Vec::new();
    for entry in fs::read_dir(FIXTURES)? {
        let file = entry?.path();
        if file
            .extension()
            .is_some_and(|extension| extension == "json")
        {
            files.push(file);
        }
    }
    if files.is_empty() {
        return Err(format!("no fixtures in {FIXTURES}").into());
    }
    Ok(files)
}

fn entail(url: &str, arguments: &[&str]) -> Result<Output, Failed> {
    let mut command = Command::new(binary());
    command
        .args(arguments)
        .args(["--database-url", url])
        .env_remove("DATABASE_URL");
    let output = command.output()?;
    if output.status.success() {
        return Ok(output);
    }
    Err(format!("{arguments:?}: {}", String::from_utf8_lossy(&output.stderr)).into())
}

fn export(url: &str, id: &str) -> Result<String, Failed> {
    let output = entail(url, &["export", id, "--format", "corollary"])?;
    stdout(&output).map(str::to_owned)
}

fn stdout(output: &Output) -> Result<&str, Failed> {
    Ok(std::str::from_utf8(&output.stdout)?)
}

fn path(path: &Path) -> Result<&str, Failed> {
    path.to_str().ok_or_else(|| "a path that is no text".into())
}

/// What the library says of snapshots, each as of its time.
fn judge<'a>(
    python: &Path,
    snapshots: impl IntoIterator<Item = (&'a PathBuf, &'a String)>,
) -> Result<Vec<Value>, Failed> {
    let mut command = Command::new(python);
    command.arg(format!("{FIXTURES}/generate.py")).arg("judge");
    for (snapshot, at) in snapshots {
        command.arg(snapshot).arg(at.replace('Z', "+00:00"));
    }
    let output = command.output()?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!("the library does not load them: {said}").into());
    }
    match read_str(stdout(&output)?)? {
        Value::Array(said) => Ok(said),
        other => Err(format!("no list: {other}").into()),
    }
}

/// All beliefs of a session as the service tells them, and as of when.
fn beliefs(client: &Client, id: &str) -> (String, Vec<Value>) {
    let page = client
        .get(&format!("/sessions/{id}/beliefs?limit=1000"))
        .ok();
    let at = page
        .get("as_of")
        .and_then(Value::as_str)
        .expect("a time")
        .to_owned();
    assert_eq!(
        page.get("next_cursor"),
        Some(&Value::Null),
        "one page holds them all"
    );
    (
        at,
        page.get("items")
            .and_then(Value::as_array)
            .expect("a list")
            .to_vec(),
    )
}

/// The same refs, labels and confidences (to nine decimals) on both sides.
fn same_beliefs(here: &[Value], library: &Value) -> Result<(), String> {
    let there = library
        .get("beliefs")
        .and_then(Value::as_object)
        .ok_or("no beliefs")?;
    if there.len() != here.len() {
        return Err(format!(
            "{} beliefs here, {} there",
            here.len(),
            there.len()
        ));
    }
    for belief in here {
        let name = belief.get("ref").and_then(Value::as_str).ok_or("no ref")?;
        let other = there
            .get(name)
            .ok_or_else(|| format!("`{name}` is not there"))?;
        let share = |value: &Value| value.get("confidence").and_then(Value::as_f64);
        let apart = share(belief)
            .zip(share(other))
            .map(|(one, two)| (one - two).abs());
        let is_same =
            belief.get("status") == other.get("status") && apart.is_some_and(|apart| apart < 1e-9);
        if !is_same {
            return Err(format!("`{name}` is {belief} here, {other} there"));
        }
    }
    Ok(())
}
