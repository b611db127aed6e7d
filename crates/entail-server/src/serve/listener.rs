//! One listening socket: a bounded number of connections, each with a time to send its heads.

use std::{convert::Infallible, io, net::SocketAddr, sync::Arc, time::Duration};

use axum::{Router, body::Body, extract::ConnectInfo, http::Request};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    server::graceful::GracefulShutdown,
};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::Semaphore,
};
use tower::ServiceExt as _;

use crate::{config::Settings, limits::HEAD_BYTES, serve::Stop};

/// A bound socket.
#[derive(Debug)]
pub(crate) struct Listener {
    socket: TcpListener,
    address: SocketAddr,
    connections: usize,
    header_timeout: Duration,
    grace: Duration,
}

impl Listener {
    /// Binds an address.
    pub(crate) async fn bind(address: &str, settings: &Settings) -> io::Result<Self> {
        let socket = TcpListener::bind(address).await?;
        Ok(Self {
            address: socket.local_addr()?,
            socket,
            connections: settings.max_connections.min(Semaphore::MAX_PERMITS),
            header_timeout: Duration::from_millis(settings.header_timeout_ms),
            grace: Duration::from_millis(settings.shutdown_grace_ms),
        })
    }

    /// Where it listens.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves until told to stop; then accepts no more and waits for the requests under way, as
    /// long as the grace period lasts. Whether all of them were finished.
    pub(crate) async fn serve(self, router: Router, stop: Stop) -> bool {
        let mut http = http1::Builder::new();
        http.timer(TokioTimer::new())
            .header_read_timeout(self.header_timeout)
            .max_header_size(HEAD_BYTES);
        let graceful = GracefulShutdown::new();
        let places = Arc::new(Semaphore::new(self.connections));
        loop {
            let accepted = tokio::select! {
                () = stop.wait() => break,
                accepted = accept(&self.socket, &places) => accepted,
            };
            let (stream, peer, place) = match accepted {
                Ok(accepted) => accepted,
                Err(error) => {
                    // Out of file descriptors, as a rule: accepting again at once would spin.
                    tracing::warn!(%error, "cannot accept");
                    tokio::time::sleep(Duration::from_millis(crate::limits::ACCEPT_PAUSE_MS)).await;
                    continue;
                }
            };
            let _ = stream.set_nodelay(true);
            let router = router.clone();
            let service = service_fn(move |request: Request<Incoming>| {
                let mut request = request.map(Body::new);
                request.extensions_mut().insert(ConnectInfo(peer));
                let router = router.clone();
                async move {
                    Ok::<_, Infallible>(match router.oneshot(request).await {
                        Ok(response) => response,
                        Err(never) => match never {},
                    })
                }
            });
            let connection = graceful.watch(http.serve_connection(TokioIo::new(stream), service));
            tokio::spawn(async move {
                if let Err(error) = connection.await {
                    tracing::debug!(%error, "connection ended");
                }
                drop(place);
            });
        }
        drop(self.socket);
        tokio::time::timeout(self.grace, graceful.shutdown())
            .await
            .is_ok()
    }
}

async fn accept(
    socket: &TcpListener,
    places: &Arc<Semaphore>,
) -> io::Result<(TcpStream, SocketAddr, tokio::sync::OwnedSemaphorePermit)> {
    let place = Arc::clone(places)
        .acquire_owned()
        .await
        .map_err(io::Error::other)?;
    let (stream, peer) = socket.accept().await?;
    Ok((stream, peer, place))
}
