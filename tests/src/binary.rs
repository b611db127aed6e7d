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
            .args([
                "build",
                "--quiet",
                "--package",
                "entail-server",
                "--bin",
                "entail",
            ])
            .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
        if !cfg!(debug_assertions) {
            build.arg("--release");
        }
        let status = build.status().expect("cargo runs");
        assert!(status.success(), "the binary under test does not build");
        // This process runs from `target/<profile>/deps`, or is a program in `target/<profile>`.
        let own = std::env::current_exe().expect("a running program has a path");
        let directory = own.parent().expect("a program lies in a directory");
        let profile = match directory.ends_with("deps") {
            true => directory.parent().expect("`deps` lies in target/<profile>"),
            false => directory,
        };
        profile.join("entail")
    })
}
