//! Lists, page by page.

use entail_json::{Object, Value};

/// `{items, next_cursor}`
pub(crate) fn page(items: Vec<Value>, next_cursor: Option<String>) -> Object {
    Object::from([
        ("items", Value::Array(items)),
        ("next_cursor", next_cursor.into()),
    ])
}
