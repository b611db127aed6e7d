//! `GET /sessions/{id}/journal`

use axum::{
    body::{Body, Bytes},
    extract::State,
    http::header,
    response::{IntoResponse as _, Response},
};
use entail_trace::Record as _;
use tokio::sync::mpsc;

use super::get_trace::NDJSON;
use crate::{
    app::App,
    body::stream,
    caller::Reader,
    problem::Problem,
    request::{Query, SessionPath},
    sessions::unknown,
    signing,
};

/// Batches of entries that wait for a slow reader.
const BATCHES: usize = 1;

/// Where the journal stands, as a checkpoint record.
const CHECKPOINT: &str = "entail-checkpoint";

/// Read the journal: every commit, a line each, joined by its hashes.
///
/// The header `entail-checkpoint` says where it ends, signed if the service has a signing key:
/// the record that a bundle has as `checkpoint.json`, on one line. With both saved,
/// `entail verify --journal FILE --checkpoint FILE --public-key FILE` checks them.
#[utoipa::path(
    get, path = "/sessions/{id}/journal", operation_id = "get_journal", tag = "records",
    params(crate::openapi::schema::SessionId),
    responses(
        (status = 200, description = "The journal.", content((String = "application/x-ndjson")),
            headers(("entail-checkpoint" = String, description = "`{session_id, seq, chain_head, \
                created_at, manifest_sha256, public_key, signature, v}` as JSON: the end of this \
                journal and its Ed25519 signature; the last three but `v` are null where they do \
                not apply."))),
        crate::openapi::responses::Reading,
    )
)]
pub(crate) async fn get_journal(
    State(app): State<App>,
    Reader(caller): Reader,
    path: SessionPath,
    query: Query,
) -> Result<Response, Problem> {
    query.close()?;
    let target = path.of(&caller);
    let row = app.store().session(&target.tenant, target.id).await?;
    let row = row.ok_or_else(|| unknown(&target))?;
    let checkpoint = signing::checkpoint(&row, app.signing_key()).to_canonical();
    let (lines, body) = mpsc::channel::<Result<Bytes, std::io::Error>>(BATCHES);
    tokio::spawn(async move {
        let mut journal = app.store().journal(&row);
        loop {
            let batch = match journal.next_batch().await {
                Ok(Some(entries)) => {
                    let mut text = String::new();
                    for entry in &entries {
                        text.push_str(&entry.to_line());
                        text.push('\n');
                    }
                    Ok(Bytes::from(text))
                }
                Ok(None) => return,
                // The status is sent already; breaking off is how the reader learns of it.
                Err(error) => {
                    tracing::error!(%error, "a journal cannot be read");
                    Err(std::io::Error::other("the journal cannot be read"))
                }
            };
            let is_last = batch.is_err();
            if lines.send(batch).await.is_err() || is_last {
                return;
            }
        }
    });
    let headers = [
        (header::CONTENT_TYPE, NDJSON.to_owned()),
        (header::HeaderName::from_static(CHECKPOINT), checkpoint),
    ];
    Ok((headers, Body::new(stream(body))).into_response())
}
