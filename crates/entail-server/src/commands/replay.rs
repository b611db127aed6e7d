//! `entail replay`

use std::{
    io::{BufRead as _, BufReader},
    path::PathBuf,
    process::ExitCode,
};

use entail_trace::{Stream, paths};

use crate::{
    commands::{Failure, print},
    offline,
};

/// Which bundle to replay.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct ReplayArguments {
    /// A bundle: a `tar.gz` or a directory.
    bundle: PathBuf,
}

/// Rebuilds the trace from the journal and compares its bytes with the bundle's; the exit code
/// is 0 if they are the same, else 1, and the first difference is shown.
pub(crate) fn run(arguments: &ReplayArguments) -> Result<ExitCode, Failure> {
    let files = offline::open(&arguments.bundle)?;
    let replayed =
        offline::replay(files.as_ref()).map_err(|error| Failure::Replay(Box::new(error)))?;
    let replayed =
        replayed.ok_or_else(|| Failure::Other("the bundle has no journal".to_owned()))?;
    let trace = files.open(paths::TRACE)?;
    let trace = trace.ok_or_else(|| Failure::Other("the bundle has no trace".to_owned()))?;
    let rebuilt = replayed.session.trace().to_jsonl();
    let mut rebuilt = rebuilt.lines();
    let mut count = 0_usize;
    for line in BufReader::new(Stream::new(&trace)).lines() {
        let line = line?;
        let own = rebuilt.next();
        if own != Some(line.as_str()) {
            let own = own.unwrap_or("nothing");
            print(&format!(
                "line {} differs\nbundle:  {line}\njournal: {own}\n",
                count.saturating_add(1)
            ))?;
            return Ok(ExitCode::FAILURE);
        }
        count = count.saturating_add(1);
    }
    if let Some(more) = rebuilt.next() {
        let line = count.saturating_add(1);
        print(&format!(
            "line {line} differs\nbundle:  nothing\njournal: {more}\n"
        ))?;
        return Ok(ExitCode::FAILURE);
    }
    print(&format!(
        "the journal gives the same trace, {count} lines\n"
    ))
}
