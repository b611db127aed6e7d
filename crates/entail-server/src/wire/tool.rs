//! `{description, parameters, trust?, ttl_s?, half_life_s?, origin?, executor?}`

use entail_json::Value;
use entail_session::ToolDefinition;
use utoipa::ToSchema;

use super::by_session;
use crate::{
    body::decode::{Decoded, Pointer},
    openapi::schema::Any,
};

/// A tool that a model may call.
#[derive(ToSchema)]
#[expect(dead_code, reason = "this type describes; `tool` reads")]
pub(crate) struct ToolBody {
    /// What it does, for the model.
    description: Option<String>,
    /// Its arguments: a JSON Schema (draft 2020-12) of an object.
    #[schema(value_type = Option<Object>)]
    parameters: Option<()>,
    /// How far its results are trusted: `high`, `medium`, `low` or a number from 0 to 1.
    trust: Option<Any>,
    /// How many seconds a result stays valid.
    #[schema(exclusive_minimum = 0)]
    ttl_s: Option<f64>,
    /// After how many seconds a result's weight has halved.
    #[schema(exclusive_minimum = 0)]
    half_life_s: Option<f64>,
    /// Whose word a result is in the end; tools of one origin do not confirm each other.
    origin: Option<String>,
    /// Who runs it.
    executor: Option<ExecutorBody>,
}

/// Who runs a tool.
#[derive(ToSchema)]
#[expect(dead_code, reason = "this type describes; `tool` reads")]
pub(crate) struct ExecutorBody {
    /// `client`: the orchestrator, which posts the result; `http`: the service, by a request.
    #[schema(pattern = "^(client|http)$")]
    kind: String,
    /// Where to send the request.
    url: Option<String>,
    /// Its method; `POST` when absent.
    method: Option<String>,
    /// Its headers.
    headers: Option<std::collections::BTreeMap<String, String>>,
    /// How long an attempt may take, in milliseconds.
    timeout_ms: Option<u64>,
}

/// Reads one.
pub(crate) fn tool(value: Value, place: &Pointer) -> Decoded<ToolDefinition> {
    by_session(ToolDefinition::read)(value, place)
}
