//! `GET /sessions/{id}`

use axum::{
    extract::State,
    response::{IntoResponse as _, Response},
};

use crate::{
    app::App,
    caller::Reader,
    problem::Problem,
    request::{Query, SessionPath},
    sessions::{Reply, read_now, unknown},
    view,
};

/// Read a session: what it goes by, where it stands, how much it holds.
#[utoipa::path(
    get, path = "/sessions/{id}", operation_id = "get_session", tag = "sessions",
    params(crate::openapi::schema::SessionId, crate::openapi::schema::MinVersion),
    responses(
        (status = 200, description = "The session.", body = crate::openapi::schema::Session,
            headers(("etag" = String, description = "Its version."))),
        crate::openapi::responses::Reading,
    )
)]
pub(crate) async fn get_session(
    State(app): State<App>,
    Reader(caller): Reader,
    path: SessionPath,
    mut query: Query,
) -> Result<Response, Problem> {
    let wanted = query.min_version();
    query.close()?;
    let target = path.of(&caller);
    let row = app.store().session(&target.tenant, target.id).await?;
    let row = row.ok_or_else(|| unknown(&target))?;
    let version = wanted.unwrap_or(0).max(row.version);
    read_now(&app, &target, Some(version), |session, at| {
        Ok(Reply::ok(view::session(session, &row, at)).at_version(session.version()))
    })
    .await
    .map(Reply::into_response)
}

#[cfg(test)]
mod tests {
    use crate::testing::Service;

    #[tokio::test]
    async fn a_session_that_is_not_there_is_not_found_whatever_its_name() {
        let service = Service::start().await;
        for id in [
            "00000000-0000-7000-8000-000000000000",
            "x",
            "%00",
            "..%2F..",
            "%F0%9F%92%A9",
        ] {
            let answer = service.get(&format!("/sessions/{id}")).await;
            assert_eq!(
                (answer.status, answer.code()),
                (404, "unknown_session".to_owned()),
                "{id}"
            );
        }
        assert_eq!(service.get("/sessions/%FF").await.code(), "invalid_path");
    }
}
