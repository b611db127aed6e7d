//! `DELETE /sessions/{id}/constraints/{name}`

use axum::{extract::State, http::StatusCode, response::Response};
use entail_session::{Command, Session};

use super::commit::{commit, reply};
use crate::{
    app::App,
    caller::Orchestrator,
    problem::Problem,
    request::{Conditions, Name, Query, SessionPath},
};

/// Withdraw a constraint.
#[utoipa::path(
    delete, path = "/sessions/{id}/constraints/{name}", operation_id = "delete_constraint",
    tag = "beliefs",
    params(crate::openapi::schema::SessionId, crate::openapi::schema::ConstraintName,
        crate::openapi::schema::IfMatch),
    responses(
        (status = 204, description = "Withdrawn."),
        crate::openapi::responses::Changing,
    )
)]
pub(crate) async fn delete_constraint(
    State(app): State<App>,
    Orchestrator(caller): Orchestrator,
    path: SessionPath,
    Name(name): Name,
    conditions: Conditions,
    query: Query,
) -> Result<Response, Problem> {
    query.close()?;
    let build = move |_: &Session, _| Ok(Command::DeleteConstraint { name: name.clone() });
    let terms = conditions.terms(None, false);
    let reply = reply(false);
    commit(
        &app,
        path.of(&caller),
        terms,
        build,
        move |session, executed| reply(session, executed).with_status(StatusCode::NO_CONTENT),
    )
    .await
}
