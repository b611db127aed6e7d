//! One attempt: the address checked is the one connected to, redirects are not followed, and no
//! more is read than a value may have.

use std::{io, net::SocketAddr, time::Duration};

use axum::http::{StatusCode, header};
use entail_json::{Value, read};
use entail_session::HttpCall;
use http_body_util::{BodyExt as _, Limited};
use tokio::{net::TcpStream, time::timeout};

use super::request::request;
use crate::{
    app::App,
    limits::{CALL_TIMEOUT_MOST_MS, CALL_TIMEOUT_MS},
    outgoing::{self, Place, place},
    telemetry::TraceContext,
};

/// Why an attempt gave no value. The messages are told to the model.
#[derive(Debug, thiserror::Error)]
pub(super) enum Failure {
    /// The call cannot be made as it is registered.
    #[error("{0}")]
    Invalid(String),
    /// The address is not one that may be called.
    #[error("the tool's address may not be called")]
    Forbidden,
    /// It could not be reached.
    #[error("the tool could not be reached")]
    Unreachable(#[source] Option<io::Error>),
    /// It took too long.
    #[error("the tool did not answer in time")]
    TooSlow,
    /// It answered with an error.
    #[error("the tool answered {0}")]
    Status(StatusCode),
    /// Its answer is too large.
    #[error("the tool's answer is larger than {0} bytes")]
    TooLarge(usize),
    /// Its answer cannot be read.
    #[error("the tool's answer cannot be read: {0}")]
    Unreadable(String),
}

impl Failure {
    /// Whether another attempt may give a value.
    pub(super) fn may_pass(&self) -> bool {
        match self {
            Self::Unreachable(_) | Self::TooSlow => true,
            Self::Status(status) => {
                status.is_server_error() || matches!(status.as_u16(), 408 | 425 | 429)
            }
            Self::Invalid(_) | Self::Forbidden | Self::TooLarge(_) | Self::Unreadable(_) => false,
        }
    }

    /// What it is counted as.
    pub(super) fn word(&self) -> &'static str {
        match self {
            Self::Invalid(_) | Self::Forbidden => "refused",
            Self::Unreachable(_) => "unreachable",
            Self::TooSlow => "timeout",
            Self::Status(_) => "status",
            Self::TooLarge(_) | Self::Unreadable(_) => "unreadable",
        }
    }
}

/// What can come of an attempt: a value, or what [`Failure::word`] says.
pub(crate) const OUTCOMES: [&str; 6] = [
    "returned",
    "refused",
    "unreachable",
    "timeout",
    "status",
    "unreadable",
];

/// Makes an attempt.
pub(super) async fn send(
    app: &App,
    call: &HttpCall,
    attempt: u32,
    trace: &TraceContext,
) -> Result<Value, Failure> {
    let wanted = call.executor.timeout_ms.unwrap_or(CALL_TIMEOUT_MS);
    let patience = Duration::from_millis(wanted.min(CALL_TIMEOUT_MOST_MS));
    timeout(patience, exchange(app, call, attempt, trace))
        .await
        .map_err(|_| Failure::TooSlow)?
}

async fn exchange(
    app: &App,
    call: &HttpCall,
    attempt: u32,
    trace: &TraceContext,
) -> Result<Value, Failure> {
    let place = place(&call.executor.url)
        .map_err(|why| Failure::Invalid(format!("the tool's url {why}")))?;
    let request = request(call, &place, attempt, trace)?;
    let stream = connect(app, &place).await?;
    let most = app.settings().max_value_bytes;
    let response = outgoing::exchange(app.tls(), &place, stream, request)
        .await
        .map_err(|error| Failure::Unreachable(Some(error)))?;
    let (parts, body) = response.into_parts();
    if !parts.status.is_success() {
        return Err(Failure::Status(parts.status));
    }
    let body = Limited::new(body, most).collect().await.map_err(|error| {
        if error.is::<http_body_util::LengthLimitError>() {
            Failure::TooLarge(most)
        } else {
            Failure::Unreachable(None)
        }
    })?;
    let bytes = body.to_bytes();
    let kind = parts
        .headers
        .get(header::CONTENT_TYPE)
        .and_then(|kind| kind.to_str().ok());
    value(kind.unwrap_or_default(), &bytes)
}

/// The value an answer holds: JSON, or text where it says that it is none.
fn value(kind: &str, bytes: &[u8]) -> Result<Value, Failure> {
    if bytes.is_empty() {
        return Ok(Value::Null);
    }
    let essence = kind
        .split(';')
        .next()
        .unwrap_or_default()
        .trim()
        .to_ascii_lowercase();
    if essence.starts_with("text/") {
        let text = std::str::from_utf8(bytes);
        let text = text.map_err(|error| Failure::Unreadable(error.to_string()))?;
        return Ok(Value::from(text));
    }
    read(bytes).map_err(|error| Failure::Unreadable(error.to_string()))
}

/// Connects to an address of the host that may be called.
async fn connect(app: &App, place: &Place) -> Result<TcpStream, Failure> {
    let found = tokio::net::lookup_host((place.host.as_str(), place.port)).await;
    let addresses: Vec<SocketAddr> = found
        .map_err(|error| Failure::Unreachable(Some(error)))?
        .collect();
    let allowed: Vec<_> = addresses
        .iter()
        .filter(|address| app.guard().allows(address.ip()))
        .collect();
    if allowed.is_empty() {
        return Err(if addresses.is_empty() {
            Failure::Unreachable(None)
        } else {
            Failure::Forbidden
        });
    }
    let mut last = None;
    for address in allowed {
        match TcpStream::connect(address).await {
            Ok(stream) => return Ok(stream),
            Err(error) => last = Some(error),
        }
    }
    Err(Failure::Unreachable(last))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_json_unless_it_says_it_is_text() {
        let text =
            |kind: &str, body: &str| value(kind, body.as_bytes()).map(|value| value.to_string());
        assert_eq!(text("application/json", "1.0").unwrap(), "1.0");
        assert_eq!(
            text("", "{\"a\":12345678901234567890}").unwrap(),
            "{\"a\":12345678901234567890}"
        );
        assert_eq!(text("text/plain; charset=utf-8", "1").unwrap(), "\"1\"");
        assert_eq!(text("", "").unwrap(), "null");
        assert!(text("application/json", "{").is_err());
    }
}
