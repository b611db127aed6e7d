//! The contract's vectors, case by case.

use std::collections::BTreeMap;

use entail_contract::{Response, parse};
use entail_json::{Value, read_str};
use libtest_mimic::{Arguments, Failed, Trial};

const PARSE: &str = include_str!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../tests/vectors/parse.jsonl"
));
const FIELD: &str = include_str!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../tests/vectors/field_cases.jsonl"
));
const PARSE_COUNT: usize = 130;
const FIELD_COUNT: usize = 44;

fn main() {
    let field: Vec<&str> = FIELD
        .lines()
        .filter(|line| text_of(line, "area").is_none_or(|area| area == "parser"))
        .collect();
    let (parse_count, field_count) = (PARSE.lines().count(), field.len());
    let mut trials = vec![
        Trial::test("parse::no_case_is_left_out", move || {
            same("cases", &parse_count, &PARSE_COUNT)
        }),
        Trial::test("field::no_case_is_left_out", move || {
            same("cases", &field_count, &FIELD_COUNT)
        }),
    ];
    trials.extend(PARSE.lines().map(|line| {
        let id = text_of(line, "id").unwrap_or_else(|| line.to_owned());
        Trial::test(format!("parse::{id}"), move || parse_case(&read_str(line)?))
    }));
    trials.extend(field.into_iter().map(|line| {
        let id = text_of(line, "id").unwrap_or_else(|| line.to_owned());
        Trial::test(format!("field::{id}"), move || field_case(&read_str(line)?))
    }));
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

fn text_of(line: &str, name: &str) -> Option<String> {
    Some(read_str(line).ok()?.get(name)?.as_str()?.to_owned())
}

fn parse_case(case: &Value) -> Result<(), Failed> {
    let response = parse(text(case, "response")?);
    if let Some(codes) = case.get("unusable") {
        same("unusable", &response.is_unusable(), &true)?;
        same("actions", &response.actions.len(), &0)?;
        return same("codes", &codes_of(&response), codes);
    }
    same("unusable", &response.is_unusable(), &false)?;
    let actions: Value = response
        .actions
        .iter()
        .map(|(_, action)| action.to_value())
        .collect();
    same("actions", &actions, field(case, "actions")?)?;
    let errors: Value = response
        .problems
        .iter()
        .map(|problem| {
            Value::from([
                ("action", Value::from(problem.action)),
                ("code", Value::from(problem.code.as_str())),
            ])
        })
        .collect();
    same("errors", &errors, field(case, "errors")?)?;
    indices_agree(&response)
}

fn field_case(case: &Value) -> Result<(), Failed> {
    let input = field(case, "input")?;
    let response = parse(text(input, "response")?);
    let expected = field(case, "expected")?;
    let alternatives = expected
        .get("alternatives")
        .and_then(Value::as_array)
        .unwrap_or_default();
    let mut outcomes = std::iter::once(expected)
        .chain(alternatives)
        .map(|expected| field_outcome(&response, expected));
    let first = outcomes.next().unwrap_or(Ok(()));
    if outcomes.any(|outcome| outcome.is_ok()) {
        return Ok(());
    }
    first
}

fn field_outcome(response: &Response, expected: &Value) -> Result<(), Failed> {
    let ok = expected
        .get("ok")
        .and_then(Value::as_bool)
        .ok_or("no `ok`")?;
    same("ok", &!response.actions.is_empty(), &ok)?;
    if let Some(actions) = expected.get("actions") {
        let kinds: Value = response
            .actions
            .iter()
            .map(|(_, action)| Value::from(action.kind().as_str()))
            .collect();
        same("actions", &kinds, actions)?;
    }
    if let Some(codes) = expected.get("codes") {
        same("codes", &codes_of(response), codes)?;
    }
    for check in expected
        .get("checks")
        .and_then(Value::as_array)
        .unwrap_or_default()
    {
        let index = check
            .get("action")
            .and_then(Value::as_u64)
            .ok_or("no `action`")?;
        let (_, action) = usize::try_from(index)
            .ok()
            .and_then(|index| response.actions.get(index))
            .ok_or("no such action")?;
        let name = text(check, "field")?;
        let action = action.to_value();
        same(name, field(&action, name)?, field(check, "equals")?)?;
    }
    indices_agree(response)
}

/// No action is both read and refused, and indices rise.
fn indices_agree(response: &Response) -> Result<(), Failed> {
    let mut seen = BTreeMap::new();
    for (index, _) in &response.actions {
        same("read twice", &seen.insert(*index, ()), &None)?;
    }
    let refused: Vec<_> = response
        .problems
        .iter()
        .map(|problem| problem.action)
        .collect();
    same("order of problems", &refused.is_sorted(), &true)?;
    for problem in &response.problems {
        let both = problem
            .action
            .is_some_and(|index| seen.contains_key(&index));
        same("read and refused", &both, &false)?;
        same("lines of a message", &problem.message.lines().count(), &1)?;
    }
    Ok(())
}

fn codes_of(response: &Response) -> Value {
    response
        .problems
        .iter()
        .map(|problem| Value::from(problem.code.as_str()))
        .collect()
}

fn field<'v>(case: &'v Value, name: &str) -> Result<&'v Value, Failed> {
    Ok(case.get(name).ok_or(format!("no `{name}`"))?)
}

fn text<'v>(case: &'v Value, name: &str) -> Result<&'v str, Failed> {
    Ok(field(case, name)?
        .as_str()
        .ok_or(format!("`{name}` is no string"))?)
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, found: &T, expected: &T) -> Result<(), Failed> {
    if found == expected {
        Ok(())
    } else {
        Err(format!("{what}: found {found:?}, expected {expected:?}").into())
    }
}
