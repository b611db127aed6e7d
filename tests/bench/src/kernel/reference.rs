//! The same work in the reference library, timed by a script of its own.

use std::{collections::HashMap, env, process::Command};

use crate::{Measured, table::Table};

/// Times the work, a line each.
const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/peers/kernel.py");

/// Names the Python that has the library.
const VARIABLE: &str = "ENTAIL_PEER_PYTHON";

/// What the reference takes by the name of the work, in seconds; nothing where it is not
/// installed.
pub(super) struct Reference(Option<HashMap<String, f64>>);

impl Reference {
    /// Runs the script, if there is a Python that can.
    pub(super) fn time() -> Measured<Self> {
        let python = env::var_os(VARIABLE).unwrap_or_else(|| "python3".into());
        let import = Command::new(&python)
            .args(["-c", "import corollary"])
            .output();
        if !import.is_ok_and(|output| output.status.success()) {
            return Ok(Self(None));
        }
        let output = Command::new(&python).arg(SCRIPT).output()?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            return Err(format!("`{SCRIPT}` failed: {said}").into());
        }
        Ok(Self(Some(read(&String::from_utf8_lossy(&output.stdout)))))
    }

    /// Our time beside that of the reference for what it calls `theirs`.
    pub(super) fn beside(
        &self,
        table: &mut Table,
        work: impl Into<String>,
        ours: f64,
        theirs: &str,
    ) {
        match self.0.as_ref().map(|times| times.get(theirs)) {
            None => table.time(work, ours, "reference not installed"),
            Some(None) => table.time(work, ours, "not timed in it"),
            Some(Some(theirs)) => table.compared(work, ours, *theirs, "reference"),
        }
    }
}

/// Reads `name<TAB>seconds` lines.
fn read(printed: &str) -> HashMap<String, f64> {
    printed
        .lines()
        .filter_map(|line| line.split_once('\t'))
        .filter_map(|(name, seconds)| Some((name.to_owned(), seconds.trim().parse().ok()?)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn the_lines_of_the_script_are_read() {
        let times = read("a formula\t0.000010000\nnoise\na quote\t0.25\n");
        assert_eq!(times.get("a formula"), Some(&0.00001));
        assert_eq!(times.get("a quote"), Some(&0.25));
        assert_eq!(times.len(), 2);
    }
}
