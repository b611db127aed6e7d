//! `PUT /sessions/{id}/constraints/{name}`

use axum::{extract::State, response::Response};
use entail_session::Command;

use super::{get_constraint::described, named::register};
use crate::{
    app::App,
    body::JsonBody,
    caller::Orchestrator,
    problem::Problem,
    request::{Conditions, Name, Query, SessionPath},
    wire::{ConstraintBody, constraint},
};

/// Register a constraint, or its next version.
#[utoipa::path(
    put, path = "/sessions/{id}/constraints/{name}", operation_id = "put_constraint", tag = "beliefs",
    request_body(content = ConstraintBody),
    params(crate::openapi::schema::SessionId, crate::openapi::schema::ConstraintName,
        crate::openapi::schema::IfMatch),
    responses(
        (status = 201, description = "Registered.", body = crate::openapi::schema::Constraint),
        (status = 200, description = "Changed.", body = crate::openapi::schema::Constraint),
        crate::openapi::responses::Changing,
    )
)]
pub(crate) async fn put_constraint(
    State(app): State<App>,
    Orchestrator(caller): Orchestrator,
    path: SessionPath,
    Name(name): Name,
    conditions: Conditions,
    query: Query,
    body: JsonBody,
) -> Result<Response, Problem> {
    query.close()?;
    let definition = body.decode(constraint)?;
    register(
        &app,
        path.of(&caller),
        ("constraints", name),
        conditions,
        move |name| Command::PutConstraint {
            name,
            constraint: definition.clone(),
        },
        |session, name| session.base().constraint(name).map(described),
    )
    .await
}
