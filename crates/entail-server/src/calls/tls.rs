//! Tests of http tools that are called by TLS, with certificates of our own.

use std::{net::SocketAddr, sync::Arc};

use entail_json::{Object, Value};
use entail_session::{HttpCall, HttpExecutor};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::{
    ServerConfig,
    pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer},
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpListener,
};
use tokio_rustls::TlsAcceptor;

use super::send::{Failure, send};
use crate::{config::Settings, telemetry::TraceContext, testing::Service};

/// A certificate authority in a file, and who it vouches for.
struct Authority {
    issuer: CertifiedIssuer<'static, KeyPair>,
    file: std::path::PathBuf,
}

impl Authority {
    fn new(name: &str) -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
        let file = format!("entail-authority-{}-{name}.pem", std::process::id());
        let file = std::env::temp_dir().join(file);
        std::fs::write(&file, issuer.pem()).unwrap();
        Self { issuer, file }
    }

    /// A tool at an address of its own, by TLS, with a certificate for that host, which answers
    /// every request alike.
    async fn tool(&self, host: &str, answer: &'static str) -> SocketAddr {
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new(vec![host.to_owned()]).unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
        let config = ServerConfig::builder()
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], key)
            .unwrap();
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let Ok(mut stream) = acceptor.accept(stream).await else {
                    continue;
                };
                let mut request = Vec::new();
                while !request.ends_with(b"}") && stream.read_buf(&mut request).await.unwrap() > 0 {
                }
                stream.write_all(answer.as_bytes()).await.unwrap();
                let _ = stream.shutdown().await;
            }
        });
        address
    }
}

impl Drop for Authority {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.file);
    }
}

const FORTY_TWO: &str = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n42";

async fn call(service: &Service, host: &str, port: u16) -> Result<Value, Failure> {
    let call = HttpCall {
        call_id: "call_1".to_owned(),
        tool: "f".to_owned(),
        executor: HttpExecutor {
            url: format!("https://{host}:{port}/run"),
            method: "POST".to_owned(),
            headers: Vec::new(),
            timeout_ms: None,
        },
        arguments: Object::new(),
    };
    send(service.app(), &call, 1, &TraceContext::root()).await
}

async fn trusting(authority: Option<&Authority>) -> Service {
    Service::with(Settings {
        allow_tool_addresses: "127.0.0.1".to_owned(),
        ca_file: authority.map_or_else(String::new, |authority| {
            authority.file.display().to_string()
        }),
        ..Settings::default()
    })
    .await
}

#[tokio::test]
async fn a_tool_with_a_certificate_of_a_named_authority_is_called() {
    let authority = Authority::new("named");
    let tool = authority.tool("localhost", FORTY_TWO).await;
    let service = trusting(Some(&authority)).await;
    let value = call(&service, "localhost", tool.port()).await;
    assert_eq!(value.unwrap(), Value::from(42_i64));
}

#[tokio::test]
async fn a_certificate_of_another_authority_or_for_another_host_is_refused() {
    let (authority, other) = (Authority::new("one"), Authority::new("other"));
    let unnamed = authority.tool("localhost", FORTY_TWO).await;
    let elsewhere = authority.tool("elsewhere.example", FORTY_TWO).await;
    for (service, tool) in [
        (trusting(None).await, unnamed),
        (trusting(Some(&other)).await, unnamed),
        (trusting(Some(&authority)).await, elsewhere),
    ] {
        let failure = call(&service, "localhost", tool.port()).await.unwrap_err();
        assert!(
            matches!(failure, Failure::Unreachable(Some(_))),
            "{failure:?}"
        );
    }
}

#[tokio::test]
async fn a_redirect_is_not_followed_by_tls_either() {
    const REDIRECT: &str =
        "HTTP/1.1 307 Temporary Redirect\r\nlocation: /other\r\ncontent-length: 0\r\n\r\n";
    let authority = Authority::new("redirect");
    let tool = authority.tool("localhost", REDIRECT).await;
    let service = trusting(Some(&authority)).await;
    let failure = call(&service, "localhost", tool.port()).await.unwrap_err();
    assert!(
        matches!(&failure, Failure::Status(status) if status.as_u16() == 307),
        "{failure:?}"
    );
}
