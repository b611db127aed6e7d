//! Tests of every operation that commits by POST: sent again under its idempotency key, it is done
//! once and answered alike.

use std::collections::BTreeSet;

use entail_json::{Value, read_str};

use crate::{openapi, testing::Service};

/// Every documented POST that takes an idempotency key; every other one, and why it takes none.
fn documented() -> BTreeSet<String> {
    const COMMIT_NOTHING: [&str; 3] = ["/parse", "/verify", "/sessions/{id}/context"];
    let document = read_str(&openapi::document()).unwrap();
    let mut found = BTreeSet::new();
    for (path, item) in document.get("paths").unwrap().as_object().unwrap().iter() {
        let Some(operation) = item.get("post") else {
            continue;
        };
        let parameters = operation.get("parameters").and_then(Value::as_array);
        let is_keyed = parameters.is_some_and(|parameters| {
            parameters.iter().any(|parameter| {
                parameter.get("name").and_then(Value::as_str) == Some("idempotency-key")
            })
        });
        assert_ne!(is_keyed, COMMIT_NOTHING.contains(&path), "{path}");
        if is_keyed {
            found.insert(path.to_owned());
        }
    }
    found
}

const OPENING: &str = r#"{"task": "t", "policy": {"dependencies": "declared"},
    "premises": [{"key": "k", "value": 1, "source": "human:h"},
        {"key": "gone", "value": 1, "source": "human:h"},
        {"key": "x", "value": 1, "source": "human:h"},
        {"key": "x", "value": 2, "source": "human:i"}],
    "rules": {"r": {"parameters": ["a"], "expression": "a + 1"}},
    "tools": {"f": {"description": "d", "parameters": {"type": "object"}}}}"#;

fn word(value: &Value, path: &[&str]) -> String {
    let found = path.iter().try_fold(value, |value, step| match value {
        Value::Array(items) => items.first()?.get(step),
        other => other.get(step),
    });
    found.and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// A session in which the operation of that path can be done; the path in it, and the body.
async fn prepared(service: &Service, template: &str) -> (String, String) {
    let session = service.open(OPENING).await;
    let path = |rest: &str| format!("{session}{rest}");
    let rest = template.strip_prefix("/sessions/{id}").unwrap_or(template);
    let body = match rest {
        "/sessions" => r#"{"task": "t"}"#.to_owned(),
        "/sources/{name}/outcomes" => r#"{"correct": true}"#.to_owned(),
        "/turns" => r#"{"response": {"actions": []}}"#.to_owned(),
        "/premises" => r#"{"key": "n", "value": 1, "source": "human:h"}"#.to_owned(),
        "/retractions" => r#"{"target": "k"}"#.to_owned(),
        "/restorations" => {
            let gone = r#"{"target": "gone"}"#;
            assert_eq!(service.post(&path("/retractions"), gone).await.status, 200);
            r#"{"target": "gone@1"}"#.to_owned()
        }
        "/close" => r#"{"state": "abandoned"}"#.to_owned(),
        "/reopen" => {
            let closing = r#"{"state": "abandoned"}"#;
            assert_eq!(service.post(&path("/close"), closing).await.status, 200);
            "{}".to_owned()
        }
        "/outcomes" => r#"[{"source": "human:h", "correct": true}]"#.to_owned(),
        "/justifications" => {
            r#"{"key": "j", "value": 1, "antecedents": ["k"], "source": "human:h"}"#.to_owned()
        }
        "/derivations" => r#"{"key": "d", "rule": "r", "inputs": ["k"]}"#.to_owned(),
        "/propagations" | "/reverifications" => "{}".to_owned(),
        "/tool-results" => {
            let turn = r#"{"response": {"actions": [{"type": "call_tool", "tool": "f",
                "args": {}, "key": "called"}]}}"#;
            let turn = service.post(&path("/turns"), turn).await.json();
            let call = word(&turn, &["pending_calls", "call_id"]);
            format!(r#"[{{"call_id": "{call}", "value": 1}}]"#)
        }
        "/conflicts/{name}/resolution" => {
            let conflicts = service.get(&path("/conflicts")).await.json();
            let id = word(&conflicts, &["items", "id"]);
            let name = super::commit::segment(&id);
            let body = r#"{"keep": ["x@1"]}"#.to_owned();
            return (path(&format!("/conflicts/{name}/resolution")), body);
        }
        "/rederivations/{name}" => {
            let turn = r#"{"response": {"actions": [{"type": "claim", "key": "c", "value": 2,
                "follows_from": ["k"]}]}}"#;
            let next = r#"{"key": "k", "value": 3, "source": "human:h", "supersede": true}"#;
            assert_eq!(service.post(&path("/turns"), turn).await.status, 200);
            assert_eq!(service.post(&path("/premises"), next).await.status, 200);
            let waiting = service.get(&path("/rederivations")).await.json();
            let context = word(&waiting, &["items", "context", "id"]);
            let body = format!(
                r#"{{"context_id": "{context}", "response": {{"actions": [{{"type": "claim",
                    "key": "c", "value": 4, "follows_from": ["k"]}}]}}}}"#
            );
            return (path("/rederivations/c"), body);
        }
        other => panic!("say how `{other}` can be done"),
    };
    let path = match template.starts_with("/sessions/{id}") {
        true => path(rest),
        false => template.replace("{name}", "human%3Ah"),
    };
    (path, body)
}

const REPLAYED: &str = "idempotency-replayed";

/// What finds nothing to do here: without a commit there is no answer to keep.
const WITH_NOTHING_TO_DO: [&str; 2] = [
    "/sessions/{id}/propagations",
    "/sessions/{id}/reverifications",
];

#[tokio::test]
async fn whatever_commits_by_post_is_done_once_under_its_idempotency_key() {
    let service = Service::start().await;
    for template in documented() {
        let (path, body) = prepared(&service, &template).await;
        let send = |key: &'static str, body: String| {
            let (service, path) = (&service, path.clone());
            async move { service.keyed("POST", &path, key, &body).await }
        };
        let first = send("one", body.clone()).await;
        assert!(
            (200..300).contains(&first.status),
            "{template}: {}",
            first.text
        );
        let again = send("one", body.clone()).await;
        assert_eq!(
            (first.status, &first.text),
            (again.status, &again.text),
            "{template}"
        );
        assert!(!first.headers.contains_key(REPLAYED), "{template}");
        if WITH_NOTHING_TO_DO.contains(&template.as_str()) {
            assert_eq!(first.headers["etag"], again.headers["etag"], "{template}");
            continue;
        }
        assert!(again.headers.contains_key(REPLAYED), "{template}");
        let other = send("one", format!("{body} ")).await;
        assert_eq!(other.code(), "idempotency_key_reused", "{template}");
        assert_eq!(send("", body).await.code(), "invalid_header", "{template}");
    }
}
