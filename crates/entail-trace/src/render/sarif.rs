//! SARIF 2.1.0.

use entail_json::{Object, Value, to_canonical};

use super::{ReportView, string};
use crate::bundle::paths;
use crate::record::Failure;
use crate::verify::CheckName;
use crate::words::Severity;

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

pub(super) fn render(view: &ReportView<'_>) -> String {
    let rules = CheckName::ALL.iter().map(|name| {
        object([
            ("id", string(name.as_str())),
            ("shortDescription", message(name.title())),
            (
                "properties",
                object([("layer", string(name.layer().as_str()))]),
            ),
        ])
    });
    let findings = view.results.all().iter().flat_map(|result| {
        result
            .failures()
            .iter()
            .map(|failure| finding(result.name(), failure))
    });
    let driver = object([
        ("name", string("entail")),
        ("rules", Value::Array(rules.collect())),
    ]);
    let run = object([
        ("tool", object([("driver", driver)])),
        ("results", Value::Array(findings.collect())),
        ("properties", object([("trace_id", string(view.trace_id))])),
    ]);
    let mut text = to_canonical(&object([
        ("$schema", string(SCHEMA)),
        ("version", string("2.1.0")),
        ("runs", Value::Array(vec![run])),
    ]));
    text.push('\n');
    text
}

fn finding(name: CheckName, failure: &Failure) -> Value {
    let level = match failure.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "note",
    };
    let place = object([("uri", string(file_of(name)))]);
    let mut physical = Object::from([("artifactLocation", place)]);
    if let Some(line) = line_of(&failure.message) {
        physical.insert("region", object([("startLine", Value::from(line))]));
    }
    let location = object([("physicalLocation", Value::Object(physical))]);
    object([
        ("ruleId", string(name.as_str())),
        ("level", string(level)),
        ("message", message(&failure.message)),
        ("locations", Value::Array(vec![location])),
        (
            "properties",
            object([(
                "invariant",
                failure.invariant_id.clone().map_or(Value::Null, string),
            )]),
        ),
    ])
}

/// The file of a bundle that a check's findings are about.
fn file_of(name: CheckName) -> &'static str {
    match name {
        CheckName::Chain => paths::JOURNAL,
        CheckName::Manifest => paths::MANIFEST,
        CheckName::Checkpoint | CheckName::Signature => paths::CHECKPOINT,
        CheckName::RecordedReport => paths::REPORT,
        _ => paths::TRACE,
    }
}

/// The line of the trace, or the entry of the journal, that a message begins with.
fn line_of(message: &str) -> Option<u64> {
    let digits = message
        .strip_prefix("line ")
        .or_else(|| message.strip_prefix("entry "))?
        .split(|c: char| !c.is_ascii_digit())
        .next()?;
    digits.parse().ok()
}

fn message(text: &str) -> Value {
    object([("text", string(text))])
}

fn object<const N: usize>(members: [(&str, Value); N]) -> Value {
    Value::Object(Object::from(members))
}
