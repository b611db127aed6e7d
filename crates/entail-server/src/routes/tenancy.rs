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
    let request = request.body(Body::from(body.to_owned())).unwrap();
    if path.ends_with("/events") {
        return service.begin(request).await;
    }
    service.send(request).await
}

/// One documented operation.
struct Operation {
    method: String,
    /// Its path as the document has it.
    template: String,
    body: &'static str,
}

impl Operation {
    /// Its path in that session.
    fn path(&self, session: &str) -> String {
        let name = match self.template.as_str() {
            path if path.starts_with("/sources") => "human%3Ah",
            _ => "k@1",
        };
        self.template
            .replace("/sessions/{id}", session)
            .replace("{name}", name)
    }

    /// What a caller needs for it, as the table of resources has it; `None` where anyone may.
    fn needs(&self) -> Option<Scope> {
        let (method, path) = (self.method.as_str(), self.template.as_str());
        match (method, path) {
            (
                "GET",
                "/" | "/docs" | "/docs/{path}" | "/livez" | "/readyz" | "/metrics"
                | "/openapi.json",
            ) => None,
            ("POST", "/parse" | "/verify") => Some(Scope::Read),
            ("POST", "/sessions/{id}/turns" | "/sessions/{id}/context") => Some(Scope::Propose),
            (_, path) if path.starts_with("/sessions/{id}/rederivations") => Some(Scope::Propose),
            ("GET", _) => Some(Scope::Read),
            _ => Some(Scope::Orchestrate),
        }
    }

    /// Whether a key with that scope is enough.
    fn is_open_to(&self, scope: Scope) -> bool {
        self.needs().is_none_or(|needed| {
            scope == needed || (scope == Scope::Orchestrate && needed != Scope::Admin)
        })
    }
}

impl std::fmt::Display for Operation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.method, self.template)
    }
}

/// Every documented operation, with a body it would take.
fn operations() -> Vec<Operation> {
    let document = read_str(&openapi::document()).unwrap();
    let mut found = Vec::new();
    for (path, item) in document.get("paths").unwrap().as_object().unwrap().iter() {
        for (method, _) in item.as_object().unwrap().iter() {
            let body = match path.strip_prefix("/sessions/{id}").unwrap_or(path) {
                "/sessions" => r#"{"task": "t"}"#,
                "/parse" => r#"{"response": "{}"}"#,
                "/verify" => r#"{"trace": "{}", "plan": {}}"#,
                "/sources/{name}/outcomes" => r#"{"correct": true}"#,
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
            found.push(Operation {
                method: method.to_ascii_uppercase(),
                template: path.to_owned(),
                body,
            });
        }
    }
    assert!(found.len() > 60);
    found
}

/// A service where the tenant `a` has a session and a trust ledger; the session, its owner.
async fn service() -> (Service, String, Token) {
    let service = Service::start().await;
    let owner = key(&service, "a", &[Scope::Orchestrate], None).await;
    let session = open(&service, &owner).await;
    let outcome = r#"{"correct": true}"#;
    let path = "/sources/human%3Ah/outcomes";
    let told = send(&service, Some(owner.text()), "POST", path, outcome).await;
    assert_eq!(told.status, 200, "{}", told.text);
    (service, session, owner)
}

async fn open(service: &Service, owner: &Token) -> String {
    let body = r#"{"task": "t", "premises": [{"key": "k", "value": 1, "source": "human:h"}]}"#;
    let opened = send(service, Some(owner.text()), "POST", "/sessions", body).await;
    assert_eq!(opened.status, 201, "{}", opened.text);
    opened.headers["location"].to_str().unwrap().to_owned()
}

/// Everything of the tenant `a`: its sessions and how far each has come, its trust ledger, its
/// keys.
async fn state(service: &Service, owner: &Token) -> String {
    let owner = Some(owner.text());
    let sessions = send(service, owner, "GET", "/sessions?limit=1000", "").await;
    let sources = send(service, owner, "GET", "/sources", "").await;
    assert_eq!((sessions.status, sources.status), (200, 200));
    let store = service.app().store();
    let keys = store.api_keys(Some("a")).await.unwrap();
    format!("{} {} {keys:?}", sessions.text, sources.text)
}

#[tokio::test]
async fn a_tenant_reaches_nothing_of_another() {
    let (service, session, owner) = service().await;
    for scope in Scope::ALL {
        let stranger = key(&service, "b", &[scope], None).await;
        let before = state(&service, &owner).await;
        for operation in operations() {
            let (method, path) = (&operation.method, operation.path(&session));
            let answer = send(
                &service,
                Some(stranger.text()),
                method,
                &path,
                operation.body,
            )
            .await;
            let concerns = operation.template.starts_with("/sessions/{id}");
            match answer.status {
                403 => assert!(!operation.is_open_to(scope), "{operation}: {}", answer.text),
                404 | 406 => assert!(concerns || path.starts_with("/sources/"), "{operation}"),
                status => {
                    assert!(status < 500, "{operation}: {}", answer.text);
                    assert!(!concerns, "{operation}: {status} {}", answer.text);
                    assert!(operation.is_open_to(scope), "{operation}: {status}");
                }
            }
            let id = session.rsplit('/').next().unwrap();
            let told = answer.text.contains(id) && answer.status < 400;
            assert!(!told, "{operation}: {}", answer.text);
            assert_eq!(state(&service, &owner).await, before, "{operation}");
        }
    }
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
    let before = state(&service, &owner).await;
    for token in [None, Some("entail_wrong"), Some(revoked.text())] {
        for operation in operations() {
            let path = operation.path(&session);
            let answer = send(&service, token, &operation.method, &path, operation.body).await;
            match operation.needs() {
                Some(_) => assert_eq!(
                    (answer.status, answer.code().as_str()),
                    (401, "unauthenticated"),
                    "{operation}"
                ),
                None => assert!(matches!(answer.status, 200 | 401), "{operation}"),
            }
        }
    }
    assert_eq!(state(&service, &owner).await, before);
}

#[tokio::test]
async fn a_key_does_what_its_scope_allows_and_no_more() {
    let (service, session, owner) = service().await;
    for scope in Scope::ALL {
        let token = key(&service, "a", &[scope], None).await;
        for operation in operations() {
            let before = state(&service, &owner).await;
            // What is allowed may delete the session.
            let session = match operation.is_open_to(scope) {
                true => open(&service, &owner).await,
                false => session.clone(),
            };
            let (method, path) = (&operation.method, operation.path(&session));
            let answer = send(&service, Some(token.text()), method, &path, operation.body).await;
            if operation.is_open_to(scope) {
                assert!(
                    !matches!(answer.status, 401 | 403 | 405 | 500..),
                    "{operation} with {}: {} {}",
                    scope.as_str(),
                    answer.status,
                    answer.text
                );
            } else {
                assert_eq!(
                    (answer.status, answer.code().as_str()),
                    (403, "forbidden"),
                    "{operation} with {}",
                    scope.as_str()
                );
                assert_eq!(state(&service, &owner).await, before, "{operation}");
            }
        }
    }
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
