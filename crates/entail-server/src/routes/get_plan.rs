//! `GET /sessions/{id}/plan`

use axum::{extract::State, response::Response};
use entail_trace::Record as _;

use super::records::record;
use crate::{
    app::App,
    caller::Reader,
    problem::Problem,
    request::{Query, SessionPath},
};

/// Read the plan as far as it has grown, as a record.
#[utoipa::path(
    get, path = "/sessions/{id}/plan", operation_id = "get_plan", tag = "records",
    params(crate::openapi::schema::SessionId, crate::openapi::schema::MinVersion),
    responses(
        (status = 200, description = "The plan.", body = Object),
        crate::openapi::responses::Reading,
    )
)]
pub(crate) async fn get_plan(
    State(app): State<App>,
    Reader(caller): Reader,
    path: SessionPath,
    query: Query,
) -> Result<Response, Problem> {
    record(&app, &path.of(&caller), query, |session| {
        session.plan().to_canonical()
    })
    .await
}
