//! Tests of who may do what, over every documented operation.

use axum::{body::Body, http::Request};
use entail_json::{Value, read_str};
use entail_store::ApiKey;

use crate::{
    auth::{Token, scopes_text},
    caller::Scope,
    clock, openapi,
    testing::{Answer, Service},
};

async fn key(service: &Service, tenant: &str, scopes: &[Scope], model: Option<&str>) -> Token {
    let token = Token::new();
    let key = ApiKey {
        tenant: tenant.to_owned(),
        id: token.id(),
        name: "test".to_owned(),
        secret: token.secret(),
        scopes: scopes_text(scopes),
        model: model.map(str::to_owned),
        created_at: clock::now(),
        revoked_at: None,
    };
    assert!(service.app().store().put_api_key(&key).await.unwrap());
    token
}

async fn send(
    service: &Service,
    token: Option<&str>,
    method: &str,
    path: &str,
    body: &str,
) -> Answer {
    let mut request = Request::builder().method(method).uri(path);
    request = request.header("content-type", "application/json");
    if let Some(token) = token {
        request = request.header("authorization", format!("Bearer {token}"));
    }
    service
        .send(request.body(Body::from(body.to_owned())).unwrap())
        .await
}

/// Every documented operation within a session: its method, its path in that session, and a body
/// it would take.
fn operations(session: &str) -> Vec<(String, String, &'static str)> {
    let document = read_str(&openapi::document()).unwrap();
    let mut found = Vec::new();
    for (path, item) in document.get("paths").unwrap().as_object().unwrap().iter() {
        let Some(rest) = path.strip_prefix("/sessions/{id}") else {
            continue;
        };
        for (method, _) in item.as_object().unwrap().iter() {
            let path = format!("{session}{}", rest.replace("{name}", "k@1"));
            let body = match rest {
                "/turns" => r#"{"response": "{\"actions\": []}"}"#,
                "/premises" => r#"{"key": "x", "value": 1, "source": "human:h"}"#,
                "/retractions" | "/restorations" => r#"{"target": "k"}"#,
                "/close" => r#"{"state": "abandoned"}"#,
                "/documents/{name}" => r#"{"text": "t"}"#,
                "/tool-results" | "/outcomes" => "[]",
                "/conflicts/{name}/resolution" => r#"{"keep": ["k@1"]}"#,
                "/justifications" => {
                    r#"{"key": "j", "value": 1, "antecedents": ["k"], "source": "human:h"}"#
                }
                "/derivations" => r#"{"key": "d", "rule": "r", "inputs": ["k"]}"#,
                "/rules/{name}" => r#"{"parameters": ["a"], "expression": "a + 1"}"#,
                "/constraints/{name}" => r#"{"inputs": {"a": "k"}, "expression": "a > 0"}"#,
                "/rederivations/{name}" => r#"{"response": "{}", "context_id": "x"}"#,
                _ => "{}",
            };
            found.push((method.to_ascii_uppercase(), path, body));
        }
    }
    assert!(found.len() > 20);
    found
}

async fn service() -> (Service, String, Token) {
    let service = Service::start().await;
    let owner = key(&service, "a", &[Scope::Orchestrate], None).await;
    let body = r#"{"task": "t", "premises": [{"key": "k", "value": 1, "source": "human:h"}]}"#;
    let opened = send(&service, Some(owner.text()), "POST", "/sessions", body).await;
    assert_eq!(opened.status, 201, "{}", opened.text);
    let session = opened.headers["location"].to_str().unwrap().to_owned();
    (service, session, owner)
}

async fn state(service: &Service, owner: &Token, session: &str) -> String {
    let answer = send(service, Some(owner.text()), "GET", session, "").await;
    let value = answer.json();
    let member = |name: &str| value.get(name).cloned().unwrap_or_default().to_string();
    format!("{} {}", member("version"), member("chain_head"))
}

#[tokio::test]
async fn a_tenant_reaches_nothing_of_another() {
    let (service, session, owner) = service().await;
    let stranger = key(&service, "b", &Scope::ALL, None).await;
    let before = state(&service, &owner, &session).await;
    for (method, path, body) in operations(&session) {
        let answer = send(&service, Some(stranger.text()), &method, &path, body).await;
        assert!(
            matches!(answer.status, 404 | 406),
            "{method} {path}: {} {}",
            answer.status,
            answer.text
        );
    }
    let list = send(&service, Some(stranger.text()), "GET", "/sessions", "")
        .await
        .json();
    assert_eq!(list.get("items"), Some(&Value::Array(Vec::new())));
    assert_eq!(state(&service, &owner, &session).await, before);
}

#[tokio::test]
async fn without_a_key_in_force_nothing_is_reached() {
    let (service, session, owner) = service().await;
    let revoked = key(&service, "a", &Scope::ALL, None).await;
    service
        .app()
        .store()
        .revoke_api_key("a", revoked.id(), clock::now())
        .await
        .unwrap();
    let before = state(&service, &owner, &session).await;
    for token in [None, Some("entail_wrong"), Some(revoked.text())] {
        for (method, path, body) in operations(&session) {
            let answer = send(&service, token, &method, &path, body).await;
            assert_eq!(
                (answer.status, answer.code().as_str()),
                (401, "unauthenticated"),
                "{method} {path}"
            );
        }
        assert_eq!(
            send(&service, token, "POST", "/sessions", "{}")
                .await
                .status,
            401
        );
    }
    assert_eq!(state(&service, &owner, &session).await, before);
}

#[tokio::test]
async fn a_key_does_what_its_scopes_allow_and_no_more() {
    let (service, session, owner) = service().await;
    let reader = key(&service, "a", &[Scope::Read], None).await;
    let proposer = key(&service, "a", &[Scope::Propose], None).await;
    let before = state(&service, &owner, &session).await;
    for (method, path, body) in operations(&session) {
        let rest = path.strip_prefix(&session).unwrap();
        let proposes = matches!((method.as_str(), rest), ("POST", "/turns" | "/context"))
            || rest.starts_with("/rederivations");
        let reads = method == "GET" && !rest.starts_with("/rederivations");
        if !reads {
            let answer = send(&service, Some(reader.text()), &method, &path, body).await;
            assert_eq!(answer.status, 403, "{method} {path}: {}", answer.text);
        }
        if !proposes {
            let answer = send(&service, Some(proposer.text()), &method, &path, body).await;
            assert_eq!(answer.status, 403, "{method} {path}: {}", answer.text);
        }
    }
    assert_eq!(
        send(&service, Some(reader.text()), "POST", "/sessions", "{}")
            .await
            .status,
        403
    );
    assert_eq!(state(&service, &owner, &session).await, before);
    assert_eq!(
        send(&service, Some(reader.text()), "GET", &session, "")
            .await
            .status,
        200
    );
    let context = format!("{session}/context");
    assert_eq!(
        send(&service, Some(proposer.text()), "POST", &context, "{}")
            .await
            .status,
        200
    );
}

#[tokio::test]
async fn a_key_that_fixes_a_model_speaks_for_that_model_alone() {
    let (service, session, owner) = service().await;
    let agent = key(&service, "a", &[Scope::Propose], Some("fixed")).await;
    let body = r#"{"model": "other", "response": {"actions": [{"type": "claim", "key": "c",
        "value": 1, "follows_from": ["k"]}]}}"#;
    let turn = send(
        &service,
        Some(agent.text()),
        "POST",
        &format!("{session}/turns"),
        body,
    )
    .await;
    assert_eq!(turn.status, 200, "{}", turn.text);
    let belief = send(
        &service,
        Some(owner.text()),
        "GET",
        &format!("{session}/beliefs/c@1"),
        "",
    )
    .await;
    let source = belief.json().get("source").cloned();
    assert_eq!(source, Some(Value::from("model:fixed")));
}
