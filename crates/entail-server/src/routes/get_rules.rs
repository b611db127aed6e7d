//! `GET /sessions/{id}/rules`

use axum::{extract::State, response::Response};

use super::{get_rule::described, listing::list};
use crate::{
    app::App,
    caller::Reader,
    problem::Problem,
    request::{Query, SessionPath},
};

/// List the rules.
#[utoipa::path(
    get, path = "/sessions/{id}/rules", operation_id = "list_rules", tag = "beliefs",
    params(crate::openapi::schema::SessionId, crate::openapi::schema::Page,
        crate::openapi::schema::MinVersion),
    responses(
        (status = 200, description = "A page of rules.", body = crate::openapi::schema::RulePage),
        crate::openapi::responses::Reading,
    )
)]
pub(crate) async fn get_rules(
    State(app): State<App>,
    Reader(caller): Reader,
    path: SessionPath,
    query: Query,
) -> Result<Response, Problem> {
    list(&app, &path.of(&caller), query, |session| {
        session
            .base()
            .rules()
            .map(|rule| described(rule).into())
            .collect()
    })
    .await
}
