//! Answers as canonical JSON.

use axum::{
    body::Body,
    http::{HeaderValue, header},
    response::Response,
};
use entail_json::{Value, to_canonical};

/// The media type of JSON.
pub(crate) const JSON: &str = "application/json";

/// 200 with a value.
pub(crate) fn json(value: &Value) -> Response {
    let mut response = Response::new(Body::from(to_canonical(value)));
    response
        .headers_mut()
        .insert(header::CONTENT_TYPE, HeaderValue::from_static(JSON));
    response
}
