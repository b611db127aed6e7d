//! The wish to stop, told to everyone who waits for it.

use tokio::{
    signal::unix::{SignalKind, signal},
    sync::watch,
};

/// A stop that many can wait for.
#[derive(Clone, Debug)]
pub(crate) struct Stop(watch::Sender<bool>);

impl Stop {
    /// Not yet.
    pub(crate) fn new() -> Self {
        Self(watch::Sender::new(false))
    }

    /// Now.
    pub(crate) fn now(&self) {
        self.0.send_replace(true);
    }

    /// Waits for it.
    pub(crate) async fn wait(&self) {
        let _ = self.0.subscribe().wait_for(|stop| *stop).await;
    }
}

/// Stops on SIGTERM or SIGINT.
pub(crate) fn on_signal(stop: &Stop) -> std::io::Result<()> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let stop = stop.clone();
    tokio::spawn(async move {
        let name = tokio::select! {
            _ = terminate.recv() => "SIGTERM",
            _ = interrupt.recv() => "SIGINT",
        };
        tracing::info!(signal = name, "stopping");
        stop.now();
    });
    Ok(())
}
