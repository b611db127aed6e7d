//! The suite `trace`: reading and checking traces, beside the reference tool where it is
//! installed.

#[path = "../../../../crates/entail-trace/tests/large/mod.rs"]
#[expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "the trace that is made is known"
)]
mod large;

use std::{
    env, fs, io,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use entail_trace::{Files, PlanIndex, Record, Subject, TraceReader, read_whole, verify_trace};
use large::Large;

use crate::{Measured, Outcome, measure::once, table::Table};

/// The command of the reference tool.
const REFERENCE: &str = "bijux-canon-reason";

/// Names the Python that has the reference tool.
const PYTHON: &str = "ENTAIL_PEER_PYTHON";

/// How often each trace is read and checked; the shortest time counts.
const REPEATED: usize = 3;

/// 10,000 events of which 5,000 register evidence.
const EVIDENCE: u64 = 5_000;

pub(crate) fn measure(table: &mut Table) -> Outcome {
    table.heading("a trace of 10,000 events, 5,000 of them evidence");
    let mut large = Large::new(EVIDENCE, 0);
    large.derived = false;
    let checked = ours(&large, table)?;
    match reference(&large)? {
        Some(theirs) => {
            table.compared("read and check", checked, theirs, "reference");
        }
        None => table.count(
            "the reference tool",
            "-",
            format!("`{REFERENCE}` not installed; `{PYTHON}` names its Python"),
        ),
    }

    table.heading("larger traces, a claim derived from each claim");
    for evidence in [3_333, 33_333, 333_333] {
        let large = Large::new(evidence, 0);
        ours(&large, table)?;
    }
    Ok(())
}

/// Times reading and checking, the shortest of several times, and says what is held.
fn ours(large: &Large, table: &mut Table) -> Measured<f64> {
    let mut bytes = Vec::new();
    large.write(&mut bytes)?;
    let mut read = f64::INFINITY;
    let mut events = 0;
    for _ in 0..REPEATED {
        let (time, end) = once(|| TraceReader::new(&bytes[..])?.finish());
        events = end?.events;
        read = read.min(time);
    }
    let subject = Subject {
        trace: &bytes,
        files: Some(large),
        spec: Some(&large.spec),
    };
    let (mut checked, verified) = once(|| verify_trace(subject, PlanIndex::new(&large.plan)));
    let verified = verified?;
    for _ in 1..REPEATED {
        let (time, again) = once(|| verify_trace(subject, PlanIndex::new(&large.plan)));
        again?;
        checked = checked.min(time);
    }
    if !verified.results.passed() {
        return Err("the trace does not pass".into());
    }
    let megabytes = bytes.len() / 1_000_000;
    table.time(
        format!("read {events} events"),
        read,
        format!("{megabytes} MB"),
    );
    let held = verified.work.bytes_held / verified.work.ids.max(1);
    table.time(
        format!("read and check {events} events"),
        checked,
        format!("{held} bytes held an id"),
    );
    Ok(checked)
}

/// What the command of the reference tool takes for a trace, less what it takes for a small one:
/// starting it is not counted. It has to find nothing, as we do.
fn reference(large: &Large) -> Measured<Option<f64>> {
    let Some(command) = find(REFERENCE) else {
        return Ok(None);
    };
    let directory = env::temp_dir().join(format!("entail-bench-{}", std::process::id()));
    let mut small = Large::new(2, 0);
    small.derived = false;
    let time = |large: &Large, name: &str| -> Measured<f64> {
        let directory = directory.join(name);
        lay_out(large, &directory)?;
        let mut best = f64::INFINITY;
        for _ in 0..REPEATED {
            let mut command = Command::new(&command);
            command
                .arg("verify")
                .arg("--trace")
                .arg(directory.join("trace.jsonl"))
                .arg("--plan")
                .arg(directory.join("plan.json"))
                .arg("--fail-on-verify")
                .stdout(Stdio::null())
                .stderr(Stdio::null());
            let (time, status) = once(|| command.status());
            if !status?.success() {
                return Err(format!("`{REFERENCE}` does not pass the {name} trace").into());
            }
            best = best.min(time);
        }
        Ok(best)
    };
    let times = time(&small, "small").and_then(|start| Ok(time(large, "large")? - start));
    fs::remove_dir_all(&directory)?;
    times.map(Some)
}

fn lay_out(large: &Large, directory: &Path) -> io::Result<()> {
    fs::create_dir_all(directory.join("evidence"))?;
    let trace = io::BufWriter::new(fs::File::create(directory.join("trace.jsonl"))?);
    large.write(trace)?;
    fs::write(directory.join("plan.json"), large.plan.to_canonical())?;
    fs::write(directory.join("spec.json"), large.spec.to_canonical())?;
    let mut paths = Vec::new();
    large.visit_paths(&mut |path| paths.push(path.to_owned()))?;
    for path in paths {
        if let Some(file) = large.open(&path)? {
            fs::write(directory.join(&path), read_whole(&file, u64::MAX)?)?;
        }
    }
    Ok(())
}

/// A command beside the Python that is named for comparisons, or else on the search path.
fn find(command: &str) -> Option<PathBuf> {
    let beside = env::var_os(PYTHON).map(PathBuf::from);
    let beside = beside.as_deref().and_then(Path::parent).map(Path::to_owned);
    let path = env::var_os("PATH").unwrap_or_default();
    beside
        .into_iter()
        .chain(env::split_paths(&path))
        .map(|directory| directory.join(command))
        .find(|candidate| candidate.is_file())
}
