//! `GET /sessions/{id}/turns/{name}`

use axum::{extract::State, response::Response};

use super::get_turns::TURN;
use crate::{
    app::App,
    body::json,
    caller::Reader,
    problem::{Code, Problem, quoted},
    request::{Name, Query, SessionPath},
    sessions::read,
};

/// Read one turn, by its number.
#[utoipa::path(
    get, path = "/sessions/{id}/turns/{name}", operation_id = "get_turn", tag = "turns",
    params(crate::openapi::schema::SessionId,
        ("name" = u64, Path, description = "The turn's number: the version it made.")),
    responses(
        (status = 200, description = "The turn.", body = crate::openapi::schema::TurnRecord),
        crate::openapi::responses::Reading,
    )
)]
pub(crate) async fn get_turn(
    State(app): State<App>,
    Reader(caller): Reader,
    path: SessionPath,
    Name(name): Name,
    query: Query,
) -> Result<Response, Problem> {
    query.close()?;
    let unknown = || {
        let detail = format!("there is no turn {} here", quoted(&name));
        Problem::new(Code::UnknownTurn, detail)
    };
    let number: u64 = name.parse().map_err(|_| unknown())?;
    let target = path.of(&caller);
    read(&app, &target, None, |_, _| Ok(())).await?;
    let before = number.checked_sub(1).ok_or_else(unknown)?;
    let entries = app
        .store()
        .entries(target.id, before, Some(TURN), 1)
        .await?;
    let entry = entries
        .first()
        .filter(|entry| entry.seq == number)
        .ok_or_else(unknown)?;
    read(&app, &target, Some(number), |session, _| {
        session
            .turn_view(entry)
            .map(|turn| json(&turn))
            .ok_or_else(unknown)
    })
    .await
}
