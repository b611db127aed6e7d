//! `GET /sessions/{id}/turns`

use axum::{extract::State, response::Response};

use crate::{
    app::App,
    body::json,
    caller::Reader,
    problem::Problem,
    request::{Query, SessionPath},
    sessions::read,
    view::page,
};

/// The kind of a turn's journal entry.
pub(super) const TURN: &str = "turn";

/// List the turns: what the model said, and what came of it.
#[utoipa::path(
    get, path = "/sessions/{id}/turns", operation_id = "list_turns", tag = "turns",
    params(crate::openapi::schema::SessionId, crate::openapi::schema::Page,
        crate::openapi::schema::MinVersion),
    responses(
        (status = 200, description = "A page of turns.", body = crate::openapi::schema::TurnPage),
        crate::openapi::responses::Reading,
    )
)]
pub(crate) async fn get_turns(
    State(app): State<App>,
    Reader(caller): Reader,
    path: SessionPath,
    mut query: Query,
) -> Result<Response, Problem> {
    let limit = query.limit();
    let after = u64::try_from(query.cursor()).unwrap_or(u64::MAX);
    let min_version = query.min_version();
    query.close()?;
    let target = path.of(&caller);
    // The entries are the session's own; whose it is was settled by reading it.
    let last = read(&app, &target, min_version, |session, _| {
        Ok(session.turns().last().map_or(0, |turn| turn.turn))
    })
    .await?;
    let limit = u32::try_from(limit).unwrap_or(u32::MAX);
    let entries = app
        .store()
        .entries(target.id, after, Some(TURN), limit)
        .await?;
    let next = entries
        .last()
        .map(|entry| entry.seq)
        .filter(|seq| *seq < last);
    let items = read(&app, &target, None, |session, _| {
        Ok(entries
            .iter()
            .filter_map(|entry| session.turn_view(entry))
            .collect())
    })
    .await?;
    Ok(json(&page(items, next.map(|seq| seq.to_string())).into()))
}
