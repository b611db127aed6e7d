//! Formulas: messages, limits, and properties over generated texts.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use std::fmt::Write as _;

use entail_json::{Number, Value, read_str};
use entail_kernel::expression::{Formula, placeholders};
use entail_kernel::limits::{EXPRESSION_CHARACTERS, EXPRESSION_LEVELS};
use proptest::prelude::*;

fn evaluate(text: &str) -> Result<f64, String> {
    let values =
        read_str(r#"{"a": 7, "half": 0.5, "zero": 0, "t": true, "s": "4.3", "l": [1]}"#).unwrap();
    let huge = Value::Number(Number::from_integer_text(&"9".repeat(400)).unwrap());
    Formula::parse(text)
        .and_then(|formula| {
            formula.evaluate(|key| {
                if key == "huge" {
                    Some(&huge)
                } else {
                    values.get(key)
                }
            })
        })
        .map_err(|error| error.to_string())
}

#[test]
fn messages_name_the_place_the_fault_and_the_way_out() {
    for (text, message) in [
        (
            "",
            "at column 1: the expression is empty; write arithmetic such as `1 + 2`",
        ),
        (
            " \n ",
            "at line 2, column 2: the expression is empty; write arithmetic such as `1 + 2`",
        ),
        ("1 +", "at column 4: a value should stand here, not the end"),
        ("1 + * 2", "at column 5: a value should stand here, not `*`"),
        (
            "{a} {half}",
            "at column 5: an operator should stand before `{half}`",
        ),
        ("2 (3)", "at column 3: an operator should stand before `(`"),
        (
            "é",
            "at column 1: `é` is not known; write a belief's key in braces, as in `{é}`",
        ),
        (
            "2 ^ 3",
            "at column 3: `^` is not part of the language; write `**` for a power",
        ),
        (
            "1\n− 2",
            "at line 2, column 1: `−` is not part of the language; write the minus sign as `-`",
        ),
        (
            "1_000",
            "at column 1: `1_000` is not a decimal number; write it like `1000`, `1.5` or `1e3`",
        ),
        (
            "1e999",
            "at column 1: `1e999` is too large for a floating-point number",
        ),
        (
            "{a} * 1,5",
            "at column 8: a `,` only separates arguments and elements; write `1.5`, and `1000` without group marks",
        ),
        (
            "(1, 2)",
            "at column 3: a `,` only separates arguments and elements; write `1.5`, and `1000` without group marks",
        ),
        ("((1)", "at column 1: this `(` is never closed; add `)`"),
        ("max(1, 2", "at column 1: this `(` is never closed; add `)`"),
        (
            "1)",
            "at column 2: this `)` closes nothing; remove it or open it",
        ),
        (
            ")",
            "at column 1: this `)` closes nothing; remove it or open it",
        ),
        ("()", "at column 2: a value should stand here, not `)`"),
        ("max(1,)", "at column 7: a value should stand here, not `)`"),
        (
            "2 * max(1)",
            "at column 5: `max` takes at least two arguments, not 1",
        ),
        ("abs()", "at column 1: `abs` takes one argument, not 0"),
        (
            "round(1, 2, 3)",
            "at column 1: `round` takes one or two arguments, not 3",
        ),
        (
            "sqrt 4",
            "at column 1: `sqrt` is a function; write its arguments in parentheses, as in `sqrt(…)`",
        ),
        (
            "pow(2, 3)",
            "at column 1: `pow` is not a function; there are `abs`, `min`, `max`, `round`, `sqrt`, `log` and `exp`",
        ),
        (
            "1 + {a",
            "at column 5: this placeholder is never closed; add `}` after its key",
        ),
        (
            "{a b}",
            "at column 1: `{a b}` does not hold a key; keys have no white space, `@`, `{` or `}`",
        ),
        (
            "{a@1}",
            "at column 1: `{a@1}` does not hold a key; keys have no white space, `@`, `{` or `}`",
        ),
        (
            "{}",
            "at column 1: `{}` does not hold a key; keys have no white space, `@`, `{` or `}`",
        ),
        (
            "1 + {nobody}",
            "at column 5: `nobody` has no value; use a key that is believed",
        ),
        (
            "-{t}",
            "at column 2: `t` holds a boolean, not a number; use a key that holds a number",
        ),
        (
            "{s}",
            "at column 1: `s` holds a string, not a number; use a key that holds a number",
        ),
        (
            "{l}",
            "at column 1: `l` holds a list, not a number; use a key that holds a number",
        ),
        (
            "{huge}",
            "at column 1: the value of `huge` is too large for a floating-point number",
        ),
        (
            "1 / {zero}",
            "at column 3: division by zero; check the divisor",
        ),
        (
            "{a} % ({half} - 0.5)",
            "at column 5: division by zero; check the divisor",
        ),
        (
            "1e308 * 10",
            "at column 7: the result is too large for a floating-point number",
        ),
        ("2 ** 65", "at column 3: an exponent lies within ±64"),
        (
            "(-8) ** (1 / 3)",
            "at column 6: a fractional power of a negative number is not real",
        ),
        (
            "1 + sqrt(-1)",
            "at column 5: `sqrt` takes a number that is not negative",
        ),
        ("log({zero})", "at column 1: `log` takes positive numbers"),
        (
            "round(1.5, {half})",
            "at column 1: `round` takes a whole number of digits, as in `round({key}, 2)`",
        ),
    ] {
        assert_eq!(evaluate(text), Err(message.to_owned()), "{text:?}");
    }
}

#[test]
fn operators_bind_as_in_arithmetic() {
    for (text, value) in [
        ("1 + 2 * 3", 7.0),
        ("10 - 4 - 3", 3.0),
        ("100 / 5 / 2", 10.0),
        ("7 // 2 * 2 + 7 % 2", 7.0),
        ("2 ** 3 ** 2", 512.0),
        ("-2 ** 2", -4.0),
        ("(-2) ** 2", 4.0),
        ("2 ** -1 * 4", 2.0),
        ("2 ** -2 ** 2", 0.0625),
        ("2 ** -+-1 - 1", 1.0),
        ("-3 * -{a}", 21.0),
        ("- abs ( -3 ) ** 2", -9.0),
        ("max(1, 2 + 3, -4) - min(5, 2 * 3)", 0.0),
        ("1\n\t+\u{a0}1", 2.0),
    ] {
        assert_eq!(evaluate(text), Ok(value), "{text}");
    }
}

#[test]
fn a_flat_chain_of_the_longest_length_is_not_nesting() {
    for (link, last, value) in [
        ("1+", "1", 1000.0),
        ("1**", "1", 1.0),
        ("1+-", "1", -665.0),
        ("0*(1)+", "1", 1.0),
        ("abs(0)+", "1", 1.0),
    ] {
        let links = (EXPRESSION_CHARACTERS - last.len()) / link.len();
        assert_eq!(evaluate(&(link.repeat(links) + last)), Ok(value), "{link}");
    }
    let arguments = format!("max({}2)", "1,".repeat(900));
    assert_eq!(evaluate(&arguments), Ok(2.0));
}

#[test]
fn levels_are_counted_up_to_the_limit_and_no_further() {
    for (open, close) in [
        ("(", ")"),
        ("-", ""),
        ("+", ""),
        ("abs(", ")"),
        ("max(0,", ")"),
        ("2**-", ""),
    ] {
        let nested = |levels: usize| open.repeat(levels) + "1" + &close.repeat(levels);
        assert!(Formula::parse(&nested(EXPRESSION_LEVELS)).is_ok(), "{open}");
        let error = Formula::parse(&nested(EXPRESSION_LEVELS + 1))
            .unwrap_err()
            .to_string();
        assert!(
            error.ends_with("at most 100 levels of nesting; split it up"),
            "{error}"
        );
    }
    let side_by_side = "(((1)))+".repeat(200) + "1";
    assert!(Formula::parse(&side_by_side).is_ok());
}

#[test]
fn a_formula_one_character_too_long_is_refused_at_that_character() {
    let longest = "1".to_owned() + &" ".repeat(EXPRESSION_CHARACTERS - 1);
    assert!(Formula::parse(&longest).is_ok());
    let error = Formula::parse(&(longest + " ")).unwrap_err();
    assert_eq!(error.offset, EXPRESSION_CHARACTERS);
    assert_eq!(
        error.to_string(),
        "at column 2001: an expression has at most 2000 characters; split it up"
    );
}

#[test]
fn placeholders_of_a_text_are_known_even_if_it_is_no_formula() {
    for (text, keys) in [
        ("", &[][..]),
        ("{b}{a}{b}", &["b", "a"]),
        ("{{a}}", &["a"]),
        ("{a {b} c}", &["b"]),
        ("{a", &[]),
        ("a}", &[]),
        ("{} { } {a b} {a@2} {é:1}", &["é:1"]),
    ] {
        assert_eq!(placeholders(text), keys, "{text}");
    }
}

/// An expression tree for the naive evaluator.
#[derive(Clone, Debug)]
enum Tree {
    Number(u16),
    Key(u8),
    Sign(bool, Box<Tree>),
    Binary(&'static str, Box<Tree>, Box<Tree>),
    Call(&'static str, Vec<Tree>),
}

const KEYS: [(&str, f64); 4] = [("a", 7.0), ("b", -3.0), ("half", 0.5), ("q2", 4.3e9)];

/// Numbers in tenths, so that many quotients are not exact.
fn tenths(number: u16) -> f64 {
    f64::from(number) / 10.0
}

fn tree() -> impl Strategy<Value = Tree> {
    let leaf = prop_oneof![
        (0..400_u16).prop_map(Tree::Number),
        (0..4_u8).prop_map(Tree::Key)
    ];
    leaf.prop_recursive(5, 24, 3, |inner| {
        let operator = proptest::sample::select(&["+", "-", "*", "/", "//", "%", "**"]);
        let one = proptest::sample::select(&["abs", "sqrt", "log", "exp", "round"]);
        let two = proptest::sample::select(&["log", "round", "min", "max"]);
        prop_oneof![
            4 => (operator, inner.clone(), inner.clone())
                .prop_map(|(o, a, b)| Tree::Binary(o, Box::new(a), Box::new(b))),
            1 => (any::<bool>(), inner.clone()).prop_map(|(m, a)| Tree::Sign(m, Box::new(a))),
            1 => (one, inner.clone()).prop_map(|(name, a)| Tree::Call(name, vec![a])),
            1 => (two, inner.clone(), inner)
                .prop_map(|(name, a, b)| Tree::Call(name, vec![a, b])),
        ]
    })
}

/// How tightly the outermost operator of a tree binds.
fn strength(tree: &Tree) -> u8 {
    match tree {
        Tree::Binary("+" | "-", ..) => 1,
        Tree::Binary("**", ..) => 4,
        Tree::Binary(..) => 2,
        Tree::Sign(..) => 3,
        _ => 5,
    }
}

/// Writes a tree with as few parentheses as its meaning allows.
fn write(tree: &Tree, least: u8, space: &str, out: &mut String) {
    let parenthesised = strength(tree) < least;
    out.push_str(if parenthesised { "(" } else { "" });
    match tree {
        Tree::Number(number) => write!(out, "{}", tenths(*number)).unwrap(),
        Tree::Key(key) => write!(out, "{{{}}}", KEYS[usize::from(*key)].0).unwrap(),
        Tree::Sign(minus, inner) => {
            out.push(if *minus { '-' } else { '+' });
            write(inner, 3, space, out);
        }
        Tree::Binary(operator, left, right) => {
            let own = strength(tree);
            // The exponent may be a sign, which looks weaker but cannot be misread there.
            let (left_least, right_least) = if own == 4 { (5, 3) } else { (own, own + 1) };
            write(left, left_least, space, out);
            write!(out, "{space}{operator}{space}").unwrap();
            write(right, right_least, space, out);
        }
        Tree::Call(name, arguments) => {
            write!(out, "{name}{space}(").unwrap();
            for (index, argument) in arguments.iter().enumerate() {
                out.push_str(if index > 0 { "," } else { "" });
                write(argument, 0, space, out);
            }
            out.push(')');
        }
    }
    out.push_str(if parenthesised { ")" } else { "" });
}

/// What the naive evaluator finds: a value, a fault, or that it cannot tell.
enum Naive {
    Value(f64),
    Fault,
    Unsure,
}

/// The floored quotient from its definition, by a fused multiplication that shows on which side
/// of a whole number the exact quotient lies.
fn floored(a: f64, b: f64) -> Option<f64> {
    let near = (a / b).floor();
    let over = near.mul_add(b, -a) * b.signum();
    let whole = if over > 0.0 { near - 1.0 } else { near };
    (near.abs() < 2_f64.powi(50)).then_some(whole)
}

fn naive(tree: &Tree) -> Naive {
    let mut values = Vec::new();
    let parts: Vec<&Tree> = match tree {
        Tree::Number(_) | Tree::Key(_) => vec![],
        Tree::Sign(_, inner) => vec![inner],
        Tree::Binary(_, left, right) => vec![left, right],
        Tree::Call(_, arguments) => arguments.iter().collect(),
    };
    for part in parts {
        match naive(part) {
            Naive::Value(value) => values.push(value),
            other => return other,
        }
    }
    let (a, b) = (
        values.first().copied().unwrap_or(0.0),
        values.get(1).copied(),
    );
    let value = match (tree, b) {
        (Tree::Number(number), _) => tenths(*number),
        (Tree::Key(key), _) => KEYS[usize::from(*key)].1,
        (Tree::Sign(minus, _), _) => {
            if *minus {
                -a
            } else {
                a
            }
        }
        (Tree::Binary("+", ..), Some(b)) => a + b,
        (Tree::Binary("-", ..), Some(b)) => a - b,
        (Tree::Binary("*", ..), Some(b)) => a * b,
        (Tree::Binary("/" | "//" | "%", ..), Some(0.0)) => return Naive::Fault,
        (Tree::Binary("/", ..), Some(b)) => a / b,
        (Tree::Binary("//", ..), Some(b)) => match floored(a, b) {
            Some(whole) => whole,
            None => return Naive::Unsure,
        },
        (Tree::Binary("%", ..), Some(b)) => match floored(a, b) {
            Some(whole) => whole.mul_add(-b, a),
            None => return Naive::Unsure,
        },
        (Tree::Binary("**", ..), Some(b)) if !(-64.0..=64.0).contains(&b) => return Naive::Fault,
        (Tree::Binary("**", ..), Some(b)) => a.powf(b),
        (Tree::Call("abs", _), None) => a.max(-a),
        (Tree::Call("sqrt", _), None) => a.sqrt(),
        (Tree::Call("log", _), None) => a.ln(),
        (Tree::Call("log", _), Some(b)) if b <= 0.0 => return Naive::Fault,
        (Tree::Call("log", _), Some(b)) => a.ln() / b.ln(),
        (Tree::Call("exp", _), None) => a.exp(),
        (Tree::Call("round", _), None) => format!("{a:.0}").parse().unwrap(),
        (Tree::Call("round", _), Some(digits)) if digits.trunc() != digits => return Naive::Fault,
        (Tree::Call("round", _), Some(digits)) if digits > 400.0 => a,
        (Tree::Call("round", _), Some(digits)) if digits >= 0.0 => {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "within 0 to 400"
            )]
            let places = digits as usize;
            format!("{a:.places$}").parse().unwrap()
        }
        (Tree::Call("round", _), Some(_)) => return Naive::Unsure,
        (Tree::Call("min", _), Some(b)) => a.min(b),
        (Tree::Call("max", _), Some(b)) => a.max(b),
        other => panic!("{other:?}"),
    };
    if value.is_finite() {
        Naive::Value(value)
    } else {
        Naive::Fault
    }
}

/// Text from the pieces that formulas are made of, in any order.
fn nearly_a_formula() -> impl Strategy<Value = String> {
    let piece = proptest::sample::select(&[
        "1", "2.5", ".5", "1e3", "1e400", "{a}", "{half}", "{nobody}", "{", "}", "+", "-", "*",
        "/", "//", "%", "**", "(", ")", ",", "abs(", "min(", "round(", "log(", "name", " ", "\n",
        "é", "²", "\u{0}", "__",
    ]);
    proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn a_formula_has_the_value_that_a_naive_evaluator_finds(tree in tree(), space in " {0,2}|\n") {
        let mut text = String::new();
        write(&tree, 0, &space, &mut text);
        let values: Vec<Value> =
            KEYS.iter().map(|(_, value)| Value::from(Number::from_f64(*value))).collect();
        let formula = Formula::parse(&text).unwrap();
        let found = formula.evaluate(|key| {
            KEYS.iter().position(|(name, _)| *name == key).and_then(|index| values.get(index))
        });
        prop_assert_eq!(formula.placeholders(), placeholders(&text));
        match naive(&tree) {
            Naive::Value(value) => prop_assert_eq!(found, Ok(value), "{}", text),
            Naive::Fault => prop_assert!(found.is_err(), "{} is {:?}", text, found),
            Naive::Unsure => {}
        }
    }

    #[test]
    fn any_text_is_read_in_at_most_one_step_a_character(text in prop_oneof![nearly_a_formula(), any::<String>()]) {
        let values = read_str(r#"{"a": 7, "half": 0.5}"#).unwrap();
        match Formula::parse(&text) {
            Ok(formula) => {
                prop_assert!(formula.steps() <= text.chars().count());
                prop_assert_eq!(formula.placeholders(), placeholders(&text));
                match formula.evaluate(|key| values.get(key)) {
                    Ok(value) => prop_assert!(value.is_finite()),
                    Err(error) => prop_assert!(text.get(error.offset..).is_some()),
                }
            }
            Err(error) => {
                prop_assert!(text.get(error.offset..).is_some());
                prop_assert!(!error.to_string().contains('\n'));
            }
        }
    }
}
