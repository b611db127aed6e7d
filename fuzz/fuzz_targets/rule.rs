//! The rule reader and evaluator on any text, over inputs of every kind.

#![no_main]

use entail_json::{Value, read_str};
use entail_kernel::expression::{ExpressionError, RuleExpression};
use libfuzzer_sys::fuzz_target;

const INPUTS: [(&str, &str); 7] = [
    ("n", "7"),
    ("x", "-0.5"),
    ("big", "9007199254740993"),
    ("s", "\"na\u{ef}ve text\""),
    ("l", "[1, 2.5, \"x\", [3], {\"a\": null}]"),
    ("o", "{\"a\": {\"b\": [true, false]}, \"k v\": 1}"),
    ("none", "null"),
];

fuzz_target!(|text: &str| {
    let names = INPUTS.map(|(name, _)| name);
    let rule = match RuleExpression::parse(text, &names) {
        Ok(rule) => rule,
        Err(error) => return check(text, &error),
    };
    let values = INPUTS.map(|(name, value)| (name, read_str(value).expect("JSON")));
    let value_of = |name: &str| {
        values
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, value)| value)
    };
    let found = rule.evaluate(value_of);
    assert_eq!(rule.evaluate(value_of), found);
    match (&found, rule.holds(value_of)) {
        (Ok(Value::Bool(value)), holds) => assert_eq!(holds, Ok(*value)),
        (_, holds) => assert!(holds.is_err()),
    }
    if let Err(error) = found {
        check(text, &error);
    }
});

fn check(text: &str, error: &ExpressionError) {
    assert!(text.is_char_boundary(error.offset));
    assert!(!error.to_string().contains('\n'));
}
