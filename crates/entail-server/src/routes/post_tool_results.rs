//! `POST /sessions/{id}/tool-results`

use axum::{extract::State, response::Response};
use entail_session::{Command, Session};

use super::commit::{commit, reply};
use crate::{
    app::App,
    body::{JsonBody, decode::one_or_list},
    caller::Orchestrator,
    problem::Problem,
    request::{Conditions, Query, SessionPath},
    wire::{ToolResultBody, tool_result},
};

/// Post what came of calls; only that makes their premises.
///
/// A list is one commit, all or nothing, in its order. The same result again changes nothing.
#[utoipa::path(
    post, path = "/sessions/{id}/tool-results", operation_id = "post_tool_results",
    tag = "evidence",
    request_body(content = Vec<ToolResultBody>,
        example = json!([{"call_id": "call_v1_0123", "value": 4300000000u64}])),
    params(crate::openapi::schema::SessionId, crate::openapi::schema::IdempotencyKey,
        crate::openapi::schema::IfMatch),
    responses(
        (status = 200, description = "What changed.", body = crate::openapi::schema::Changed),
        crate::openapi::responses::Changing,
    )
)]
pub(crate) async fn post_tool_results(
    State(app): State<App>,
    Orchestrator(caller): Orchestrator,
    path: SessionPath,
    conditions: Conditions,
    query: Query,
    body: JsonBody,
) -> Result<Response, Problem> {
    query.close()?;
    let terms = conditions.terms(Some(body.digest()), false);
    let results = body.decode(one_or_list(tool_result))?;
    let build = move |_: &Session, _| Ok(Command::ToolResults(results.clone()));
    commit(&app, path.of(&caller), terms, build, reply(false)).await
}
