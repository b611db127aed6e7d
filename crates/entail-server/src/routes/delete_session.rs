//! `DELETE /sessions/{id}`

use axum::{
    extract::State,
    http::StatusCode,
    response::{IntoResponse as _, Response},
};

use crate::{
    app::App,
    caller::Orchestrator,
    limits::COMMIT_ATTEMPTS,
    problem::Problem,
    request::{Conditions, Query, SessionPath},
    sessions::{Target, moved_on, outrun, unknown},
};

/// Delete a session and everything of its own, for good.
#[utoipa::path(
    delete, path = "/sessions/{id}", operation_id = "delete_session", tag = "sessions",
    params(crate::openapi::schema::SessionId, crate::openapi::schema::IfMatch),
    responses(
        (status = 204, description = "Deleted."),
        crate::openapi::responses::Reading,
        (status = 412, description = "The session has moved on.",
            body = crate::openapi::schema::Problem, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn delete_session(
    State(app): State<App>,
    Orchestrator(caller): Orchestrator,
    path: SessionPath,
    conditions: Conditions,
    query: Query,
) -> Result<Response, Problem> {
    query.close()?;
    let target = path.of(&caller);
    match conditions.versions() {
        Some(wanted) => delete_at(&app, &target, &wanted).await?,
        None => {
            let store = app.store();
            if !store.delete_session(&target.tenant, target.id).await? {
                return Err(unknown(&target));
            }
        }
    }
    app.sessions().forget(target.id);
    app.feed().tell_gone(target.id);
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// Deletes the session if it is at one of the versions, which the deletion itself checks.
async fn delete_at(app: &App, target: &Target, wanted: &[u64]) -> Result<(), Problem> {
    let store = app.store();
    for _ in 0..COMMIT_ATTEMPTS {
        let row = store.session(&target.tenant, target.id).await?;
        let version = row.ok_or_else(|| unknown(target))?.version;
        if !wanted.contains(&version) {
            return Err(moved_on(version));
        }
        if store
            .delete_session_at(&target.tenant, target.id, version)
            .await?
        {
            return Ok(());
        }
    }
    Err(outrun())
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

    #[tokio::test]
    async fn a_deletion_on_the_condition_of_a_version_that_is_past_deletes_nothing() {
        let service = Service::start().await;
        let path = service.open(r#"{"task": "t"}"#).await;
        let premise = r#"{"key": "k", "value": 1, "source": "human:a"}"#;
        let asserted = service.post(&format!("{path}/premises"), premise).await;
        let etag = asserted.headers["etag"].to_str().unwrap().to_owned();
        let stale = service.matching("DELETE", &path, "\"1\"", String::new());
        let stale = stale.await;
        assert_eq!(
            (stale.status, stale.code()),
            (412, "version_mismatch".to_owned())
        );
        assert_eq!(service.get(&path).await.status, 200);
        let current = service.matching("DELETE", &path, &etag, String::new());
        assert_eq!(current.await.status, 204);
        let again = service.matching("DELETE", &path, &etag, String::new());
        assert_eq!(again.await.code(), "unknown_session");
    }
}
