//! `entail verify`

use std::{fs, path::PathBuf, process::ExitCode};

use entail_trace::{Answer, Files, PemError, PublicKey, ReportView, paths, verify_journal};

use crate::{
    commands::{Failure, print},
    offline::{self, Held},
};

/// Which run to verify, and how to tell.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct VerifyArguments {
    /// A bundle: a `tar.gz` or a directory.
    #[arg(required_unless_present_any = ["trace", "journal"])]
    bundle: Option<PathBuf>,
    /// A trace, to be verified with `--plan` instead of a bundle; its evidence is looked for in
    /// the directory `evidence` beside it.
    #[arg(
        long,
        value_name = "FILE",
        requires = "plan",
        conflicts_with = "bundle"
    )]
    trace: Option<PathBuf>,
    /// The plan of that trace.
    #[arg(long, value_name = "FILE", requires = "trace")]
    plan: Option<PathBuf>,
    /// The problem of that trace.
    #[arg(long, value_name = "FILE", requires = "trace")]
    spec: Option<PathBuf>,
    /// A journal, to be verified alone instead of a bundle.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["bundle", "trace"])]
    journal: Option<PathBuf>,
    /// The checkpoint of that journal: what `GET /sessions/{id}/journal` has in its header.
    #[arg(long, value_name = "FILE", requires = "journal")]
    checkpoint: Option<PathBuf>,
    /// The key that the checkpoint has to be signed with, as `openssl pkey -pubout` or
    /// `entail public-key` writes it; or its 32 bytes in hexadecimal. Take it from whoever runs
    /// the service: the key that a checkpoint names itself proves nothing.
    #[arg(long, value_name = "FILE")]
    public_key: Option<String>,
    /// Print the report as JSON instead of a line a check.
    #[arg(long)]
    json: bool,
}

/// Verifies; the exit code is 0 if everything that could be checked holds, else 1.
pub(crate) fn run(arguments: &VerifyArguments) -> Result<ExitCode, Failure> {
    let key = arguments
        .public_key
        .as_deref()
        .map(public_key)
        .transpose()?;
    let files = files(arguments)?;
    let verified = if arguments.journal.is_some() {
        verify_journal(files.as_ref(), key.as_ref())
    } else {
        offline::verify(files.as_ref(), key, None)
    };
    let trace = files.open(paths::TRACE)?;
    let answer = trace
        .filter(|_| verified.trace.is_some())
        .and_then(|trace| Answer::of(&trace, Some(files.as_ref())).ok().flatten());
    let mut view = ReportView::new(&verified.results, &verified.trace_id);
    if let Some(answer) = &answer {
        view = view.answer(answer);
    }
    print(&if arguments.json {
        format!("{}\n", view.to_json())
    } else {
        view.to_lines()
    })?;
    Ok(if verified.passed() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// A key by itself, or the file that it is in.
fn public_key(given: &str) -> Result<PublicKey, Failure> {
    if let Ok(key) = given.parse() {
        return Ok(key);
    }
    let text = fs::read(given)
        .map_err(|error| Failure::Other(format!("`--public-key`: `{given}`: {error}")))?;
    String::from_utf8_lossy(&text)
        .parse()
        .map_err(|error: PemError| Failure::Other(format!("`--public-key`: `{given}`: {error}")))
}

fn files(arguments: &VerifyArguments) -> Result<Box<dyn Files>, Failure> {
    if let Some(bundle) = &arguments.bundle {
        return Ok(offline::open(bundle)?);
    }
    let mut held = Held::default();
    let given = [
        (paths::TRACE, &arguments.trace),
        (paths::PLAN, &arguments.plan),
        (paths::SPEC, &arguments.spec),
        (paths::JOURNAL, &arguments.journal),
        (paths::CHECKPOINT, &arguments.checkpoint),
    ];
    for (path, file) in given {
        if let Some(file) = file {
            held.insert_path(path, file.clone());
        }
    }
    if let Some(trace) = &arguments.trace {
        held.find_evidence_beside(trace);
    }
    Ok(Box::new(held))
}
