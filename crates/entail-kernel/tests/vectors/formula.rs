//! Formulas: the reference cases and those from the field.

use entail_json::{Value, read_str};
use entail_kernel::expression::{Formula, placeholders};
use libtest_mimic::{Failed, Trial};

const REFERENCE: &str = include_str!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../tests/vectors/formula.jsonl"
));
const FIELD: &str = include_str!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../tests/vectors/field_cases.jsonl"
));

/// The first line of the file holds the values; every other line is a case.
const REFERENCE_CASES: usize = 205;
const FIELD_CASES: usize = 24;

/// How far a value may be from the expected one, as a share of it.
const RELATIVE: f64 = 1e-12;

pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    let mut lines = REFERENCE.lines();
    let values = lines.next().unwrap_or_default();
    for line in lines {
        trials.push(Trial::test(format!("formula::{}", id(line)), move || {
            check_reference(&read_str(line)?, &read_str(values)?)
        }));
    }
    trials.push(count(
        "formula::no_case_is_left_out",
        trials.len(),
        REFERENCE_CASES,
    ));

    let field: Vec<&str> = FIELD
        .lines()
        .filter(|line| text(line, "area") == "formula")
        .collect();
    trials.push(count(
        "formula::no_case_from_the_field_is_left_out",
        field.len(),
        FIELD_CASES,
    ));
    trials.extend(field.into_iter().map(|line| {
        Trial::test(format!("formula::field::{}", id(line)), move || {
            check_field(&read_str(line)?)
        })
    }));
    trials
}

fn check_reference(case: &Value, values: &Value) -> Result<(), Failed> {
    let formula = case
        .get("formula")
        .and_then(Value::as_str)
        .ok_or("no `formula`")?;
    let keys: Vec<&str> = case
        .get("keys")
        .and_then(Value::as_array)
        .ok_or("no `keys`")?
        .iter()
        .filter_map(Value::as_str)
        .collect();
    if placeholders(formula) != keys {
        return Err(format!("placeholders {:?}, not {keys:?}", placeholders(formula)).into());
    }
    let parsed = values.get("values").ok_or("no `values`")?;
    if let Ok(formula) = Formula::parse(formula)
        && formula.placeholders() != keys
    {
        return Err(format!("read {:?}, not {keys:?}", formula.placeholders()).into());
    }
    check(formula, parsed, case)
}

fn check_field(case: &Value) -> Result<(), Failed> {
    let input = case.get("input").ok_or("no `input`")?;
    let formula = input
        .get("formula")
        .and_then(Value::as_str)
        .ok_or("no `formula`")?;
    let values = input.get("values").ok_or("no `values`")?;
    check(
        formula,
        values,
        case.get("expected").ok_or("no `expected`")?,
    )
}

/// Evaluates the formula and compares with `value` or `error` of the expectation.
fn check(formula: &str, values: &Value, expected: &Value) -> Result<(), Failed> {
    let outcome =
        Formula::parse(formula).and_then(|formula| formula.evaluate(|key| values.get(key)));
    match (outcome, expected.get("value").and_then(Value::as_f64)) {
        (Ok(found), Some(value)) if close(found, value) => Ok(()),
        (Err(_), None) if expected.get("error").and_then(Value::as_bool) == Some(true) => Ok(()),
        (Ok(found), Some(value)) => Err(format!("{found:?} is not {value:?}").into()),
        (Ok(found), None) => Err(format!("{found:?}, an error was expected").into()),
        (Err(error), _) => Err(format!("{error}").into()),
    }
}

fn close(found: f64, expected: f64) -> bool {
    (found - expected).abs() <= RELATIVE * expected.abs()
}

fn count(name: &str, found: usize, expected: usize) -> Trial {
    Trial::test(name, move || {
        if found == expected {
            Ok(())
        } else {
            Err(format!("{found} cases, not {expected}").into())
        }
    })
}

fn id(line: &str) -> String {
    text(line, "id")
}

fn text(line: &str, member: &str) -> String {
    let case = read_str(line).ok();
    let found = case.as_ref().and_then(|case| case.get(member)?.as_str());
    found.unwrap_or(line).to_owned()
}
