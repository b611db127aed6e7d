//! The loopback rule: where no api keys are configured, only callers on this machine are served,
//! and no web page from elsewhere speaks for them (DNS rebinding, cross-site requests).

use std::net::IpAddr;

use axum::http::{HeaderMap, Uri, header};

use crate::problem::{Code, Problem};

/// Refuses foreign hosts and origins.
pub(crate) fn judge(headers: &HeaderMap, uri: &Uri) -> Result<(), Problem> {
    let header = headers
        .get(header::HOST)
        .and_then(|host| host.to_str().ok());
    let host = uri.host().or(header);
    if !host.is_some_and(is_loopback) {
        return Err(Problem::new(
            Code::ForeignHost,
            "call the service as `localhost` or by a loopback address, or configure api keys",
        ));
    }
    let foreign = headers.get_all(header::ORIGIN).iter().any(|origin| {
        let origin = origin.to_str().unwrap_or_default();
        let authority = origin.split_once("://").map(|(_, authority)| authority);
        !authority.is_some_and(is_loopback)
    });
    if foreign {
        return Err(Problem::new(
            Code::ForeignOrigin,
            "a page from elsewhere may not call a service that has no api keys",
        ));
    }
    Ok(())
}

/// Whether an authority (a host and perhaps a port) is this machine's loopback.
fn is_loopback(authority: &str) -> bool {
    let host = match authority.strip_prefix('[') {
        Some(rest) => rest.split_once(']').map_or("", |(host, _)| host),
        None => authority.split(':').next().unwrap_or_default(),
    };
    host.eq_ignore_ascii_case("localhost")
        || host
            .parse::<IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn code(host: &str, origin: Option<&str>) -> Option<Code> {
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, HeaderValue::from_str(host).unwrap());
        if let Some(origin) = origin {
            headers.insert(header::ORIGIN, HeaderValue::from_str(origin).unwrap());
        }
        judge(&headers, &Uri::from_static("/sessions"))
            .err()
            .map(|problem| problem.code())
    }

    #[test]
    fn callers_on_this_machine_are_served() {
        for host in [
            "localhost",
            "LOCALHOST:8080",
            "127.0.0.1:1",
            "127.8.9.1",
            "[::1]:80",
        ] {
            assert_eq!(code(host, None), None, "{host}");
        }
        assert_eq!(code("localhost", Some("http://127.0.0.1:3000")), None);
    }

    #[test]
    fn a_name_that_leads_here_from_elsewhere_is_refused() {
        for host in [
            "evil.example",
            "localhost.evil.example",
            "10.0.0.1",
            "[::2]",
            "",
            "127.0.0.1.evil.example",
        ] {
            assert_eq!(code(host, None), Some(Code::ForeignHost), "{host}");
        }
    }

    #[test]
    fn a_page_from_elsewhere_is_refused() {
        for origin in [
            "https://evil.example",
            "null",
            "http://localhost.evil.example:8080",
        ] {
            assert_eq!(
                code("localhost", Some(origin)),
                Some(Code::ForeignOrigin),
                "{origin}"
            );
        }
    }
}
