//! What every request passes through, from the outside in: the edge (request id, log, problems),
//! panics, the number of requests under way, the time a request may take,
//! who calls, and how often.

mod authenticate;
mod edge;
mod in_flight;
mod loopback;
mod panic;
mod rate;
mod timeout;

pub(crate) use edge::fallback;

use axum::{Router, middleware::from_fn_with_state};
use tower_http::catch_panic::CatchPanicLayer;

use crate::app::App;

/// Puts everything around the routes.
pub(crate) fn wrap(routes: Router<App>, app: &App) -> Router {
    let in_flight = in_flight::InFlight::new(app.settings().max_in_flight);
    let routes = match rate::Rates::new(app.settings()) {
        Some(rates) => routes.layer(from_fn_with_state(rates, rate::bound)),
        None => routes,
    };
    routes
        .layer(from_fn_with_state(app.clone(), authenticate::authenticate))
        .layer(from_fn_with_state(app.clone(), timeout::bound))
        .layer(from_fn_with_state(in_flight, in_flight::bound))
        .layer(CatchPanicLayer::custom(panic::answer))
        .layer(from_fn_with_state(app.clone(), edge::edge))
        .with_state(app.clone())
}

/// Puts around health and metrics what they need on a listener of their own.
pub(crate) fn wrap_health(routes: Router<App>, app: &App) -> Router {
    routes
        .layer(from_fn_with_state(app.clone(), timeout::bound))
        .layer(CatchPanicLayer::custom(panic::answer))
        .layer(from_fn_with_state(app.clone(), edge::edge))
        .with_state(app.clone())
}
