//! Sending spans to a collector: OTLP over HTTP, as JSON.

use std::time::Duration;

use axum::http::{HeaderName, HeaderValue, Request, header};
use entail_json::to_canonical;
use http_body_util::Full;
use hyper::body::Bytes;
use tokio::{net::TcpStream, sync::mpsc, time::timeout};

use super::{Span, encode};
use crate::{
    app::App,
    body::JSON,
    clock,
    limits::{EXPORT_PAUSE_MS, EXPORT_TIMEOUT_MS, SPANS_AT_ONCE},
    metrics,
    outgoing::{InvalidUrl, Place, exchange, host, place},
    serve::Stop,
};

/// Where spans go.
#[derive(Clone, Debug)]
pub(crate) struct Endpoint {
    place: Place,
    headers: Vec<(HeaderName, HeaderValue)>,
}

/// A collector that cannot be called.
#[derive(Debug, thiserror::Error)]
pub(crate) enum InvalidEndpoint {
    /// Its address.
    #[error("`otlp_endpoint` {0}")]
    Url(InvalidUrl),
    /// What it is to be told with every request.
    #[error("`otlp_headers` has to be `name=value`, several separated by commas")]
    Headers,
}

impl Endpoint {
    /// Reads an endpoint and its headers; `None` where there is no endpoint. As the protocol has
    /// it, traces go to `/v1/traces` below it, and the values of headers are percent-encoded.
    pub(crate) fn parse(url: &str, headers: &str) -> Result<Option<Self>, InvalidEndpoint> {
        if url.is_empty() {
            return Ok(None);
        }
        let mut place = place(url).map_err(InvalidEndpoint::Url)?;
        let base = place.path.trim_end_matches('/').to_owned();
        place.path = format!("{base}/v1/traces");
        let pairs = headers.split(',').map(str::trim);
        let headers = pairs.filter(|pair| !pair.is_empty()).map(|pair| {
            let (name, value) = pair.split_once('=')?;
            let value = percent_encoding::percent_decode_str(value.trim())
                .decode_utf8()
                .ok()?;
            let mut value = HeaderValue::try_from(value.as_ref()).ok()?;
            value.set_sensitive(true);
            Some((HeaderName::try_from(name.trim()).ok()?, value))
        });
        let headers: Option<Vec<_>> = headers.collect();
        Ok(Some(Self {
            place,
            headers: headers.ok_or(InvalidEndpoint::Headers)?,
        }))
    }

    fn request(&self, body: String) -> Result<Request<Full<Bytes>>, axum::http::Error> {
        let mut request = Request::post(&self.place.path)
            .header(header::HOST, host(&self.place))
            .header(header::CONTENT_TYPE, JSON);
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        request.body(Full::new(Bytes::from(body)))
    }
}

/// Sends what is queued, in batches, until told to stop and nothing is left.
pub(crate) async fn export(app: App, endpoint: Endpoint, stop: Stop) {
    let Some(mut waiting) = app.telemetry().take_waiting() else {
        return;
    };
    let instance = clock::new_id().to_string();
    let mut was_delivered = true;
    loop {
        let batch = batch(&mut waiting, &stop).await;
        if batch.is_empty() {
            return;
        }
        let body = to_canonical(&encode::request(&batch, &instance));
        let patience = Duration::from_millis(EXPORT_TIMEOUT_MS);
        let sent = timeout(patience, deliver(&app, &endpoint, body)).await;
        let count = u64::try_from(batch.len()).unwrap_or(u64::MAX);
        let fault = match sent {
            Ok(Ok(())) => None,
            Ok(Err(fault)) => Some(fault),
            Err(_) => Some("it took too long".to_owned()),
        };
        metrics::spans(
            if fault.is_none() {
                "exported"
            } else {
                "failed"
            },
            count,
        );
        // Said once for as long as it lasts.
        if let Some(fault) = fault.as_ref().filter(|_| was_delivered) {
            tracing::warn!(fault, "the collector takes no spans; they are dropped");
        }
        was_delivered = fault.is_none();
    }
}

/// What came, after a short wait for more; empty when there will be no more.
async fn batch(waiting: &mut mpsc::Receiver<Span>, stop: &Stop) -> Vec<Span> {
    let mut batch = Vec::new();
    tokio::select! {
        () = stop.wait() => waiting.close(),
        _ = waiting.recv_many(&mut batch, SPANS_AT_ONCE) => {}
    }
    if waiting.is_closed() {
        let room = SPANS_AT_ONCE.saturating_sub(batch.len());
        waiting.recv_many(&mut batch, room).await;
        return batch;
    }
    let more = async {
        while batch.len() < SPANS_AT_ONCE {
            let room = SPANS_AT_ONCE.saturating_sub(batch.len());
            if waiting.recv_many(&mut batch, room).await == 0 {
                break;
            }
        }
    };
    tokio::select! {
        () = stop.wait() => {}
        _ = timeout(Duration::from_millis(EXPORT_PAUSE_MS), more) => {}
    }
    batch
}

async fn deliver(app: &App, endpoint: &Endpoint, body: String) -> Result<(), String> {
    let request = endpoint.request(body).map_err(|error| error.to_string())?;
    let place = &endpoint.place;
    let stream = TcpStream::connect((place.host.as_str(), place.port))
        .await
        .map_err(|error| error.to_string())?;
    let response = exchange(app.tls(), place, stream, request)
        .await
        .map_err(|error| error.to_string())?;
    match response.status() {
        status if status.is_success() => Ok(()),
        status => Err(format!("it answered {status}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_endpoint_is_an_address_below_which_traces_go() {
        let parse = |url: &str, headers: &str| Endpoint::parse(url, headers);
        assert!(parse("", "x").unwrap().is_none());
        let endpoint = parse(
            "http://127.0.0.1:4318/otel/",
            "a=1, authorization=Bearer%20x",
        )
        .unwrap()
        .unwrap();
        assert_eq!(endpoint.place.path, "/otel/v1/traces");
        assert_eq!(endpoint.headers[1].1, "Bearer x");
        assert!(!format!("{endpoint:?}").contains("Bearer"));
        assert!(parse("ftp://x", "").is_err());
        assert!(parse("http://x", "a").is_err());
    }
}
