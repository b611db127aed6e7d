//! What every handler shares.

use std::sync::Arc;

use entail_store::Store;
use entail_trace::CheckpointKey;
use tokio::sync::{Notify, watch};

use crate::{
    auth::Keys,
    calls::Guard,
    config::Settings,
    outgoing::Tls,
    projection::Behind,
    sessions::{Documents, Feed, Sessions, Snapshots},
    telemetry::Telemetry,
};

/// The service's state; cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct App(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    settings: Settings,
    store: Store,
    sessions: Sessions,
    documents: Documents,
    snapshots: Snapshots,
    keys: Keys,
    feed: Feed,
    views_behind: Behind,
    guard: Guard,
    tls: Tls,
    telemetry: Telemetry,
    signing_key: Option<CheckpointKey>,
    calls: Notify,
    draining: watch::Sender<bool>,
}

impl App {
    /// The state of a service with these settings on that store, which signs with that key.
    pub(crate) fn new(
        settings: Settings,
        store: Store,
        signing_key: Option<CheckpointKey>,
    ) -> Self {
        Self(Arc::new(Inner {
            sessions: Sessions::new(settings.cache_bytes),
            documents: Documents::default(),
            snapshots: Snapshots::default(),
            store,
            keys: Keys::default(),
            feed: Feed::default(),
            views_behind: Behind::default(),
            guard: Guard::parse(&settings.allow_tool_addresses).unwrap_or_default(),
            tls: Tls::load(&settings.ca_file).unwrap_or_default(),
            telemetry: Telemetry::new(!settings.otlp_endpoint.is_empty()),
            signing_key,
            calls: Notify::new(),
            settings,
            draining: watch::Sender::new(false),
        }))
    }

    /// The settings in force.
    pub(crate) fn settings(&self) -> &Settings {
        &self.0.settings
    }

    /// The journal.
    pub(crate) fn store(&self) -> &Store {
        &self.0.store
    }

    /// The sessions held ready.
    pub(crate) fn sessions(&self) -> &Sessions {
        &self.0.sessions
    }

    /// The documents that sessions hold.
    pub(crate) fn documents(&self) -> &Documents {
        &self.0.documents
    }

    /// The sessions whose snapshot is to be written.
    pub(crate) fn snapshots(&self) -> &Snapshots {
        &self.0.snapshots
    }

    /// The API keys.
    pub(crate) fn keys(&self) -> &Keys {
        &self.0.keys
    }

    /// Who follows which session.
    pub(crate) fn feed(&self) -> &Feed {
        &self.0.feed
    }

    /// Which sessions the views for dashboards are behind with.
    pub(crate) fn views_behind(&self) -> &Behind {
        &self.0.views_behind
    }

    /// Which addresses http tools may have.
    pub(crate) fn guard(&self) -> &Guard {
        &self.0.guard
    }

    /// The key that checkpoints are signed with, if there is one.
    pub(crate) fn signing_key(&self) -> Option<&CheckpointKey> {
        self.0.signing_key.as_ref()
    }

    /// Whom outgoing connections trust.
    pub(crate) fn tls(&self) -> &Tls {
        &self.0.tls
    }

    /// The spans to be exported, and the traces of calls.
    pub(crate) fn telemetry(&self) -> &Telemetry {
        &self.0.telemetry
    }

    /// What is woken when calls are due.
    pub(crate) fn calls_wake(&self) -> &Notify {
        &self.0.calls
    }

    /// Says that no new work is wanted.
    pub(crate) fn drain(&self) {
        self.0.draining.send_replace(true);
    }

    /// Whether the service is shutting down.
    pub(crate) fn is_draining(&self) -> bool {
        *self.0.draining.borrow()
    }

    /// Waits until the service is shutting down.
    pub(crate) async fn drained(&self) {
        let _ = self
            .0
            .draining
            .subscribe()
            .wait_for(|draining| *draining)
            .await;
    }
}
