//! `POST /sessions/{id}/premises`

use axum::{extract::State, response::Response};
use entail_session::{Command, Session};

use super::commit::{commit, reply};
use crate::{
    app::App,
    body::{JsonBody, decode::one_or_list},
    caller::Orchestrator,
    problem::Problem,
    request::{Conditions, Query, SessionPath},
    wire::{PremiseBody, premise},
};

/// Assert a premise, or a list of them: facts that a source vouches for.
///
/// An equal value corroborates, another value is a revision of its own and, unless it supersedes,
/// a conflict. A list is one commit, all or nothing.
#[utoipa::path(
    post, path = "/sessions/{id}/premises", operation_id = "post_premises", tag = "evidence",
    request_body(content = Vec<PremiseBody>,
        example = json!([{"key": "revenue:Q2", "value": 4300000000u64, "source": "human:analyst"}])),
    params(crate::openapi::schema::SessionId, crate::openapi::schema::IdempotencyKey,
        crate::openapi::schema::IfMatch, crate::openapi::schema::DryRun),
    responses(
        (status = 200, description = "What changed.", body = crate::openapi::schema::Changed),
        crate::openapi::responses::Changing,
    )
)]
pub(crate) async fn post_premises(
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
    let premises = body.decode(one_or_list(premise))?;
    let build = move |_: &Session, _| Ok(Command::Premises(premises.clone()));
    commit(&app, path.of(&caller), terms, build, reply(dry_run)).await
}

#[cfg(test)]
mod tests {
    use entail_json::{Value, read_str};

    use crate::testing::Service;

    #[tokio::test]
    async fn a_value_comes_back_exactly_as_it_was_asserted() {
        let service = Service::start().await;
        let session = service.open(r#"{"task": "t"}"#).await;
        let value = r#"{"big":123456789012345678901234567890,"float":1.0,"int":1,"text":"é"}"#;
        let body = format!(r#"[{{"key": "k", "value": {value}, "source": "human:a"}}]"#);
        let answer = service.post(&format!("{session}/premises"), &body).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        let read = service
            .get(&format!("{session}/beliefs/k%401"))
            .await
            .json();
        assert_eq!(read.get("value"), Some(&read_str(value).unwrap()));
    }

    #[tokio::test]
    async fn a_dry_run_tells_what_would_happen_and_changes_nothing() {
        let service = Service::start().await;
        let session = service.open(r#"{"task": "t"}"#).await;
        let path = format!("{session}/premises?dry_run=true");
        let body = r#"{"key": "k", "value": 1, "source": "human:a"}"#;
        let tried = service.post(&path, body).await;
        assert_eq!(tried.status, 200, "{}", tried.text);
        assert_eq!(tried.json().get("dry_run"), Some(&Value::Bool(true)));
        assert!(tried.text.contains(r#""ref":"k@1""#), "{}", tried.text);
        let list = service.get(&format!("{session}/beliefs")).await.json();
        assert_eq!(
            list.get("items")
                .and_then(Value::as_array)
                .map(<[Value]>::len),
            Some(0)
        );
        let version = service.get(&session).await.json().get("version").cloned();
        assert_eq!(version, Some(Value::from(1_i64)));
    }

    #[tokio::test]
    async fn a_dry_run_does_not_commit_the_expiry_of_evidence() {
        let service = Service::start().await;
        let session = service.open(r#"{"task": "t"}"#).await;
        let path = format!("{session}/premises");
        let brief = r#"{"key": "a", "value": 1, "source": "human:h", "ttl_s": 0.000001}"#;
        assert_eq!(service.post(&path, brief).await.status, 200);
        let body = r#"{"key": "k", "value": 1, "source": "human:a"}"#;
        for _ in 0..2 {
            let tried = service.post(&format!("{path}?dry_run=true"), body).await;
            assert!(tried.text.contains(r#""ref":"k@1""#), "{}", tried.text);
        }
        assert_eq!(service.get(&session).await.headers["etag"], "\"2\"");
        service.post(&path, body).await;
        assert_eq!(service.get(&session).await.headers["etag"], "\"4\"");
    }

    #[tokio::test]
    async fn a_caller_at_the_newest_version_is_not_refused_for_evidence_that_expired_since() {
        let service = Service::start().await;
        let session = service.open(r#"{"task": "t"}"#).await;
        let path = format!("{session}/premises");
        let brief = |key: &str| {
            format!(r#"{{"key": "{key}", "value": 1, "source": "human:h", "ttl_s": 0.000001}}"#)
        };
        assert_eq!(
            service.post(&path, &brief("a")).await.headers["etag"],
            "\"2\""
        );
        let current = service.matching("POST", &path, "\"2\"", brief("b")).await;
        assert_eq!(current.status, 200, "{}", current.text);
        // The third version is the expiry of `a`.
        assert_eq!(current.headers["etag"], "\"4\"");
        let context = format!("{session}/context");
        let stale = service.matching("POST", &context, "\"3\"", "{}".to_owned());
        assert_eq!(stale.await.code(), "version_mismatch");
        let newest = service.get(&session).await.headers["etag"].clone();
        let newest = newest.to_str().unwrap().to_owned();
        let shown = service.matching("POST", &context, &newest, "{}".to_owned());
        assert_eq!(shown.await.status, 200);
    }

    #[tokio::test]
    async fn a_context_on_the_condition_of_the_version_before_an_expiry_is_handed_out() {
        let service = Service::start().await;
        let session = service.open(r#"{"task": "t"}"#).await;
        let brief = r#"{"key": "a", "value": 1, "source": "human:h", "ttl_s": 0.000001}"#;
        let asserted = service.post(&format!("{session}/premises"), brief).await;
        assert_eq!(asserted.headers["etag"], "\"2\"");
        let context = format!("{session}/context");
        let shown = service
            .matching("POST", &context, "\"2\"", "{}".to_owned())
            .await;
        assert_eq!(shown.status, 200, "{}", shown.text);
        // The expiry is a version of its own, which the next request has to name.
        let stale = service
            .matching("POST", &context, "\"2\"", "{}".to_owned())
            .await;
        assert_eq!(stale.code(), "version_mismatch");
    }

    #[tokio::test]
    async fn a_commit_on_a_version_that_has_passed_is_refused() {
        let service = Service::start().await;
        let session = service.open(r#"{"task": "t"}"#).await;
        let path = format!("{session}/premises");
        let send = |tag: &'static str, value: u32| {
            let body = format!(r#"{{"key": "k{value}", "value": 1, "source": "human:a"}}"#);
            service.matching("POST", &path, tag, body)
        };
        assert_eq!(send("\"1\"", 1).await.status, 200);
        let late = send("\"1\"", 2).await;
        assert_eq!(
            (late.status, late.code()),
            (412, "version_mismatch".to_owned())
        );
        assert_eq!(send("*", 3).await.headers["etag"], "\"3\"");
        assert_eq!(send("two", 4).await.code(), "invalid_header");
    }

    #[tokio::test]
    async fn a_repeated_request_is_done_once_and_answered_alike() {
        let service = Service::start().await;
        let session = service.open(r#"{"task": "t"}"#).await;
        let path = format!("{session}/premises");
        let body = r#"{"key": "k", "value": 1, "source": "human:a"}"#;
        let first = service.keyed("POST", &path, "abc", body).await;
        let again = service.keyed("POST", &path, "abc", body).await;
        assert_eq!((first.status, &first.text), (200, &again.text));
        assert_eq!(again.headers["idempotency-replayed"], "true");
        assert_eq!(again.headers["etag"], "\"2\"");
        let other = service.keyed("POST", &path, "abc", "[]").await;
        assert_eq!(
            (other.status, other.code()),
            (409, "idempotency_key_reused".to_owned())
        );
        assert_eq!(service.get(&session).await.headers["etag"], "\"2\"");
    }
}
