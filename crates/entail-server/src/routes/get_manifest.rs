//! `GET /sessions/{id}/manifest`

use std::io::{self, Read as _};

use axum::{
    extract::State,
    http::header,
    response::{IntoResponse as _, Response},
};
use entail_trace::{Files as _, Stream, paths};

use super::snapshot::Snapshot;
use crate::{
    app::App,
    body::JSON,
    caller::Reader,
    problem::Problem,
    request::{Query, SessionPath},
};

/// Read the manifest of the bundle: the SHA-256 of each of its files.
#[utoipa::path(
    get, path = "/sessions/{id}/manifest", operation_id = "get_manifest", tag = "records",
    params(crate::openapi::schema::SessionId, crate::openapi::schema::MinVersion),
    responses(
        (status = 200, description = "The manifest.", body = Object),
        crate::openapi::responses::Reading,
    )
)]
pub(crate) async fn get_manifest(
    State(app): State<App>,
    Reader(caller): Reader,
    path: SessionPath,
    mut query: Query,
) -> Result<Response, Problem> {
    let min_version = query.min_version();
    query.close()?;
    let snapshot = Snapshot::take(&app, &path.of(&caller), min_version).await?;
    let read = move || {
        snapshot.with_bundle(|bundle| {
            let file = bundle
                .open(paths::MANIFEST)?
                .ok_or(io::ErrorKind::NotFound)?;
            let mut text = String::new();
            Stream::new(&file).read_to_string(&mut text)?;
            Ok(text)
        })
    };
    let text = tokio::task::spawn_blocking(read)
        .await
        .map_err(|error| Problem::internal(&error))??;
    Ok(([(header::CONTENT_TYPE, JSON)], text).into_response())
}
