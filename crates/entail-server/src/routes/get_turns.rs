//! `GET /sessions/{id}/turns`

use axum::{extract::State, response::Response};
use entail_json::{Object, Value, read_str};
use entail_session::Session;
use entail_trace::journal::Entry;

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
    let after: u64 = query.parsed("cursor", "a `next_cursor` of this list").unwrap_or(0);
    let min_version = query.parsed("min_version", "a version");
    query.close()?;
    let target = path.of(&caller);
    // The entries are the session's own; whose it is was settled by reading it.
    let last = read(&app, &target, min_version, |session, _| {
        Ok(session.turns().last().map_or(0, |turn| turn.turn))
    })
    .await?;
    let limit = u32::try_from(limit).unwrap_or(u32::MAX);
    let entries = app.store().entries(target.id, after, Some(TURN), limit).await?;
    let next = entries.last().map(|entry| entry.seq).filter(|seq| *seq < last);
    let items = read(&app, &target, None, |session, _| {
        Ok(entries.iter().map(|entry| turn(session, entry).into()).collect())
    })
    .await?;
    Ok(json(&page(items, next.map(|seq| seq.to_string())).into()))
}

/// `{turn, at, response, context_id, model, step_id, verdict, accepted, rejected, events}`
pub(super) fn turn(session: &Session, entry: &Entry) -> Object {
    let payload = read_str(&entry.payload).unwrap_or_default();
    let member = |name: &str| payload.get(name).cloned().unwrap_or_default();
    let mut object = Object::from([
        ("turn", entry.seq.into()),
        ("at", entry.created_at.to_string().into()),
        ("response", member("response")),
        ("context_id", member("context_id")),
        ("model", member("model")),
        ("step_id", member("step_id")),
        ("chain_head", entry.hash.into()),
        ("events", read_str(&entry.events).unwrap_or_default()),
    ]);
    let turns = session.turns();
    let record = turns.binary_search_by_key(&entry.seq, |record| record.turn);
    if let Some(record) = record.ok().and_then(|at| turns.get(at)) {
        object.insert("context_id", record.context_id.as_str().into());
        object.insert("model", Value::from(record.model.as_str()));
        object.insert("verdict", record.verdict.word().into());
        object.insert("accepted", record.accepted.into());
        object.insert("rejected", record.rejected.into());
    }
    object
}
