//! `DELETE /sessions/{id}/calls/{name}`

use axum::{extract::State, response::Response};
use entail_session::{Command, Session};

use super::commit::{commit, reply};
use crate::{
    app::App,
    caller::Orchestrator,
    problem::Problem,
    request::{Conditions, Name, Query, SessionPath},
};

/// Give up on an open call. The trace then says that it was abandoned.
#[utoipa::path(
    delete, path = "/sessions/{id}/calls/{name}", operation_id = "give_up_call", tag = "evidence",
    params(crate::openapi::schema::SessionId, crate::openapi::schema::IfMatch,
        ("name" = String, Path, description = "The call's id.")),
    responses(
        (status = 200, description = "Given up.", body = crate::openapi::schema::Changed),
        crate::openapi::responses::Changing,
    )
)]
pub(crate) async fn delete_call(
    State(app): State<App>,
    Orchestrator(caller): Orchestrator,
    path: SessionPath,
    Name(name): Name,
    conditions: Conditions,
    query: Query,
) -> Result<Response, Problem> {
    query.close()?;
    let build = move |_: &Session, _| {
        Ok(Command::GiveUpCall {
            call_id: name.clone(),
        })
    };
    commit(
        &app,
        path.of(&caller),
        conditions.terms(None, false),
        build,
        reply(false),
    )
    .await
}
