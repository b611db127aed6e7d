//! The time a request may take.

use std::time::Duration;

use axum::{
    extract::{Request, State},
    middleware::Next,
    response::{IntoResponse as _, Response},
};

use crate::{
    app::App,
    problem::{Code, Problem},
};

/// Ends a request that takes too long. A commit under way is not undone by that: what was sent
/// again under the same idempotency key tells whether it was made.
pub(crate) async fn bound(State(app): State<App>, request: Request, next: Next) -> Response {
    let ms = app.settings().request_timeout_ms;
    match tokio::time::timeout(Duration::from_millis(ms), next.run(request)).await {
        Ok(response) => response,
        Err(_) => Problem::new(
            Code::RequestTimeout,
            format!(
                "the request was not done within {ms} ms; send it again, with the same \
                 `idempotency-key` if it changes something"
            ),
        )
        .into_response(),
    }
}
