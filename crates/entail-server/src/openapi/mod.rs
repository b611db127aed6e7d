//! The OpenAPI document: assembled from the routes, then completed with what is true of all.

mod complete;
mod examples;
mod links;
mod parameters;
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

    fn contents(whole: &Value) -> impl Iterator<Item = (&str, &Value)> {
        let contents = whole.get("content").and_then(Value::as_object);
        contents.into_iter().flat_map(|contents| contents.iter())
    }

    /// A packed file is no text that could stand here.
    fn has_no_text(kind: &str) -> bool {
        kind == "application/gzip"
    }

    #[test]
    fn every_body_that_is_taken_or_given_has_a_schema_and_an_example() {
        for (name, operation) in operations() {
            if let Some(body) = operation.get("requestBody") {
                for (kind, content) in contents(body) {
                    assert!(content.get("schema").is_some(), "{name}: {kind}");
                    let is_shown = content.get("example").is_some() || has_no_text(kind);
                    assert!(is_shown, "{name}: no example of a request in {kind}");
                }
            }
            let responses = operation.get("responses").and_then(Value::as_object);
            for (status, response) in responses.unwrap().iter() {
                let count = contents(response).count();
                assert_eq!(count == 0, status == "204", "{name}: {status}");
                for (kind, content) in contents(response) {
                    assert!(content.get("schema").is_some(), "{name}: {status} {kind}");
                    let is_shown = content.get("example").is_some()
                        || has_no_text(kind)
                        || kind == "application/problem+json";
                    assert!(is_shown, "{name}: no example of {status} in {kind}");
                }
            }
        }
    }

    #[test]
    fn every_operation_tells_the_refusals_that_any_request_can_meet() {
        for (name, operation) in operations() {
            let responses = operation
                .get("responses")
                .and_then(Value::as_object)
                .unwrap();
            let is_health = ["get /livez", "get /readyz", "get /metrics"].contains(&name.as_str());
            let needed: &[&str] = match is_health {
                true => &["500", "503"],
                false => &["401", "403", "429", "500", "503"],
            };
            for status in needed {
                assert!(responses.contains(status), "{name} does not tell {status}");
            }
            let takes_body = operation.get("requestBody").is_some();
            for status in ["400", "408", "413", "415"] {
                let told = responses.contains(status) || !takes_body;
                assert!(told, "{name} does not tell {status}");
            }
        }
    }

    #[test]
    fn every_example_is_of_its_schema() {
        let document: serde_json::Value = serde_json::from_str(&document()).unwrap();
        let mut count = 0;
        let mut look = vec![(String::new(), &document)];
        while let Some((place, value)) = look.pop() {
            let (Some(example), Some(schema)) = (value.get("example"), value.get("schema")) else {
                match value {
                    serde_json::Value::Object(members) => look.extend(
                        members
                            .iter()
                            .map(|(name, value)| (format!("{place}/{name}"), value)),
                    ),
                    serde_json::Value::Array(items) => {
                        look.extend(items.iter().map(|item| (place.clone(), item)));
                    }
                    _ => {}
                }
                continue;
            };
            let mut schema = schema.clone();
            schema["components"] = document["components"].clone();
            let validator = jsonschema::validator_for(&schema).unwrap();
            let fault = validator.iter_errors(example).next();
            assert!(fault.is_none(), "{place}: {}", fault.unwrap());
            count += 1;
        }
        assert!(count > 150, "{count}");
    }

    #[test]
    fn every_reference_leads_somewhere() {
        let document: serde_json::Value = serde_json::from_str(&document()).unwrap();
        let mut look = vec![&document];
        while let Some(value) = look.pop() {
            match value {
                serde_json::Value::Object(members) => {
                    if let Some(to) = members.get("$ref").and_then(|to| to.as_str()) {
                        let to = to.strip_prefix('#').unwrap();
                        assert!(document.pointer(to).is_some(), "{to}");
                    }
                    look.extend(members.values());
                }
                serde_json::Value::Array(items) => look.extend(items),
                _ => {}
            }
        }
    }

    #[test]
    fn every_link_leads_from_one_operation_to_another() {
        let ids: Vec<_> = operations()
            .into_iter()
            .filter_map(|(_, operation)| operation.get("operationId")?.as_str().map(str::to_owned))
            .collect();
        for end in links::ends() {
            assert!(ids.iter().any(|id| id == end), "{end}");
        }
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
