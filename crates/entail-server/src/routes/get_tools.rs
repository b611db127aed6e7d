//! `GET /sessions/{id}/tools`

use axum::{extract::State, response::Response};

use super::{get_tool::described, listing::list};
use crate::{
    app::App,
    caller::Reader,
    problem::Problem,
    request::{Query, SessionPath},
};

/// List the tools.
#[utoipa::path(
    get, path = "/sessions/{id}/tools", operation_id = "list_tools", tag = "evidence",
    params(crate::openapi::schema::SessionId, crate::openapi::schema::Page,
        crate::openapi::schema::MinVersion),
    responses(
        (status = 200, description = "A page of tools.", body = crate::openapi::schema::ToolPage),
        crate::openapi::responses::Reading,
    )
)]
pub(crate) async fn get_tools(
    State(app): State<App>,
    Reader(caller): Reader,
    path: SessionPath,
    query: Query,
) -> Result<Response, Problem> {
    list(&app, &path.of(&caller), query, |session| {
        session.tools().map(|tool| described(tool).into()).collect()
    })
    .await
}
