//! Measures what a piece of work takes: `cargo xtask bench SUITE`.
//!
//! Every line is a median of several runs. The orientation is what the same work takes a Python
//! implementation on a machine of the same kind, or, where it says so, another reader here.

mod core;
mod kernel;
mod measure;
mod service;
mod session;
mod table;
mod trace;

use std::{env, process::ExitCode};

use table::Table;

/// A suite fills a table, or says why it cannot.
type Outcome = Measured<()>;

/// What was measured, or why it could not be.
type Measured<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

#[expect(
    clippy::print_stderr,
    reason = "a command line tool says what went wrong"
)]
fn main() -> ExitCode {
    let arguments: Vec<_> = env::args().skip(1).collect();
    let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
    let mut table = Table::start();
    let outcome = match arguments.as_slice() {
        ["core"] => core::measure(&mut table),
        ["kernel"] => kernel::measure(&mut table),
        ["service"] => service::measure(&mut table, false),
        ["service", "--full"] => service::measure(&mut table, true),
        ["session"] => session::measure(&mut table),
        ["trace"] => trace::measure(&mut table),
        _ => {
            eprintln!("usage: cargo xtask bench core|kernel|service [--full]|session|trace");
            return ExitCode::FAILURE;
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("the suite stopped: {error}");
            ExitCode::FAILURE
        }
    }
}
