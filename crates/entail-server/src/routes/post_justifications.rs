//! `POST /sessions/{id}/justifications`

use axum::{extract::State, response::Response};
use entail_session::{Command, Session};

use super::commit::{commit, reply};
use crate::{
    app::App,
    body::JsonBody,
    caller::Orchestrator,
    problem::Problem,
    request::{Conditions, Query, SessionPath},
    wire::{JustificationBody, justification},
};

/// Justify a value by other beliefs, as the orchestrator's own step.
///
/// Every antecedent has to be believed and undisputed; a formula has to reproduce the value.
#[utoipa::path(
    post, path = "/sessions/{id}/justifications", operation_id = "post_justification", tag = "evidence",
    request_body(content = JustificationBody, example = json!({
        "key": "trend", "value": "modest growth", "antecedents": ["growth"],
        "source": "human:analyst"
    })),
    params(crate::openapi::schema::SessionId, crate::openapi::schema::IdempotencyKey,
        crate::openapi::schema::IfMatch),
    responses(
        (status = 200, description = "What changed.", body = crate::openapi::schema::Changed),
        crate::openapi::responses::Changing,
    )
)]
pub(crate) async fn post_justifications(
    State(app): State<App>,
    Orchestrator(caller): Orchestrator,
    path: SessionPath,
    conditions: Conditions,
    query: Query,
    body: JsonBody,
) -> Result<Response, Problem> {
    query.close()?;
    let terms = conditions.terms(Some(body.digest()), false);
    let step = body.decode(justification)?;
    let build = move |_: &Session, _| Ok(Command::Justify(Box::new(step.clone())));
    commit(&app, path.of(&caller), terms, build, reply(false)).await
}
