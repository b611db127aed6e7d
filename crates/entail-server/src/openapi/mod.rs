//! The OpenAPI document: assembled from the routes, then completed with what is true of all.

mod complete;
pub(crate) mod responses;
pub(crate) mod schema;
pub(crate) mod shapes;

use utoipa::openapi::{
    ComponentsBuilder, InfoBuilder, OpenApi, OpenApiBuilder,
    security::{HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme},
    tag::TagBuilder,
};

use crate::routes;

const BEARER: &str = "api_key";

const ABOUT: &str = "A belief base for language models. A session holds documents, tools and \
beliefs; a model's response is checked action by action, what holds is believed with the reasons \
it rests on, and what is rejected is told why. Retracting a fact takes everything that rested on \
it out. Times are RFC 3339 in UTC, ids UUIDs of version 7, numbers exact. Every error is \
`application/problem+json` with a stable `code`.";

const TAGS: &[(&str, &str)] = &[
    ("sessions", "Opening, reading and closing sessions."),
    (
        "evidence",
        "Documents, tools, premises and their retraction.",
    ),
    ("turns", "Contexts handed out, and what models said."),
    ("beliefs", "What is believed, why, and what is disputed."),
    ("sources", "The tenant's trust ledger."),
    (
        "records",
        "Trace, report, plan and the other records of a run.",
    ),
    ("service", "Contract, health and this document."),
];

/// What stands at the document's head.
pub(crate) fn base() -> OpenApi {
    let info = InfoBuilder::new()
        .title("Entail")
        .version(env!("CARGO_PKG_VERSION"))
        .description(Some(ABOUT))
        .license(Some(utoipa::openapi::License::new("Apache-2.0")))
        .build();
    let tags = TAGS.iter().map(|(name, about)| {
        TagBuilder::new()
            .name(*name)
            .description(Some(*about))
            .build()
    });
    let bearer = HttpBuilder::new()
        .scheme(HttpAuthScheme::Bearer)
        .description(Some("An API key; needed once there is one."))
        .build();
    let components = ComponentsBuilder::new()
        .security_scheme(BEARER, SecurityScheme::Http(bearer))
        .build();
    OpenApiBuilder::new()
        .info(info)
        .tags(Some(tags))
        .components(Some(components))
        .security(Some([SecurityRequirement::new(BEARER, [""; 0])]))
        .build()
}

/// The document, as text that ends in a line break.
pub(crate) fn document() -> String {
    let mut document = routes::documented().into_openapi();
    complete::complete(&mut document);
    let mut text = document.to_pretty_json().unwrap_or_default();
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use entail_json::{Value, read_str};

    use super::*;

    fn operations() -> Vec<(String, Value)> {
        let document = read_str(&document()).unwrap();
        let paths = document.get("paths").unwrap().as_object().unwrap().clone();
        let mut found = Vec::new();
        for (path, item) in paths.iter() {
            for (method, operation) in item.as_object().unwrap().iter() {
                if matches!(method, "get" | "put" | "post" | "delete" | "patch") {
                    found.push((format!("{method} {path}"), operation.clone()));
                }
            }
        }
        found
    }

    #[test]
    fn the_document_in_the_repository_is_the_one_that_is_served() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../openapi/openapi.json");
        let kept = std::fs::read_to_string(path).unwrap_or_default();
        assert!(
            kept == document(),
            "openapi/openapi.json has drifted: cargo run -p entail-server -- openapi > openapi/openapi.json"
        );
    }

    #[test]
    fn every_operation_has_an_id_of_its_own_a_summary_and_a_known_tag() {
        let mut ids = std::collections::HashSet::new();
        for (name, operation) in operations() {
            let id = operation.get("operationId").and_then(Value::as_str);
            assert!(
                ids.insert(id.unwrap_or_else(|| panic!("{name} has no id")).to_owned()),
                "{name}"
            );
            assert!(operation.get("summary").is_some(), "{name} has no summary");
            let tag = operation.get("tags").unwrap().as_array().unwrap()[0].as_str();
            assert!(
                TAGS.iter().any(|(known, _)| Some(*known) == tag),
                "{name}: {tag:?}"
            );
        }
    }
}
