//! `POST /sessions/{id}/reverifications`

use axum::{extract::State, response::Response};
use entail_session::{Command, Session};

use super::commit::{commit, reply};
use crate::{
    app::App,
    body::MaybeJson,
    caller::Orchestrator,
    problem::Problem,
    request::{Conditions, Query, SessionPath},
    wire::{ReverificationBody, reverification},
};

/// Open the calls behind stale and faded premises again: same tool, same arguments.
///
/// An equal result renews the evidence in place.
#[utoipa::path(
    post, path = "/sessions/{id}/reverifications", operation_id = "reverify", tag = "evidence",
    request_body(content = Option<ReverificationBody>, example = json!({"faded": 0.5})),
    params(crate::openapi::schema::SessionId, crate::openapi::schema::IdempotencyKey,
        crate::openapi::schema::IfMatch),
    responses(
        (status = 200, description = "The calls that were opened.", body = crate::openapi::schema::Reverified),
        crate::openapi::responses::Changing,
    )
)]
pub(crate) async fn post_reverifications(
    State(app): State<App>,
    Orchestrator(caller): Orchestrator,
    path: SessionPath,
    conditions: Conditions,
    query: Query,
    body: MaybeJson,
) -> Result<Response, Problem> {
    query.close()?;
    let terms = conditions.terms(Some(body.digest()), false);
    let reverification = body.decode(reverification)?;
    let build = move |_: &Session, _| Ok(Command::Reverify(reverification.clone()));
    commit(&app, path.of(&caller), terms, build, reply(false)).await
}
