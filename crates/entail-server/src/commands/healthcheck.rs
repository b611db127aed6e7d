//! `entail healthcheck`: for a container that has no shell and no curl.

use std::{net::SocketAddr, process::ExitCode, time::Duration};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    time::timeout,
};

use crate::{commands::Failure, config::Config};

const PATIENCE: Duration = Duration::from_secs(4);
const STATUS_LINE_BYTES: usize = 64;

/// Asks `/readyz` of the service these settings describe.
pub(crate) async fn run(config: &Config) -> Result<ExitCode, Failure> {
    let settings = &config.settings;
    let address = if settings.health_listen.is_empty() {
        &settings.listen
    } else {
        &settings.health_listen
    };
    match timeout(PATIENCE, ask(address)).await {
        Ok(Ok(true)) => Ok(ExitCode::SUCCESS),
        Ok(Ok(false)) => Err(Failure::Other(format!(
            "the service on `{address}` is not ready"
        ))),
        Ok(Err(error)) => Err(Failure::Other(format!(
            "no service on `{address}`: {error}"
        ))),
        Err(_) => Err(Failure::Other(format!(
            "the service on `{address}` does not answer"
        ))),
    }
}

async fn ask(address: &str) -> std::io::Result<bool> {
    let mut address: SocketAddr = address.parse().map_err(std::io::Error::other)?;
    if address.ip().is_unspecified() {
        address.set_ip(if address.is_ipv4() {
            std::net::Ipv4Addr::LOCALHOST.into()
        } else {
            std::net::Ipv6Addr::LOCALHOST.into()
        });
    }
    let mut stream = TcpStream::connect(address).await?;
    stream
        .write_all(b"GET /readyz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")
        .await?;
    let mut head = Vec::new();
    while head.len() < STATUS_LINE_BYTES && stream.read_buf(&mut head).await? > 0 {}
    Ok(head.starts_with(b"HTTP/1.1 200 "))
}
