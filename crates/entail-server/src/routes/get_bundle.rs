//! `GET /sessions/{id}/bundle`

use axum::{
    extract::State,
    http::header,
    response::{IntoResponse as _, Response},
};

use super::snapshot::Snapshot;
use crate::{
    app::App,
    caller::Reader,
    problem::Problem,
    request::{Query, SessionPath},
};

/// Read the run as one file that anybody can verify without this service: `entail verify`.
///
/// A `tar.gz` whose bytes depend on nothing but the session.
#[utoipa::path(
    get, path = "/sessions/{id}/bundle", operation_id = "get_bundle", tag = "records",
    params(crate::openapi::schema::SessionId, crate::openapi::schema::MinVersion),
    responses(
        (status = 200, description = "The bundle.", content((Vec<u8> = "application/gzip"))),
        crate::openapi::responses::Reading,
    )
)]
pub(crate) async fn get_bundle(
    State(app): State<App>,
    Reader(caller): Reader,
    path: SessionPath,
    mut query: Query,
) -> Result<Response, Problem> {
    let min_version = query.min_version();
    query.close()?;
    let target = path.of(&caller);
    let snapshot = Snapshot::take(&app, &target, min_version).await?;
    let pack = move || snapshot.with_bundle(|bundle| bundle.write_tar_gz(Vec::new()));
    let packed = tokio::task::spawn_blocking(pack)
        .await
        .map_err(|error| Problem::internal(&error))??;
    let headers = [
        (header::CONTENT_TYPE, "application/gzip".to_owned()),
        (
            header::CONTENT_DISPOSITION,
            format!("attachment; filename=\"{}.tar.gz\"", target.id),
        ),
    ];
    Ok((headers, packed).into_response())
}
