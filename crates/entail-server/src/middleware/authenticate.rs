//! Who calls: without api keys, anyone on this machine.

use axum::{extract::Request, middleware::Next, response::Response};

use crate::caller::Caller;

/// Notes who calls.
pub(crate) async fn authenticate(mut request: Request, next: Next) -> Response {
    request.extensions_mut().insert(Caller::anyone());
    next.run(request).await
}
