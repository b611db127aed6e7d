//! `GET /sessions/{id}/documents`

use axum::{extract::State, response::Response};

use super::{get_document::described, listing::list};
use crate::{
    app::App,
    caller::Reader,
    problem::Problem,
    request::{Query, SessionPath},
};

/// List the documents, each with its newest version.
#[utoipa::path(
    get, path = "/sessions/{id}/documents", operation_id = "list_documents", tag = "evidence",
    params(crate::openapi::schema::SessionId, crate::openapi::schema::Page,
        crate::openapi::schema::MinVersion),
    responses(
        (status = 200, description = "A page of documents.",
            body = crate::openapi::schema::DocumentPage),
        crate::openapi::responses::Reading,
    )
)]
pub(crate) async fn get_documents(
    State(app): State<App>,
    Reader(caller): Reader,
    path: SessionPath,
    query: Query,
) -> Result<Response, Problem> {
    list(&app, &path.of(&caller), query, |session| {
        let newest = |(name, versions): (&str, &[entail_session::DocumentVersion])| {
            versions.last().map(|newest| described(name, newest))
        };
        session.documents().filter_map(newest).collect()
    })
    .await
}
