//! Texts made to cost much.

use entail_json::{Number, Value};
use entail_kernel::text::{Document, figures, states};

const LENGTH: usize = 1 << 13;

/// `unit` again and again, long enough for a quadratic path to be felt.
fn much(unit: &str) -> String {
    unit.repeat(LENGTH / unit.len())
}

#[test]
fn anything_repeated_is_read_to_its_end() {
    let number = Value::Number(Number::from(7_i64));
    let text = Value::String("7".to_owned());
    for unit in [
        "9",
        "1 ",
        "1,",
        "1.",
        ".1",
        "1-",
        "-1",
        "−",
        "-",
        "(",
        ")",
        "1)",
        "((1",
        "'",
        "\"",
        "1'",
        "1:",
        "1/",
        "1 to ",
        "4-5% ",
        "between 1 and ",
        "1e",
        "e1",
        "1 000 ",
        "1 300 ",
        "1\u{a0}300",
        "½",
        "1½",
        "¹",
        "1¹",
        "^1",
        "1^",
        "$",
        "$1",
        "US$",
        "\u{ad}",
        "1\u{ad}",
        "1\u{ad}\u{ad}\u{ad}-",
        "%",
        "1%",
        "k",
        "1k",
        "m",
        "June 1, ",
        "10:",
        "10:10:",
        "2025-01-01T10:10 ",
        "x",
        "× 10⁹",
        "1× 10",
        "\u{301}",
        "a\u{301}",
        "ﬀ",
        "İ",
        "\u{200b}",
        " ",
        "\n",
        "é",
        "한",
        "…",
        "1…",
        "1 thousand ",
        "𝟏",
        "７",
        "１　",
    ] {
        let quote = much(unit);
        let _ = states(&number, &quote);
        let _ = states(&text, &quote);
        let document = Document::new(quote.as_str()).unwrap();
        let found = document.find(&quote[..quote.len() / 2 / unit.len() * unit.len()]);
        if let Some(found) = found {
            assert!(document.text().get(found.span.clone()).is_some());
            let _ = document.states(&found, &number);
        }
    }
}

#[test]
fn a_long_number_is_one_figure() {
    let digits = much("7");
    assert_eq!(figures(&digits).count(), 1);
    let value = Value::Number(Number::from_integer_text(&digits).unwrap());
    assert!(states(&value, &digits).is_ok());
    assert!(states(&value, &format!("{digits}7")).is_err());
    assert!(states(&value, &format!("$4 and {digits}. ")).is_ok());
}

#[test]
fn a_quote_that_fits_nowhere_whole_costs_one_pass() {
    let document = Document::new(much("ﬀ")).unwrap();
    let quote = format!("f{}", "ﬀ".repeat(LENGTH / 10));
    assert_eq!(document.find(&quote), None);
}
