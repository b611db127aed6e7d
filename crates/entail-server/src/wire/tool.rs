//! `{description, parameters, trust?, ttl_s?, half_life_s?, origin?, executor?}`

use entail_json::Value;
use entail_session::ToolDefinition;
use utoipa::ToSchema;

use super::by_session;
use crate::body::decode::{Decoded, Pointer};

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
    #[schema(required = false, schema_with = crate::openapi::shapes::trust)]
    trust: (),
    /// How many seconds a result stays valid.
    #[schema(minimum = 0.000001, maximum = 1e11)]
    ttl_s: Option<f64>,
    /// After how many seconds a result's weight has halved.
    #[schema(minimum = 0.000001, maximum = 1e11)]
    half_life_s: Option<f64>,
    /// Whose word a result is in the end; tools of one origin do not confirm each other.
    #[schema(min_length = 1)]
    origin: Option<String>,
    /// Who runs it.
    #[schema(required = false, schema_with = crate::openapi::shapes::executor)]
    executor: (),
}

/// Reads one.
pub(crate) fn tool(value: Value, place: &Pointer) -> Decoded<ToolDefinition> {
    by_session(ToolDefinition::read)(value, place)
}
