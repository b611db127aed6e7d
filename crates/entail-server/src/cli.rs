//! The command line.

use std::path::PathBuf;

use clap::{Parser, Subcommand};

use uuid::Uuid;

use crate::{
    caller::{DEFAULT_TENANT, Scope},
    commands::{ExportCommand, ImportCommand},
    commands::{ReplayArguments, VerifyArguments},
    config::Flags,
};

/// A verifiable belief base for language models, as a service.
#[derive(Debug, Parser)]
#[command(name = "entail", version, about, max_term_width = 100)]
pub(crate) struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
    /// The configuration file (`entail.toml` where there is one).
    #[arg(long, global = true, value_name = "PATH")]
    pub(crate) config: Option<PathBuf>,
    /// The settings.
    #[command(flatten)]
    pub(crate) flags: Flags,
}

/// What to do.
#[derive(Clone, Debug, Subcommand)]
pub(crate) enum Command {
    /// Serve sessions over HTTP.
    Serve,
    /// Bring the database's schema up to date, and end.
    Migrate,
    /// Print the settings in force and where each comes from; secrets are masked.
    Config,
    /// Print the public key of the checkpoints' signatures, for `entail verify --public-key`.
    PublicKey,
    /// Ask a running service whether it is ready; exit code 0 or 1.
    Healthcheck,
    /// Print the OpenAPI document of the service.
    Openapi,
    /// Verify a bundle, or a trace with its plan, without a service; exit code 0 or 1.
    Verify(VerifyArguments),
    /// Rebuild the trace of a bundle from its journal and compare the bytes; exit code 0 or 1.
    Replay(ReplayArguments),
    /// Make, list and revoke api keys.
    #[command(subcommand)]
    Keys(KeysCommand),
    /// Open a session from a snapshot of the Python library `corollary`; its id is printed.
    Import(ImportCommand),
    /// Write a session to standard output.
    Export(ExportCommand),
}

/// What to do with api keys.
#[derive(Clone, Debug, Subcommand)]
pub(crate) enum KeysCommand {
    /// Make a key; its id and its token are printed, the token this once.
    Create {
        /// What people call it.
        #[arg(long)]
        name: String,
        /// Whose data it opens.
        #[arg(long, default_value = DEFAULT_TENANT)]
        tenant: String,
        /// What it allows; may be given several times.
        #[arg(long, required = true)]
        scope: Vec<Scope>,
        /// The model's name in every turn posted with it.
        #[arg(long)]
        model: Option<String>,
        /// The file that holds the token, or into which a new one is written where there is no
        /// such file; the token is then not printed. Making the same key again is no failure.
        #[arg(long, value_name = "PATH")]
        token_file: Option<PathBuf>,
    },
    /// List keys: id, tenant, scopes, model, when made, whether in force, name.
    List {
        /// Only this tenant's.
        #[arg(long)]
        tenant: Option<String>,
    },
    /// Revoke a key for good.
    Revoke {
        /// Its id.
        id: Uuid,
    },
}

/// The command line of this process; a faulty one ends the process with its usage.
pub(crate) fn parse() -> Cli {
    Cli::parse()
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }

    #[test]
    fn an_unknown_flag_is_refused() {
        assert!(Cli::try_parse_from(["entail", "serve", "--lisen", "x"]).is_err());
        let cli = Cli::try_parse_from(["entail", "serve", "--listen", "127.0.0.1:9"]).unwrap();
        assert_eq!(cli.flags.listen.as_deref(), Some("127.0.0.1:9"));
    }
}
