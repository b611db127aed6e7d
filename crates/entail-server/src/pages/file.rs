//! A file out of the binary, answered so that browsers keep it and run nothing else.

use std::sync::OnceLock;

use axum::{
    body::Body,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse as _, Response},
};
use entail_json::sha256;

/// A file of a page.
#[derive(Debug)]
pub(super) struct File {
    bytes: &'static [u8],
    kind: &'static str,
    policy: &'static str,
    gzip: bool,
    tag: OnceLock<String>,
}

impl File {
    /// A file as it is, under a Content-Security-Policy.
    pub(super) const fn new(
        kind: &'static str,
        bytes: &'static [u8],
        policy: &'static str,
    ) -> Self {
        Self {
            bytes,
            kind,
            policy,
            gzip: false,
            tag: OnceLock::new(),
        }
    }

    /// A file that is kept compressed, and sent so: every browser takes it.
    pub(super) const fn gzipped(
        kind: &'static str,
        bytes: &'static [u8],
        policy: &'static str,
    ) -> Self {
        let mut file = Self::new(kind, bytes, policy);
        file.gzip = true;
        file
    }

    /// Its text.
    #[cfg(test)]
    pub(super) fn text(&self) -> &'static str {
        std::str::from_utf8(self.bytes).unwrap()
    }

    /// The file, or that the browser's copy is still good.
    pub(super) fn answer(&self, asked: &HeaderMap) -> Response {
        let tag = self
            .tag
            .get_or_init(|| format!("\"{}\"", sha256(self.bytes)));
        let known = asked
            .get_all(header::IF_NONE_MATCH)
            .iter()
            .filter_map(|given| given.to_str().ok())
            .flat_map(|given| given.split(','))
            .any(|given| given.trim().trim_start_matches("W/") == tag);
        let mut response = match known {
            true => StatusCode::NOT_MODIFIED.into_response(),
            false => Response::new(Body::from(self.bytes)),
        };
        let headers = response.headers_mut();
        let mut set = |name, value| headers.insert(name, HeaderValue::from_static(value));
        set(header::CACHE_CONTROL, "no-cache");
        set(header::CONTENT_SECURITY_POLICY, self.policy);
        set(header::REFERRER_POLICY, "no-referrer");
        set(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
        if !known {
            set(header::CONTENT_TYPE, self.kind);
            if self.gzip {
                set(header::CONTENT_ENCODING, "gzip");
            }
        }
        if let Ok(tag) = HeaderValue::from_str(tag) {
            headers.insert(header::ETAG, tag);
        }
        response
    }
}
