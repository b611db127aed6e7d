//! `GET /sessions/{id}/calls`

use axum::{extract::State, response::Response};
use entail_session::Call;

use super::listing::list;
use crate::{
    app::App,
    caller::Reader,
    problem::Problem,
    request::{Query, SessionPath},
};

/// List the calls: what an orchestrator that restarted must still run.
#[utoipa::path(
    get, path = "/sessions/{id}/calls", operation_id = "list_calls", tag = "evidence",
    params(crate::openapi::schema::SessionId, crate::openapi::schema::Page,
        crate::openapi::schema::MinVersion,
        ("state" = inline(Option<crate::openapi::schema::CallStates>), Query,
            description = "In which state it is.")),
    responses(
        (status = 200, description = "A page of calls.", body = crate::openapi::schema::CallPage),
        crate::openapi::responses::Reading,
    )
)]
pub(crate) async fn get_calls(
    State(app): State<App>,
    Reader(caller): Reader,
    path: SessionPath,
    mut query: Query,
) -> Result<Response, Problem> {
    const STATES: &[(&str, &str)] = &[
        ("pending", "pending"),
        ("returned", "returned"),
        ("failed", "failed"),
        ("abandoned", "abandoned"),
    ];
    let state = query.choice("state", STATES);
    list(&app, &path.of(&caller), query, move |session| {
        let wanted = |call: &&Call| state.is_none_or(|state| call.state().word() == state);
        session.calls().filter(wanted).map(Call::to_value).collect()
    })
    .await
}
