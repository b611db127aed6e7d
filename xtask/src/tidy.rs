//! What no compiler checks: the arrows between the rooms and what each room may touch.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use crate::run::{Outcome, capture};

/// The rooms, and all that each may name in its `[dependencies]`.
///
/// An arrow that is not here is an error, and so is one here that nobody uses.
const ARROWS: &[(&str, &[&str])] = &[
    ("entail-json", &["indexmap", "memchr", "sha2", "thiserror"]),
    (
        "entail-kernel",
        &[
            "entail-json",
            "memchr",
            "rustc-hash",
            "thiserror",
            "unicode-normalization",
        ],
    ),
    ("entail-contract", &["entail-json", "memchr"]),
    (
        "entail-trace",
        &[
            "ed25519-dalek",
            "entail-json",
            "flate2",
            "memchr",
            "thiserror",
        ],
    ),
    (
        "entail-session",
        &[
            "entail-contract",
            "entail-json",
            "entail-kernel",
            "entail-trace",
            "jsonschema",
            "rustc-hash",
            "serde_json",
            "thiserror",
        ],
    ),
    (
        "entail-store",
        &[
            "entail-json",
            "entail-trace",
            "sqlx",
            "thiserror",
            "tokio",
            "uuid",
        ],
    ),
    (
        "entail-server",
        &[
            "axum",
            "clap",
            "entail-contract",
            "entail-json",
            "entail-kernel",
            "entail-session",
            "entail-store",
            "entail-trace",
            "figment",
            "http-body-util",
            "hyper",
            "hyper-util",
            "metrics",
            "metrics-exporter-prometheus",
            "mimalloc",
            "percent-encoding",
            "rustls",
            "rustls-native-certs",
            "serde",
            // The OpenAPI document is made of its values; no body is read by it.
            "serde_json",
            "thiserror",
            "tokio",
            "tokio-rustls",
            "tower",
            "tower-http",
            "tracing",
            "tracing-subscriber",
            "utoipa",
            "utoipa-axum",
            "utoipa-swagger-ui",
            "uuid",
        ],
    ),
];

/// Rooms below the line: no input or output, no clock, no randomness, no async.
const PURE: &[&str] = &[
    "entail-json",
    "entail-kernel",
    "entail-contract",
    "entail-trace",
    "entail-session",
];

/// What a pure room may not say, as the source text has it.
const IMPURE: &[&str] = &[
    "std::env",
    "std::fs",
    "std::net",
    "std::process",
    "std::thread",
    "SystemTime",
    "Instant::",
    "async fn",
    ".await",
    "tracing::",
    "println!",
    "eprintln!",
];

/// What no Rust source of the product may say.
const FORBIDDEN: &[(&str, &str)] = &[
    (
        "#[ignore",
        "an ignored test proves nothing: delete it or make it run",
    ),
    ("todo!(", "finish it"),
    ("unimplemented!(", "finish it"),
];

/// What no test may say: a test waits for the event, not for a time.
const SLEEPS: &[&str] = &["thread::sleep", "time::sleep("];

/// Files whose duty is to wait, each with its reason.
const WAITERS: &[(&str, &str)] = &[
    (
        "tests/postgres/src/server.rs",
        "a starting server has no event to wait for: it is asked",
    ),
    ("tests/bench/src/service/load.rs", "a load has a pace"),
    (
        "tests/src/wait.rs",
        "nobody tells when a process is back or work behind the scenes is done: it is asked",
    ),
];

/// Longest source file, in lines.
const MAX_LINES: usize = 700;

/// Checks everything and reports every breach.
pub(crate) fn tidy(root: &Path) -> Outcome {
    let mut breaches = Vec::new();
    arrows(root, &mut breaches)?;
    let mut sources = Vec::new();
    for folder in ["crates", "tests", "xtask", "fuzz/fuzz_targets"] {
        rust_files(&root.join(folder), &mut sources)?;
    }
    for path in &sources {
        let text =
            fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let name = path
            .strip_prefix(root)
            .unwrap_or(path)
            .to_string_lossy()
            .into_owned();
        if name != "xtask/src/tidy.rs" {
            source(&name, &text, &mut breaches);
        }
    }
    limits(root, &mut breaches);
    if breaches.is_empty() {
        return Ok(());
    }
    Err(format!(
        "tidy found {} breaches:\n  {}",
        breaches.len(),
        breaches.join("\n  ")
    ))
}

fn arrows(root: &Path, breaches: &mut Vec<String>) -> Outcome {
    let allowed: BTreeMap<_, BTreeSet<&str>> = ARROWS
        .iter()
        .map(|(room, may)| (*room, may.iter().copied().collect()))
        .collect();
    let mut rooms = BTreeSet::new();
    let folder = root.join("crates");
    for entry in fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))? {
        let entry = entry.map_err(|error| error.to_string())?;
        rooms.insert(entry.file_name().to_string_lossy().into_owned());
    }
    for room in &rooms {
        let Some(may) = allowed.get(room.as_str()) else {
            breaches.push(format!(
                "`{room}` has no line in xtask's list of arrows: add one"
            ));
            continue;
        };
        let tree = capture(
            root,
            "cargo",
            &[
                "tree",
                "--offline",
                "--package",
                room,
                "--edges",
                "normal",
                "--depth",
                "1",
                "--prefix",
                "none",
            ],
        )
        .or_else(|_| {
            capture(
                root,
                "cargo",
                &[
                    "tree",
                    "--package",
                    room,
                    "--edges",
                    "normal",
                    "--depth",
                    "1",
                    "--prefix",
                    "none",
                ],
            )
        })?;
        let uses: BTreeSet<_> = tree
            .lines()
            .skip(1)
            .filter_map(|line| line.split_whitespace().next())
            .collect();
        for dependency in uses.difference(may) {
            breaches.push(format!("`{room}` may not depend on `{dependency}`"));
        }
        for dependency in may.difference(&uses) {
            breaches.push(format!(
                "`{room}` no longer depends on `{dependency}`: take it off the list"
            ));
        }
    }
    for room in allowed.keys().filter(|room| !rooms.contains(**room)) {
        breaches.push(format!(
            "there is no crate `{room}`: take it off the list of arrows"
        ));
    }
    Ok(())
}

fn source(name: &str, text: &str, breaches: &mut Vec<String>) {
    let lines = text.lines().count();
    if lines > MAX_LINES {
        breaches.push(format!(
            "{name} has {lines} lines, over {MAX_LINES}: split it by subject"
        ));
    }
    let pure = PURE
        .iter()
        .any(|room| name.starts_with(&format!("crates/{room}/src/")));
    let code = text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim_start().starts_with("//"));
    let test = name.contains("tests/") && !WAITERS.iter().any(|(file, _)| *file == name);
    let server = name.starts_with("crates/entail-server/");
    for (number, line) in code {
        let place = format!("{name}:{}", number + 1);
        for word in IMPURE.iter().filter(|word| pure && line.contains(**word)) {
            breaches.push(format!("{place} says `{word}`, which a pure room may not"));
        }
        for (word, instead) in FORBIDDEN.iter().filter(|(word, _)| line.contains(word)) {
            breaches.push(format!("{place} says `{word}`: {instead}"));
        }
        for word in SLEEPS.iter().filter(|word| test && line.contains(**word)) {
            breaches.push(format!(
                "{place} says `{word}`: wait for the event, not for a time"
            ));
        }
        let product = name.starts_with("crates/") && name.contains("/src/");
        if product && !server && (line.contains("std::env::") || line.contains("axum::")) {
            breaches.push(format!(
                "{place}: only entail-server reads the environment or speaks HTTP"
            ));
        }
        if product && !name.starts_with("crates/entail-store/") && line.contains("sqlx::") {
            breaches.push(format!("{place}: only entail-store speaks SQL"));
        }
    }
}

/// Every room that has limits keeps them in one file of that name.
fn limits(root: &Path, breaches: &mut Vec<String>) {
    for room in [
        "entail-json",
        "entail-kernel",
        "entail-contract",
        "entail-trace",
    ] {
        if !root
            .join("crates")
            .join(room)
            .join("src/limits.rs")
            .is_file()
        {
            breaches.push(format!(
                "crates/{room}/src/limits.rs is missing: limits live in one place"
            ));
        }
    }
}

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) -> Outcome {
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(&folder) else {
            continue;
        };
        for entry in entries {
            let path = entry.map_err(|error| error.to_string())?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(())
}
