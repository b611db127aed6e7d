//! `entail replay`

use std::{path::PathBuf, process::ExitCode};

use entail_session::Compared;
use entail_trace::paths;

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
    let compared = replayed
        .session
        .compare_trace(&trace)
        .map_err(|error| Failure::Replay(Box::new(error)))?;
    match compared {
        Compared::Same { lines } => print(&format!(
            "the journal gives the same trace, {lines} lines\n"
        )),
        Compared::Differs {
            line,
            recorded,
            rebuilt,
        } => {
            let shown = |line: Option<String>| match line {
                None => "nothing".to_owned(),
                Some(line) => match line.strip_suffix('\n') {
                    Some(text) => text.replace('\r', "\\r"),
                    None => format!("{line} (without a line end)"),
                },
            };
            let (recorded, rebuilt) = (shown(recorded), shown(rebuilt));
            print(&format!(
                "line {line} differs\nbundle:  {recorded}\njournal: {rebuilt}\n"
            ))?;
            Ok(ExitCode::FAILURE)
        }
    }
}
