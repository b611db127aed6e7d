//! Citations: the reference cases and those from the field.

use entail_json::{Value, read_str};
use entail_kernel::text::{Document, folding::fold, states};
use libtest_mimic::{Failed, Trial};

const REFERENCE: &str = include_str!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../tests/vectors/citation.jsonl"
));
const FIELD: &str = include_str!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../tests/vectors/field_cases.jsonl"
));

/// The first line of the file holds the document; every other line is a case.
const REFERENCE_CASES: usize = 88;
const FIELD_CASES: usize = 45;

pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    let mut lines = REFERENCE.lines();
    let document = lines.next().unwrap_or_default();
    for line in lines {
        trials.push(Trial::test(format!("citation::{}", id(line)), move || {
            check_reference(&read_str(line)?, &read_str(document)?)
        }));
    }
    trials.push(count(
        "citation::no_case_is_left_out",
        trials.len(),
        REFERENCE_CASES,
    ));

    let field: Vec<&str> = FIELD
        .lines()
        .filter(|line| text(line, "area") == "citation")
        .collect();
    trials.push(count(
        "citation::no_case_from_the_field_is_left_out",
        field.len(),
        FIELD_CASES,
    ));
    trials.extend(field.into_iter().map(|line| {
        Trial::test(format!("citation::field::{}", id(line)), move || {
            check_field(&read_str(line)?)
        })
    }));
    trials
}

/// `quote` → `found` in the document, or `value`, `text` → `stated`.
fn check_reference(case: &Value, document: &Value) -> Result<(), Failed> {
    let Some(quote) = case.get("quote") else {
        let stated = states(member(case, "value")?, string(case, "text")?);
        return same(
            "stated",
            &Value::Bool(stated.is_ok()),
            member(case, "stated")?,
        );
    };
    let document = Document::new(string(document, "document")?)?;
    let quote = quote.as_str().ok_or("`quote` is no string")?;
    let found = document.find(quote);
    same(
        "found",
        &Value::Bool(found.is_some()),
        member(case, "found")?,
    )?;
    match found {
        Some(found) => covers(&document, quote, &found.span),
        None => Ok(()),
    }
}

/// A cite as a whole: the quote stands in the document and states the value.
fn check_field(case: &Value) -> Result<(), Failed> {
    let expected = member(case, "expected")?;
    let first = verdict(case, expected);
    let others = expected.get("alternatives").and_then(Value::as_array);
    match first {
        Err(_) if others.is_some_and(|all| all.iter().any(|one| verdict(case, one).is_ok())) => {
            Ok(())
        }
        verdict => verdict,
    }
}

fn verdict(case: &Value, expected: &Value) -> Result<(), Failed> {
    let input = member(case, "input")?;
    let document = Document::new(string(input, "document")?)?;
    let quote = string(input, "quote")?;
    let value = member(input, "value")?;
    let found = document.find(quote);
    let accepted = match &found {
        Some(found) => document.states(found, value).is_ok() && states(value, quote).is_ok(),
        None => false,
    };
    same(
        "accept",
        &Value::Bool(accepted),
        member(expected, "accept")?,
    )?;
    let Some(found) = found else {
        return Ok(());
    };
    covers(&document, quote, &found.span)?;
    match expected.get("span_text") {
        None => Ok(()),
        Some(span) => {
            let cited = document.text().get(found.span).unwrap_or_default();
            same("span_text", &Value::String(cited.to_owned()), span)
        }
    }
}

/// The span covers what the quote says, no more and no less.
fn covers(document: &Document, quote: &str, span: &std::ops::Range<usize>) -> Result<(), Failed> {
    let cited = document
        .text()
        .get(span.clone())
        .ok_or("the span cuts a character")?;
    same(
        "folded span",
        &Value::String(fold(cited)),
        &Value::String(fold(quote)),
    )?;
    let trimmed = cited.trim().len() == cited.len();
    same(
        "span without white space at its ends",
        &Value::Bool(trimmed),
        &Value::Bool(true),
    )
}

fn same(what: &str, actual: &Value, expected: &Value) -> Result<(), Failed> {
    if actual == expected {
        return Ok(());
    }
    Err(format!("{what}: {actual:?} where {expected:?} is right").into())
}

fn count(name: &str, actual: usize, expected: usize) -> Trial {
    Trial::test(name, move || {
        if actual == expected {
            return Ok(());
        }
        Err(format!("{actual} cases where there are {expected}").into())
    })
}

fn member<'v>(value: &'v Value, name: &str) -> Result<&'v Value, Failed> {
    value.get(name).ok_or_else(|| format!("no `{name}`").into())
}

fn string<'v>(value: &'v Value, name: &str) -> Result<&'v str, Failed> {
    let text = member(value, name)?.as_str();
    text.ok_or_else(|| format!("`{name}` is no string").into())
}

fn id(line: &str) -> String {
    text(line, "id")
}

/// A member of a line, for the name of a trial; a line that cannot be read has none.
fn text(line: &str, name: &str) -> String {
    let value = read_str(line).unwrap_or(Value::Null);
    value
        .get(name)
        .and_then(Value::as_str)
        .unwrap_or("unreadable")
        .to_owned()
}
