//! `GET /sessions/{id}/tools/{name}`

use axum::{extract::State, response::Response};
use entail_json::{Object, Value};
use entail_session::Tool;

use crate::{
    app::App,
    body::json,
    caller::Reader,
    problem::{Code, Problem, quoted},
    request::{Name, Query, SessionPath},
    sessions::read,
};

/// Read a tool.
#[utoipa::path(
    get, path = "/sessions/{id}/tools/{name}", operation_id = "get_tool", tag = "evidence",
    params(crate::openapi::schema::SessionId, crate::openapi::schema::ToolName,
        crate::openapi::schema::MinVersion),
    responses(
        (status = 200, description = "The tool.", body = crate::openapi::schema::Tool),
        crate::openapi::responses::Reading,
    )
)]
pub(crate) async fn get_tool(
    State(app): State<App>,
    Reader(caller): Reader,
    path: SessionPath,
    Name(name): Name,
    mut query: Query,
) -> Result<Response, Problem> {
    let min_version = query.min_version();
    query.close()?;
    read(
        &app,
        &path.of(&caller),
        min_version,
        |session, _| match session.tool(&name) {
            Some(tool) => Ok(json(&described(tool).into())),
            None => {
                let detail = format!("there is no tool {} here", quoted(&name));
                Err(Problem::new(Code::UnknownTool, detail))
            }
        },
    )
    .await
}

/// The definition with its name. An executor's headers may hold secrets: their values are not
/// shown.
pub(super) fn described(tool: &Tool) -> Object {
    let mut body = match tool.definition().to_value() {
        Value::Object(body) => body,
        _ => Object::new(),
    };
    if let Some(Value::Object(executor)) = body.get_mut("executor")
        && let Some(Value::Object(headers)) = executor.get_mut("headers")
    {
        let hidden = headers
            .iter()
            .map(|(name, _)| (name.to_owned(), "***".into()))
            .collect();
        *headers = hidden;
    }
    body.insert("name", tool.name().into());
    body
}
