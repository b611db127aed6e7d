//! `PUT /sessions/{id}/constraints/{name}`

use axum::{extract::State, response::Response};
use entail_session::{Command, Executed, Outcome, Session};

use super::{
    commit::{commit, outcome, put_status, segment},
    get_constraint::described,
};
use crate::{
    app::App,
    body::JsonBody,
    caller::Orchestrator,
    problem::Problem,
    request::{Conditions, Name, Query, SessionPath},
    sessions::Reply,
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
    let target = path.of(&caller);
    let location = format!("/sessions/{}/constraints/{}", target.id, segment(&name));
    let build = move |_: &Session, _| {
        Ok(Command::PutConstraint {
            name: name.clone(),
            constraint: definition.clone(),
        })
    };
    commit(
        &app,
        target,
        conditions.terms(None, false),
        build,
        move |session, executed| registered(session, executed, &location),
    )
    .await
}

fn registered(session: &Session, executed: &Executed, location: &str) -> Reply {
    let (name, version) = match &executed.outcome {
        Outcome::Rule { name, version } => (name.as_str(), *version),
        _ => ("", 0),
    };
    let body = session.base().constraint(name).map(described);
    let reply = Reply::ok(body.unwrap_or_else(|| outcome(session, executed)))
        .with_status(put_status(version == 1))
        .at_version(session.version());
    if version == 1 {
        reply.located(location.to_owned())
    } else {
        reply
    }
}
