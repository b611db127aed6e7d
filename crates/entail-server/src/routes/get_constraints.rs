//! `GET /sessions/{id}/constraints`

use axum::{extract::State, response::Response};

use super::{get_constraint::described, listing::list};
use crate::{
    app::App,
    caller::Reader,
    problem::Problem,
    request::{Query, SessionPath},
};

/// List the constraints.
#[utoipa::path(
    get, path = "/sessions/{id}/constraints", operation_id = "list_constraints", tag = "beliefs",
    params(crate::openapi::schema::SessionId, crate::openapi::schema::Page,
        crate::openapi::schema::MinVersion),
    responses(
        (status = 200, description = "A page of constraints.", body = crate::openapi::schema::ConstraintPage),
        crate::openapi::responses::Reading,
    )
)]
pub(crate) async fn get_constraints(
    State(app): State<App>,
    Reader(caller): Reader,
    path: SessionPath,
    query: Query,
) -> Result<Response, Problem> {
    list(&app, &path.of(&caller), query, |session| {
        session
            .base()
            .constraints()
            .map(|constraint| described(constraint).into())
            .collect()
    })
    .await
}
