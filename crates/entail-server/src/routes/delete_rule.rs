//! `DELETE /sessions/{id}/rules/{name}`

use axum::{extract::State, response::Response};
use entail_session::Command;

use super::named::withdraw;
use crate::{
    app::App,
    caller::Orchestrator,
    problem::Problem,
    request::{Conditions, Name, Query, SessionPath},
};

/// Withdraw a rule. What it derived stands.
#[utoipa::path(
    delete, path = "/sessions/{id}/rules/{name}", operation_id = "delete_rule",
    tag = "beliefs",
    params(crate::openapi::schema::SessionId, crate::openapi::schema::RuleName,
        crate::openapi::schema::IfMatch),
    responses(
        (status = 204, description = "Withdrawn."),
        crate::openapi::responses::Changing,
    )
)]
pub(crate) async fn delete_rule(
    State(app): State<App>,
    Orchestrator(caller): Orchestrator,
    path: SessionPath,
    Name(name): Name,
    conditions: Conditions,
    query: Query,
) -> Result<Response, Problem> {
    let command = move || Command::DeleteRule { name: name.clone() };
    withdraw(&app, path.of(&caller), conditions, query, command).await
}
