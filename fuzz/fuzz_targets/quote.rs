//! Documents, quotes, figures and verdicts on any text. The input is a document, a quote and a
//! value as JSON, one unit separator (U+001F) between each two.

#![no_main]

use entail_json::{Value, read_str, sha256};
use entail_kernel::text::folding::{Folded, fold};
use entail_kernel::text::{Document, figures, states};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| quote(bytes));

fn quote(bytes: &[u8]) {
    let input = String::from_utf8_lossy(bytes);
    let mut parts = input.splitn(3, '\u{1f}');
    let document = parts.next().unwrap_or_default();
    let quote = parts.next().unwrap_or(document);
    let json = parts.next().unwrap_or("4300000000");
    let value = read_str(json).unwrap_or_else(|_| Value::String(json.to_owned()));

    check_folding(document);
    check_figures(document);
    let indexed = Document::new(document).expect("the fuzzer's texts are short");
    for quote in [document, quote] {
        check_quote(&indexed, quote, &value);
    }
}

fn check_folding(text: &str) {
    let folded = Folded::new(text).expect("the fuzzer's texts are short");
    let once = fold(text);
    assert_eq!(folded.as_str().trim_matches(' '), once);
    assert_eq!(fold(&once), once);
    assert!(folded.runs() <= text.len());
}

fn check_figures(text: &str) {
    let mut end = 0;
    for figure in figures(text) {
        assert!(figure.digits.start >= end && figure.digits.start < figure.digits.end);
        assert!(figure.span.start <= figure.digits.start && figure.span.end >= figure.digits.end);
        assert!(text.get(figure.digits.clone()).is_some());
        assert!(text.get(figure.span.clone()).is_some());
        assert!(figure.describe(text).chars().count() < 100);
        end = figure.digits.end;
    }
}

fn check_quote(document: &Document, quote: &str, value: &Value) {
    if let Err(refusal) = states(value, quote) {
        assert!(refusal.to_string().chars().count() < 600);
    }
    let found = document.find(quote);
    if quote == document.text() {
        assert_eq!(found.is_none(), fold(quote).is_empty());
    }
    let Some(found) = found else {
        return;
    };
    let cited = document
        .text()
        .get(found.span.clone())
        .expect("a span is on character boundaries");
    assert_eq!(fold(cited), fold(quote));
    assert_eq!(found.sha256, sha256(cited.as_bytes()));
    assert!(found.occurrences > 0);
    if document.states(&found, value).is_ok() {
        assert!(states(value, cited).is_ok());
    }
}
