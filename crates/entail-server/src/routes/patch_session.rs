//! `PATCH /sessions/{id}`

use axum::{extract::State, response::Response};
use entail_kernel::Time;
use entail_session::{Command, Patch, Session};

use super::commit::commit;
use crate::{
    app::App,
    body::JsonBody,
    caller::Orchestrator,
    problem::{Code, Problem},
    request::{Conditions, Query, SessionPath},
    sessions::Reply,
    view,
    wire::{Expiry, PatchBody, PatchRequest, patch, session_faults},
};

/// Change a session's labels, policy or expiry.
#[utoipa::path(
    patch, path = "/sessions/{id}", operation_id = "patch_session", tag = "sessions",
    request_body(content = PatchBody, example = json!({"labels": {"team": "finance"}})),
    params(crate::openapi::schema::SessionId, crate::openapi::schema::IfMatch),
    responses(
        (status = 200, description = "Changed.", body = crate::openapi::schema::Session),
        crate::openapi::responses::Changing,
    )
)]
pub(crate) async fn patch_session(
    State(app): State<App>,
    Orchestrator(caller): Orchestrator,
    path: SessionPath,
    conditions: Conditions,
    query: Query,
    body: JsonBody,
) -> Result<Response, Problem> {
    query.close()?;
    let request = body.decode(patch)?;
    let build = move |session: &Session, at: Time| command(&request, session, at);
    commit(
        &app,
        path.of(&caller),
        conditions.terms(None, false),
        build,
        |session, _| Reply::ok(view::opened(session)).at_version(session.version()),
    )
    .await
}

fn command(request: &PatchRequest, session: &Session, at: Time) -> Result<Command, Problem> {
    let policy = match &request.policy {
        None => None,
        Some(changes) => {
            let changed = session
                .options()
                .policy
                .changed(&changes.clone().into(), "/policy");
            Some(changed.map_err(|faults| {
                Problem::new(Code::InvalidBody, faults.to_string())
                    .with_faults(session_faults(&faults))
            })?)
        }
    };
    let expires_at = request.expiry.map(|expiry| {
        expiry.map(|expiry| match expiry {
            Expiry::At(time) => time,
            Expiry::In(span) => at.saturating_add(span),
        })
    });
    Ok(Command::Patch(Patch {
        labels: request.labels.clone(),
        policy,
        expires_at,
    }))
}
