//! The commands, one a file.

mod bootstrap;
mod config;
mod export;
mod healthcheck;
mod import;
mod keys;
mod migrate;
mod openapi;
mod public_key;
mod replay;
mod serve;
mod token_file;
mod verify;

pub(crate) use export::ExportCommand;
pub(crate) use import::ImportCommand;

pub(crate) use replay::ReplayArguments;
pub(crate) use verify::VerifyArguments;

use std::{
    io::{self, Write as _},
    process::ExitCode,
};

use crate::{
    cli::{Cli, Command},
    config::{Config, mask},
};

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// The configuration cannot be used.
    #[error(transparent)]
    Config(#[from] crate::config::ConfigError),
    /// The log filter cannot be read.
    #[error(transparent)]
    Log(#[from] crate::logging::InvalidFilter),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] entail_store::StoreError),
    /// A listener could not be opened.
    #[error("cannot listen on `{address}`")]
    Listen {
        /// The address.
        address: String,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// Something of the system failed.
    #[error("the system refused")]
    System(#[from] io::Error),
    /// The signing key cannot be used.
    #[error(transparent)]
    SigningKey(#[from] crate::signing::SigningKeyError),
    /// A bundle cannot be opened.
    #[error(transparent)]
    Open(#[from] crate::offline::OpenError),
    /// A bundle cannot be replayed.
    #[error(transparent)]
    Replay(Box<dyn std::error::Error + Send + Sync>),
    /// Anything else, said in full.
    #[error("{0}")]
    Other(String),
}

/// Runs a command; its exit code is 0, 1 where it failed, 2 where it was called wrongly.
pub(crate) fn run(cli: Cli) -> ExitCode {
    let outcome = match cli.command {
        Command::Openapi => openapi::run(),
        Command::Verify(arguments) => verify::run(&arguments),
        Command::Replay(arguments) => replay::run(&arguments),
        command => Config::load(cli.config, &cli.flags)
            .map_err(Failure::from)
            .and_then(|config| run_configured(command, &config)),
    };
    match outcome {
        Ok(code) => code,
        Err(failure) => {
            let mut message = format!("entail: {failure}");
            let mut source = std::error::Error::source(&failure);
            while let Some(cause) = source {
                message.push_str(&format!(": {cause}"));
                source = cause.source();
            }
            let _ = writeln!(io::stderr(), "{}", mask(&message));
            ExitCode::from(if matches!(failure, Failure::Config(_)) {
                2
            } else {
                1
            })
        }
    }
}

fn run_configured(command: Command, config: &Config) -> Result<ExitCode, Failure> {
    match command {
        Command::Config => config::run(config),
        Command::PublicKey => public_key::run(config),
        Command::Openapi => openapi::run(),
        Command::Verify(arguments) => verify::run(&arguments),
        Command::Replay(arguments) => replay::run(&arguments),
        Command::Serve => block_on(serve::run(config)),
        Command::Migrate => block_on(migrate::run(config)),
        Command::Healthcheck => block_on(healthcheck::run(config)),
        Command::Keys(command) => block_on(keys::run(config, command)),
        Command::Import(command) => block_on(import::run(config, command)),
        Command::Export(command) => block_on(export::run(config, command)),
    }
}

fn block_on(command: impl Future<Output = Result<ExitCode, Failure>>) -> Result<ExitCode, Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    let outcome = runtime.block_on(command);
    runtime.shutdown_background();
    outcome
}

/// How the store is opened.
fn store_options(config: &Config) -> entail_store::Options {
    let settings = &config.settings;
    let mut options = entail_store::Options::new(settings.database_url.clone());
    options.connections = settings.database_connections;
    options.batching = !settings.no_batch;
    options
}

/// Says on standard error which variables were not understood.
fn warn_unknown(config: &Config) {
    for variable in &config.unknown_variables {
        tracing::warn!(
            variable,
            "unknown variable, ignored; `entail config` lists the settings"
        );
    }
}

/// Writes to standard output; a reader that has gone is no failure.
fn print(text: &str) -> Result<ExitCode, Failure> {
    print_bytes(text.as_bytes())
}

/// The same for what is no text.
fn print_bytes(bytes: &[u8]) -> Result<ExitCode, Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(ExitCode::SUCCESS),
    }
}
