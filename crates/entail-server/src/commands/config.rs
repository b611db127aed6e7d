//! `entail config`

use std::process::ExitCode;

use crate::{
    commands::{Failure, print},
    config::Config,
};

/// Prints what is in force, as a file would hold it.
pub(crate) fn run(config: &Config) -> Result<ExitCode, Failure> {
    let mut text = config.describe();
    for variable in &config.unknown_variables {
        text.push_str(&format!("# unknown variable, ignored: {variable}\n"));
    }
    print(&text)
}
