//! `GET /sessions/{id}/trace`

use axum::{
    extract::State,
    http::{HeaderMap, header},
    response::{IntoResponse as _, Response},
};
use entail_trace::Record;

use crate::{
    app::App,
    body::json,
    caller::Reader,
    problem::Problem,
    request::{Query, SessionPath, prefers_json},
    sessions::study,
    view::page,
};

/// The media type of a trace.
pub(super) const NDJSON: &str = "application/x-ndjson";

/// Read the trace: what was asked, found, claimed and concluded, record by record.
///
/// Canonical JSON lines, the same bytes for the same journal; with `Accept: application/json`
/// the events page by page.
#[utoipa::path(
    get, path = "/sessions/{id}/trace", operation_id = "get_trace", tag = "records",
    params(crate::openapi::schema::SessionId, crate::openapi::schema::MinVersion,
        ("after" = Option<u64>, Query, description = "With JSON: the `idx` of the last event seen."),
        ("limit" = Option<u32>, Query, description = "With JSON: how many events at most.",
            minimum = 1, maximum = 1000)),
    responses(
        (status = 200, description = "The trace.", content(
            (String = "application/x-ndjson"),
            (Object = "application/json"),
        )),
        crate::openapi::responses::Reading,
    )
)]
pub(crate) async fn get_trace(
    State(app): State<App>,
    Reader(caller): Reader,
    path: SessionPath,
    headers: HeaderMap,
    mut query: Query,
) -> Result<Response, Problem> {
    let limit = query.limit();
    let after = query.whole("after", "a whole number");
    let min_version = query.min_version();
    query.close()?;
    let as_json = prefers_json(&headers);
    study(&app, &path.of(&caller), min_version, move |session, _| {
        if !as_json {
            let text = session.trace().to_jsonl();
            return Ok(([(header::CONTENT_TYPE, NDJSON)], text).into_response());
        }
        let start = after.map_or(0, |after| {
            usize::try_from(after.saturating_add(1)).unwrap_or(usize::MAX)
        });
        let length = session.trace_len();
        let end = start.saturating_add(limit).min(length);
        let items = session
            .trace_page(start, limit)
            .iter()
            .map(Record::to_value)
            .collect();
        let next = (end < length).then(|| end.saturating_sub(1).to_string());
        let mut body = page(items, next);
        body.insert("version", session.version().into());
        Ok(json(&body.into()))
    })
    .await
}
