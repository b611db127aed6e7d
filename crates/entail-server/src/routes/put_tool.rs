//! `PUT /sessions/{id}/tools/{name}`

use axum::{extract::State, response::Response};
use entail_session::Command;

use super::{get_tool::described, named::register};
use crate::{
    app::App,
    body::JsonBody,
    caller::Orchestrator,
    problem::Problem,
    request::{Conditions, Name, Query, SessionPath},
    sessions::{read, seal},
    wire::{ToolBody, tool},
};

/// Register a tool that a model may call, or change it.
#[utoipa::path(
    put, path = "/sessions/{id}/tools/{name}", operation_id = "put_tool", tag = "evidence",
    request_body(content = ToolBody, example = json!({
        "description": "Revenue of a quarter, in dollars.",
        "parameters": {"type": "object", "properties": {"quarter": {"type": "string"}},
            "required": ["quarter"]}
    })),
    params(crate::openapi::schema::SessionId, crate::openapi::schema::ToolName,
        crate::openapi::schema::IfMatch),
    responses(
        (status = 201, description = "Registered.", body = crate::openapi::schema::Tool),
        (status = 200, description = "Changed.", body = crate::openapi::schema::Tool),
        crate::openapi::responses::Changing,
    )
)]
pub(crate) async fn put_tool(
    State(app): State<App>,
    Orchestrator(caller): Orchestrator,
    path: SessionPath,
    Name(name): Name,
    conditions: Conditions,
    query: Query,
    body: JsonBody,
) -> Result<Response, Problem> {
    query.close()?;
    let mut definition = body.decode(tool)?;
    let target = path.of(&caller);
    // Nothing is stored for a session that is not there.
    read(&app, &target, None, |_, _| Ok(())).await?;
    seal(&app, target.id, &mut definition).await?;
    register(
        &app,
        target,
        ("tools", name),
        conditions,
        move |name| Command::PutTool {
            name,
            definition: Box::new(definition.clone()),
        },
        |session, name| session.tool(name).map(described),
    )
    .await
}

#[cfg(test)]
mod tests {
    use entail_json::Value;
    use entail_trace::gunzip;

    use crate::testing::Service;

    const TOOL: &str = r#"{"description": "d", "parameters": {"type": "object"}, "trust": 0.7}"#;

    #[tokio::test]
    async fn a_tool_is_registered_changed_listed_and_withdrawn() {
        let service = Service::start().await;
        let session = service.open(r#"{"task": "t"}"#).await;
        let path = format!("{session}/tools/scale");
        assert_eq!(service.call("PUT", &path, Some(TOOL)).await.status, 201);
        assert_eq!(service.call("PUT", &path, Some(TOOL)).await.status, 200);
        let read = service.get(&path).await;
        assert!(read.text.contains(r#""trust":0.7"#), "{}", read.text);
        assert!(
            service
                .get(&format!("{session}/tools"))
                .await
                .text
                .contains("scale")
        );
        assert_eq!(service.call("DELETE", &path, None).await.status, 204);
        assert_eq!(service.get(&path).await.code(), "unknown_tool");
        assert_eq!(
            service.call("DELETE", &path, None).await.code(),
            "unknown_tool"
        );
    }

    const CALLING: &str = r#"{"description": "d", "parameters": {"type": "object"},
        "executor": {"kind": "http", "url": "http://127.0.0.1:1/",
        "headers": {"authorization": "Bearer planted", "x-plain": "planted"}}}"#;

    #[tokio::test]
    async fn the_values_of_a_tools_headers_are_in_no_record_that_a_reader_may_see() {
        let service = Service::start().await;
        let opening = format!(r#"{{"task": "t", "tools": {{"opened": {CALLING}}}}}"#);
        let opened = service.post("/sessions", &opening).await;
        let session = opened.headers["location"].to_str().unwrap();
        let put = service
            .call("PUT", &format!("{session}/tools/put"), Some(CALLING))
            .await;
        assert_eq!(put.status, 201, "{}", put.text);
        let turn = r#"{"response": {"actions": [
            {"type": "call_tool", "tool": "opened", "args": {}, "key": "a"},
            {"type": "call_tool", "tool": "put", "args": {}, "key": "b"}]}}"#;
        let turn = service.post(&format!("{session}/turns"), turn).await;
        assert_eq!(
            turn.json().get("verdict").and_then(Value::as_str),
            Some("awaiting_tools")
        );
        let mut seen = vec![opened.text.clone(), put.text, turn.text];
        for rest in ["", "/journal", "/trace", "/tools", "/tools/put", "/calls"] {
            seen.push(service.get(&format!("{session}{rest}")).await.text);
        }
        let bundle = service.raw(&format!("{session}/bundle")).await;
        let mut unpacked = Vec::new();
        gunzip(&bundle[..], &mut unpacked, 1 << 24).unwrap();
        seen.push(String::from_utf8_lossy(&unpacked).into_owned());
        let mut events = service.follow(&format!("{session}/events?after=0")).await;
        seen.push(events.until("\nid: 3\n").await + &events.until("\n\n").await);
        for text in &seen {
            assert!(!text.contains("planted"), "{text}");
        }
        let named = |text: &&String| text.contains("authorization");
        assert!(
            seen.iter().filter(named).count() >= 6,
            "the headers are named"
        );
    }

    #[tokio::test]
    async fn a_tool_put_again_with_the_same_header_values_changes_nothing_and_with_others_does() {
        let service = Service::start().await;
        let session = service.open(r#"{"task": "t"}"#).await;
        let path = format!("{session}/tools/f");
        let put = async |body: &str| service.call("PUT", &path, Some(body)).await;
        let first = put(CALLING).await;
        let again = put(CALLING).await;
        assert_eq!((first.status, again.status), (201, 200), "{}", again.text);
        assert_eq!(first.headers["etag"], again.headers["etag"]);
        let other = put(&CALLING.replace("Bearer planted", "Bearer other")).await;
        assert_ne!(first.headers["etag"], other.headers["etag"]);
        let back = put(CALLING).await;
        assert_ne!(back.headers["etag"], other.headers["etag"]);
    }

    #[tokio::test]
    async fn parameters_that_are_no_schema_are_refused_with_their_place() {
        let service = Service::start().await;
        let session = service.open(r#"{"task": "t"}"#).await;
        let path = format!("{session}/tools/t");
        let body = r#"{"description": "d", "parameters": {"type": "nonsense"}}"#;
        let answer = service.call("PUT", &path, Some(body)).await;
        assert_eq!(
            (answer.status, answer.code()),
            (422, "invalid_schema".to_owned())
        );
        assert!(answer.text.contains("/parameters"), "{}", answer.text);
    }
}
