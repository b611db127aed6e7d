//! The JSON Schema of a response, for providers that constrain what a model writes.

use std::sync::LazyLock;

use entail_json::{Value, read_str};

/// The JSON Schema of a response, as text, within what strict modes accept: every object is
/// closed, every field is required, and a field that may be left out may be null instead.
///
/// Strict modes refuse objects whose members are not known beforehand. So `args` is a string that
/// holds the JSON text of an object, which the parser reads as that object; and `value` is a
/// scalar or, for claims, a list of scalars: an object is stated part by part, each under a key
/// of its own. Without a schema the contract takes any JSON for both.
///
/// What the schema lets through is parsed and checked like any other response.
///
/// ```
/// assert!(entail_contract::SCHEMA.starts_with('{'));
/// ```
pub const SCHEMA: &str = include_str!("schema.json");

static PARSED: LazyLock<Value> = LazyLock::new(|| read_str(SCHEMA).unwrap_or_default());

/// [`SCHEMA`] as a value.
///
/// ```
/// let schema = entail_contract::schema();
/// assert_eq!(schema.get("type").and_then(|kind| kind.as_str()), Some("object"));
/// ```
#[must_use]
pub fn schema() -> &'static Value {
    &PARSED
}
