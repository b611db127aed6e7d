//! Examples of bodies, as a service gave and took them; they stand as JSON in `examples.json`,
//! by operation, status (or `request`) and media type.

use std::collections::BTreeMap;

use serde_json::Value;
use utoipa::openapi::{Content, RefOr, path::Operation};

const EXAMPLES: &str = include_str!("examples.json");

/// The examples.
#[derive(Debug)]
pub(super) struct Examples(BTreeMap<String, BTreeMap<String, Value>>);

impl Examples {
    /// Reads them.
    pub(super) fn read() -> Self {
        Self(serde_json::from_str(EXAMPLES).unwrap_or_default())
    }

    /// Puts an operation's examples where it has none of its own.
    pub(super) fn put(&self, operation: &mut Operation) {
        let id = operation.operation_id.as_deref().unwrap_or_default();
        let Some(examples) = self.0.get(id) else {
            return;
        };
        if let Some(RefOr::T(body)) = &mut operation.request_body {
            for (kind, content) in &mut body.content {
                give(content, examples.get(&format!("request {kind}")));
            }
        }
        for (status, response) in &mut operation.responses.responses {
            if let RefOr::T(response) = response {
                for (kind, content) in &mut response.content {
                    give(content, examples.get(&format!("{status} {kind}")));
                }
            }
        }
    }
}

fn give(content: &mut RefOr<Content>, example: Option<&Value>) {
    if let RefOr::T(content) = content
        && content.example.is_none()
    {
        content.example = example.cloned();
    }
}
