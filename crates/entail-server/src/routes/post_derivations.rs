//! `POST /sessions/{id}/derivations`

use axum::{extract::State, response::Response};
use entail_session::{Command, Session};

use super::commit::{commit, reply};
use crate::{
    app::App,
    body::JsonBody,
    caller::Orchestrator,
    problem::Problem,
    request::{Conditions, Query, SessionPath},
    wire::{DerivationBody, derivation},
};

/// Compute a value by a registered rule from what is believed now.
#[utoipa::path(
    post, path = "/sessions/{id}/derivations", operation_id = "post_derivation", tag = "evidence",
    request_body(content = DerivationBody, example = json!({
        "key": "growth", "rule": "growth", "inputs": ["revenue:Q2", "revenue:Q3"]
    })),
    params(crate::openapi::schema::SessionId, crate::openapi::schema::IdempotencyKey,
        crate::openapi::schema::IfMatch),
    responses(
        (status = 200, description = "What changed.", body = crate::openapi::schema::Changed),
        crate::openapi::responses::Changing,
    )
)]
pub(crate) async fn post_derivations(
    State(app): State<App>,
    Orchestrator(caller): Orchestrator,
    path: SessionPath,
    conditions: Conditions,
    query: Query,
    body: JsonBody,
) -> Result<Response, Problem> {
    query.close()?;
    let terms = conditions.terms(Some(body.digest()), false);
    let derivation = body.decode(derivation)?;
    let build = move |_: &Session, _| Ok(Command::Derive(derivation.clone()));
    commit(&app, path.of(&caller), terms, build, reply(false)).await
}
