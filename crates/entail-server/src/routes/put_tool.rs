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
    let definition = body.decode(tool)?;
    register(
        &app,
        path.of(&caller),
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
