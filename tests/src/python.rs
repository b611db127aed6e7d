//! Python packages that tests check against.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// The Python of a virtual environment with these packages (`name==version`), made under
/// `target/` by `pip` unless it is there.
///
/// # Errors
/// Why it cannot be had: no Python, no network. A test then says that it did not run.
pub fn python(packages: &[&str]) -> Result<PathBuf, String> {
    let test = std::env::current_exe().map_err(|error| error.to_string())?;
    // This process runs from `target/<profile>/deps`.
    let target = test.ancestors().nth(3).ok_or("no target directory")?;
    let place = target.join(format!("venv-{}", packages.join("-").replace("==", "-")));
    let python = place.join("bin/python");
    if python.exists() {
        return Ok(python);
    }
    let made = target.join(format!("venv-{}", std::process::id()));
    let result = install(&made, packages);
    if result.is_ok() && !python.exists() {
        // Another process may have been faster.
        let _ = fs::rename(&made, &place);
    }
    let _ = fs::remove_dir_all(&made);
    result.map(|()| python)
}

fn install(place: &Path, packages: &[&str]) -> Result<(), String> {
    quietly(Command::new("python3").args(["-m", "venv"]).arg(place))?;
    let pip = [
        "-m",
        "pip",
        "install",
        "--disable-pip-version-check",
        "--retries",
        "1",
        "--timeout",
        "20",
    ];
    quietly(
        Command::new(place.join("bin/python"))
            .args(pip)
            .args(packages),
    )
}

/// Runs a command to its end, its output kept from the test's.
///
/// # Errors
/// It cannot be started, or what it said last where it failed.
pub fn quietly(command: &mut Command) -> Result<(), String> {
    let program = command.get_program().to_string_lossy().into_owned();
    match command.output() {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stderr);
            let last = said.lines().rfind(|line| !line.trim().is_empty());
            Err(format!(
                "`{program}` failed: {}",
                last.unwrap_or("it says nothing")
            ))
        }
        Err(error) => Err(format!("`{program}` cannot be started: {error}")),
    }
}
