//! Measures what a piece of work takes: `cargo xtask bench SUITE`.
//!
//! Every line is a median of several runs. The orientation is what the same work takes a Python
//! implementation on a machine of the same kind, or, where it says so, another reader here.

mod core;
mod measure;
mod table;
mod trace;

use std::{env, process::ExitCode};

use table::Table;

/// A suite fills a table, or says why it cannot.
type Outcome = Result<(), Box<dyn std::error::Error>>;

#[expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command line tool prints"
)]
fn main() -> ExitCode {
    let arguments: Vec<_> = env::args().skip(1).collect();
    let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
    let suite = match arguments.as_slice() {
        ["core"] => core::measure,
        ["trace"] => trace::measure,
        _ => {
            eprintln!("usage: cargo xtask bench core|trace");
            return ExitCode::FAILURE;
        }
    };
    let mut table = Table::default();
    let outcome = suite(&mut table);
    println!("{table}");
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("the suite stopped: {error}");
            ExitCode::FAILURE
        }
    }
}
