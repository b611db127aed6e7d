//! The contract parser on any bytes.

#![no_main]

use entail_contract::{Limits, Parser, Response};
use entail_json::Value;
use libfuzzer_sys::fuzz_target;

/// How many steps a byte may cost, and a text of any length.
const STEPS_A_BYTE: u64 = 12;
const STEPS: u64 = 100;

fuzz_target!(|bytes: &[u8]| {
    let parser = Parser::default();
    let response = parser.parse_bytes(bytes);
    check(&response);
    let small = Limits {
        bytes: 200,
        depth: 4,
        actions: 2,
        ..Limits::default()
    };
    check(&Parser::new(small).parse_bytes(bytes));

    let Ok(text) = std::str::from_utf8(bytes) else {
        assert!(response.is_unusable());
        return;
    };
    let (again, work) = parser.parse_counting(text);
    assert_eq!(again, response);
    assert!(
        work.steps <= STEPS_A_BYTE * text.len() as u64 + STEPS,
        "{} steps for {} bytes",
        work.steps,
        text.len()
    );
    let actions: Vec<Value> = response
        .actions
        .iter()
        .map(|(_, action)| action.to_value())
        .collect();
    let written = Value::from([("actions", Value::Array(actions))]);
    let deep = Parser::new(Limits {
        depth: 512,
        ..Limits::default()
    });
    let reread = deep.parse_value(&written);
    assert_eq!(
        reread.problems,
        [],
        "what was accepted is accepted as written: {written}"
    );
    let reread: Vec<Value> = reread
        .actions
        .iter()
        .map(|(_, action)| action.to_value())
        .collect();
    assert_eq!(written, Value::from([("actions", Value::Array(reread))]));
});

fn check(response: &Response) {
    assert!(
        response
            .actions
            .iter()
            .map(|(index, _)| *index)
            .is_sorted_by(|a, b| a < b)
    );
    for problem in &response.problems {
        assert!(!problem.message.is_empty());
        assert!(!problem.to_string().is_empty());
        let of_an_accepted_action = |index: usize| {
            response
                .actions
                .iter()
                .any(|(accepted, _)| *accepted == index)
        };
        assert!(!problem.action.is_some_and(of_an_accepted_action));
        assert!(problem.action != Some(0));
    }
    if response.is_unusable() {
        assert!(response.actions.is_empty());
        assert_eq!(response.problems.len(), 1);
    }
}
