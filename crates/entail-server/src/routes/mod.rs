//! The resources, one endpoint a file.

mod commit;
mod contract;
mod delete_call;
mod delete_constraint;
mod delete_rule;
mod delete_session;
mod delete_tool;
mod get_belief;
mod get_beliefs;
mod get_bundle;
mod get_calls;
mod get_conflicts;
mod get_constraint;
mod get_constraints;
mod get_dependents;
mod get_document;
mod get_documents;
mod get_events;
mod get_journal;
mod get_manifest;
mod get_plan;
mod get_proof;
mod get_rederivations;
mod get_report;
mod get_rule;
mod get_rules;
mod get_session;
mod get_sessions;
mod get_source;
mod get_sources;
mod get_spec;
mod get_tool;
mod get_tools;
mod get_trace;
mod get_turn;
mod get_turns;
mod listing;
mod livez;
mod metrics;
mod named;
mod openapi_json;
mod parse;
mod patch_session;
mod post_close;
mod post_context;
mod post_derivations;
mod post_justifications;
mod post_outcomes;
mod post_premises;
mod post_propagations;
mod post_rederivation;
mod post_reopen;
mod post_resolution;
mod post_restorations;
mod post_retractions;
mod post_reverifications;
mod post_session;
mod post_source_outcomes;
mod post_tool_results;
mod post_turn;
mod put_constraint;
mod put_document;
mod put_rule;
mod put_tool;
mod readyz;
mod records;
#[cfg(test)]
mod repeated;
mod snapshot;
#[cfg(test)]
mod tenancy;
mod verify;

use axum::Router;
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::{app::App, middleware, openapi, pages};

/// Every documented route.
pub(crate) fn documented() -> OpenApiRouter<App> {
    OpenApiRouter::with_openapi(openapi::base())
        .routes(routes!(livez::livez))
        .routes(routes!(readyz::readyz))
        .routes(routes!(metrics::metrics))
        .routes(routes!(openapi_json::openapi_json))
        .routes(routes!(contract::contract))
        .routes(routes!(parse::parse))
        .routes(routes!(verify::verify))
        .routes(routes!(
            post_session::post_session,
            get_sessions::get_sessions
        ))
        .routes(routes!(
            get_session::get_session,
            patch_session::patch_session,
            delete_session::delete_session
        ))
        .routes(routes!(post_close::post_close))
        .routes(routes!(post_reopen::post_reopen))
        .routes(routes!(get_documents::get_documents))
        .routes(routes!(
            put_document::put_document,
            get_document::get_document
        ))
        .routes(routes!(get_tools::get_tools))
        .routes(routes!(
            put_tool::put_tool,
            get_tool::get_tool,
            delete_tool::delete_tool
        ))
        .routes(routes!(post_context::post_context))
        .routes(routes!(post_turn::post_turn, get_turns::get_turns))
        .routes(routes!(get_turn::get_turn))
        .routes(routes!(get_calls::get_calls))
        .routes(routes!(delete_call::delete_call))
        .routes(routes!(post_tool_results::post_tool_results))
        .routes(routes!(post_premises::post_premises))
        .routes(routes!(post_retractions::post_retractions))
        .routes(routes!(post_restorations::post_restorations))
        .routes(routes!(get_beliefs::get_beliefs))
        .routes(routes!(get_belief::get_belief))
        .routes(routes!(get_dependents::get_dependents))
        .routes(routes!(get_proof::get_proof))
        .routes(routes!(get_conflicts::get_conflicts))
        .routes(routes!(post_resolution::post_resolution))
        .routes(routes!(get_rules::get_rules))
        .routes(routes!(
            put_rule::put_rule,
            get_rule::get_rule,
            delete_rule::delete_rule
        ))
        .routes(routes!(get_constraints::get_constraints))
        .routes(routes!(
            put_constraint::put_constraint,
            get_constraint::get_constraint,
            delete_constraint::delete_constraint
        ))
        .routes(routes!(post_justifications::post_justifications))
        .routes(routes!(post_derivations::post_derivations))
        .routes(routes!(post_outcomes::post_outcomes))
        .routes(routes!(post_propagations::post_propagations))
        .routes(routes!(post_reverifications::post_reverifications))
        .routes(routes!(get_rederivations::get_rederivations))
        .routes(routes!(post_rederivation::post_rederivation))
        .routes(routes!(get_sources::get_sources))
        .routes(routes!(get_source::get_source))
        .routes(routes!(post_source_outcomes::post_source_outcomes))
        .routes(routes!(get_trace::get_trace))
        .routes(routes!(get_report::get_report))
        .routes(routes!(get_spec::get_spec))
        .routes(routes!(get_plan::get_plan))
        .routes(routes!(get_manifest::get_manifest))
        .routes(routes!(get_bundle::get_bundle))
        .routes(routes!(get_journal::get_journal))
        .routes(routes!(get_events::get_events))
}

/// The service's routes with everything that stands around them.
pub(crate) fn service(app: &App) -> Router {
    let (routes, _) = documented().split_for_parts();
    let routes = routes.merge(pages::routes()).fallback(middleware::fallback);
    middleware::wrap(routes, app)
}

/// Health and metrics alone, for a listener of their own.
pub(crate) fn health(app: &App) -> Router {
    let (routes, _) = OpenApiRouter::new()
        .routes(routes!(livez::livez))
        .routes(routes!(readyz::readyz))
        .routes(routes!(metrics::metrics))
        .split_for_parts();
    middleware::wrap_health(routes.fallback(middleware::fallback), app)
}
