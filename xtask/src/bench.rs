//! Benchmarks: `cargo xtask bench SUITE` builds and runs the package that measures.

use std::path::Path;

use crate::run::{Outcome, run};

/// Measures a suite, with the optimisations that are released.
pub(crate) fn bench(root: &Path, suite: &[&str]) -> Outcome {
    let cargo = [
        "run",
        "--quiet",
        "--release",
        "--locked",
        "--package",
        "entail-bench",
        "--",
    ];
    run(root, "cargo", &[&cargo, suite].concat())
}
