//! `GET /sessions/{id}/rederivations`

use axum::{extract::State, response::Response};
use entail_json::{Object, Value};
use entail_session::Waiting;

use crate::{
    app::App,
    body::json,
    caller::Proposer,
    problem::Problem,
    request::{Query, SessionPath},
    sessions::Lease,
    view::page,
};

/// List what waits to be derived again by the model, each with its context.
///
/// A context shows the current values of exactly the inputs, and not what was concluded before.
#[utoipa::path(
    get, path = "/sessions/{id}/rederivations", operation_id = "list_rederivations",
    tag = "turns",
    params(crate::openapi::schema::SessionId, crate::openapi::schema::Page),
    responses(
        (status = 200, description = "A page of what waits.",
            body = crate::openapi::schema::RederivationPage),
        crate::openapi::responses::Changing,
    )
)]
pub(crate) async fn get_rederivations(
    State(app): State<App>,
    Proposer(caller): Proposer,
    path: SessionPath,
    mut query: Query,
) -> Result<Response, Problem> {
    let limit = query.limit();
    let start = query.cursor();
    query.close()?;
    Lease::work(&app, path.of(&caller), async move |mut lease: Lease| {
        lease.make_current().await?;
        // A closed session hands out no context.
        let is_open = lease.session()?.closed().is_none();
        let mut waiting = lease.foresee(|session, _| session.rederivations())?;
        let end = start.saturating_add(limit);
        let mut on_page = waiting.iter().skip(start).take(limit);
        if is_open && on_page.any(|waiting| waiting.is_ready) {
            // Before a context expired evidence goes for good, which makes the list certain.
            lease.expire_evidence().await?;
            waiting = lease.session()?.rederivations();
        }
        let next = (end < waiting.len()).then(|| end.to_string());
        let mut items = Vec::new();
        for waiting in waiting.into_iter().skip(start).take(limit) {
            let mut item = described(&waiting);
            if waiting.is_ready && is_open {
                let context = lease.take_rederivation_context(&waiting.key).await?;
                item.insert("context", context.to_value());
            }
            items.push(item.into());
        }
        Ok(json(&page(items, next).into()))
    })
    .await
}

/// `{ref, key, inputs, ready, reason}`
fn described(waiting: &Waiting) -> Object {
    let inputs: Object = waiting
        .inputs
        .iter()
        .map(|(key, held)| (key.clone(), held.clone().into()))
        .collect();
    Object::from([
        ("ref", waiting.reference.as_str().into()),
        ("key", waiting.key.as_str().into()),
        ("inputs", Value::Object(inputs)),
        ("ready", waiting.is_ready.into()),
        ("reason", waiting.reason.as_str().into()),
    ])
}

#[cfg(test)]
mod tests {
    use entail_json::Value;

    use crate::testing::Service;

    /// A session in which `b`, which rested on `a` and `brief`, waits, and `brief` expires.
    async fn waiting(service: &Service) -> String {
        let session = service
            .open(
                r#"{"task": "t", "policy": {"dependencies": "declared"}, "premises": [
                {"key": "a", "value": 1, "source": "human:h"},
                {"key": "brief", "value": 1, "source": "human:h"}]}"#,
            )
            .await;
        let claim = r#"{"response": {"actions": [{"type": "claim", "key": "b", "value": 2,
            "follows_from": ["a", "brief"]}]}}"#;
        service.post(&format!("{session}/turns"), claim).await;
        let restated = r#"[{"key": "a", "value": 5, "source": "human:h", "supersede": true},
            {"key": "brief", "value": 1, "source": "human:h", "ttl_s": 0.000001}]"#;
        let done = service.post(&format!("{session}/premises"), restated).await;
        assert_eq!(done.status, 200, "{}", done.text);
        session
    }

    async fn first(service: &Service, session: &str) -> Value {
        let list = service.get(&format!("{session}/rederivations")).await;
        assert_eq!(list.status, 200, "{}", list.text);
        let list = list.json();
        list.get("items").and_then(Value::as_array).unwrap()[0].clone()
    }

    #[tokio::test]
    async fn evidence_that_has_expired_unnoticed_makes_no_list_fail() {
        let service = Service::start().await;
        let session = waiting(&service).await;
        let item = first(&service, &session).await;
        assert_eq!(item.get("ready"), Some(&Value::Bool(false)), "{item}");
        let tag = service.get(&session).await.headers["etag"].clone();
        assert_eq!(
            tag, "\"3\"",
            "no context was handed out, so nothing was committed"
        );
    }

    #[tokio::test]
    async fn a_closed_session_lists_what_waits_and_hands_out_no_context() {
        let service = Service::start().await;
        let session = waiting(&service).await;
        let again = r#"{"key": "brief", "value": 1, "source": "human:h"}"#;
        service.post(&format!("{session}/premises"), again).await;
        let item = first(&service, &session).await;
        assert!(item.get("context").is_some(), "{item}");
        let closed = service
            .post(&format!("{session}/close"), r#"{"state": "abandoned"}"#)
            .await;
        assert_eq!(closed.status, 200, "{}", closed.text);
        let item = first(&service, &session).await;
        assert_eq!(item.get("ready"), Some(&Value::Bool(true)));
        assert!(item.get("context").is_none(), "{item}");
    }
}
