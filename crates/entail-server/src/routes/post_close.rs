//! `POST /sessions/{id}/close`

use axum::{extract::State, response::Response};
use entail_session::{Command, Executed, Session};

use super::commit::{commit, outcome};
use crate::{
    app::App,
    body::JsonBody,
    caller::Orchestrator,
    problem::Problem,
    request::{Conditions, Query, SessionPath},
    sessions::Reply,
    view,
    wire::{ClosingBody, closing},
};

/// Close a session as answered, for want of evidence, or as abandoned.
///
/// Open calls are given up. Afterwards facts can still be corrected, so that an answer can still
/// go OUT; everything else waits for a reopening.
#[utoipa::path(
    post, path = "/sessions/{id}/close", operation_id = "close_session", tag = "sessions",
    request_body(content = ClosingBody, example = json!({"state": "answered"})),
    params(crate::openapi::schema::SessionId, crate::openapi::schema::IfMatch,
        crate::openapi::schema::IdempotencyKey),
    responses(
        (status = 200, description = "Closed.", body = crate::openapi::schema::Session),
        crate::openapi::responses::Changing,
    )
)]
pub(crate) async fn post_close(
    State(app): State<App>,
    Orchestrator(caller): Orchestrator,
    path: SessionPath,
    conditions: Conditions,
    query: Query,
    body: JsonBody,
) -> Result<Response, Problem> {
    query.close()?;
    let terms = conditions.terms(Some(body.digest()), false);
    let closing = body.decode(closing)?;
    let build = move |_: &Session, _| Ok(Command::Close(closing.clone()));
    commit(&app, path.of(&caller), terms, build, closed).await
}

/// The session after it, with what its end brought about.
pub(crate) fn closed(session: &Session, executed: &Executed) -> Reply {
    let mut body = view::opened(session);
    for (name, value) in outcome(session, executed).iter() {
        if !body.contains(name) {
            body.insert(name, value.clone());
        }
    }
    Reply::ok(body).at_version(session.version())
}
