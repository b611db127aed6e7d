//! One listening socket: a bounded number of connections, each with a time to send its heads.

use std::{convert::Infallible, io, net::SocketAddr, sync::Arc, time::Duration};

use axum::{Router, body::Body, extract::ConnectInfo, http::Request};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::TokioTimer;
use tokio::{
    net::{TcpListener, TcpStream},
    sync::Semaphore,
};
use tower::ServiceExt as _;

use super::socket::{Begun, Socket};
use crate::{config::Settings, limits::HEAD_BYTES, serve::Stop};

/// A bound socket.
#[derive(Debug)]
pub(crate) struct Listener {
    socket: TcpListener,
    address: SocketAddr,
    connections: u32,
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
            connections: u32::try_from(settings.max_connections).unwrap_or(u32::MAX),
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
        let most = usize::try_from(self.connections).unwrap_or(Semaphore::MAX_PERMITS);
        let places = Arc::new(Semaphore::new(most.min(Semaphore::MAX_PERMITS)));
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
            let (router, begun) = (router.clone(), Begun::default());
            let socket = Socket::new(stream, begun.clone());
            let service = service_fn(move |request: Request<Incoming>| {
                begun.clear();
                let mut request = request.map(Body::new);
                request.extensions_mut().insert(ConnectInfo(peer));
                let (router, begun) = (router.clone(), begun.clone());
                async move {
                    let response = match router.oneshot(request).await {
                        Ok(response) => response,
                        Err(never) => match never {},
                    };
                    begun.clear();
                    Ok::<_, Infallible>(response)
                }
            });
            let mut connection = http.serve_connection(socket, service);
            let stop = stop.clone();
            tokio::spawn(async move {
                let ended = tokio::select! {
                    ended = &mut connection => ended,
                    () = stop.wait() => {
                        std::pin::Pin::new(&mut connection).graceful_shutdown();
                        (&mut connection).await
                    }
                };
                if let Err(error) = ended {
                    tracing::debug!(%error, "connection ended");
                    if error.is_timeout() {
                        connection.into_parts().io.tell_timeout().await;
                    }
                }
                drop(place);
            });
        }
        drop(self.socket);
        // Every connection gives its place back.
        tokio::time::timeout(self.grace, places.acquire_many(self.connections))
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
