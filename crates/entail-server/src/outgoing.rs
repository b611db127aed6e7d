//! Requests that the service itself makes: to http tools and to a collector of spans.
//!
//! The caller connects, so that it decides which address; here is what comes after: TLS where the
//! address asks for it, checked against the host's name, then one request on the connection. No
//! redirect is followed.

use std::{io, sync::Arc};

use axum::http::{Request, Response, Uri, uri::Scheme};
use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper_util::rt::TokioIo;
use rustls::{
    ClientConfig, RootCertStore,
    pki_types::{CertificateDer, ServerName, pem::PemObject as _},
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
    sync::OnceCell,
};
use tokio_rustls::TlsConnector;

/// Where a request goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// Whether by TLS.
    pub(crate) is_secure: bool,
    /// The host, a name or an address.
    pub(crate) host: String,
    /// The port.
    pub(crate) port: u16,
    /// The path and the query.
    pub(crate) path: String,
}

/// An address that no request can go to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum InvalidUrl {
    /// It is no URL.
    #[error("cannot be read")]
    Unreadable,
    /// It is of another scheme.
    #[error("has to begin with `https://` or `http://`")]
    Scheme,
    /// It has no host.
    #[error("names no host")]
    Host,
    /// It holds a user's name or password.
    #[error("must not hold a password; use `headers`")]
    Password,
}

/// Reads a URL.
pub(crate) fn place(url: &str) -> Result<Place, InvalidUrl> {
    let uri: Uri = url.parse().map_err(|_| InvalidUrl::Unreadable)?;
    let is_secure = match uri.scheme() {
        Some(scheme) if *scheme == Scheme::HTTPS => true,
        Some(scheme) if *scheme == Scheme::HTTP => false,
        _ => return Err(InvalidUrl::Scheme),
    };
    let authority = uri.authority().ok_or(InvalidUrl::Host)?;
    if authority.as_str().contains('@') {
        return Err(InvalidUrl::Password);
    }
    let host = authority
        .host()
        .trim_start_matches('[')
        .trim_end_matches(']')
        .to_owned();
    if host.is_empty() {
        return Err(InvalidUrl::Host);
    }
    Ok(Place {
        is_secure,
        host,
        port: authority
            .port_u16()
            .unwrap_or(if is_secure { 443 } else { 80 }),
        path: uri
            .path_and_query()
            .map_or("/", |path| path.as_str())
            .to_owned(),
    })
}

/// The `host` header of a request there.
pub(crate) fn host(place: &Place) -> String {
    let host = if place.host.contains(':') {
        format!("[{}]", place.host)
    } else {
        place.host.clone()
    };
    match (place.is_secure, place.port) {
        (true, 443) | (false, 80) => host,
        (_, port) => format!("{host}:{port}"),
    }
}

/// Whom TLS trusts: the system's certificate authorities, read once when they are first needed,
/// and those of a file.
#[derive(Debug, Default)]
pub(crate) struct Tls {
    more: Vec<CertificateDer<'static>>,
    config: OnceCell<Arc<ClientConfig>>,
}

impl Tls {
    /// Reads more authorities from a file of PEM, if one is named.
    pub(crate) fn load(path: &str) -> Result<Self, String> {
        if path.is_empty() {
            return Ok(Self::default());
        }
        let more: Result<Vec<_>, _> =
            CertificateDer::pem_file_iter(path).and_then(Iterator::collect);
        match more {
            Ok(more) if more.is_empty() => Err(format!("there is no certificate in `{path}`")),
            Ok(more) => Ok(Self {
                more,
                config: OnceCell::new(),
            }),
            Err(error) => Err(format!("`{path}` cannot be read: {error}")),
        }
    }

    async fn connector(&self) -> TlsConnector {
        let config = self.config.get_or_init(|| async {
            let more = self.more.clone();
            let roots = tokio::task::spawn_blocking(move || {
                let mut roots = RootCertStore::empty();
                roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
                roots.add_parsable_certificates(more);
                roots
            });
            let roots = roots.await.unwrap_or_else(|_| RootCertStore::empty());
            Arc::new(
                ClientConfig::builder()
                    .with_root_certificates(roots)
                    .with_no_client_auth(),
            )
        });
        TlsConnector::from(Arc::clone(config.await))
    }
}

/// Makes one request on a connection to that place.
pub(crate) async fn exchange(
    tls: &Tls,
    place: &Place,
    stream: TcpStream,
    request: Request<Full<Bytes>>,
) -> io::Result<Response<Incoming>> {
    if !place.is_secure {
        return speak(stream, request).await;
    }
    let name = ServerName::try_from(place.host.clone()).map_err(io::Error::other)?;
    let stream = tls.connector().await.connect(name, stream).await?;
    speak(stream, request).await
}

async fn speak<S: AsyncRead + AsyncWrite + Send + Unpin + 'static>(
    stream: S,
    request: Request<Full<Bytes>>,
) -> io::Result<Response<Incoming>> {
    let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream))
        .await
        .map_err(io::Error::other)?;
    tokio::spawn(connection);
    sender.send_request(request).await.map_err(io::Error::other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_is_taken_apart() {
        let place = place("https://[2606:4700::1]:8443/a?b=c#d").unwrap();
        assert!(place.is_secure);
        assert_eq!((place.host.as_str(), place.port), ("2606:4700::1", 8443));
        assert_eq!(place.path, "/a?b=c");
        assert_eq!(host(&place), "[2606:4700::1]:8443");
    }

    #[test]
    fn a_url_that_is_none_is_refused() {
        for url in [
            "ftp://x/",
            "/path",
            "http://",
            "http://u:p@x/",
            "x",
            "file:///etc/passwd",
        ] {
            assert!(place(url).is_err(), "{url}");
        }
    }
}
