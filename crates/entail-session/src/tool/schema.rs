//! The parameters of a tool as a JSON Schema, and whether arguments meet it.

use std::fmt;
use std::sync::Arc;

use entail_json::{Number, Object, Value, to_canonical};
use jsonschema::{Draft, PatternOptions, Validator};
use serde_json::Value as Plain;

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
        if let Some(pointer) = endless(parameters) {
            return Err(invalid(
                &pointer,
                format!(
                    "`{pointer}` refers to itself without end: refer to a schema that does not"
                ),
            ));
        }
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

/// A chain of references that never reaches a schema of its own would be followed for ever: the
/// pointer of one, if there is such a chain.
///
/// Only references that apply to the same instance are edges: `$ref` and what `allOf`, `anyOf`,
/// `oneOf`, `not`, `if`, `then`, `else` and `dependentSchemas` hold.
fn endless(root: &Object) -> Option<String> {
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        Open,
        Done,
    }
    enum Task<'s> {
        Enter(String, &'s Object),
        Leave(String),
    }
    let mut marks: rustc_hash::FxHashMap<String, Mark> = rustc_hash::FxHashMap::default();
    let mut starts = vec![(String::new(), root)];
    let mut places = vec![(String::new(), root)];
    while let Some((pointer, schema)) = places.pop() {
        for (name, value) in schema {
            let inner = format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1"));
            match value {
                Value::Object(object) => {
                    starts.push((inner.clone(), object));
                    places.push((inner, object));
                }
                Value::Array(items) => {
                    for (index, item) in items.iter().enumerate() {
                        if let Value::Object(object) = item {
                            starts.push((format!("{inner}/{index}"), object));
                            places.push((format!("{inner}/{index}"), object));
                        }
                    }
                }
                _ => {}
            }
        }
    }
    let by_pointer: rustc_hash::FxHashMap<String, &Object> = starts.iter().cloned().collect();
    for (pointer, schema) in starts {
        let mut tasks = vec![Task::Enter(pointer, schema)];
        while let Some(task) = tasks.pop() {
            let (pointer, schema) = match task {
                Task::Leave(pointer) => {
                    marks.insert(pointer, Mark::Done);
                    continue;
                }
                Task::Enter(pointer, schema) => (pointer, schema),
            };
            match marks.get(&pointer) {
                Some(Mark::Done) => continue,
                Some(Mark::Open) => return Some(pointer),
                None => {}
            }
            marks.insert(pointer.clone(), Mark::Open);
            tasks.push(Task::Leave(pointer.clone()));
            for target in same_instance(&pointer, schema) {
                if let Some(found) = by_pointer.get(&target) {
                    tasks.push(Task::Enter(target, found));
                }
            }
        }
    }
    None
}

/// The pointers of the schemas that apply to the same instance as this one.
fn same_instance(pointer: &str, schema: &Object) -> Vec<String> {
    let mut targets = Vec::new();
    for word in ["$ref", "$dynamicRef"] {
        let target = schema.get(word).and_then(Value::as_str);
        if let Some(target) = target.and_then(|target| target.strip_prefix('#')) {
            targets.push(target.to_owned());
        }
    }
    for word in ["allOf", "anyOf", "oneOf"] {
        let count = schema
            .get(word)
            .and_then(Value::as_array)
            .map_or(0, <[Value]>::len);
        targets.extend((0..count).map(|index| format!("{pointer}/{word}/{index}")));
    }
    for word in ["not", "if", "then", "else"] {
        if schema.contains(word) {
            targets.push(format!("{pointer}/{word}"));
        }
    }
    if let Some(Value::Object(dependent)) = schema.get("dependentSchemas") {
        targets.extend(dependent.iter().map(|(name, _)| {
            format!(
                "{pointer}/dependentSchemas/{}",
                name.replace('~', "~0").replace('/', "~1")
            )
        }));
    }
    targets
}
