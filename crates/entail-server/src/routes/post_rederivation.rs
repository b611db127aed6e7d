//! `POST /sessions/{id}/rederivations/{name}`

use std::sync::Arc;

use axum::{extract::State, response::Response};
use entail_session::{Command, Session, Turn, TurnContext};

use super::{
    commit::{reply, respond},
    post_turn::find_context,
};
use crate::{
    app::App,
    body::SpokenBody,
    caller::Proposer,
    problem::{Code, Problem},
    request::{Conditions, Name, Query, SessionPath},
    sessions::Lease,
    wire::{TurnBody, turn},
};

/// Post what a model made of a re-derivation: one claim for that key.
///
/// An equal value revives the old revision and stops the cascade; `{"actions": []}` leaves it
/// waiting.
#[utoipa::path(
    post, path = "/sessions/{id}/rederivations/{name}", operation_id = "post_rederivation",
    tag = "turns",
    request_body(content = TurnBody),
    params(crate::openapi::schema::SessionId, crate::openapi::schema::IdempotencyKey,
        crate::openapi::schema::IfMatch,
        ("name" = String, Path, description = "The key, percent-encoded.")),
    responses(
        (status = 200, description = "What came of it.", body = crate::openapi::schema::Turn),
        crate::openapi::responses::Changing,
    )
)]
pub(crate) async fn post_rederivation(
    State(app): State<App>,
    Proposer(caller): Proposer,
    path: SessionPath,
    Name(key): Name,
    conditions: Conditions,
    query: Query,
    body: SpokenBody,
) -> Result<Response, Problem> {
    query.close()?;
    let body = body.json();
    let terms = conditions.terms(Some(body.digest()), false);
    let mut request = body.decode(turn)?;
    if let Some(model) = caller.model.clone() {
        request.model = Some(model);
    }
    Lease::work(&app, path.of(&caller), async move |mut lease: Lease| {
        let context = match &request.context_id {
            Some(id) => Some(find_context(&lease, id).await?),
            None => None,
        };
        let context = context
            .filter(|context| context.scope.is_some())
            .ok_or_else(|| {
                let detail = "name the `context_id` that came with this re-derivation";
                Problem::new(Code::UnknownContext, detail)
            })?;
        let build = |_: &Session, _| {
            Ok(Command::Rederive {
                key: key.clone(),
                turn: Turn {
                    response: request.response.clone(),
                    context: TurnContext::Given(Arc::clone(&context)),
                    model: request.model.clone(),
                    step_id: request.step_id.clone(),
                },
            })
        };
        lease.commit(&terms, build, reply(false)).await.map(respond)
    })
    .await
}

#[cfg(test)]
mod tests {
    use entail_json::Value;

    use crate::testing::Service;

    #[tokio::test]
    async fn a_claim_that_lost_its_support_is_derived_again_in_a_context_of_its_inputs() {
        let service = Service::start().await;
        let session = service
            .open(r#"{"task": "t", "premises": [{"key": "a", "value": 1, "source": "human:h"}]}"#)
            .await;
        let claim = r#"{"response": {"actions": [{"type": "claim", "key": "b", "value": 2,
            "follows_from": ["a"]}]}}"#;
        assert_eq!(
            service
                .post(&format!("{session}/turns"), claim)
                .await
                .status,
            200
        );
        let premise = r#"{"key": "a", "value": 5, "source": "human:h", "supersede": true}"#;
        assert_eq!(
            service
                .post(&format!("{session}/premises"), premise)
                .await
                .status,
            200
        );
        let list = service
            .get(&format!("{session}/rederivations"))
            .await
            .json();
        let item = &list.get("items").and_then(Value::as_array).unwrap()[0];
        assert_eq!(item.get("key").and_then(Value::as_str), Some("b"));
        let context = item
            .get("context")
            .and_then(|context| context.get("id"))
            .unwrap();
        let path = format!("{session}/rederivations/b");
        let body = format!(
            r#"{{"context_id": {context}, "response": {{"actions": [{{"type": "claim", "key": "b",
                "value": 2, "follows_from": ["a"]}}]}}}}"#
        );
        let derived = service.post(&path, &body).await;
        assert_eq!(derived.status, 200, "{}", derived.text);
        let belief = service.get(&format!("{session}/beliefs/b")).await.json();
        assert_eq!(belief.get("ref").and_then(Value::as_str), Some("b@1"));
        assert_eq!(belief.get("status").and_then(Value::as_str), Some("IN"));
        let left = service
            .get(&format!("{session}/rederivations"))
            .await
            .json();
        assert_eq!(left.get("items"), Some(&Value::Array(Vec::new())));
    }
}
