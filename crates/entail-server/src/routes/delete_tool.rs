//! `DELETE /sessions/{id}/tools/{name}`

use axum::{extract::State, response::Response};
use entail_session::Command;

use super::named::withdraw;
use crate::{
    app::App,
    caller::Orchestrator,
    problem::Problem,
    request::{Conditions, Name, Query, SessionPath},
};

/// Withdraw a tool. Its open calls stay open.
#[utoipa::path(
    delete, path = "/sessions/{id}/tools/{name}", operation_id = "delete_tool", tag = "evidence",
    params(crate::openapi::schema::SessionId, crate::openapi::schema::ToolName,
        crate::openapi::schema::IfMatch),
    responses(
        (status = 204, description = "Withdrawn."),
        crate::openapi::responses::Changing,
    )
)]
pub(crate) async fn delete_tool(
    State(app): State<App>,
    Orchestrator(caller): Orchestrator,
    path: SessionPath,
    Name(name): Name,
    conditions: Conditions,
    query: Query,
) -> Result<Response, Problem> {
    let command = move || Command::DeleteTool { name: name.clone() };
    withdraw(&app, path.of(&caller), conditions, query, command).await
}
