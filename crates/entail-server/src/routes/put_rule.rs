//! `PUT /sessions/{id}/rules/{name}`

use axum::{extract::State, response::Response};
use entail_session::Command;

use super::{get_rule::described, named::register};
use crate::{
    app::App,
    body::JsonBody,
    caller::Orchestrator,
    problem::Problem,
    request::{Conditions, Name, Query, SessionPath},
    wire::{RuleBody, rule},
};

/// Register a rule, or its next version.
#[utoipa::path(
    put, path = "/sessions/{id}/rules/{name}", operation_id = "put_rule", tag = "beliefs",
    request_body(content = RuleBody),
    params(crate::openapi::schema::SessionId, crate::openapi::schema::RuleName,
        crate::openapi::schema::IfMatch),
    responses(
        (status = 201, description = "Registered.", body = crate::openapi::schema::Rule),
        (status = 200, description = "Changed.", body = crate::openapi::schema::Rule),
        crate::openapi::responses::Changing,
    )
)]
pub(crate) async fn put_rule(
    State(app): State<App>,
    Orchestrator(caller): Orchestrator,
    path: SessionPath,
    Name(name): Name,
    conditions: Conditions,
    query: Query,
    body: JsonBody,
) -> Result<Response, Problem> {
    query.close()?;
    let definition = body.decode(rule)?;
    register(
        &app,
        path.of(&caller),
        ("rules", name),
        conditions,
        move |name| Command::PutRule {
            name,
            rule: definition.clone(),
        },
        |session, name| session.base().rule(name, None).map(described),
    )
    .await
}
