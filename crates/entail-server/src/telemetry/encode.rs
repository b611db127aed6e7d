//! Spans as OTLP has them in JSON: ids in hexadecimal, times in nanoseconds as text, integers as
//! text (the OpenTelemetry protocol's JSON encoding).

use entail_json::{Object, Value};

use super::{Attribute, Kind, Span};

/// An `ExportTraceServiceRequest`.
pub(super) fn request(spans: &[Span], instance: &str) -> Value {
    let resource = [
        ("service.name", "entail"),
        ("service.version", env!("CARGO_PKG_VERSION")),
        ("service.instance.id", instance),
    ];
    let resource =
        resource.map(|(name, value)| attribute(name, &Attribute::Text(value.to_owned())));
    let scope = Value::from([
        ("name", "entail".into()),
        ("version", env!("CARGO_PKG_VERSION").into()),
    ]);
    let scope_spans = Value::from([
        ("scope", scope),
        ("spans", spans.iter().map(span).collect()),
    ]);
    let resource_spans = Value::from([
        (
            "resource",
            Value::from([("attributes", resource.into_iter().collect())]),
        ),
        ("scopeSpans", Value::Array(vec![scope_spans])),
    ]);
    Value::from([("resourceSpans", Value::Array(vec![resource_spans]))])
}

fn span(span: &Span) -> Value {
    const SERVER: u32 = 2;
    const CLIENT: u32 = 3;
    const ERROR: u32 = 2;
    let kind = match span.kind {
        Kind::Server => SERVER,
        Kind::Client => CLIENT,
    };
    let mut object = Object::from([
        ("traceId", span.context.trace_id().into()),
        ("spanId", span.context.span_id().into()),
        ("flags", u32::from(span.context.flags()).into()),
        ("name", span.name.as_str().into()),
        ("kind", kind.into()),
        ("startTimeUnixNano", nanos(span.started)),
        ("endTimeUnixNano", nanos(span.ended)),
        (
            "attributes",
            span.attributes
                .iter()
                .map(|(name, value)| attribute(name, value))
                .collect(),
        ),
    ]);
    if let Some(parent) = span.context.parent_id() {
        object.insert("parentSpanId", parent.into());
    }
    if let Some(state) = span.context.state() {
        object.insert("traceState", state.into());
    }
    if span.failed {
        object.insert("status", Value::from([("code", ERROR.into())]));
    }
    object.into()
}

fn attribute(name: &str, value: &Attribute) -> Value {
    let value = match value {
        Attribute::Text(text) => Value::from([("stringValue", text.as_str().into())]),
        Attribute::Number(number) => Value::from([("intValue", number.to_string().into())]),
    };
    Value::from([("key", name.into()), ("value", value)])
}

fn nanos(micros: i64) -> Value {
    format!("{micros}000").into()
}
