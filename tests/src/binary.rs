//! The binary under test.

use std::{
    path::{Path, PathBuf},
    process::Command,
    sync::OnceLock,
};

/// Where the binary `entail` is: `ENTAIL_BIN` if set, else built now in the tests' own profile.
pub fn binary() -> &'static Path {
    static BINARY: OnceLock<PathBuf> = OnceLock::new();
    BINARY.get_or_init(|| {
        if let Some(given) = std::env::var_os("ENTAIL_BIN") {
            return given.into();
        }
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut build = Command::new(cargo);
        build
            .args(["build", "--quiet", "--package", "entail-server", "--bin", "entail"])
            .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
        if !cfg!(debug_assertions) {
            build.arg("--release");
        }
        let status = build.status().expect("cargo runs");
        assert!(status.success(), "the binary under test does not build");
        // This process runs from `target/<profile>/deps`.
        let test = std::env::current_exe().expect("a running test has a path");
        let profile = test.ancestors().nth(2).expect("a test lies in target/<profile>/deps");
        profile.join("entail")
    })
}
