//! `POST /sessions/{id}/propagations`

use axum::{extract::State, response::Response};
use entail_session::{Command, Session};

use super::commit::{commit, reply};
use crate::{
    app::App,
    body::{MaybeJson, decode::nothing},
    caller::Orchestrator,
    problem::Problem,
    request::{Conditions, Query, SessionPath},
};

/// Derive again what lost its support: rules run, and what needs a model is told.
#[utoipa::path(
    post, path = "/sessions/{id}/propagations", operation_id = "propagate", tag = "beliefs",
    params(crate::openapi::schema::SessionId, crate::openapi::schema::IdempotencyKey,
        crate::openapi::schema::IfMatch),
    responses(
        (status = 200, description = "What was derived, and what waits.", body = crate::openapi::schema::Propagated),
        crate::openapi::responses::Changing,
    )
)]
pub(crate) async fn post_propagations(
    State(app): State<App>,
    Orchestrator(caller): Orchestrator,
    path: SessionPath,
    conditions: Conditions,
    query: Query,
    body: MaybeJson,
) -> Result<Response, Problem> {
    query.close()?;
    let terms = conditions.terms(Some(body.digest()), false);
    body.decode(nothing)?;
    let build = move |_: &Session, _| Ok(Command::Propagate);
    commit(&app, path.of(&caller), terms, build, reply(false)).await
}
