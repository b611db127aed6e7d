//! The image's file tree from a released binary, where there is no container engine.

use std::path::Path;

use crate::run::{Outcome, run, run_with};

/// Builds the binary as the Dockerfile does, makes the image's layer by its steps, and serves
/// from it: the size of the layer is printed.
pub(crate) fn image(root: &Path) -> Outcome {
    let build = [
        "build",
        "--release",
        "--locked",
        "--package",
        "entail-server",
        "--bin",
        "entail",
    ];
    run(root, "cargo", &build)?;
    let binary = root.join("target/release/entail");
    let test = [
        "test",
        "--locked",
        "--package",
        "entail-tests",
        "--test",
        "image",
    ];
    let binary = binary.display().to_string();
    run_with(root, "cargo", &test, &[("ENTAIL_BIN", binary.as_str())])
}
