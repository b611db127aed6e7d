//! `GET /contract`

use axum::response::Response;
use entail_contract::{CONTRACT_VERSION, SYSTEM_PROMPT, schema};
use entail_json::Value;

use crate::{body::json, caller::Reader, problem::Problem, request::Query};

/// The claim contract: its system prompt, and its JSON Schema for structured output.
#[utoipa::path(
    get, path = "/contract", operation_id = "get_contract", tag = "service",
    responses(
        (status = 200, description = "The contract.", body = crate::openapi::schema::Contract),
        crate::openapi::responses::Stateless,
    )
)]
pub(crate) async fn contract(_: Reader, query: Query) -> Result<Response, Problem> {
    query.close()?;
    Ok(json(&Value::from([
        ("version", CONTRACT_VERSION.into()),
        ("system_prompt", SYSTEM_PROMPT.into()),
        ("schema", schema().clone()),
    ])))
}

#[cfg(test)]
mod tests {
    use crate::testing::Service;

    #[tokio::test]
    async fn the_contract_is_served_with_its_schema() {
        let answer = Service::start().await.get("/contract").await;
        let schema = answer.json().get("schema").unwrap().clone();
        assert!(schema.get("properties").is_some());
        assert!(answer.text.contains("system_prompt"));
    }
}
