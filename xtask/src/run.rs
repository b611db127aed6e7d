//! Running other programs.

use std::{path::Path, process::Command};

/// Done, or why not.
pub(crate) type Outcome<T = ()> = Result<T, String>;

/// Runs a program in `root` and shows what it prints.
pub(crate) fn run(root: &Path, program: &str, arguments: &[&str]) -> Outcome {
    run_with(root, program, arguments, &[])
}

/// [`run`] with environment variables set.
pub(crate) fn run_with(
    root: &Path,
    program: &str,
    arguments: &[&str],
    variables: &[(&str, &str)],
) -> Outcome {
    let status = Command::new(program)
        .args(arguments)
        .envs(variables.iter().copied())
        .current_dir(root)
        .status()
        .map_err(|error| format!("`{program}` could not be started: {error}"))?;
    if status.success() {
        return Ok(());
    }
    Err(format!(
        "`{program} {}` failed: {status}",
        arguments.join(" ")
    ))
}

/// Runs a program in `root` and gives what it printed to standard output.
pub(crate) fn capture(root: &Path, program: &str, arguments: &[&str]) -> Outcome<String> {
    let output = Command::new(program)
        .args(arguments)
        .current_dir(root)
        .output()
        .map_err(|error| format!("`{program}` could not be started: {error}"))?;
    if output.status.success() {
        return String::from_utf8(output.stdout).map_err(|error| error.to_string());
    }
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    Err(format!(
        "`{program} {}` failed: {}\n{said}",
        arguments.join(" "),
        output.status
    ))
}

/// Whether a program runs at all with these arguments.
pub(crate) fn works(root: &Path, program: &str, arguments: &[&str]) -> bool {
    capture(root, program, arguments).is_ok()
}
