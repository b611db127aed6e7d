//! `DELETE /sessions/{id}`

use axum::{
    extract::State,
    http::StatusCode,
    response::{IntoResponse as _, Response},
};

use crate::{
    app::App,
    caller::Orchestrator,
    problem::Problem,
    request::{Query, SessionPath},
    sessions::unknown,
};

/// Delete a session and everything of its own, for good.
#[utoipa::path(
    delete, path = "/sessions/{id}", operation_id = "delete_session", tag = "sessions",
    params(crate::openapi::schema::SessionId),
    responses(
        (status = 204, description = "Deleted."),
        crate::openapi::responses::Reading,
    )
)]
pub(crate) async fn delete_session(
    State(app): State<App>,
    Orchestrator(caller): Orchestrator,
    path: SessionPath,
    query: Query,
) -> Result<Response, Problem> {
    query.close()?;
    let target = path.of(&caller);
    let was_there = app
        .store()
        .delete_session(&target.tenant, target.id)
        .await?;
    if !was_there {
        return Err(unknown(&target));
    }
    app.sessions().forget(target.id);
    app.feed().tell_gone(target.id);
    Ok(StatusCode::NO_CONTENT.into_response())
}

#[cfg(test)]
mod tests {
    use crate::testing::Service;

    #[tokio::test]
    async fn a_deleted_session_is_gone() {
        let service = Service::start().await;
        let path = service.open(r#"{"task": "t"}"#).await;
        assert_eq!(service.call("DELETE", &path, None).await.status, 204);
        assert_eq!(service.get(&path).await.code(), "unknown_session");
        let turn = service
            .post(&format!("{path}/turns"), r#"{"response": "{}"}"#)
            .await;
        assert_eq!(turn.code(), "unknown_session");
        assert_eq!(service.call("DELETE", &path, None).await.status, 404);
    }
}
