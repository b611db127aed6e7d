//! The parameters of a tool as a JSON Schema, and whether arguments meet it.

use std::fmt;
use std::sync::Arc;

use entail_json::{Number, Object, Value, to_canonical};
use jsonschema::{Draft, PatternOptions, Validator};
use serde_json::Value as Plain;

use super::expansion;
use crate::limits::{PATTERN_BYTES, QUOTED_CHARACTERS, SCHEMA_BYTES};
use crate::text::shorten;

/// Parameters that are no usable schema.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the parameters are not a usable JSON Schema (draft 2020-12): {reason}")]
pub struct InvalidSchema {
    /// Where, as a JSON pointer into the parameters.
    pub pointer: String,
    /// What is wrong, and the way out.
    pub reason: String,
}

/// Arguments that do not meet a tool's schema, in words for the model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InvalidArguments(pub String);

/// A compiled schema. It sees copies only: its numbers are floats, the arguments stay exact.
#[derive(Clone)]
pub(super) struct Schema(Arc<Validator>);

impl fmt::Debug for Schema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Schema")
    }
}

impl Schema {
    pub(super) fn compile(parameters: &Object) -> Result<Self, InvalidSchema> {
        let invalid = |pointer: &str, reason: String| InvalidSchema {
            pointer: pointer.to_owned(),
            reason: shorten(&reason, QUOTED_CHARACTERS.saturating_mul(2)),
        };
        let size = to_canonical(&Value::Object(parameters.clone())).len();
        if size > SCHEMA_BYTES {
            return Err(invalid(
                "",
                format!("it has {size} bytes, the limit is {SCHEMA_BYTES}: make it smaller"),
            ));
        }
        match parameters.get("type") {
            None => {}
            Some(Value::String(word)) if word == "object" => {}
            Some(_) => {
                return Err(invalid(
                    "/type",
                    "arguments are an object: write `\"type\": \"object\"`".to_owned(),
                ));
            }
        }
        expansion::check(parameters).map_err(|(pointer, reason)| invalid(&pointer, reason))?;
        let mut schema = plain_object(parameters);
        schema.insert("type".to_owned(), Plain::from("object"));
        let patterns = PatternOptions::regex()
            .size_limit(PATTERN_BYTES)
            .dfa_size_limit(PATTERN_BYTES);
        jsonschema::options()
            .with_draft(Draft::Draft202012)
            .with_pattern_options(patterns)
            .build(&Plain::Object(schema))
            .map(|validator| Self(Arc::new(validator)))
            .map_err(|error| invalid(error.instance_path().as_str(), error.to_string()))
    }

    pub(super) fn check(&self, arguments: &Object) -> Result<(), InvalidArguments> {
        let copy = Plain::Object(plain_object(arguments));
        match self.0.validate(&copy) {
            Ok(()) => Ok(()),
            Err(error) => {
                let place = error
                    .instance_path()
                    .as_str()
                    .trim_start_matches('/')
                    .replace('/', ".");
                let said = shorten(&error.to_string(), QUOTED_CHARACTERS.saturating_mul(2));
                Err(InvalidArguments(if place.is_empty() {
                    said
                } else {
                    format!("argument `{}`: {said}", shorten(&place, QUOTED_CHARACTERS))
                }))
            }
        }
    }
}

fn plain_object(object: &Object) -> serde_json::Map<String, Plain> {
    object
        .iter()
        .map(|(name, value)| (name.to_owned(), plain(value)))
        .collect()
}

/// As deep as the value is, which its reader has bounded.
fn plain(value: &Value) -> Plain {
    match value {
        Value::Null => Plain::Null,
        Value::Bool(truth) => Plain::Bool(*truth),
        Value::Number(number) => plain_number(number),
        Value::String(text) => Plain::String(text.clone()),
        Value::Array(items) => Plain::Array(items.iter().map(plain).collect()),
        Value::Object(object) => Plain::Object(plain_object(object)),
    }
}

fn plain_number(number: &Number) -> Plain {
    if let Some(integer) = number.as_i64() {
        return Plain::from(integer);
    }
    if let Some(integer) = number.as_u64() {
        return Plain::from(integer);
    }
    Plain::from(number.as_f64().clamp(f64::MIN, f64::MAX))
}
