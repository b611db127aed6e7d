//! The request of a call: where it goes, and what it says.

use axum::http::{HeaderName, HeaderValue, Method, header};
use entail_json::{Value, to_canonical};
use entail_session::HttpCall;
use hyper::body::Bytes;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use super::send::Failure;
use crate::{
    outgoing::{Place, host},
    telemetry::TraceContext,
};

/// Headers that are the service's to set.
static OWN: [HeaderName; 11] = [
    header::HOST,
    header::CONTENT_LENGTH,
    header::CONTENT_TYPE,
    header::CONNECTION,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
    header::TE,
    header::TRAILER,
    header::EXPECT,
    HeaderName::from_static("traceparent"),
    HeaderName::from_static("tracestate"),
];

/// The request of an attempt. The arguments are its JSON body; of a GET, its query.
pub(super) fn request(
    call: &HttpCall,
    place: &Place,
    attempt: u32,
    trace: &TraceContext,
) -> Result<axum::http::Request<http_body_util::Full<Bytes>>, Failure> {
    let invalid = |_| Failure::Invalid("the tool's url or headers cannot be sent".to_owned());
    let method = Method::from_bytes(call.executor.method.as_bytes())
        .map_err(|_| Failure::Invalid("the tool's method cannot be sent".to_owned()))?;
    let has_body = method != Method::GET;
    let path = if has_body {
        place.path.clone()
    } else {
        with_query(&place.path, call)
    };
    let mut request = axum::http::Request::builder()
        .method(method)
        .uri(path)
        .header(header::HOST, host(place))
        .header(header::ACCEPT, "application/json")
        .header(
            header::USER_AGENT,
            concat!("entail/", env!("CARGO_PKG_VERSION")),
        )
        .header("idempotency-key", &call.call_id)
        .header("x-entail-attempt", attempt);
    if has_body {
        request = request.header(header::CONTENT_TYPE, crate::body::JSON);
    }
    for (name, value) in &call.executor.headers {
        let name = HeaderName::try_from(name.as_str())
            .map_err(|_| Failure::Invalid(format!("`{name}` is no header's name")))?;
        let mut value = HeaderValue::try_from(value.as_str())
            .map_err(|_| Failure::Invalid(format!("the header `{name}` cannot be sent")))?;
        value.set_sensitive(true);
        if !OWN.contains(&name) {
            request = request.header(name, value);
        }
    }
    if let Some(headers) = request.headers_mut() {
        trace.put(headers);
    }
    let arguments = to_canonical(&Value::Object(call.arguments.clone()));
    let body = if has_body {
        Bytes::from(arguments)
    } else {
        Bytes::new()
    };
    request
        .body(http_body_util::Full::new(body))
        .map_err(invalid)
}

fn with_query(path: &str, call: &HttpCall) -> String {
    let mut out = path.to_owned();
    for (name, value) in call.arguments.iter() {
        out.push(if out.contains('?') { '&' } else { '?' });
        let text = value
            .as_str()
            .map_or_else(|| to_canonical(value), str::to_owned);
        out.extend(utf8_percent_encode(name, NON_ALPHANUMERIC));
        out.push('=');
        out.extend(utf8_percent_encode(&text, NON_ALPHANUMERIC));
    }
    out
}
