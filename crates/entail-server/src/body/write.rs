//! Answers as canonical JSON.

use axum::{
    body::Body,
    http::{HeaderValue, StatusCode, header},
    response::Response,
};
use entail_json::{Value, to_canonical};

/// The media type of JSON.
pub(crate) const JSON: &str = "application/json";

/// 200 with a value.
pub(crate) fn json(value: &Value) -> Response {
    json_with(StatusCode::OK, value)
}

/// A value under a status.
pub(crate) fn json_with(status: StatusCode, value: &Value) -> Response {
    let mut response = Response::new(Body::from(to_canonical(value)));
    *response.status_mut() = status;
    response
        .headers_mut()
        .insert(header::CONTENT_TYPE, HeaderValue::from_static(JSON));
    response
}
