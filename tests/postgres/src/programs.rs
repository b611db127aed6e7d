//! Where Postgres' programs are, and how to get them.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

use crate::error::Error;

/// Where Debian's packages put one directory a major version.
const PACKAGED: &str = "/usr/lib/postgresql";

/// A directory that holds `initdb`, `postgres` and `psql`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Programs(PathBuf);

impl Programs {
    /// The newest version installed: first those that Debian's packages bring, then `PATH`.
    ///
    /// # Errors
    /// [`Error::NotInstalled`].
    pub fn find() -> Result<Self, Error> {
        let mut versions: Vec<(u32, PathBuf)> = fs::read_dir(PACKAGED)
            .into_iter()
            .flatten()
            .flatten()
            .filter_map(|entry| {
                let version = entry.file_name().to_str()?.parse().ok()?;
                Some((version, entry.path().join("bin")))
            })
            .collect();
        versions.sort_unstable_by(|a, b| b.cmp(a));
        let path = env::var_os("PATH").unwrap_or_default();
        let packaged = versions.into_iter().map(|(_, path)| path);
        packaged
            .chain(env::split_paths(&path))
            .find(|path| complete(path))
            .map(Self)
            .ok_or(Error::NotInstalled)
    }

    /// The path of one of the programs.
    #[must_use]
    pub fn path(&self, program: &str) -> PathBuf {
        self.0.join(program)
    }

    /// `psql` alone, which a server elsewhere needs no more than: from the same directories.
    pub(crate) fn psql() -> PathBuf {
        Self::find().map_or_else(|_| "psql".into(), |programs| programs.path("psql"))
    }
}

fn complete(directory: &Path) -> bool {
    ["initdb", "postgres", "psql"]
        .iter()
        .all(|program| directory.join(program).is_file())
}

/// Installs Postgres with `apt-get`, which needs root, and shows what that prints.
///
/// # Errors
/// [`Error::Failed`] when `apt-get` fails, [`Error::NotInstalled`] when the programs are still
/// not there.
pub fn install() -> Result<Programs, Error> {
    for arguments in [
        ["update"].as_slice(),
        &[
            "install",
            "--yes",
            "--no-install-recommends",
            "postgresql",
            "postgresql-client",
        ],
    ] {
        let status = Command::new("apt-get")
            .args(arguments)
            .env("DEBIAN_FRONTEND", "noninteractive")
            .stdin(Stdio::null())
            .status()
            .map_err(Error::io("starting `apt-get`"))?;
        if !status.success() {
            let output = format!("{} ended with {status}", arguments.join(" "));
            return Err(Error::Failed {
                program: "apt-get".into(),
                output,
            });
        }
    }
    Programs::find()
}

/// Runs a program to its end and gives what it printed to standard output.
pub(crate) fn run(command: &mut Command) -> Result<String, Error> {
    let output = command
        .stdin(Stdio::null())
        .output()
        .map_err(Error::io("starting a program of postgres"))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    Err(Error::Failed {
        program: command.get_program().into(),
        output: said,
    })
}
