//! `entail migrate`

use std::process::ExitCode;

use entail_store::Store;

use crate::{
    commands::{Failure, print, store_options, warn_unknown},
    config::Config,
    logging,
};

/// Brings the schema up to date.
pub(crate) async fn run(config: &Config) -> Result<ExitCode, Failure> {
    logging::start(&config.settings.log)?;
    warn_unknown(config);
    let store = Store::open(&store_options(config)).await?;
    store.migrate().await?;
    store.close().await?;
    print("the schema is up to date\n")
}
