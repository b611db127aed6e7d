//! How many requests are worked on at once.

use std::sync::Arc;

use axum::{
    extract::{Request, State},
    middleware::Next,
    response::{IntoResponse as _, Response},
};
use tokio::sync::Semaphore;

use crate::problem::{Code, Problem};

/// Places for requests.
#[derive(Clone, Debug)]
pub(crate) struct InFlight(Arc<Semaphore>);

impl InFlight {
    /// As many places as that.
    pub(crate) fn new(places: usize) -> Self {
        Self(Arc::new(Semaphore::new(places.min(Semaphore::MAX_PERMITS))))
    }
}

/// Answers at once when all places are taken; health and metrics need none.
pub(crate) async fn bound(
    State(in_flight): State<InFlight>,
    request: Request,
    next: Next,
) -> Response {
    if matches!(request.uri().path(), "/livez" | "/readyz" | "/metrics") {
        return next.run(request).await;
    }
    let Ok(_place) = in_flight.0.try_acquire() else {
        return Problem::new(
            Code::Overloaded,
            "as many requests as the service takes at once are under way; try again soon",
        )
        .into_response();
    };
    next.run(request).await
}
