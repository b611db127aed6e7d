//! Why there is no Postgres.

use std::path::PathBuf;
use std::{fmt, io};

/// Why there is no Postgres, or no database in it.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// No directory holds Postgres' programs.
    NotInstalled,
    /// A program could not be started, or a file not be written.
    Io {
        /// What was being done.
        doing: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// A program ended with a failure.
    Failed {
        /// Which.
        program: PathBuf,
        /// What it printed.
        output: String,
    },
    /// The server does not answer.
    NotReady {
        /// What it has written to its log.
        log: String,
    },
}

impl Error {
    pub(crate) fn io(doing: &'static str) -> impl Fn(io::Error) -> Self {
        move |source| Self::Io { doing, source }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotInstalled => f.write_str(
                "no postgres is installed; set `DATABASE_URL`, or install the package \
                 `postgresql`",
            ),
            Self::Io { doing, .. } => write!(f, "{doing} failed"),
            Self::Failed { program, output } => {
                write!(f, "`{}` failed: {output}", program.display())
            }
            Self::NotReady { log } => write!(f, "the private postgres does not answer: {log}"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { source, .. } => Some(source),
            _ => None,
        }
    }
}
