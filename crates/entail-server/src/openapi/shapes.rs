//! Schemas that no type of Rust derives; they stand as JSON in `shapes.json`.

use std::collections::BTreeMap;

use utoipa::openapi::{
    Ref, RefOr, Schema,
    schema::{ObjectBuilder, OneOfBuilder, Type},
};

const SHAPES: &str = include_str!("shapes.json");

/// The shapes, by name.
pub(super) fn all() -> BTreeMap<String, RefOr<Schema>> {
    serde_json::from_str(SHAPES).unwrap_or_default()
}

/// A model's response.
pub(crate) fn response() -> RefOr<Schema> {
    Ref::from_schema_name("Response").into()
}

/// Any value but `null`.
pub(crate) fn something() -> RefOr<Schema> {
    Ref::from_schema_name("Something").into()
}

/// A text, or a list of texts. It may be missing.
pub(crate) fn texts() -> RefOr<Schema> {
    optional("Texts")
}

/// A point in time. It may be missing.
pub(crate) fn instant() -> RefOr<Schema> {
    optional("Instant")
}

/// How far a tool is trusted. It may be missing.
pub(crate) fn trust() -> RefOr<Schema> {
    optional("Trust")
}

/// Labels. It may be missing.
pub(crate) fn labels() -> RefOr<Schema> {
    optional("Labels")
}

/// Who runs a tool. It may be missing.
pub(crate) fn executor() -> RefOr<Schema> {
    optional("Executor")
}

/// A session's policy. It may be missing.
pub(crate) fn policy() -> RefOr<Schema> {
    optional("Policy")
}

fn optional(name: &str) -> RefOr<Schema> {
    OneOfBuilder::new()
        .item(Ref::from_schema_name(name))
        .item(ObjectBuilder::new().schema_type(Type::Null))
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shape_can_be_read() {
        let shapes: BTreeMap<String, serde_json::Value> = serde_json::from_str(SHAPES).unwrap();
        for (name, shape) in &shapes {
            let read: Result<RefOr<Schema>, _> = serde_json::from_value(shape.clone());
            assert!(read.is_ok(), "{name}");
            assert_eq!(
                serde_json::to_value(read.unwrap()).unwrap(),
                *shape,
                "{name}"
            );
        }
        assert_eq!(all().len(), shapes.len());
    }
}
