//! `POST /sessions/{id}/retractions`

use axum::{extract::State, response::Response};
use entail_session::{Command, Session};

use super::commit::{commit, reply};
use crate::{
    app::App,
    body::JsonBody,
    caller::Orchestrator,
    problem::Problem,
    request::{Conditions, Query, SessionPath},
    wire::{RetractionBody, retraction},
};

/// Take a belief back, and with it everything that rests on it alone.
#[utoipa::path(
    post, path = "/sessions/{id}/retractions", operation_id = "post_retraction", tag = "evidence",
    request_body(content = RetractionBody,
        example = json!({"target": "revenue:Q2", "reason": "restated in the amended filing"})),
    params(crate::openapi::schema::SessionId, crate::openapi::schema::IdempotencyKey,
        crate::openapi::schema::IfMatch, crate::openapi::schema::DryRun),
    responses(
        (status = 200, description = "What changed.", body = crate::openapi::schema::Changed),
        crate::openapi::responses::Changing,
    )
)]
pub(crate) async fn post_retractions(
    State(app): State<App>,
    Orchestrator(caller): Orchestrator,
    path: SessionPath,
    conditions: Conditions,
    mut query: Query,
    body: JsonBody,
) -> Result<Response, Problem> {
    let dry_run = query.flag("dry_run");
    query.close()?;
    let terms = conditions.terms(Some(body.digest()), dry_run);
    let retraction = body.decode(retraction)?;
    let build = move |_: &Session, _| Ok(Command::Retract(retraction.clone()));
    commit(&app, path.of(&caller), terms, build, reply(dry_run)).await
}

#[cfg(test)]
mod tests {
    use entail_json::Value;

    use crate::testing::Service;

    #[tokio::test]
    async fn what_rests_on_a_retracted_premise_goes_out_with_its_reason() {
        let service = Service::start().await;
        let session = service
            .open(r#"{"task": "t", "premises": [{"key": "a", "value": 1, "source": "human:h"}]}"#)
            .await;
        let turn = r#"{"response": {"actions": [{"type": "claim", "key": "b", "value": 2,
            "follows_from": ["a"]}]}}"#;
        let claimed = service.post(&format!("{session}/turns"), turn).await.json();
        assert_eq!(
            claimed.get("verdict").and_then(Value::as_str),
            Some("accepted")
        );
        let body = r#"{"target": "a", "reason": "wrong"}"#;
        let retracted = service.post(&format!("{session}/retractions"), body).await;
        let changes = retracted.json().get("changes").unwrap().clone();
        let refs: Vec<_> = changes
            .as_array()
            .unwrap()
            .iter()
            .map(|change| {
                change
                    .get("ref")
                    .and_then(Value::as_str)
                    .unwrap()
                    .to_owned()
            })
            .collect();
        assert_eq!(refs, ["a@1", "b@1"]);
        let out = service.get(&format!("{session}/beliefs/b@1")).await.json();
        assert_eq!(out.get("status").and_then(Value::as_str), Some("OUT"));
        let lost = out
            .get("why_out")
            .and_then(|why| why.get("lost"))
            .unwrap()
            .to_string();
        assert_eq!(lost, r#"["a@1"]"#);
        let restored = service
            .post(&format!("{session}/restorations"), r#"{"target": "a"}"#)
            .await;
        assert!(
            restored.text.contains(r#""status":"IN""#),
            "{}",
            restored.text
        );
    }

    #[tokio::test]
    async fn what_nobody_heard_of_cannot_be_retracted() {
        let service = Service::start().await;
        let session = service.open(r#"{"task": "t"}"#).await;
        let answer = service
            .post(&format!("{session}/retractions"), r#"{"target": "x"}"#)
            .await;
        assert_eq!(
            (answer.status, answer.code()),
            (404, "unknown_belief".to_owned())
        );
    }
}
