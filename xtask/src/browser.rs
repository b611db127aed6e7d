//! The browser that the tests of the pages drive.

use std::{env, path::Path};

use crate::run::{run_with, works};

/// Names a browser elsewhere.
const BROWSER: &str = "ENTAIL_BROWSER";

/// What browsers are called that can be driven.
const NAMES: [&str; 4] = [
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
];

/// Sees to it that there is a browser: an installed one, else `apt-get`'s, which needs root.
/// Without one the tests that need it say that they do not run.
pub(crate) fn provide(root: &Path, step: fn(&str)) {
    let there = || NAMES.iter().any(|name| works(root, name, &["--version"]));
    if env::var_os(BROWSER).is_some() || there() {
        return;
    }
    step("no browser is installed: installing `chromium` with apt-get");
    let quiet = [("DEBIAN_FRONTEND", "noninteractive")];
    let install = ["install", "--yes", "--no-install-recommends", "chromium"];
    let installed = run_with(root, "apt-get", &["update"], &quiet)
        .and_then(|()| run_with(root, "apt-get", &install, &quiet));
    if let Err(why) = installed {
        step(&format!("the tests of the pages will not run: {why}"));
    }
}
