//! Reading takes time in proportion to the length of the text, whatever the text: the steps are
//! counted, not the time.

use entail_contract::{Parser, Response};
use proptest::prelude::*;

/// Bytes and parts visited for each byte of the text, at most.
const STEPS_A_BYTE: u64 = 9;

fn read(text: &str) -> Response {
    let (response, work) = Parser::default().parse_counting(text);
    let bound = STEPS_A_BYTE * text.len() as u64 + 100;
    let shown: String = text.chars().take(40).collect();
    assert!(
        work.steps <= bound,
        "{} steps for {} bytes of {shown}",
        work.steps,
        text.len()
    );
    response
}

fn repeated(unit: &str, length: usize) -> String {
    unit.repeat(length / unit.len())
}

const ANSWER: &str = r#" {"actions": [{"type": "answer", "text": "t"}]}"#;

fn ten_megabytes_are_refused(unit: &str) {
    assert!(read(&repeated(unit, 10_000_000)).is_unusable());
}

#[test]
fn ten_megabytes_of_open_lists_are_refused_in_linear_time() {
    ten_megabytes_are_refused("[");
}

#[test]
fn ten_megabytes_of_open_objects_are_refused_in_linear_time() {
    ten_megabytes_are_refused("{\"a\":");
}

#[test]
fn ten_megabytes_of_quotes_are_refused_in_linear_time() {
    ten_megabytes_are_refused("\"");
}

#[test]
fn ten_megabytes_of_fences_are_refused_in_linear_time() {
    ten_megabytes_are_refused("```\n");
}

#[test]
fn every_kind_of_repetition_is_read_in_linear_time() {
    for unit in [
        "]",
        "}",
        "'",
        "`",
        "<",
        "\\",
        "(",
        ",",
        ":",
        "\\\"",
        "<think>",
        "</think>",
        "<think></think>",
        "<think ",
        "[THINK]",
        "```json\n",
        "``` ",
        "[1] ",
        "[1],",
        "[[1],",
        "[x] ",
        "[{",
        "{[",
        "]}",
        "}]",
        "[\"",
        "{\"",
        "[\",",
        "\",[",
        "{'a':",
        "['",
        "('",
        "(1,),",
        "{\"a\":1} ",
        "{\"a\":[",
        "{'a':'</think>',",
        "{\"a\":\"</think>\",\"b\":",
        "<think></think>{\"a\":",
        "<think></think>[\"",
        "</think>[",
        "```\n[",
        "```\n['",
        "```\n[\"",
        "```\n('\"",
        "```json {\"a\":1} ```",
        "```\n{\"a\":x}\n```\n",
        "{\"a\":1,}",
        "{\"a\":\"\\u",
        "[1,2,",
        "1e5,",
        "[-",
        "{'a':(",
        "\u{feff}",
        "é",
        " ",
        "\n",
        "{ \"",
        "[ ",
        "{\"type\":\"claim\"}",
        "[{\"type\":1},",
        "{\"actions\":[",
    ] {
        let text = repeated(unit, 50_000);
        read(&text);
        read(&format!("{text}{ANSWER}"));
        read(&format!("<think>{text}</think>{ANSWER}"));
        read(&format!("{{\"actions\": [{text}"));
        read(&format!("```json\n{text}\n```"));
    }
}

#[test]
fn brackets_of_any_number_hide_no_response_after_them() {
    for unit in [
        "[", "{", "[x] ", "{x} ", "[1] ", "[[1], ", "[{", "{[", "]", "}", "(", "'", "[",
    ] {
        let response = read(&format!("{}{ANSWER}", repeated(unit, 50_000)));
        assert_eq!(response.actions.len(), 1, "{unit}");
    }
}

#[test]
fn nesting_is_opened_and_closed_in_linear_time() {
    for (open, inside, close) in [
        ("[", "", "]"),
        ("{\"a\":", "1", "}"),
        ("{'a':", "1", "}"),
        ("(", "1", ",)"),
        ("(", "1", ")"),
        ("[1,[", "", "],2]"),
    ] {
        let count = 20_000;
        let text = format!("{}{inside}{}", open.repeat(count), close.repeat(count));
        let response = read(&text);
        assert_eq!(response.actions, [], "{open}");
        read(&format!("see {text}"));
        read(&format!("{{\"actions\": [{text}]}}"));
    }
}

#[test]
fn a_host_of_values_are_passed_over() {
    let response = read(&format!("{}{ANSWER}", "{} ".repeat(300_000)));
    assert_eq!(response.actions.len(), 1);
    let response = read(&format!("[{}]", "7,".repeat(300_000)));
    assert_eq!(
        response.problems.len(),
        1,
        "too many actions are one problem"
    );
}

#[test]
fn an_object_of_many_members_is_read_in_linear_time() {
    use std::fmt::Write as _;
    let mut members = String::new();
    for n in 0..20_000 {
        let _ = write!(members, "\"m{n}\":{n},");
    }
    let response = read(&format!("{{\"type\":\"answer\",\"text\":\"t\",{members}}}"));
    assert_eq!(response.actions.len(), 1);
    let response = read(&format!("{{\"actions\":[],{members}\"m0\":1}}"));
    assert_eq!(response.problems.len(), 1);
}

proptest! {
    /// Whatever is repeated, and whatever stands around it.
    #[test]
    fn no_repetition_is_worse_than_linear(
        unit in proptest::collection::vec(
            proptest::sample::select([
                "[", "]", "{", "}", "(", ")", "\"", "'", ",", ":", "\\", "`", "```", "```json", "\n",
                "<think>", "</think>", "a", "1", "True", "{\"a\":", "{'a':", "[\"", "['", "\",\"", "','",
            ].as_slice()),
            1..9,
        ),
        before in proptest::sample::select(["", "[", "{\"a\":\"", "{'a':'", "```\n[", "x"].as_slice()),
    ) {
        let text = format!("{before}{}", repeated(&unit.concat(), 20_000));
        read(&text);
        read(&format!("{text}{ANSWER}"));
    }
}
