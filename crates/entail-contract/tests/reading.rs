//! The contract's sentences on reading a response, each as a test.

use entail_contract::{Action, ActionKind, Code, Limits, Parser, Response, parse};

fn texts(response: &Response) -> Vec<&str> {
    response
        .actions
        .iter()
        .map(|(_, action)| match action {
            Action::Answer(answer) => answer.text.as_str(),
            other => other.key().unwrap_or_default(),
        })
        .collect()
}

fn codes(response: &Response) -> Vec<(Option<usize>, Code)> {
    response
        .problems
        .iter()
        .map(|problem| (problem.action, problem.code))
        .collect()
}

fn answer(text: &str) -> String {
    format!("{{\"actions\": [{{\"type\": \"answer\", \"text\": \"{text}\"}}]}}")
}

#[test]
fn what_follows_reasoning_comes_before_fences_and_fences_before_prose() {
    let (a, b, c) = (answer("a"), answer("b"), answer("c"));
    for (text, read) in [
        (format!("{a}\n<think>{b}</think>\n{c}"), "c"),
        (format!("{a}\n```\n{b}\n```"), "b"),
        (format!("{a}\n```text\n{b}\n```\n```json\n{c}\n```"), "c"),
        (format!("```text\n{b}\n```\n{a}"), "b"),
        (format!("{a} {b}"), "a"),
        (format!("```json\nas {a}\n```\n{b}"), "a"),
        (format!("<think>{a}</think> x {b}"), "b"),
        (format!("{a} </think> x {b}"), "b"),
        (format!("{a} <think> x {b}"), "a"),
        (format!("<think>{a}</think>{b}</think>{c}"), "c"),
        (format!("[THINK]{a}[/THINK]{b}"), "b"),
        (format!("◁think▷{a}◁/think▷{b}"), "b"),
        (format!("{a}◁/think▷\n{b}"), "b"),
        (format!("{b} ◁think▷{a}"), "b"),
    ] {
        assert_eq!(texts(&parse(&text)), [read], "{text}");
    }
}

#[test]
fn a_draft_in_a_channel_for_reasoning_is_never_read() {
    let (a, b) = (answer("a"), answer("b"));
    let last = format!("<|start|>assistant<|channel|>final<|message|>{b}");
    for (text, read) in [
        (
            format!("<|channel|>analysis<|message|>{a}<|end|>{last}<|return|>"),
            "b",
        ),
        (format!("<|channel|>analysis<|message|>{a}{last}"), "b"),
        (format!("so {a} it is<|end|>{last}"), "b"),
        (
            format!(
                "<|channel|>analysis<|message|>{a}<|end|><|start|>assistant<|channel|>analysis\
                 <|message|>{a}<|end|>{last}"
            ),
            "b",
        ),
        (format!("<|channel|>analysis<|message|>x<|end|>{b}"), "b"),
        (
            format!(
                "<|channel|>analysis<|message|>{a}<|end|><|channel|>final <|constrain|>json<|message|>{b}"
            ),
            "b",
        ),
        (format!("<|channel|>commentary<|message|>{b}<|end|>"), "b"),
        (format!("{b}<|channel|>analysis<|message|>{a}"), "b"),
    ] {
        assert_eq!(texts(&parse(&text)), [read], "{text}");
    }
    for text in [
        format!("<|channel|>analysis<|message|>{a}"),
        format!("<|channel|>analysis<|message|>{a}<|end|>"),
        format!("{a}<|channel|>final<|message|>no action"),
        format!("◁think▷{a}"),
    ] {
        assert!(parse(&text).is_unusable(), "{text}");
    }
    let quoted = answer("<|channel|>final<|message|>{} ◁/think▷");
    assert_eq!(parse(&quoted).actions.len(), 1);
    assert_eq!(parse(&format!("as {quoted}")).actions.len(), 1);
}

#[test]
fn the_best_shape_wins_and_then_the_first() {
    let envelope = answer("envelope");
    for (text, read) in [
        (format!("see {{\"type\": \"answer\", \"text\": \"one\"}} {envelope}"), vec!["envelope"]),
        (
            "x [{\"a\": 1}] {\"type\": \"answer\", \"text\": \"one\"} {\"type\": \"answer\", \"text\": \"two\"}"
                .to_owned(),
            vec!["one"],
        ),
        ("x [1, {\"type\": \"answer\", \"text\": \"one\"}]".to_owned(), vec!["one"]),
        (format!("```json\n[{{\"a\": 1}}]\n```\n```\n{envelope}\n```"), vec!["envelope"]),
    ] {
        assert_eq!(texts(&parse(&text)), read, "{text}");
    }
    let objects = parse("x [{\"a\": 1}] y");
    assert_eq!(codes(&objects), [(Some(1), Code::UnknownActionType)]);
    for text in [
        "x [1, 2] y",
        "x [] y",
        "x [[{}]] y",
        "x {\"a\": 1} y",
        "x [{}, 1] y",
    ] {
        assert_eq!(
            codes(&parse(text)),
            [(None, Code::ResponseNotJson)],
            "{text}"
        );
    }
}

#[test]
fn nothing_inside_a_broken_object_and_nothing_after_it_is_read() {
    let a = answer("a");
    let inner = "{\"type\": \"answer\", \"text\": \"inner\"}";
    for text in [
        format!("{{\"actions\": [{inner}, {{\"type\": \"cla"),
        format!("{{\"actions\": [{inner}"),
        format!("{{\"actions\" [{inner}]}}"),
        format!("{{\"actions\": [{inner}], x}}"),
        format!("Here: {{\"actions\": [{inner}, oops]}} {a}"),
        format!("Like {{\"actions\": [...]}}:\n```json\n{a}\n```"),
        format!("[{inner}, {{\"type\": \"cla"),
        format!("{{\"text\": \"He said \"hi\" to {inner}\"}}"),
        format!("{{\"text\": \"see\n```json\n{a}\n```"),
        format!("{{\"a\": \"</think>\", \"b\": {inner}, \"c"),
        format!("```json\n{{\"actions\": [{inner}"),
        format!("{{'actions': [open, {inner}]}}"),
        format!("x [{inner}, {{'type': b'x'}}]"),
    ] {
        let response = parse(&text);
        assert!(response.is_unusable(), "{text}: {response:?}");
        assert_eq!(codes(&response), [(None, Code::ResponseNotJson)], "{text}");
    }
    for (text, read) in [
        (format!("{a} {{\"actions\": [oops]}}"), "a"),
        (
            format!("```json\n{{\"actions\": [...]}}\n```\n```json\n{a}\n```"),
            "a",
        ),
        (format!("```sh\ncurl -d '{{\"q\": $Q}}'\n```\n{a}"), "a"),
        (format!("{{\"a\": x </think> {a}"), "a"),
        (format!("I write {{\"a\": \"or </think>{a}"), "a"),
        (format!("{{\"a\": True}} {a}"), "a"),
    ] {
        assert_eq!(texts(&parse(&text)), [read], "{text}");
    }
}

#[test]
fn what_a_string_says_is_data() {
    let a = answer("a").replace('"', "\\\"");
    for text in [
        format!("\"{a}\""),
        format!("[\"{a}\"]"),
        format!("{{\"note\": \"{a}\"}}"),
        format!("{{\"note\": \"```json\\n{a}\\n```\"}}"),
        "{'note': '{\"actions\": []}'}".to_owned(),
        "{'note': 'x\\n```json\\n{\"actions\": []}\\n```'}".to_owned(),
        "['{\"type\": \"answer\", \"text\": \"a\"}', {'a': 1}]".to_owned(),
        "{'type': 'claim', 'value': {\"type\": \"answer\", \"text\": \"a\"}}".to_owned(),
    ] {
        assert_eq!(texts(&parse(&text)), [""; 0], "{text}");
    }
    for text in [
        "<think>a</think>",
        "<think>",
        "</think>",
        "```json\\n{}\\n```",
        "{\\\"actions\\\": []}",
        "} ] [ {",
    ] {
        for written in [
            answer(text),
            format!("So: {} ok", answer(text)),
            format!("```json\n{}\n```", answer(text)),
            format!("<think>x</think> y\n{}", answer(text)),
        ] {
            let said = text.replace("\\n", "\n").replace("\\\"", "\"");
            assert_eq!(texts(&parse(&written)), [said], "{written}");
        }
    }
}

#[test]
fn python_is_read_whole_or_in_a_fence_and_comes_last() {
    let one = "{'type': 'answer', 'text': 'python'}";
    for text in [
        one.to_owned(),
        format!("[{one},]"),
        format!("({one},)"),
        format!("({one})"),
        format!("(({one}),)"),
        format!("{{'actions': [{one}]}}"),
        format!("<think>x</think>{one}"),
        format!("So:\n```python\n{one}\n```"),
        format!("So:\n```\n({one})\n```\nDone."),
        "{\"type\": \"answer\", \"text\": 'python'}".to_owned(),
        "{\"type\": \"answer\", \"text\": \"python\", \"confidence\": None}".to_owned(),
        "[{'type': \"answer\", \"text\": 'pyt\\x68on'}]".to_owned(),
    ] {
        assert_eq!(texts(&parse(&text)), ["python"], "{text}");
    }
    let json = answer("json");
    assert_eq!(
        texts(&parse(&format!("```python\n{one}\n```\n{json}"))),
        ["json"]
    );
    for text in [
        format!("So: {one} ok"),
        "{'type': 'answer', 'text': x}".to_owned(),
        "{'type': 'answer', 'text': 'a' 'b'}".to_owned(),
        "{'type': 'answer', 'text': 'a' + 'b'}".to_owned(),
        "{'type': 'answer', 'text': 'a', 'confidence': 1_0}".to_owned(),
        "{'type': 'answer', 'text': 'a', 'confidence': 0x1}".to_owned(),
        "{'type': 'answer', 'text': 'a', 'confidence': 1j}".to_owned(),
        "{'type': 'answer', 'text': 'a', 'confidence': --1}".to_owned(),
        "{'type': 'answer', 'text': 'a', 'confidence': 01}".to_owned(),
        "{'type': 'answer', 'text': r'a'}".to_owned(),
        "{'type': 'answer', 'text': u'a'}".to_owned(),
        "{'type': 'answer', 'text': f'a'}".to_owned(),
        "{'type': 'answer', 'text': true}".to_owned(),
        "{'type': 'answer', 'text': float('nan')}".to_owned(),
        "{'type': 'answer', 'text': '\\d'}".to_owned(),
        "{'type': 'answer', 'text': {'a'}}".to_owned(),
        "dict(type='answer', text='a')".to_owned(),
    ] {
        let response = parse(&text);
        assert_eq!(codes(&response), [(None, Code::ResponseNotJson)], "{text}");
    }
}

#[test]
fn numbers_that_no_float_holds_refuse_their_action_only() {
    for number in [
        "NaN",
        "Infinity",
        "-Infinity",
        "1e999",
        "-1e999",
        "[1, 1e999]",
        "{\"a\": NaN}",
    ] {
        let text = format!(
            "[{{\"type\": \"claim\", \"key\": \"k\", \"value\": {number}}}, {{\"type\": \"answer\", \"text\": \"ok\"}}]"
        );
        let response = parse(&text);
        assert_eq!(texts(&response), ["ok"], "{text}");
        assert_eq!(
            codes(&response),
            [(Some(1), Code::UnsupportedValue)],
            "{text}"
        );
    }
    let response = parse("{'type': 'claim', 'key': 'k', 'value': 1e999}");
    assert_eq!(codes(&response), [(Some(1), Code::UnsupportedValue)]);
    let response = parse("{\"type\": \"answer\", \"text\": NaN}");
    assert_eq!(codes(&response), [(Some(1), Code::UnsupportedValue)]);
    let response = parse("{\"type\": \"answer\", \"text\": 1, \"confidence\": 1e999}");
    assert_eq!(codes(&response), [(Some(1), Code::InvalidConfidence)]);
}

#[test]
fn integers_are_exact_at_any_size_in_either_dialect() {
    let digits = "123456789".repeat(100);
    for text in [
        format!("{{\"type\": \"claim\", \"key\": \"k\", \"value\": -{digits}}}"),
        format!("{{'type': 'claim', 'key': 'k', 'value': -{digits}}}"),
        format!(
            "{{\"type\": \"call_tool\", \"tool\": \"t\", \"args\": \"{{\\\"value\\\": -{digits}}}\"}}"
        ),
    ] {
        let value = parse(&text).actions[0].1.to_value();
        let value = value
            .get("value")
            .or_else(|| value.get("args")?.get("value"));
        assert_eq!(value.unwrap().to_string(), format!("-{digits}"));
    }
}

#[test]
fn a_name_given_twice_refuses_its_action_or_in_the_envelope_everything() {
    let ok = "{\"type\": \"answer\", \"text\": \"ok\"}";
    for action in [
        "{\"type\": \"claim\", \"key\": \"k\", \"value\": 1, \"value\": 1}",
        "{\"type\": \"claim\", \"key\": \"k\", \"value\": 1, \"v\\u0061lue\": 2}",
        "{\"type\": \"claim\", \"key\": \"k\", \"value\": 1, \"other\": 1, \"other\": 1}",
        "{\"type\": \"claim\", \"key\": \"k\", \"value\": {\"a\": 1, \"b\": {\"c\": 1, \"c\": 2}}}",
        "{\"type\": \"claim\", \"type\": \"claim\", \"key\": \"k\", \"value\": 1}",
        "{\"type\": \"call_tool\", \"tool\": \"t\", \"args\": {\"a\": 1, \"a\": 1}}",
        "{\"type\": \"call_tool\", \"tool\": \"t\", \"args\": \"{\\\"a\\\": 1, \\\"a\\\": 1}\"}",
    ] {
        let response = parse(&format!("{{\"actions\": [{action}, {ok}]}}"));
        assert_eq!(texts(&response), ["ok"], "{action}");
        assert_eq!(
            codes(&response),
            [(Some(1), Code::DuplicateField)],
            "{action}"
        );
    }
    for text in [
        format!("{{\"actions\": [{ok}], \"actions\": []}}"),
        format!("{{\"actions\": [{ok}], \"a\": 1, \"a\": 1}}"),
        format!("{{'actions': [{ok}], 'a': 1, 'a': 1}}"),
    ] {
        assert_eq!(
            codes(&parse(&text)),
            [(None, Code::DuplicateField)],
            "{text}"
        );
        assert!(parse(&text).is_unusable());
    }
    let many: String = (0..12).map(|n| format!("\"n{n}\": {n}, ")).collect();
    let response = parse(&format!(
        "{{{many}\"type\": \"answer\", \"text\": \"ok\", \"n7\": 1}}"
    ));
    assert_eq!(codes(&response), [(Some(1), Code::DuplicateField)]);
    assert!(response.problems[0].message.contains("`n7`"));
}

#[test]
fn what_cannot_be_stored_refuses_its_action_only() {
    for (field, text) in [
        ("value", "\"a\\u0000b\""),
        ("value", "\"a\0b\""),
        ("value", "{\"a\\ud800\": 1}"),
        ("value", "[[\"\\udc00\"]]"),
        ("claim", "\"\\ud83d\""),
        ("formula", "\"\\ud83d x\""),
        ("follows_from", "[\"a\", \"\\u0000\"]"),
    ] {
        let value = if field == "value" {
            ""
        } else {
            "\"value\": 1, "
        };
        let response = parse(&format!(
            "[{{\"type\": \"claim\", \"key\": \"k\", {value}\"{field}\": {text}}}, \
             {{\"type\": \"answer\", \"text\": \"ok\"}}]"
        ));
        assert_eq!(texts(&response), ["ok"], "{field} {text:?}");
        assert_eq!(
            codes(&response),
            [(Some(1), Code::UnsupportedValue)],
            "{field} {text:?}"
        );
        assert!(response.problems[0].message.contains(&format!("`{field}`")));
    }
}

#[test]
fn nesting_past_the_limit_refuses_its_action_only() {
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    let claim = |depth| {
        format!(
            "{{\"actions\": [{{\"type\": \"claim\", \"key\": \"k\", \"value\": {}}}, \
             {{\"type\": \"answer\", \"text\": \"ok\"}}]}}",
            nested(depth)
        )
    };
    assert_eq!(parse(&claim(125)).problems, []);
    for depth in [126, 127, 5_000, 100_000] {
        let response = parse(&claim(depth));
        assert_eq!(texts(&response), ["ok"]);
        assert_eq!(codes(&response), [(Some(1), Code::UnsupportedValue)]);
    }
    let beside = format!("{{\"actions\": [], \"note\": {}}}", nested(128));
    assert_eq!(codes(&parse(&beside)), [(None, Code::UnsupportedValue)]);
    let unread = format!(
        "{{\"type\": \"answer\", \"text\": \"t\", \"note\": {}}}",
        nested(128)
    );
    assert_eq!(codes(&parse(&unread)), [(Some(1), Code::UnsupportedValue)]);
    let text = |depth| {
        let value = nested(depth);
        format!(
            "{{\"type\": \"call_tool\", \"tool\": \"t\", \"args\": \"{{\\\"a\\\": {value}}}\"}}"
        )
    };
    assert_eq!(parse(&text(124)).problems, []);
    assert_eq!(
        codes(&parse(&text(125))),
        [(Some(1), Code::UnsupportedValue)]
    );
}

#[test]
fn limits_are_those_that_were_set() {
    let limits = Limits {
        bytes: 200,
        actions: 2,
        value_bytes: 10,
        ..Limits::default()
    };
    let parser = Parser::new(limits);
    let long = parser.parse(&" ".repeat(201));
    assert_eq!(codes(&long), [(None, Code::LimitExceeded)]);
    assert_eq!(parser.parse_bytes(&[0xFF; 201]), long);
    assert_eq!(parser.parse("[1, 2]").problems.len(), 2);
    assert_eq!(
        codes(&parser.parse("[1, 2, 3]")),
        [(None, Code::LimitExceeded)]
    );
    for (text, code) in [
        (
            "{\"type\": \"claim\", \"key\": \"k\", \"value\": \"12345678\"}",
            None,
        ),
        (
            "{\"type\": \"claim\", \"key\": \"k\", \"value\": \"123456789\"}",
            Some(Code::UnsupportedValue),
        ),
        (
            "{\"type\": \"claim\", \"key\": \"k\", \"value\": \"\u{1}\u{1}\"}",
            Some(Code::UnsupportedValue),
        ),
        (
            "{\"type\": \"claim\", \"key\": \"k\", \"value\": [1,    2]}",
            None,
        ),
        ("{\"type\": \"answer\", \"text\": \"0123456789\"}", None),
        (
            "{\"type\": \"answer\", \"text\": \"0123456789a\"}",
            Some(Code::UnsupportedValue),
        ),
        (
            "{\"type\": \"call_tool\", \"tool\": \"t\", \"args\": {\"abcdef\": 1}}",
            Some(Code::UnsupportedValue),
        ),
    ] {
        let response = parser.parse(text);
        assert_eq!(
            response.problems.first().map(|problem| problem.code),
            code,
            "{text}"
        );
    }
}

#[test]
fn every_fault_of_an_action_is_told_missing_fields_first() {
    let response = parse(
        "[{\"type\": \"claim\", \"key\": 5, \"follows_from\": [1], \"formula\": {}, \"confidence\": 2, \"claim\": []},
          {\"type\": \"cite\", \"key\": \"c\", \"quote\": 1},
          {\"type\": \"call_tool\", \"args\": 7, \"key\": \"p\"},
          {\"type\": \"answer\", \"follows_from\": {}, \"confidence\": \"x\"}]",
    );
    use Code::{InvalidArgs, InvalidConfidence, MissingField, WrongType};
    assert_eq!(
        codes(&response),
        [
            (Some(1), WrongType),
            (Some(1), WrongType),
            (Some(1), WrongType),
            (Some(1), WrongType),
            (Some(1), InvalidConfidence),
            (Some(2), MissingField),
            (Some(2), MissingField),
            (Some(2), WrongType),
            (Some(3), MissingField),
            (Some(3), InvalidArgs),
            (Some(4), MissingField),
            (Some(4), WrongType),
            (Some(4), InvalidConfidence),
        ]
    );
    let named: Vec<_> = response
        .problems
        .iter()
        .map(|problem| problem.message.split('`').nth(1).unwrap_or_default())
        .collect();
    assert_eq!(
        named,
        [
            "key",
            "claim",
            "follows_from",
            "formula",
            "confidence",
            "document",
            "value",
            "quote",
            "tool",
            "args",
            "text",
            "follows_from",
            "confidence"
        ]
    );
    assert_eq!(response.problems[5].kind, Some(ActionKind::Cite));
    assert_eq!(response.problems[5].key.as_deref(), Some("c"));
    assert_eq!(response.problems[0].key, None);
    assert_eq!(
        response.problems[5].to_string(),
        "action 2 (cite `c`): a cite needs `document`; add it [missing_field]"
    );
}

#[test]
fn null_counts_as_absent_and_blank_texts_are_no_shape_errors() {
    let response = parse(
        "[{\"type\": \"claim\", \"key\": \" \", \"value\": 1, \"claim\": null, \"follows_from\": null, \
           \"formula\": null, \"confidence\": null},
          {\"type\": \"cite\", \"document\": \"d\", \"quote\": \" \", \"key\": \"\", \"value\": 1, \"claim\": null},
          {\"type\": \"call_tool\", \"tool\": \"t\", \"args\": \" \\n\", \"key\": null, \"claim\": null},
          {\"type\": \"answer\", \"text\": \"\", \"follows_from\": null, \"confidence\": null}]",
    );
    assert_eq!(response.problems, []);
    assert_eq!(response.actions.len(), 4);
    let nulls = parse(
        "[{\"type\": \"answer\", \"text\": null}, {\"type\": \"cite\", \"document\": null, \"quote\": null, \"key\": null, \"value\": null}]",
    );
    assert_eq!(nulls.problems.len(), 4);
    assert!(
        nulls
            .problems
            .iter()
            .all(|problem| problem.code == Code::MissingField)
    );
}

#[test]
fn confidence_is_a_number_a_number_in_a_string_or_a_percentage() {
    let confidence = |written: &str| {
        let text = format!("{{\"type\": \"answer\", \"text\": \"t\", \"confidence\": {written}}}");
        match parse(&text).actions.first() {
            Some((_, Action::Answer(answer))) => answer.confidence,
            _ => None,
        }
    };
    for (written, read) in [
        ("0", 0.0_f64),
        ("1", 1.0),
        ("1.0", 1.0),
        ("-0.0", 0.0),
        ("1e-3", 0.001),
        ("\"0.5\"", 0.5),
        ("\" .5 \"", 0.5),
        ("\"90%\"", 0.9),
        ("\"12.5 %\"", 0.125),
        ("\"0%\"", 0.0),
        ("\"1\"", 1.0),
    ] {
        assert_eq!(
            confidence(written).map(f64::to_bits),
            Some(read.to_bits()),
            "{written}"
        );
    }
    for written in [
        "-0.1",
        "1.1",
        "1e999",
        "NaN",
        "true",
        "[]",
        "{}",
        "\"\"",
        "\" \"",
        "\"%\"",
        "\"101%\"",
        "\"nan\"",
        "\"inf\"",
        "\"-1%\"",
        "\"0,5\"",
        "\"0.5%%\"",
        "\"high\"",
        "\"1_0%\"",
        "\"0x1\"",
    ] {
        assert_eq!(confidence(written), None, "{written}");
    }
}

#[test]
fn arguments_in_a_string_are_read_to_the_letter() {
    let call = |args: &str| {
        parse(&format!(
            "{{\"type\": \"call_tool\", \"tool\": \"t\", \"args\": \"{args}\"}}"
        ))
    };
    let args = |response: &Response| {
        response
            .actions
            .first()
            .map(|(_, action)| action.to_value().get("args").unwrap().to_string())
    };
    for (written, read) in [
        ("{}", "{}"),
        (" {\\\"a\\\" : [1, null]} ", "{\"a\":[1,null]}"),
        ("{\\\"a\\\": \\\"\\\\u00e9\\\"}", "{\"a\":\"é\"}"),
        ("\\n", "{}"),
    ] {
        assert_eq!(args(&call(written)).as_deref(), Some(read), "{written}");
    }
    for (written, code) in [
        ("{\\\"a\\\": 1,}", Code::InvalidArgs),
        ("{\\\"a\\\": \\\"\\n\\\"}", Code::InvalidArgs),
        ("{'a': 1}", Code::InvalidArgs),
        ("{\\\"a\\\": NaN}", Code::InvalidArgs),
        ("{\\\"a\\\": 1} x", Code::InvalidArgs),
        ("[1]", Code::InvalidArgs),
        ("null", Code::InvalidArgs),
        ("{\\\"a\\\": ", Code::InvalidArgs),
        ("{\\\"a\\\": 1e999}", Code::UnsupportedValue),
        ("{\\\"a\\\": \\\"\\\\u0000\\\"}", Code::UnsupportedValue),
        ("{\\\"a\\\": 1}\\u0000", Code::UnsupportedValue),
    ] {
        assert_eq!(codes(&call(written)), [(Some(1), code)], "{written}");
    }
}

#[test]
fn the_error_speaks_of_the_response_and_says_where_it_broke() {
    for (text, line, column, told) in [
        ("{\"actions\": [", 1, 14, "ends at line 1, column 14"),
        (
            "\u{feff}{\n  \"é\": 1 2}",
            2,
            10,
            "breaks at line 2, column 10",
        ),
        (
            "Sure:\n{\"actions\": [\n  {\"type\": claim}]}",
            3,
            12,
            "breaks at line 3, column 12",
        ),
        (
            "{\"actions\": [{\"type\":\"answer\",\"text\":\"x}]}",
            1,
            43,
            "closing quote",
        ),
        ("[1] [2]", 1, 5, "the end of the response"),
        ("{'actions': [b'x']}", 1, 14, "a value"),
        ("no json here", 1, 1, "no JSON"),
    ] {
        let response = parse(text);
        let at = response.position.unwrap();
        assert_eq!((at.line, at.column), (line, column), "{text}");
        assert!(
            response.problems[0].message.contains(told),
            "{}",
            response.problems[0].message
        );
    }
    for (text, told) in [
        ("", "empty"),
        (" \n\u{feff}", "empty"),
        ("<think>x</think> ", "reasoning only"),
        ("<think>x", "reasoning only"),
    ] {
        let response = parse(text);
        assert_eq!(codes(&response), [(None, Code::ResponseNotJson)], "{text}");
        assert_eq!(response.position, None);
        assert!(
            response.problems[0].message.contains(told),
            "{}",
            response.problems[0].message
        );
    }
}

#[test]
fn what_the_model_wrote_is_quoted_short_and_on_one_line() {
    let long = "x\\n`".repeat(1000);
    let response = parse(&format!("{{\"type\": \"{long}\"}}"));
    let message = &response.problems[0].message;
    assert!(
        message.len() < 300 && message.lines().count() == 1,
        "{message}"
    );
}

#[test]
fn every_code_has_one_name_and_is_found_by_it() {
    let mut names: Vec<_> = Code::ALL.iter().map(|code| code.as_str()).collect();
    for code in Code::ALL {
        assert_eq!(Code::from_name(code.as_str()), Some(code));
    }
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), Code::ALL.len());
    assert_eq!(Code::from_name("no_such_code"), None);
}
