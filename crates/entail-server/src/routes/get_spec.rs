//! `GET /sessions/{id}/spec`

use axum::{extract::State, response::Response};
use entail_trace::Record as _;

use super::records::record;
use crate::{
    app::App,
    caller::Reader,
    problem::Problem,
    request::{Query, SessionPath},
};

/// Read the problem that the session works on, as a record.
#[utoipa::path(
    get, path = "/sessions/{id}/spec", operation_id = "get_spec", tag = "records",
    params(crate::openapi::schema::SessionId, crate::openapi::schema::MinVersion),
    responses(
        (status = 200, description = "The problem.", body = Object),
        crate::openapi::responses::Reading,
    )
)]
pub(crate) async fn get_spec(
    State(app): State<App>,
    Reader(caller): Reader,
    path: SessionPath,
    query: Query,
) -> Result<Response, Problem> {
    record(&app, &path.of(&caller), query, |session| {
        session.spec().to_canonical()
    })
    .await
}
