//! The vectors of this crate, one named trial a case.

#![expect(
    clippy::expect_used,
    reason = "a vector of another shape fails its trial"
)]

use std::collections::BTreeMap;

use entail_json::{Value, read_str};
use entail_trace::{
    Bytes, CheckName, Claim, EvidenceRef, Plan, PlanIndex, PlanNode, ProblemSpec, Record, Subject,
    SupportRef, ToolCall, ToolResult, TraceEvent, verify_trace,
};
use libtest_mimic::{Arguments, Failed, Trial};

const RECORDS: &str = include_str!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../tests/vectors/records.jsonl"
));
const RECORD_CASES: usize = 54;
const TRACES: &str = include_str!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../tests/vectors/traces.jsonl"
));
const TRACE_CASES: usize = 28;

fn main() {
    let arguments = Arguments::from_args();
    let mut trials = Vec::new();
    trials.push(count("records", RECORDS, RECORD_CASES));
    trials.extend(cases(RECORDS).map(|case| {
        let name = format!("records::{}", text(&case, "id"));
        Trial::test(name, move || record(&case))
    }));
    trials.push(count("traces", TRACES, TRACE_CASES));
    trials.extend(cases(TRACES).map(|case| {
        let name = format!("traces::{}", text(&case, "id"));
        Trial::test(name, move || trace(&case))
    }));
    libtest_mimic::run(&arguments, trials).exit();
}

fn cases(file: &'static str) -> impl Iterator<Item = Value> {
    file.lines()
        .map(|line| read_str(line).expect("a vector is a line of json"))
}

fn count(name: &str, file: &'static str, expected: usize) -> Trial {
    let cases = cases(file).count();
    Trial::test(
        format!("{name}::all-{expected}-cases-are-here"),
        move || same("number of cases", &cases, &expected),
    )
}

fn text<'v>(case: &'v Value, name: &str) -> &'v str {
    case.get(name)
        .and_then(Value::as_str)
        .expect("a vector has this string")
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, got: &T, expected: &T) -> Result<(), Failed> {
    if got == expected {
        return Ok(());
    }
    Err(format!("{what}: got {got:?}, expected {expected:?}").into())
}

fn record(case: &Value) -> Result<(), Failed> {
    let input = case.get("input").expect("a vector has an input").clone();
    let read = match text(case, "kind") {
        "ProblemSpec" => round_trip::<ProblemSpec>(input),
        "Plan" => round_trip::<Plan>(input),
        "PlanNode" => round_trip::<PlanNode>(input),
        "SupportRef" => round_trip::<SupportRef>(input),
        "Claim" => round_trip::<Claim>(input),
        "EvidenceRef" => round_trip::<EvidenceRef>(input),
        "ToolCall" => round_trip::<ToolCall>(input),
        "ToolResult" => round_trip::<ToolResult>(input),
        "TraceEvent" => round_trip::<TraceEvent>(input),
        other => return Err(format!("unknown kind `{other}`").into()),
    };
    match (read, case.get("record")) {
        (Ok(value), Some(expected)) => same("record", &value, expected),
        (Err(_), None) => same("error", &case.get("error"), &Some(&Value::Bool(true))),
        (Ok(value), None) => Err(format!("read as {value}, expected an error").into()),
        (Err(error), Some(_)) => Err(format!("refused: {error}").into()),
    }
}

/// Reads a record; what it is written as, in both ways, must read back as the same.
fn round_trip<R: Record + PartialEq + std::fmt::Debug>(input: Value) -> Result<Value, String> {
    let record = R::read(input).map_err(|error| {
        assert!(!error.faults().is_empty(), "an error names its faults");
        error.to_string()
    })?;
    let value = record.to_value();
    assert_eq!(
        R::read(value.clone()).as_ref(),
        Ok(&record),
        "value reads back"
    );
    assert_eq!(
        record.to_canonical(),
        entail_json::to_canonical(&value),
        "one canonical text"
    );
    Ok(value)
}

fn member<'v>(case: &'v Value, name: &str) -> &'v Value {
    case.get(name).expect("a vector has this member")
}

fn trace(case: &Value) -> Result<(), Failed> {
    let plan = Plan::read(member(case, "plan").clone())?;
    let spec = ProblemSpec::read(member(case, "spec").clone())?;
    let bytes = text(case, "trace_jsonl").as_bytes();
    let files = member(case, "files")
        .as_object()
        .expect("files are an object");
    let files: BTreeMap<String, Vec<u8>> = files
        .iter()
        .map(|(path, content)| (path.to_owned(), content.as_str().expect("text").into()))
        .collect();
    let expected = member(case, "expect");
    let subject = Subject {
        trace: &bytes as &dyn Bytes,
        files: Some(&files),
        spec: Some(&spec),
    };
    let verified = match (
        verify_trace(subject, PlanIndex::new(&plan)),
        member(expected, "readable"),
    ) {
        (Err(_), Value::Bool(false)) => return Ok(()),
        (Ok(_), Value::Bool(false)) => return Err("read, expected a trace nobody can read".into()),
        (result, _) => result?,
    };
    same(
        "trace id",
        &verified.end.trace_id.as_str(),
        &text(expected, "trace_id"),
    )?;
    same(
        "fingerprint",
        &verified.end.fingerprint.to_string().as_str(),
        &text(expected, "fingerprint"),
    )?;
    let checks = member(expected, "checks")
        .as_object()
        .expect("checks are an object");
    same("ten checks", &checks.len(), &10)?;
    for ((name, passed), check) in checks.iter().zip(CheckName::ALL) {
        same("order of checks", &name, &check.as_str())?;
        let result = verified
            .results
            .get(*check)
            .ok_or_else(|| format!("`{name}` was not run"))?;
        let found = result.failures();
        same(
            &format!("{name} ({found:?})"),
            &Value::Bool(result.passed()),
            passed,
        )?;
    }
    Ok(())
}
