//! Links: which answers hold what other operations need, for tools that follow them.

use std::collections::BTreeMap;

use utoipa::openapi::{RefOr, link::Link, path::Operation};

/// From which operation's answer, of which status, to which operation, and where its `name`
/// stands in the answer; without one, the answer is of the session whose id it holds.
const LINKS: &[(&str, &str, &str, Option<&str>)] = &[
    ("open_session", "201", "get_session", None),
    ("open_session", "201", "take_context", None),
    ("open_session", "201", "post_turn", None),
    ("open_session", "201", "post_premises", None),
    ("open_session", "201", "put_document", None),
    ("open_session", "201", "put_tool", None),
    ("open_session", "201", "put_rule", None),
    ("open_session", "201", "put_constraint", None),
    ("open_session", "201", "list_beliefs", None),
    ("open_session", "201", "get_trace", None),
    ("open_session", "201", "get_report", None),
    ("open_session", "201", "close_session", None),
    ("open_session", "201", "delete_session", None),
    ("post_premises", "200", "get_belief", Some("/refs/0")),
    ("post_premises", "200", "get_proof", Some("/refs/0")),
    ("post_premises", "200", "list_dependents", Some("/refs/0")),
    ("post_turn", "200", "get_turn", Some("/turn")),
    (
        "post_turn",
        "200",
        "give_up_call",
        Some("/pending_calls/0/call_id"),
    ),
    ("put_document", "201", "get_document", Some("/name")),
    ("put_tool", "201", "get_tool", Some("/name")),
    ("put_tool", "201", "delete_tool", Some("/name")),
    ("put_rule", "201", "get_rule", Some("/name")),
    ("put_rule", "201", "delete_rule", Some("/name")),
    ("put_constraint", "201", "get_constraint", Some("/name")),
    ("put_constraint", "201", "delete_constraint", Some("/name")),
    (
        "list_conflicts",
        "200",
        "resolve_conflict",
        Some("/items/0/id"),
    ),
    (
        "list_rederivations",
        "200",
        "post_rederivation",
        Some("/items/0/key"),
    ),
    ("post_source_outcomes", "200", "get_source", Some("/source")),
];

/// Every operation that a link leads from or to.
#[cfg(test)]
pub(super) fn ends() -> impl Iterator<Item = &'static str> {
    LINKS.iter().flat_map(|(from, _, to, _)| [*from, *to])
}

/// Puts an operation's links to its answers.
pub(super) fn put(operation: &mut Operation) {
    let Some(id) = operation.operation_id.clone() else {
        return;
    };
    for (from, status, to, name) in LINKS {
        if *from != id {
            continue;
        }
        if let Some(RefOr::T(response)) = operation.responses.responses.get_mut(*status) {
            response
                .links
                .insert((*to).to_owned(), RefOr::T(link(from, to, *name)));
        }
    }
}

fn link(from: &str, to: &str, name: Option<&str>) -> Link {
    let mut parameters = BTreeMap::new();
    match name {
        Some(pointer) => {
            if !from.contains("source") {
                parameters.insert("id".to_owned(), "$request.path.id".into());
            }
            parameters.insert(
                "name".to_owned(),
                format!("$response.body#{pointer}").into(),
            );
        }
        None => {
            parameters.insert("id".to_owned(), "$response.body#/id".into());
        }
    }
    let mut link = Link::default();
    to.clone_into(&mut link.operation_id);
    link.parameters = parameters;
    link
}
