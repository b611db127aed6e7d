//! `entail serve`

use std::{net::SocketAddr, process::ExitCode};

use entail_store::Store;

use crate::{
    app::App,
    calls,
    commands::{Failure, bootstrap::bootstrap, store_options, warn_unknown},
    config::{Config, Settings},
    housekeeping, logging, metrics, projection, routes,
    serve::{Listener, Stop, on_signal},
    sessions::{poll, write_snapshots},
    signing,
    telemetry::{Endpoint, export},
};

/// Serves until SIGTERM or SIGINT.
pub(crate) async fn run(config: &Config) -> Result<ExitCode, Failure> {
    let settings = &config.settings;
    logging::start(&settings.log)?;
    metrics::start();
    warn_unknown(config);
    let key = signing::load(&settings.signing_key_file)?;
    if let Some(key) = &key {
        tracing::info!(public_key = %key.public_key(), "checkpoints are signed");
    }
    let stop = Stop::new();
    on_signal(&stop)?;
    let store = Store::open(&store_options(config)).await?;
    if !settings.no_migrate {
        store.migrate().await?;
    }
    bootstrap(&store, &settings.bootstrap_key_file).await?;
    let app = App::new(settings.clone(), store.clone(), key);
    check_address(&app).await?;
    let listener = bind(&settings.listen, settings).await?;
    let health = match settings.health_listen.as_str() {
        "" => None,
        address => Some(bind(address, settings).await?),
    };
    tracing::info!(
        listen = %listener.address(),
        health = health.as_ref().map(|health| health.address().to_string()),
        engine = store.engine(),
        version = env!("CARGO_PKG_VERSION"),
        "ready"
    );
    let draining = {
        let (app, stop) = (app.clone(), stop.clone());
        tokio::spawn(async move {
            stop.wait().await;
            app.drain();
        })
    };
    let calls = tokio::spawn(calls::work(app.clone()));
    let export_stop = Stop::new();
    let exporting = Endpoint::parse(&settings.otlp_endpoint, &settings.otlp_headers)
        .ok()
        .flatten()
        .map(|endpoint| tokio::spawn(export(app.clone(), endpoint, export_stop.clone())));
    tokio::spawn(poll(app.clone()));
    tokio::spawn(write_snapshots(app.clone()));
    tokio::spawn(housekeeping::keep(app.clone()));
    tokio::spawn(projection::keep(app.clone()));
    // Health answers until the last request is finished.
    let health_stop = Stop::new();
    let health =
        health.map(|health| tokio::spawn(health.serve(routes::health(&app), health_stop.clone())));
    let finished = listener.serve(routes::service(&app), stop).await;
    let _ = draining.await;
    let grace = std::time::Duration::from_millis(settings.shutdown_grace_ms);
    let _ = tokio::time::timeout(grace, calls).await;
    export_stop.now();
    if let Some(exporting) = exporting {
        let _ = tokio::time::timeout(grace, exporting).await;
    }
    health_stop.now();
    if let Some(health) = health {
        let _ = health.await;
    }
    store.close().await?;
    if finished {
        tracing::info!("stopped");
    } else {
        tracing::warn!("stopped with requests unfinished; raise `shutdown_grace_ms`");
    }
    Ok(ExitCode::SUCCESS)
}

async fn bind(address: &str, settings: &Settings) -> Result<Listener, Failure> {
    Listener::bind(address, settings)
        .await
        .map_err(|source| Failure::Listen {
            address: address.to_owned(),
            source,
        })
}

/// Without api keys, only loopback is listened on.
async fn check_address(app: &App) -> Result<(), Failure> {
    let settings = app.settings();
    let loopback = settings
        .listen
        .parse::<SocketAddr>()
        .is_ok_and(|address| address.ip().is_loopback());
    if loopback || settings.insecure {
        return Ok(());
    }
    let has_keys = app.store().migrations_current().await? && app.keys().exist(app.store()).await?;
    if has_keys {
        return Ok(());
    }
    Err(Failure::Other(format!(
        "`{}` is not loopback and no api key is configured: anyone who reaches it could do \
         anything; make a key (`entail keys create`, `--bootstrap-key-file`), listen on \
         `127.0.0.1`, or say `--insecure`",
        settings.listen
    )))
}
