//! Everything that has to hold before a change lands, in the order of what fails fastest.

use std::path::Path;

use crate::{
    run::{Outcome, run, run_with, works},
    tidy::tidy,
};

/// Formats, lints, tidies, tests, and builds the documentation.
pub(crate) fn ci(root: &Path) -> Outcome {
    step("format");
    run(root, "cargo", &["fmt", "--all", "--check"])?;
    step("tidy");
    tidy(root)?;
    step("clippy");
    run(
        root,
        "cargo",
        &[
            "clippy",
            "--workspace",
            "--all-targets",
            "--locked",
            "--",
            "--deny",
            "warnings",
        ],
    )?;
    step("fuzz targets build");
    run(
        root,
        "cargo",
        &[
            "check",
            "--manifest-path",
            "fuzz/Cargo.toml",
            "--target-dir",
            "target/fuzz",
        ],
    )?;
    step("documentation");
    run_with(
        root,
        "cargo",
        &["doc", "--workspace", "--no-deps", "--locked", "--quiet"],
        &[("RUSTDOCFLAGS", "--deny warnings")],
    )?;
    step("examples in the documentation");
    run(
        root,
        "cargo",
        &["test", "--workspace", "--doc", "--locked", "--quiet"],
    )?;
    step("tests");
    if works(root, "cargo", &["nextest", "--version"]) {
        run(
            root,
            "cargo",
            &[
                "nextest",
                "run",
                "--workspace",
                "--locked",
                "--no-fail-fast",
            ],
        )
    } else {
        run(
            root,
            "cargo",
            &[
                "test",
                "--workspace",
                "--all-targets",
                "--locked",
                "--no-fail-fast",
            ],
        )
    }
}

#[expect(clippy::print_stdout, reason = "a command line tool says what it does")]
fn step(name: &str) {
    println!("== {name}");
}
