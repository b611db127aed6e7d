//! `POST /sessions`

use axum::{
    extract::State,
    http::StatusCode,
    response::{IntoResponse as _, Response},
};

use super::commit::replayed;
use crate::{
    app::App,
    body::JsonBody,
    caller::Orchestrator,
    problem::Problem,
    request::{Conditions, Query},
    sessions::{Opened, Reply, create},
    view,
    wire::{OpeningBody, opening},
};

/// Open a session.
///
/// With its documents, tools and premises, if they are known already; more can follow. Under an
/// `Idempotency-Key`, a repeated request answers the session that was opened first.
#[utoipa::path(
    post, path = "/sessions", operation_id = "open_session", tag = "sessions",
    request_body(content = OpeningBody, example = json!({
        "task": "How did revenue develop from Q2 to Q3?",
        "policy": {"dependencies": "declared"},
        "documents": [{"name": "10-Q", "text": "Total revenue for Q2 was $4.3 billion."}]
    })),
    params(crate::openapi::schema::IdempotencyKey),
    responses(
        (status = 201, description = "Opened.", body = crate::openapi::schema::Session,
            headers(("location" = String, description = "Where the session is."),
                ("etag" = String, description = "Its version."))),
        crate::openapi::responses::Changing,
    )
)]
pub(crate) async fn post_session(
    State(app): State<App>,
    Orchestrator(caller): Orchestrator,
    conditions: Conditions,
    query: Query,
    body: JsonBody,
) -> Result<Response, Problem> {
    query.close()?;
    let key = conditions.key(Some(body.digest()));
    let request = body.decode(opening)?;
    let task = async move {
        create(&app, &caller.tenant, request, key, |session, _| {
            Reply::ok(view::opened(session))
                .with_status(StatusCode::CREATED)
                .located(format!("/sessions/{}", session.id()))
                .at_version(session.version())
        })
        .await
    };
    // In a task of its own, so that a caller who goes away leaves no opening half done.
    let task = tokio::spawn(tracing::Instrument::in_current_span(task));
    Ok(
        match task.await.map_err(|error| Problem::internal(&error))?? {
            Opened::Now(reply) => reply.into_response(),
            Opened::Before(reply) => replayed(reply),
        },
    )
}

#[cfg(test)]
mod tests {
    use entail_json::Value;

    use crate::testing::Service;

    #[tokio::test]
    async fn an_opened_session_is_located_and_can_be_read() {
        let service = Service::start().await;
        let opened = service
            .post("/sessions", r#"{"task": "t", "labels": {"team": "a"}}"#)
            .await;
        assert_eq!(opened.status, 201, "{}", opened.text);
        assert_eq!(opened.headers["etag"], "\"1\"");
        let location = opened.headers["location"].to_str().unwrap();
        let read = service.get(location).await;
        assert_eq!(read.status, 200, "{}", read.text);
        assert_eq!(read.json().get("task").and_then(Value::as_str), Some("t"));
        assert_eq!(
            read.json().get("chain_head"),
            opened.json().get("chain_head")
        );
    }

    #[tokio::test]
    async fn every_fault_of_an_opening_is_told_with_its_pointer() {
        let service = Service::start().await;
        let body = r#"{"policy": {"dependencies": "some"}, "premises": [{"key": 1}], "x": 0}"#;
        let answer = service.post("/sessions", body).await;
        assert_eq!(
            (answer.status, answer.code()),
            (400, "invalid_body".to_owned())
        );
        let faults = answer.json().get("errors").unwrap().clone();
        let mut pointers: Vec<_> = faults
            .as_array()
            .unwrap()
            .iter()
            .map(|fault| {
                fault
                    .get("pointer")
                    .and_then(Value::as_str)
                    .unwrap()
                    .to_owned()
            })
            .collect();
        pointers.sort();
        let expected = [
            "/policy/dependencies",
            "/premises/0/key",
            "/premises/0/source",
            "/premises/0/value",
            "/task",
            "/x",
        ];
        assert_eq!(pointers, expected);
    }

    #[tokio::test]
    async fn a_repeated_opening_answers_the_session_opened_first() {
        let service = Service::start().await;
        let open = |body: &'static str| service.keyed("POST", "/sessions", "the-key", body);
        let first = open(r#"{"task": "t"}"#).await;
        let again = open(r#"{"task": "t"}"#).await;
        assert_eq!((first.status, again.status), (201, 201), "{}", again.text);
        assert_eq!(first.text, again.text);
        assert_eq!(again.headers["idempotency-replayed"], "true");
        assert_eq!(
            open(r#"{"task": "u"}"#).await.code(),
            "idempotency_key_reused"
        );
    }
}
