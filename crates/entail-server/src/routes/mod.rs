//! The resources, one endpoint a file.

mod livez;
mod openapi_json;
mod readyz;

use axum::Router;
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::{app::App, middleware, openapi};

/// Every documented route.
pub(crate) fn documented() -> OpenApiRouter<App> {
    OpenApiRouter::with_openapi(openapi::base())
        .routes(routes!(livez::livez))
        .routes(routes!(readyz::readyz))
        .routes(routes!(openapi_json::openapi_json))
}

/// The service's routes with everything that stands around them.
pub(crate) fn service(app: &App) -> Router {
    let (routes, _) = documented().split_for_parts();
    middleware::wrap(routes.fallback(middleware::fallback), app)
}

/// Health and metrics alone, for a listener of their own.
pub(crate) fn health(app: &App) -> Router {
    let (routes, _) = OpenApiRouter::new()
        .routes(routes!(livez::livez))
        .routes(routes!(readyz::readyz))
        .split_for_parts();
    middleware::wrap_health(routes.fallback(middleware::fallback), app)
}
