//! `POST /sessions/{id}/reopen`

use axum::{extract::State, response::Response};
use entail_session::{Command, Session};

use super::{commit::commit, post_close::closed};
use crate::{
    app::App,
    body::{MaybeJson, decode::nothing},
    caller::Orchestrator,
    problem::Problem,
    request::{Conditions, Query, SessionPath},
};

/// Open a closed session again.
#[utoipa::path(
    post, path = "/sessions/{id}/reopen", operation_id = "reopen_session", tag = "sessions",
    params(crate::openapi::schema::SessionId, crate::openapi::schema::IfMatch,
        crate::openapi::schema::IdempotencyKey),
    responses(
        (status = 200, description = "Open again.", body = crate::openapi::schema::Session),
        crate::openapi::responses::Changing,
    )
)]
pub(crate) async fn post_reopen(
    State(app): State<App>,
    Orchestrator(caller): Orchestrator,
    path: SessionPath,
    conditions: Conditions,
    query: Query,
    body: MaybeJson,
) -> Result<Response, Problem> {
    query.close()?;
    let terms = conditions.terms(Some(body.digest()), false);
    body.decode(nothing)?;
    let build = move |_: &Session, _| Ok(Command::Reopen);
    commit(&app, path.of(&caller), terms, build, closed).await
}

#[cfg(test)]
mod tests {
    use entail_json::Value;

    use crate::testing::Service;

    #[tokio::test]
    async fn a_closed_session_takes_corrections_and_nothing_else_until_it_is_reopened() {
        let service = Service::start().await;
        let path = service.open(r#"{"task": "t"}"#).await;
        let post =
            async |what: &str, body: &str| service.post(&format!("{path}/{what}"), body).await;
        assert_eq!(post("reopen", "{}").await.code(), "session_not_closed");
        let closed = post("close", r#"{"state": "insufficient_evidence"}"#).await;
        assert_eq!(closed.code(), "invalid_argument");
        let closed = post("close", r#"{"state": "abandoned", "reason": "no time"}"#).await;
        assert_eq!(
            closed.json().get("state").and_then(Value::as_str),
            Some("abandoned")
        );
        for what in ["turns", "context", "tool-results"] {
            let body = if what == "turns" {
                r#"{"response": "{}"}"#
            } else if what == "context" {
                "{}"
            } else {
                "[]"
            };
            let answer = post(what, body).await;
            assert_eq!(
                (answer.status, answer.code()),
                (409, "session_closed".to_owned()),
                "{what}"
            );
        }
        let premise = r#"{"key": "k", "value": 1, "source": "human:a"}"#;
        assert_eq!(post("premises", premise).await.status, 200);
        assert_eq!(post("retractions", r#"{"target": "k"}"#).await.status, 200);
        let opened = post("reopen", "{}").await;
        assert_eq!(
            opened.json().get("state").and_then(Value::as_str),
            Some("open")
        );
        assert_eq!(post("context", "{}").await.status, 200);
    }
}
