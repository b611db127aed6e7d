//! `POST /sessions/{id}/outcomes`

use axum::{extract::State, response::Response};
use entail_session::{Command, Session};

use super::commit::{commit, reply};
use crate::{
    app::App,
    body::{JsonBody, decode::one_or_list},
    caller::Orchestrator,
    problem::Problem,
    request::{Conditions, Query, SessionPath},
    wire::{OutcomeBody, told},
};

/// Tell whether sources were right, as somebody outside found out.
#[utoipa::path(
    post, path = "/sessions/{id}/outcomes", operation_id = "post_outcomes", tag = "evidence",
    request_body(content = Vec<OutcomeBody>,
        example = json!([{"source": "tool:get_revenue", "correct": true}])),
    params(crate::openapi::schema::SessionId, crate::openapi::schema::IdempotencyKey,
        crate::openapi::schema::IfMatch),
    responses(
        (status = 200, description = "What changed.", body = crate::openapi::schema::Changed),
        crate::openapi::responses::Changing,
    )
)]
pub(crate) async fn post_outcomes(
    State(app): State<App>,
    Orchestrator(caller): Orchestrator,
    path: SessionPath,
    conditions: Conditions,
    query: Query,
    body: JsonBody,
) -> Result<Response, Problem> {
    query.close()?;
    let terms = conditions.terms(Some(body.digest()), false);
    let outcomes = body.decode(one_or_list(told))?;
    let build = move |_: &Session, _| Ok(Command::Outcomes(outcomes.clone()));
    commit(&app, path.of(&caller), terms, build, reply(false)).await
}
