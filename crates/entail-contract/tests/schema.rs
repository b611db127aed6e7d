//! What the schema lets through, the parser reads; what a model is told is what is read.

use entail_contract::{Action, ActionKind, CONTRACT_VERSION, SCHEMA, SYSTEM_PROMPT, parse, schema};
use entail_json::{Value, fingerprint, read_str, sha256};

fn validator() -> Option<jsonschema::Validator> {
    jsonschema::draft202012::new(&serde_json::from_str(SCHEMA).ok()?).ok()
}

fn accepts(validator: &jsonschema::Validator, text: &str) -> Option<bool> {
    Some(validator.is_valid(&serde_json::from_str(text).ok()?))
}

const SAMPLES: [&str; 6] = [
    r#"{"actions": []}"#,
    r#"{"actions": [{"type": "call_tool", "tool": "get", "args": "{\"q\": [1, {\"a\": null}]}", "key": null, "claim": null}]}"#,
    r#"{"actions": [{"type": "call_tool", "tool": "get", "args": null, "key": "k", "claim": "c"}]}"#,
    r#"{"actions": [{"type": "cite", "document": "d", "quote": "q", "key": "k", "value": 4.5, "claim": null},
                    {"type": "cite", "document": "d", "quote": "q", "key": "k", "value": "x", "claim": "c"}]}"#,
    r#"{"actions": [{"type": "claim", "key": "k", "value": null, "claim": null, "follows_from": null, "formula": "1+1", "confidence": null},
                    {"type": "claim", "key": "k", "value": ["a", 1, null, true], "claim": "c", "follows_from": [], "formula": null, "confidence": 0.5}]}"#,
    r#"{"actions": [{"type": "answer", "text": "t", "follows_from": ["a", "b"], "confidence": 1},
                    {"type": "answer", "text": "t", "follows_from": null, "confidence": null}]}"#,
];

#[test]
fn strict_outputs_validate_and_parse_without_a_problem() {
    let validator = validator().unwrap();
    for sample in SAMPLES {
        assert_eq!(accepts(&validator, sample), Some(true), "{sample}");
        let response = parse(sample);
        assert_eq!(response.problems, [], "{sample}");
        let count = read_str(sample)
            .unwrap()
            .get("actions")
            .unwrap()
            .as_array()
            .unwrap()
            .len();
        assert_eq!(response.actions.len(), count, "{sample}");
    }
    let Action::CallTool(call) = &parse(SAMPLES[1]).actions[0].1 else {
        panic!("a call");
    };
    assert_eq!(
        Value::Object(call.args.clone()).to_string(),
        r#"{"q":[1,{"a":null}]}"#
    );
}

#[test]
fn the_schema_refuses_what_strict_modes_must_not_produce() {
    let validator = validator().unwrap();
    for sample in [
        r#"{}"#,
        r#"{"actions": {}}"#,
        r#"{"actions": [], "extra": 1}"#,
        r#"{"actions": [{"type": "answer", "text": "t"}]}"#,
        r#"{"actions": [{"type": "delete"}]}"#,
        r#"{"actions": [{"type": "call_tool", "tool": "t", "args": {"a": 1}, "key": null, "claim": null}]}"#,
        r#"{"actions": [{"type": "answer", "text": "t", "follows_from": "a", "confidence": null}]}"#,
    ] {
        assert_eq!(accepts(&validator, sample), Some(false), "{sample}");
    }
}

/// Objects are closed with every member required, there is no keyword that a strict mode refuses,
/// and what may be left out may be null.
#[test]
fn the_schema_stays_within_strict_modes() {
    const KEYWORDS: [&str; 8] = [
        "type",
        "description",
        "properties",
        "required",
        "additionalProperties",
        "items",
        "anyOf",
        "enum",
    ];
    let mut objects = 0;
    let mut waiting = vec![schema()];
    while let Some(part) = waiting.pop() {
        let part = part.as_object().expect("a schema is an object");
        for (keyword, _) in part {
            assert!(KEYWORDS.contains(&keyword), "{keyword}");
        }
        if part.get("type").and_then(Value::as_str) == Some("object") {
            objects += 1;
            let properties = part.get("properties").and_then(Value::as_object).unwrap();
            let required = part.get("required").and_then(Value::as_array).unwrap();
            assert!(
                properties
                    .iter()
                    .map(|(name, _)| name)
                    .eq(required.iter().filter_map(Value::as_str))
            );
            assert_eq!(part.get("additionalProperties"), Some(&Value::Bool(false)));
            waiting.extend(properties.iter().map(|(_, property)| property));
        }
        waiting.extend(part.get("items"));
        waiting.extend(
            part.get("anyOf")
                .and_then(Value::as_array)
                .unwrap_or_default(),
        );
    }
    assert_eq!(objects, 1 + 4);
}

#[test]
fn every_action_and_field_is_in_the_prompt_and_the_schema() {
    let variants = schema().get("properties").unwrap().get("actions").unwrap();
    let variants = variants
        .get("items")
        .unwrap()
        .get("anyOf")
        .unwrap()
        .as_array()
        .unwrap();
    let samples = [
        (
            ActionKind::CallTool,
            r#"{"type": "call_tool", "tool": "t"}"#,
        ),
        (
            ActionKind::Cite,
            r#"{"type": "cite", "document": "d", "quote": "q", "key": "k", "value": 1}"#,
        ),
        (
            ActionKind::Claim,
            r#"{"type": "claim", "key": "k", "value": 1}"#,
        ),
        (ActionKind::Answer, r#"{"type": "answer", "text": "t"}"#),
    ];
    for (variant, (kind, sample)) in variants.iter().zip(samples) {
        let action = parse(sample).actions.remove(0).1.to_value();
        let fields: Vec<_> = action
            .as_object()
            .unwrap()
            .iter()
            .map(|(name, _)| name)
            .collect();
        let properties = variant
            .get("properties")
            .and_then(Value::as_object)
            .unwrap();
        let described: Vec<_> = properties.iter().map(|(name, _)| name).collect();
        assert_eq!(described, fields, "{kind}");
        let section = SYSTEM_PROMPT
            .split("\n## ")
            .find(|part| part.starts_with(kind.as_str()));
        let section = section.unwrap_or_default();
        for field in fields.into_iter().filter(|field| *field != "type") {
            let told = format!("\n- {field}");
            assert!(section.contains(&told), "`{field}` of {kind}");
        }
    }
}

#[test]
fn every_example_in_the_prompt_is_read_without_a_problem() {
    let examples: Vec<_> = SYSTEM_PROMPT
        .lines()
        .filter(|line| line.starts_with("{\"type\""))
        .collect();
    assert_eq!(examples.len(), 4);
    for example in examples {
        let response = parse(example);
        assert_eq!(
            (response.actions.len(), response.problems.len()),
            (1, 0),
            "{example}"
        );
    }
}

/// The prompt and the schema are part of what a recorded turn was told.
#[test]
fn a_change_of_the_texts_changes_the_version() {
    let told = format!(
        "{} {}",
        sha256(SYSTEM_PROMPT.as_bytes()),
        fingerprint(schema())
    );
    let told = sha256(told.as_bytes()).to_string();
    assert_eq!(
        (CONTRACT_VERSION, told.as_str()),
        (
            "1",
            "d10bdfc1dd39562d4854e0bd68de177b77a875df3e957d5fd5bbf9c2ceac4170"
        ),
        "set a new version, and this test to it"
    );
}
