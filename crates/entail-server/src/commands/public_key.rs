//! `entail public-key`

use std::process::ExitCode;

use crate::{
    commands::{Failure, print},
    config::Config,
    logging, signing,
};

/// Prints the public half of the signing key, as `openssl pkey -pubout` does: what
/// `entail verify --public-key` reads.
pub(crate) fn run(config: &Config) -> Result<ExitCode, Failure> {
    logging::start(&config.settings.log)?;
    let key = signing::load(&config.settings.signing_key_file)?;
    let key = key.ok_or_else(|| {
        Failure::Other(
            "no signing key is configured; name its file with `--signing-key-file`".to_owned(),
        )
    })?;
    print(&key.public_key().to_pem())
}
