//! A handler that panicked: the caller is told nothing but the request's id, the log its place.

use std::any::Any;

use axum::response::{IntoResponse as _, Response};

use crate::problem::{Code, Problem};

/// The answer in place of a panic.
pub(crate) fn answer(_: Box<dyn Any + Send + 'static>) -> Response {
    Problem::new(
        Code::Internal,
        "the request was not done; the service's log names the cause under this request id",
    )
    .into_response()
}
