//! `entail verify`

use std::{path::PathBuf, process::ExitCode};

use entail_trace::{Answer, Files, PublicKey, ReportView, paths};

use crate::{
    commands::{Failure, print},
    offline::{self, Held},
};

/// Which run to verify, and how to tell.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct VerifyArguments {
    /// A bundle: a `tar.gz` or a directory.
    #[arg(required_unless_present = "trace")]
    bundle: Option<PathBuf>,
    /// A trace, to be verified with `--plan` instead of a bundle.
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
    /// The key that the checkpoint has to be signed with, in hexadecimal.
    #[arg(long, value_name = "KEY")]
    public_key: Option<String>,
    /// Print the report as JSON instead of a line a check.
    #[arg(long)]
    json: bool,
}

/// Verifies; the exit code is 0 if everything that could be checked holds, else 1.
pub(crate) fn run(arguments: &VerifyArguments) -> Result<ExitCode, Failure> {
    let files = files(arguments)?;
    let key = arguments
        .public_key
        .as_deref()
        .map(str::parse::<PublicKey>)
        .transpose();
    let key = key.map_err(|error| Failure::Other(error.to_string()))?;
    let verified = offline::verify(files.as_ref(), key, None);
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

fn files(arguments: &VerifyArguments) -> Result<Box<dyn Files>, Failure> {
    if let Some(bundle) = &arguments.bundle {
        return Ok(offline::open(bundle)?);
    }
    let mut held = Held::default();
    let given = [
        (paths::TRACE, &arguments.trace),
        (paths::PLAN, &arguments.plan),
        (paths::SPEC, &arguments.spec),
    ];
    for (path, file) in given {
        if let Some(file) = file {
            held.insert_path(path, file.clone());
        }
    }
    Ok(Box::new(held))
}
