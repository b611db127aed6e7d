//! What is true of all operations, and what their declarations cannot say.

use utoipa::{PartialSchema as _, ToSchema as _};

use super::{examples::Examples, links, schema::Problem, shapes};
use utoipa::openapi::{
    Components, HeaderBuilder, OpenApi, Ref, RefOr, Schema,
    path::{Operation, PathItem},
    schema::{
        AdditionalProperties, ArrayItems, ObjectBuilder, OneOf, OneOfBuilder, SchemaType, Type,
    },
};

/// Completes the document.
pub(super) fn complete(document: &mut OpenApi) {
    let components = document.components.get_or_insert_default();
    described_headers(components);
    components.schemas.extend(shapes::all());
    // Responses refer to it, and nothing else brings it in.
    let mut problem = vec![("Problem".to_owned(), Problem::schema())];
    Problem::schemas(&mut problem);
    components.schemas.extend(problem);
    for (name, schema) in &mut components.schemas {
        if name.ends_with("Body") {
            closed(schema);
        }
    }
    let examples = Examples::read();
    for item in document.paths.paths.values_mut() {
        for operation in operations(item) {
            examples.put(operation);
            links::put(operation);
            parameters(operation);
            bodies(operation);
            headers(operation);
        }
    }
}

/// What a body may hold is listed: anything else is refused.
fn closed(schema: &mut RefOr<Schema>) {
    if let RefOr::T(Schema::Object(object)) = schema
        && object.additional_properties.is_none()
    {
        object.additional_properties = Some(Box::new(AdditionalProperties::FreeForm(false)));
    }
}

/// The operations of a path.
fn operations(item: &mut PathItem) -> impl Iterator<Item = &mut Operation> {
    [
        &mut item.get,
        &mut item.put,
        &mut item.post,
        &mut item.delete,
        &mut item.patch,
    ]
    .into_iter()
    .flatten()
}

/// A parameter that is not given is absent: none is ever `null`.
fn parameters(operation: &mut Operation) {
    for parameter in operation.parameters.iter_mut().flatten() {
        if let RefOr::T(parameter) = parameter
            && let Some(RefOr::T(schema)) = &mut parameter.schema
        {
            without_null(schema);
        }
    }
}

fn without_null(schema: &mut Schema) {
    match schema {
        Schema::Object(object) => {
            if let SchemaType::Array(types) = &mut object.schema_type {
                types.retain(|kind| *kind != Type::Null);
                if let [one] = types.as_slice() {
                    object.schema_type = SchemaType::Type(one.clone());
                }
            }
        }
        Schema::OneOf(OneOf { items, .. }) => {
            items.retain(|item| !is_null(item));
            if let [RefOr::T(one)] = items.as_slice() {
                *schema = one.clone();
            }
        }
        _ => {}
    }
}

fn is_null(schema: &RefOr<Schema>) -> bool {
    matches!(schema, RefOr::T(Schema::Object(object))
        if object.schema_type == SchemaType::Type(Type::Null))
}

/// A body that is not needed is absent, never `null`; and where one is a list, one of its things
/// alone will do.
fn bodies(operation: &mut Operation) {
    let Some(RefOr::T(body)) = &mut operation.request_body else {
        return;
    };
    for content in body.content.values_mut() {
        let RefOr::T(content) = content else {
            continue;
        };
        let replaced = match &content.schema {
            Some(RefOr::T(Schema::Array(list))) => match &list.items {
                ArrayItems::RefOrSchema(one) => {
                    let either = OneOfBuilder::new()
                        .item((**one).clone())
                        .item(Schema::Array(list.clone()));
                    Some(either.into())
                }
                ArrayItems::False => None,
            },
            Some(RefOr::T(Schema::OneOf(OneOf { items, .. }))) => match items.as_slice() {
                [one, nothing] | [nothing, one] if is_null(nothing) => Some(one.clone()),
                _ => None,
            },
            _ => None,
        };
        if replaced.is_some() {
            content.schema = replaced;
        }
    }
}

const HEADERS: [(&str, Type, &str); 3] = [
    (
        "x-request-id",
        Type::String,
        "The request's id: the caller's, or a new one.",
    ),
    ("www-authenticate", Type::String, "How to say who calls."),
    (
        "retry-after",
        Type::Integer,
        "After how many seconds to come back.",
    ),
];

/// Every answer names the request; some say how to go on.
fn headers(operation: &mut Operation) {
    for (status, response) in &mut operation.responses.responses {
        let RefOr::T(response) = response else {
            continue;
        };
        let more = match status.as_str() {
            "401" => Some("www-authenticate"),
            "429" | "503" => Some("retry-after"),
            _ => None,
        };
        for name in ["x-request-id"].into_iter().chain(more) {
            let described = Ref::new(format!("#/components/headers/{name}"));
            response
                .headers
                .insert(name.to_owned(), RefOr::Ref(described));
        }
    }
}

fn described_headers(components: &mut Components) {
    for (name, kind, about) in HEADERS {
        let header = HeaderBuilder::new()
            .schema(Some(ObjectBuilder::new().schema_type(kind)))
            .description(Some(about))
            .build();
        components.headers.insert(name.to_owned(), RefOr::T(header));
    }
}
