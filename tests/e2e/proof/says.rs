//! The bodies that writers send. Each holds its mark, by which its commit is found again.

use entail_json::{Object, Value};
use entail_tests::Line;

/// Opens a session that has one premise, and one tool if there is a place for it.
pub(crate) fn opening(mark: &str, tool_url: Option<&str>) -> Value {
    let parameters = Value::from([
        ("type", "object".into()),
        (
            "properties",
            Value::from([("q", Value::from([("type", "string".into())]))]),
        ),
    ]);
    let tool = tool_url.map(|url| {
        Value::from([
            ("description", "looks something up".into()),
            ("parameters", parameters),
            (
                "executor",
                Value::from([("kind", "http".into()), ("url", url.into())]),
            ),
        ])
    });
    let tools: Object = tool
        .into_iter()
        .map(|tool| ("look_up".to_owned(), tool))
        .collect();
    Value::from([
        ("task", mark.into()),
        ("policy", Value::from([("dependencies", "declared".into())])),
        (
            "documents",
            Value::Array(vec![Value::from([
                ("name", "10-Q".into()),
                ("text", "Revenue for Q2 was $4.3 billion.".into()),
            ])]),
        ),
        ("tools", tools.into()),
        ("premises", Value::Array(vec![premise("p0", mark)])),
    ])
}

/// Asserts a premise.
pub(crate) fn premise(key: &str, mark: &str) -> Value {
    Value::from([
        ("key", key.into()),
        ("value", mark.into()),
        ("source", "human:h".into()),
    ])
}

/// A turn that claims something because of something else.
pub(crate) fn claim(key: &str, mark: &str, on: &str) -> Value {
    turn(Value::from([
        ("type", "claim".into()),
        ("key", key.into()),
        ("value", mark.into()),
        ("follows_from", Value::Array(vec![on.into()])),
    ]))
}

/// A turn that calls the tool.
pub(crate) fn call(key: &str, mark: &str) -> Value {
    turn(Value::from([
        ("type", "call_tool".into()),
        ("tool", "look_up".into()),
        ("key", key.into()),
        ("args", Value::from([("q", mark.into())])),
    ]))
}

fn turn(action: Value) -> Value {
    let response = Value::from([("actions", Value::Array(vec![action]))]);
    Value::from([("response", response)])
}

/// Takes a belief back.
pub(crate) fn retraction(target: &str, mark: &str) -> Value {
    Value::from([("target", target.into()), ("reason", mark.into())])
}

/// Takes a belief back because its source was wrong, which the tenant's ledger learns.
pub(crate) fn correction(target: &str, mark: &str) -> Value {
    Value::from([
        ("target", target.into()),
        ("reason", mark.into()),
        ("fault", "source".into()),
    ])
}

/// The mark of the request that a commit came of; `None` for what the service did by itself.
pub(crate) fn mark(line: &Line) -> Option<String> {
    let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
    let first = |value: Option<&Value>| value.and_then(Value::as_array).map(|list| list[0].clone());
    match line.kind.as_str() {
        "open" => text(line.payload.get("task")),
        "retract" => text(line.payload.get("reason")),
        "premises" => text(first(line.payload.get("premises"))?.get("value")),
        "turn" => {
            let response = line.payload.get("response").and_then(Value::as_str)?;
            let response = entail_json::read_str(response).ok()?;
            let action = first(response.get("actions"))?;
            let args = action.get("args").and_then(|args| args.get("q"));
            text(action.get("value").or(args))
        }
        _ => None,
    }
}
