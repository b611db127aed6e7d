//! `POST /sessions/{id}/restorations`

use axum::{extract::State, response::Response};
use entail_session::{Command, Session};

use super::commit::{commit, reply};
use crate::{
    app::App,
    body::JsonBody,
    caller::Orchestrator,
    problem::Problem,
    request::{Conditions, Query, SessionPath},
    wire::{RestorationBody, restoration},
};

/// Undo a retraction; what rested on it comes back by itself.
#[utoipa::path(
    post, path = "/sessions/{id}/restorations", operation_id = "post_restoration",
    tag = "evidence",
    request_body(content = RestorationBody, example = json!({"target": "revenue:Q2"})),
    params(crate::openapi::schema::SessionId, crate::openapi::schema::IdempotencyKey,
        crate::openapi::schema::IfMatch, crate::openapi::schema::DryRun),
    responses(
        (status = 200, description = "What changed.", body = crate::openapi::schema::Changed),
        crate::openapi::responses::Changing,
    )
)]
pub(crate) async fn post_restorations(
    State(app): State<App>,
    Orchestrator(caller): Orchestrator,
    path: SessionPath,
    conditions: Conditions,
    mut query: Query,
    body: JsonBody,
) -> Result<Response, Problem> {
    let dry_run = query.flag("dry_run");
    query.close()?;
    let terms = conditions.terms(Some(body.digest()), dry_run);
    let target = body.decode(restoration)?;
    let build = move |_: &Session, _| {
        Ok(Command::Restore {
            target: target.clone(),
        })
    };
    commit(&app, path.of(&caller), terms, build, reply(dry_run)).await
}
