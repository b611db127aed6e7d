//! The request of a call: where it goes, and what it says.

use axum::http::{HeaderName, HeaderValue, Method, Uri, header, uri::Scheme};
use entail_json::{Value, to_canonical};
use entail_session::HttpCall;
use hyper::body::Bytes;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use super::send::Failure;

/// Headers that are the service's to set.
const OWN: &[HeaderName] = &[
    header::HOST,
    header::CONTENT_LENGTH,
    header::CONTENT_TYPE,
    header::CONNECTION,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
    header::TE,
    header::TRAILER,
    header::EXPECT,
];

/// Where a call goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// Whether by TLS.
    pub(super) is_secure: bool,
    /// The host, a name or an address.
    pub(super) host: String,
    /// The port.
    pub(super) port: u16,
    /// The path and the query.
    pub(super) path: String,
}

/// Reads a URL.
pub(super) fn place(url: &str) -> Result<Place, Failure> {
    let invalid = |why: &str| Failure::Invalid(format!("the tool's url {why}"));
    let uri: Uri = url.parse().map_err(|_| invalid("cannot be read"))?;
    let is_secure = match uri.scheme() {
        Some(scheme) if *scheme == Scheme::HTTPS => true,
        Some(scheme) if *scheme == Scheme::HTTP => false,
        _ => return Err(invalid("has to begin with `https://` or `http://`")),
    };
    let authority = uri.authority().ok_or_else(|| invalid("names no host"))?;
    if authority.as_str().contains('@') {
        return Err(invalid("must not hold a password; use `headers`"));
    }
    let host = authority
        .host()
        .trim_start_matches('[')
        .trim_end_matches(']')
        .to_owned();
    if host.is_empty() {
        return Err(invalid("names no host"));
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

/// The request of an attempt. The arguments are its JSON body; of a GET, its query.
pub(super) fn request(
    call: &HttpCall,
    place: &Place,
    attempt: u32,
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

fn host(place: &Place) -> String {
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
