//! Rules: what they mean, their messages and limits, and properties over generated texts.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use entail_json::{Value, read_str, to_canonical};
use entail_kernel::expression::RuleExpression;
use entail_kernel::limits::{EXPRESSION_CHARACTERS, EXPRESSION_LEVELS};
use proptest::prelude::*;

const INPUTS: &str = r#"{
    "n": 7, "half": 0.5, "big": 9007199254740993, "most": 9007199254740992,
    "t": true, "s": "naïve text", "none": null,
    "list": [1, 2.5, "x", [3]], "deep": {"a": {"b": [10, {"c": "end"}]}, "k v": 1},
    "holds_big": [{"x": -9007199254740993}]
}"#;

/// The canonical text of the value, or the message.
fn evaluate(text: &str) -> Result<String, String> {
    let inputs = read_str(INPUTS).unwrap();
    let names: Vec<&str> = inputs
        .as_object()
        .unwrap()
        .iter()
        .map(|(name, _)| name)
        .collect();
    RuleExpression::parse(text, &names)
        .and_then(|rule| rule.evaluate(|name| inputs.get(name)))
        .map(|value| to_canonical(&value))
        .map_err(|error| error.to_string())
}

#[test]
fn expressions_have_the_value_that_the_language_gives_them() {
    for (text, value) in [
        ("(n - 3) / 8 * 100.0", "50.0"),
        ("7 / 2", "3.5"),
        ("-7 % 3", "2.0"),
        ("2 - 3 - 4", "-5.0"),
        ("t ? 1 : size(holds_big)", "1.0"),
        ("n", "7.0"),
        ("most", "9007199254740992.0"),
        ("1 < 2 && 2 <= 2 && 3 > 2 && 3 >= 3 && 1 != 2", "true"),
        ("\"a\" < \"b\" && false < true", "true"),
        ("n == 7.0 && n == 7", "true"),
        ("1 == \"1\" || null == false || [] == {}", "false"),
        (
            "[1, [2, 3]] == [1.0, [2.0, 3]] && {\"a\": 1} == {\"a\": 1.0}",
            "true",
        ),
        ("{\"a\": 1} == {\"b\": 1} || [1] == [1, 2]", "false"),
        ("!t || !!t", "true"),
        ("true || 1 / 0 > 0", "true"),
        ("false && none.x", "false"),
        ("true || true && false", "true"),
        ("(true || true) && false", "false"),
        ("n > 5 ? \"high\" : \"low\"", "\"high\""),
        ("n > 9 ? 1 : n > 6 ? 2 : 3", "2.0"),
        ("n > 5 ? (n > 6 ? 1 : 2) : 1 / 0", "1.0"),
        ("n == 7 ? 1 : 2 + 10", "1.0"),
        ("false || n == 7 ? 1 : 2", "1.0"),
        (
            "\"x\" in list && 2.5 in list && !(4 in list) && [3] in list",
            "true",
        ),
        ("\"a\" in deep && !(\"b\" in deep) && !(1 in deep)", "true"),
        ("list[0] + list[1]", "3.5"),
        ("list[3][0]", "3.0"),
        ("deep.a.b[1].c", "\"end\""),
        ("deep[\"a\"][\"b\"][n - 7]", "10.0"),
        ("deep [ 'k v' ]", "1.0"),
        ("[[1, 2], [3]][0][1]", "2.0"),
        ("{\"a\": {\"b\": 5}}.a.b", "5.0"),
        ("-list[0]", "-1.0"),
        (
            "size(s) + s.size() + size(list) + size(deep) + size([]) + size({})",
            "26.0",
        ),
        (
            "s.contains(\"ïv\") && s.startsWith(\"na\") && s.endsWith(\"text\")",
            "true",
        ),
        ("s.contains(\"\") && !s.startsWith(\"text\")", "true"),
        ("\"a\" + 'b' + \"\"\"c\"\"\" + r\"\\d\"", "\"abc\\\\d\""),
        ("[1] + [] + [[2]]", "[1.0,[2.0]]"),
        ("[1, 2,]", "[1.0,2.0]"),
        (
            "{\"k\": n, \"l\": [s,],}",
            "{\"k\":7.0,\"l\":[\"naïve text\"]}",
        ),
        (
            "min(3, n, 2) + max(1, 2) + abs(-1) + sqrt(4) + round(2.5) + log(8, 2) + exp(0)",
            "13.0",
        ),
        ("null", "null"),
        ("list", "[1,2.5,\"x\",[3]]"),
        ("// why\n n // seven\n + 1 // and one", "8.0"),
    ] {
        assert_eq!(evaluate(text).as_deref(), Ok(value), "{text}");
    }
}

#[test]
fn messages_name_the_place_the_fault_and_the_way_out() {
    for (text, message) in [
        (
            "",
            "at column 1: the expression is empty; write arithmetic such as `1 + 2`",
        ),
        ("n / 0", "at column 3: division by zero; check the divisor"),
        ("n +", "at column 4: a value should stand here, not the end"),
        ("n n", "at column 3: an operator should stand before `n`"),
        (
            "m + 1",
            "at column 1: `m` is not an input; declare it as one or correct the name",
        ),
        (
            "pow(n, 2)",
            "at column 1: `pow` is not a function; there are `size`, `abs`, `min`, `max`, `round`, `sqrt`, `log` and `exp`",
        ),
        (
            "list.map(x, x)",
            "at column 6: there is no method `map`; there are `contains`, `startsWith`, `endsWith` and `size`",
        ),
        (
            "has(deep.a)",
            "at column 1: `has` is not a function; there are `size`, `abs`, `min`, `max`, `round`, `sqrt`, `log` and `exp`",
        ),
        (
            "s.contains()",
            "at column 3: `contains` takes one argument, not 0",
        ),
        ("s.size(1)", "at column 3: `size` takes one value, not 2"),
        ("size()", "at column 1: `size` takes one value, not 0"),
        (
            "max(1)",
            "at column 1: `max` takes at least two arguments, not 1",
        ),
        ("max(1,)", "at column 7: a value should stand here, not `)`"),
        (
            "n = 1",
            "at column 3: `=` is not part of the language; write `==` to compare",
        ),
        (
            "n & t",
            "at column 3: `&` is not part of the language; write `&&` for and",
        ),
        (
            "big",
            "at column 1: `big` holds an integer past 2^53, which a rule cannot compute with exactly",
        ),
        ("-n + +n", "at column 6: a value should stand here, not `+`"),
        (
            "size(holds_big)",
            "at column 6: `holds_big` holds an integer past 2^53, which a rule cannot compute with exactly",
        ),
        (
            "9007199254740993",
            "at column 1: `9007199254740993` holds an integer past 2^53, which a rule cannot compute with exactly",
        ),
        (
            "0x10",
            "at column 1: `0x10` is not a decimal number; write it like `1000`, `1.5` or `1e3`",
        ),
        (
            "5.",
            "at column 1: `5.` is not a decimal number; write it like `1000`, `1.5` or `1e3`",
        ),
        ("n + s", "at column 3: `+` takes two numbers, not a string"),
        ("s + n", "at column 3: `+` takes two strings, not a number"),
        ("list - n", "at column 6: `-` takes two numbers, not a list"),
        (
            "none + none",
            "at column 6: `+` takes two numbers, two strings or two lists, not null",
        ),
        ("-s", "at column 1: `-` takes a number, not a string"),
        ("!n", "at column 1: `!` takes a boolean, not a number"),
        ("n && t", "at column 3: `&&` takes booleans, not a number"),
        ("t && n", "at column 3: `&&` takes booleans, not a number"),
        ("!t || s", "at column 4: `||` takes booleans, not a string"),
        (
            "n ? 1 : 2",
            "at column 3: `?` takes a boolean on its left, not a number",
        ),
        (
            "n < s",
            "at column 3: `<` takes two numbers, two strings or two booleans, not a string",
        ),
        (
            "list >= list",
            "at column 6: `>=` takes two numbers, two strings or two booleans, not a list",
        ),
        (
            "n in s",
            "at column 3: `in` takes a list or an object on its right, not a string",
        ),
        ("list[4]", "at column 5: a list of 4 has no element 4"),
        ("list[-1]", "at column 5: a list of 4 has no element -1"),
        ("list[half]", "at column 5: a list of 4 has no element 0.5"),
        (
            "list[s]",
            "at column 5: `[]` takes a number for a list, not a string",
        ),
        (
            "deep[1]",
            "at column 5: `[]` takes a string for an object, not a number",
        ),
        (
            "s[0]",
            "at column 2: `[]` takes a list or an object, not a string",
        ),
        (
            "deep.x",
            "at column 6: the object has no member `x`; check for it with `in`",
        ),
        ("list.x", "at column 6: `.` takes an object, not a list"),
        (
            "n.contains(s)",
            "at column 3: `contains` takes two strings, not a number",
        ),
        (
            "size(n)",
            "at column 1: `size` takes a string, a list or an object, not a number",
        ),
        ("sqrt(s)", "at column 1: `sqrt` takes numbers, not a string"),
        (
            "{1: 2}",
            "at column 1: `{}` takes strings as the names of members, not a number",
        ),
        (
            "{\"a\": 1, \"a\": 2}",
            "at column 1: the member `a` is given twice; remove one",
        ),
        ("{\"a\"}", "at column 5: a member is written `name: value`"),
        (
            "{\"a\", 1}",
            "at column 5: a member is written `name: value`",
        ),
        (
            "{\"a\": }",
            "at column 7: a value should stand here, not `}`",
        ),
        (
            "t ? 1",
            "at column 3: this `?` has no `:`; write `condition ? one : other`, a choice within it in parentheses",
        ),
        (
            "t ? t ? 1 : 2 : 3",
            "at column 3: this `?` has no `:`; write `condition ? one : other`, a choice within it in parentheses",
        ),
        (
            "(t ? 1)",
            "at column 4: this `?` has no `:`; write `condition ? one : other`, a choice within it in parentheses",
        ),
        (
            "1 : 2",
            "at column 3: this `:` belongs to no `?` and no member; remove it",
        ),
        ("(n", "at column 1: this `(` is never closed; add `)`"),
        (
            "list[n",
            "at column 5: this bracket is never closed; add `]`",
        ),
        (
            "{\"a\": n",
            "at column 1: this bracket is never closed; add `}`",
        ),
        (
            "n)",
            "at column 2: this `)` closes nothing; remove it or open it",
        ),
        (
            "[n)",
            "at column 3: this `)` closes nothing; remove it or open it",
        ),
        (
            "n, n",
            "at column 2: a `,` only separates arguments and elements; write `1.5`, and `1000` without group marks",
        ),
        (
            "\"abc",
            "at column 1: this string is never closed; add its quote",
        ),
        (
            "\"a\\qb\"",
            "at column 3: this is no escape sequence; write `\\\\` for a backslash",
        ),
        (
            "b\"x\"",
            "at column 1: `b` is not an input; declare it as one or correct the name",
        ),
        ("s.1", "at column 2: an operator should stand before `.1`"),
        ("s.", "at column 3: a value should stand here, not the end"),
    ] {
        assert_eq!(evaluate(text), Err(message.to_owned()), "{text}");
    }
}

#[test]
fn inputs_have_names_that_are_names_and_differ() {
    for name in ["", "1a", "a b", "in", "true", "a-b", "é", "a.b"] {
        assert!(RuleExpression::parse("1", &[name]).is_err(), "{name}");
    }
    assert!(RuleExpression::parse("1", &["_a1", "A", "sizes"]).is_ok());
    let error = RuleExpression::parse("1", &["a", "b", "a"]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "at column 1: the input `a` is declared twice; remove one"
    );
}

#[test]
fn an_input_without_a_value_is_a_fault_only_if_the_evaluation_reaches_it() {
    let rule = RuleExpression::parse("true || missing", &["missing"]).unwrap();
    assert_eq!(rule.holds(|_| None), Ok(true));
    let rule = RuleExpression::parse("missing", &["missing"]).unwrap();
    let error = rule.evaluate(|_| None).unwrap_err().to_string();
    assert_eq!(
        error,
        "at column 1: `missing` has no value; use a key that is believed"
    );
}

#[test]
fn a_constraint_is_true_or_false() {
    let zero = Value::from(0_i64);
    let rule = |text| RuleExpression::parse(text, &["x"]).unwrap();
    assert_eq!(rule("x == 0").holds(|_| Some(&zero)), Ok(true));
    assert_eq!(rule("x > 0").holds(|_| Some(&zero)), Ok(false));
    let error = rule("x").holds(|_| Some(&zero)).unwrap_err().to_string();
    assert_eq!(
        error,
        "at column 1: a constraint is true or false, not a number"
    );
}

#[test]
fn levels_are_counted_up_to_the_limit_and_no_further() {
    for (open, close) in [
        ("(", ")"),
        ("-", ""),
        ("[", "]"),
        ("abs(", ")"),
        ("[1][", "]"),
        ("{\"a\":", "}"),
        ("-(", ")"),
    ] {
        let each = if open == "-(" { 2 } else { 1 };
        let nested =
            |levels: usize| open.repeat(levels / each) + "0" + &close.repeat(levels / each);
        assert!(
            RuleExpression::parse::<&str>(&nested(EXPRESSION_LEVELS), &[]).is_ok(),
            "{open}"
        );
        let error = RuleExpression::parse::<&str>(&nested(EXPRESSION_LEVELS + each), &[]);
        assert!(
            error
                .unwrap_err()
                .to_string()
                .contains("at most 100 levels"),
            "{open}"
        );
    }
}

#[test]
fn a_flat_chain_of_the_longest_length_is_not_nesting() {
    for (link, last, value) in [
        ("1+", "1", "1000.0"),
        ("true&&", "true", "true"),
        ("1==1 ? 0 : ", "1", "0.0"),
        ("1==2 ? 0 : ", "1", "1.0"),
        ("(1)-", "1", "-498.0"),
    ] {
        let links = (EXPRESSION_CHARACTERS - last.len()) / link.len();
        assert_eq!(
            evaluate(&(link.repeat(links) + last)).as_deref(),
            Ok(value),
            "{link}"
        );
    }
}

#[test]
fn an_evaluation_that_copies_or_compares_too_much_stops_at_the_limit() {
    let large = Value::Array(vec![Value::from(1_i64); 10_000]);
    let text = Value::from("x".repeat(1 << 20));
    for expression in [
        format!("[{}]", ["l"; 900].join(",")),
        format!("size({}) > 0", ["l"; 900].join("+")),
        ["l == l"; 240].join("&&"),
        ["9 in l"; 240].join("||"),
        ["t"; 900].join("+"),
        ["t.contains('y')"; 110].join("||"),
    ] {
        let rule = RuleExpression::parse(&expression, &["l", "t"]).unwrap();
        let outcome = rule.evaluate(|name| Some(if name == "l" { &large } else { &text }));
        let message = outcome.unwrap_err().to_string();
        assert!(message.contains("more than 1000000 steps"), "{message}");
    }
}

/// Text from the pieces that rules are made of, in any order.
fn nearly_a_rule() -> impl Strategy<Value = String> {
    let piece = proptest::sample::select(&[
        "1",
        "2.5",
        "n",
        "s",
        "t",
        "list",
        "deep",
        "none",
        "big",
        "true",
        "null",
        "+",
        "-",
        "*",
        "/",
        "%",
        "==",
        "<",
        ">=",
        "!=",
        "&&",
        "||",
        "!",
        "?",
        ":",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        ",",
        ".",
        " in ",
        "\"a\"",
        "'",
        "\"",
        "r\"",
        "\\",
        ".a",
        ".size()",
        ".contains(",
        "size(",
        "max(",
        " ",
        "\n",
        "//",
        "é",
        "\u{0}",
    ]);
    proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

/// Rules that can be read, so that evaluations get further.
fn a_rule() -> impl Strategy<Value = String> {
    let leaf = proptest::sample::select(&[
        "1", "0", "2.5", "n", "half", "s", "t", "list", "deep", "none", "true", "\"a\"", "[]", "{}",
    ])
    .prop_map(str::to_owned);
    leaf.prop_recursive(5, 32, 3, |inner| {
        let operator = proptest::sample::select(&[
            "+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", ">=", " in ", "&&", "||",
        ]);
        let method = proptest::sample::select(&["contains", "startsWith", "endsWith"]);
        prop_oneof![
            4 => (inner.clone(), operator, inner.clone()).prop_map(|(a, o, b)| format!("({a}{o}{b})")),
            1 => (inner.clone(), inner.clone(), inner.clone())
                .prop_map(|(a, b, c)| format!("({a} ? {b} : {c})")),
            1 => (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("{a}[{b}]")),
            1 => (inner.clone(), method, inner.clone()).prop_map(|(a, m, b)| format!("{a}.{m}({b})")),
            1 => inner.clone().prop_map(|a| format!("size({a})")),
            1 => (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("[{a}, {b}]")),
            1 => inner.prop_map(|a| format!("{{\"a\": {a}}}.a")),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_read_and_evaluated_to_a_value_or_a_placed_message(
        text in prop_oneof![nearly_a_rule(), a_rule(), any::<String>()]
    ) {
        let inputs = read_str(INPUTS).unwrap();
        let names: Vec<&str> = inputs.as_object().unwrap().iter().map(|(name, _)| name).collect();
        let outcome = RuleExpression::parse(&text, &names)
            .and_then(|rule| rule.evaluate(|name| inputs.get(name)));
        if let Err(error) = outcome {
            prop_assert!(text.get(error.offset..).is_some());
            prop_assert!(!error.to_string().contains('\n'));
        }
    }

    #[test]
    fn parentheses_white_space_and_comments_change_no_value(text in a_rule()) {
        let wrapped = format!("// a rule\n ( {text} )\n");
        let (plain, wrapped) = (evaluate(&text), evaluate(&wrapped));
        prop_assert_eq!(plain.as_ref().ok(), wrapped.as_ref().ok());
    }
}
