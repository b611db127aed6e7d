//! `POST /sessions/{id}/turns`

use std::sync::Arc;

use axum::{extract::State, response::Response};
use entail_session::{Command, Context, ContextOptions, Session, Turn, TurnContext};

use super::commit::{reply, respond};
use crate::{
    app::App,
    body::SpokenBody,
    caller::Proposer,
    clock,
    problem::{Code, Problem, quoted},
    request::{Conditions, Query, SessionPath},
    sessions::{Committed, Lease, On, Terms, from_kept},
    wire::{TurnBody, TurnRequest, turn},
};

/// Post what a model said.
///
/// Each action is checked on its own; what holds is believed, what does not is rejected with the
/// reason, written for the model. A response that cannot be read at all is a turn too: 200 with
/// the verdict `unusable`. `verdict` says what to do next, `feedback` is what to show the model.
#[utoipa::path(
    post, path = "/sessions/{id}/turns", operation_id = "post_turn", tag = "turns",
    request_body(content = TurnBody, example = json!({
        "response": "{\"actions\": [{\"type\": \"cite\", \"document\": \"10-Q\", \"key\": \"revenue:Q2\", \"value\": 4300000000, \"quote\": \"revenue for Q2 was $4.3 billion\"}]}",
        "model": "m-1"
    })),
    params(crate::openapi::schema::SessionId, crate::openapi::schema::IdempotencyKey,
        crate::openapi::schema::IfMatch, crate::openapi::schema::DryRun,
        ("include" = inline(Option<crate::openapi::schema::Included>), Query,
            description = "What to answer besides: the next context.")),
    responses(
        (status = 200, description = "What came of it.", body = crate::openapi::schema::Turn),
        crate::openapi::responses::Changing,
    )
)]
pub(crate) async fn post_turn(
    State(app): State<App>,
    Proposer(caller): Proposer,
    path: SessionPath,
    conditions: Conditions,
    mut query: Query,
    body: SpokenBody,
) -> Result<Response, Problem> {
    let dry_run = query.flag("dry_run");
    let include = query.choice("include", &[("context", ())]).is_some();
    query.close()?;
    let body = body.json();
    let terms = conditions.terms(Some(body.digest()), dry_run);
    let mut request = body.decode(turn)?;
    if let Some(model) = caller.model.clone() {
        request.model = Some(model);
    }
    let target = path.of(&caller);
    let work =
        async move |lease: Lease| take_turn(lease, request, terms, include && !dry_run).await;
    Lease::work(&app, target, work).await
}

async fn take_turn(
    mut lease: Lease,
    request: TurnRequest,
    terms: Terms,
    include: bool,
) -> Result<Response, Problem> {
    let named = match &request.context_id {
        Some(id) => Some(find_context(&lease, id).await?),
        None => None,
    };
    let on = match &named {
        Some(_) => On::Session,
        None => On::LatestContext,
    };
    let build = |_: &Session, latest: Option<&Arc<Context>>, _| {
        let context = named.as_ref().or(latest);
        Ok(Command::Turn(Turn {
            response: request.response.clone(),
            context: match context {
                Some(context) => TurnContext::Given(Arc::clone(context)),
                None => TurnContext::Present {
                    id: clock::new_id().to_string(),
                },
            },
            model: request.model.clone(),
            step_id: request.step_id.clone(),
        }))
    };
    let reply = reply(terms.dry_run);
    let committed = lease.commit_on(on, &terms, build, reply).await?;
    if !include {
        return Ok(respond(committed));
    }
    let next = lease
        .take_context(&ContextOptions::default(), None)
        .await?
        .to_value();
    Ok(respond(match committed {
        Committed::Now(mut reply) => {
            reply.body.insert("context", next);
            Committed::Now(reply)
        }
        Committed::Before(mut reply) => {
            reply.body.insert("context", next);
            Committed::Before(reply)
        }
    }))
}

/// The context that is named.
pub(super) async fn find_context(lease: &Lease, id: &str) -> Result<Arc<Context>, Problem> {
    if let Some(context) = lease.remembered(id) {
        return Ok(context);
    }
    let unknown = || {
        let detail = format!("there is no context {}; take a new one", quoted(id));
        Problem::new(Code::UnknownContext, detail)
    };
    let parsed = id.parse().map_err(|_| unknown())?;
    let store = lease.app().store();
    let kept = store
        .context(lease.target().id, parsed, clock::now())
        .await?
        .ok_or_else(unknown)?;
    from_kept(&kept).map(Arc::new)
}

#[cfg(test)]
mod tests {
    use entail_json::Value;

    use crate::testing::Service;

    const CLAIM: &str = r#"{"response": {"actions": [{"type": "claim", "key": "b", "value": 2,
        "follows_from": ["a"]}]}}"#;

    fn member(value: &Value, name: &str) -> String {
        value.get(name).cloned().unwrap_or_default().to_string()
    }

    async fn service() -> (Service, String) {
        let service = Service::start().await;
        let body = r#"{"task": "t", "premises": [{"key": "a", "value": 1, "source": "human:h"}]}"#;
        let session = service.open(body).await;
        (service, session)
    }

    #[tokio::test]
    async fn without_a_context_the_one_handed_out_last_counts_even_after_the_session_was_evicted() {
        let (service, session) = service().await;
        let context = service
            .post(&format!("{session}/context"), "{}")
            .await
            .json();
        service
            .post(&format!("{session}/retractions"), r#"{"target": "a"}"#)
            .await;
        let id = session.rsplit('/').next().unwrap().parse().unwrap();
        service.app().sessions().forget(id);
        let turn = service
            .post(&format!("{session}/turns"), CLAIM)
            .await
            .json();
        assert_eq!(member(&turn, "context_id"), member(&context, "id"));
        assert!(
            member(&turn, "rejected").contains("context_changed"),
            "{turn}"
        );
    }

    #[tokio::test]
    async fn a_rederivation_handed_out_since_lets_no_turn_rest_on_what_its_context_did_not_show() {
        let (service, session) = service().await;
        service.post(&format!("{session}/turns"), CLAIM).await;
        let restated = r#"{"key": "a", "value": 5, "source": "human:h", "supersede": true}"#;
        service.post(&format!("{session}/premises"), restated).await;
        let context = service
            .post(&format!("{session}/context"), "{}")
            .await
            .json();
        let later = r#"{"key": "later", "value": 7, "source": "human:h"}"#;
        service.post(&format!("{session}/premises"), later).await;
        let waiting = service
            .get(&format!("{session}/rederivations"))
            .await
            .json();
        assert!(member(&waiting, "items").contains("\"key\":\"b\""));
        let claim = r#"{"response": {"actions": [{"type": "claim", "key": "c", "value": 7,
            "follows_from": ["later"]}]}}"#;
        let turn = service
            .post(&format!("{session}/turns"), claim)
            .await
            .json();
        assert_eq!(member(&turn, "context_id"), member(&context, "id"));
        assert!(member(&turn, "rejected").contains("not_visible"), "{turn}");
    }

    #[tokio::test]
    async fn what_a_model_wrote_that_cannot_be_kept_is_its_turns_rejection_and_no_callers_fault() {
        let (service, session) = service().await;
        let fine = r#"{"type": "claim", "key": "fine", "value": 1}"#;
        for (bad, code) in [
            (
                r#"{"type": "claim", "key": "x", "value": "\u0000"}"#,
                "unsupported_value",
            ),
            (
                r#"{"type": "claim", "key": "x", "value": "\ud800"}"#,
                "unsupported_value",
            ),
            (
                r#"{"type": "claim", "key": "x", "value": 1e999}"#,
                "unsupported_value",
            ),
            (
                r#"{"type": "claim", "key": "x", "key": "y", "value": 1}"#,
                "duplicate_field",
            ),
        ] {
            let body = format!(r#"{{"response": {{"actions": [{bad}, {fine}]}}}}"#);
            let turn = service.post(&format!("{session}/turns"), &body).await;
            assert_eq!(turn.status, 200, "{}", turn.text);
            assert!(turn.text.contains(r#""ref":"fine@1""#), "{}", turn.text);
            let rejected = member(&turn.json(), "rejected");
            assert!(rejected.contains(code), "{rejected}");
        }
        let text = r#"{"response": "a\u0000 \ud800"}"#;
        let turn = service.post(&format!("{session}/turns"), text).await;
        assert_eq!(turn.status, 200, "{}", turn.text);
        assert_eq!(member(&turn.json(), "verdict"), "\"unusable\"");
        let id = session.rsplit('/').next().unwrap().parse().unwrap();
        service.app().sessions().forget(id);
        assert_eq!(service.get(&session).await.status, 200, "it is replayed");
        let elsewhere = r#"{"response": "x", "model": "\u0000"}"#;
        let refused = service.post(&format!("{session}/turns"), elsewhere).await;
        assert_eq!(refused.code(), "malformed_json");
    }

    #[tokio::test]
    async fn an_unknown_context_is_not_found() {
        let (service, session) = service().await;
        for id in ["x", "00000000-0000-7000-8000-000000000000"] {
            let body = format!(r#"{{"response": "{{}}", "context_id": "{id}"}}"#);
            let answer = service.post(&format!("{session}/turns"), &body).await;
            assert_eq!(
                (answer.status, answer.code()),
                (404, "unknown_context".to_owned())
            );
        }
    }

    #[tokio::test]
    async fn the_next_context_comes_with_the_turn_where_it_is_asked_for() {
        let (service, session) = service().await;
        let path = format!("{session}/turns?include=context");
        let turn = service.keyed("POST", &path, "k", CLAIM).await.json();
        let visible = member(turn.get("context").unwrap(), "visible");
        assert!(visible.contains(r#""ref":"b@1""#), "{visible}");
        let again = service.keyed("POST", &path, "k", CLAIM).await;
        assert_eq!(again.headers["idempotency-replayed"], "true");
        assert!(again.json().get("context").is_some());
        assert_eq!(member(&again.json(), "turn"), member(&turn, "turn"));
    }

    #[tokio::test]
    async fn a_dry_run_of_a_turn_opens_no_call_and_changes_nothing() {
        let (service, session) = service().await;
        let tool = r#"{"description": "d", "parameters": {"type": "object"}}"#;
        service
            .call("PUT", &format!("{session}/tools/t"), Some(tool))
            .await;
        let body = r#"{"response": {"actions": [{"type": "call_tool", "tool": "t", "args": {}}]}}"#;
        let tried = service
            .post(&format!("{session}/turns?dry_run=true"), body)
            .await
            .json();
        assert_eq!(member(&tried, "verdict"), "\"awaiting_tools\"");
        let pending = tried
            .get("pending_calls")
            .and_then(Value::as_array)
            .unwrap();
        assert_eq!(pending[0].get("call_id"), Some(&Value::Null));
        let calls = service.get(&format!("{session}/calls")).await.json();
        assert_eq!(member(&calls, "items"), "[]");
    }
}
