//! `POST /parse`

use axum::{extract::State, response::Response};
use entail_contract::{Limits, Parser};
use entail_json::{Object, Value};

use crate::{
    app::App,
    body::{
        SpokenBody, decode,
        decode::{Decoded, Fields, Pointer},
        json,
    },
    caller::Reader,
    limits::INLINE_BYTES,
    openapi::schema::{ParseBody, Parsed},
    problem::Problem,
    request::Query,
};

/// Read a model's response: its actions, every field filled, and its problems.
///
/// Nothing is stored. A response that nothing can be read from is answered with its rejections.
#[utoipa::path(
    post, path = "/parse", operation_id = "parse_response", tag = "service",
    request_body(content = ParseBody, example = json!({
        "response": "{\"actions\": [{\"type\": \"answer\", \"text\": \"4.65%\", \"follows_from\": [\"growth\"]}]}"
    })),
    responses(
        (status = 200, description = "What could be read.", body = Parsed),
        crate::openapi::responses::Stateless,
    )
)]
pub(crate) async fn parse(
    State(app): State<App>,
    _: Reader,
    query: Query,
    body: SpokenBody,
) -> Result<Response, Problem> {
    query.close()?;
    let response = body.json().decode(response)?;
    let limits = Limits {
        actions: app.settings().max_actions,
        value_bytes: app.settings().max_value_bytes,
        ..Limits::default()
    };
    let is_small = matches!(&response, Value::String(text) if text.len() <= INLINE_BYTES);
    if is_small {
        return Ok(json(&parsed(&response, limits)));
    }
    let task = tokio::task::spawn_blocking(move || parsed(&response, limits));
    task.await
        .map(|parsed| json(&parsed))
        .map_err(|error| Problem::internal(&error))
}

fn response(value: Value, place: &Pointer) -> Decoded<Value> {
    let mut fields = Fields::open(value, place)?;
    let response = fields.required("response", decode::any);
    fields.close(|| response)
}

fn parsed(response: &Value, limits: Limits) -> Value {
    let parser = Parser::new(limits);
    let read = match response {
        Value::String(text) => parser.parse(text),
        other => parser.parse_value(other),
    };
    let actions = read.actions.iter().map(|(index, action)| {
        let mut object = match action.to_value() {
            Value::Object(object) => object,
            _ => Object::new(),
        };
        object.insert("action", (*index).into());
        Value::Object(object)
    });
    Value::from([
        ("actions", actions.collect()),
        (
            "rejected",
            read.problems
                .iter()
                .map(|problem| problem.to_value())
                .collect(),
        ),
        ("unusable", read.is_unusable().into()),
    ])
}

#[cfg(test)]
mod tests {
    use entail_json::Value;

    use crate::testing::Service;

    #[tokio::test]
    async fn a_response_is_read_as_text_and_as_json() {
        let service = Service::start().await;
        for body in [
            r#"{"response": "{\"actions\": [{\"type\": \"claim\", \"key\": \"k\", \"value\": 12345678901234567890}]}"}"#,
            r#"{"response": {"actions": [{"type": "claim", "key": "k", "value": 12345678901234567890}]}}"#,
        ] {
            let answer = service.post("/parse", body).await;
            assert_eq!(answer.status, 200, "{}", answer.text);
            assert!(
                answer.text.contains(r#""value":12345678901234567890"#),
                "{}",
                answer.text
            );
        }
    }

    #[tokio::test]
    async fn an_unusable_response_is_no_fault_of_the_caller() {
        let service = Service::start().await;
        let answer = service.post("/parse", r#"{"response": "I cannot"}"#).await;
        assert_eq!(answer.status, 200);
        assert_eq!(answer.json().get("unusable"), Some(&Value::Bool(true)));
        assert_eq!(service.post("/parse", "{}").await.code(), "invalid_body");
    }
}
