//! `entail openapi`

use std::process::ExitCode;

use crate::{
    commands::{Failure, print},
    openapi,
};

/// Prints the document.
pub(crate) fn run() -> Result<ExitCode, Failure> {
    print(&openapi::document())
}
