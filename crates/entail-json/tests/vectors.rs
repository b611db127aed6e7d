//! The canonical form, case by case.

use entail_json::{fingerprint, read_str, to_canonical};
use libtest_mimic::{Arguments, Failed, Trial};

const CASES: &str = include_str!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../tests/vectors/canonical.jsonl"
));
const COUNT: usize = 31;

fn field(case: &entail_json::Value, name: &str) -> Result<String, Failed> {
    Ok(case
        .get(name)
        .and_then(|field| field.as_str())
        .ok_or(format!("no `{name}`"))?
        .to_owned())
}

fn same(found: &str, expected: &str) -> Result<(), Failed> {
    if found == expected {
        Ok(())
    } else {
        Err(format!("{found:?} is not {expected:?}").into())
    }
}

fn check(case: &entail_json::Value) -> Result<(), Failed> {
    let value = read_str(&field(case, "json")?)?;
    let canonical = field(case, "canonical")?;
    same(&to_canonical(&value), &canonical)?;
    same(&fingerprint(&value).to_string(), &field(case, "sha256")?)?;
    same(&to_canonical(&read_str(&canonical)?), &canonical)
}

fn main() {
    let mut trials = vec![Trial::test("canonical::no_case_is_left_out", || {
        same(&CASES.lines().count().to_string(), &COUNT.to_string())
    })];
    for line in CASES.lines() {
        let id = read_str(line)
            .ok()
            .and_then(|case| Some(case.get("id")?.as_str()?.to_owned()));
        let name = format!("canonical::{}", id.as_deref().unwrap_or(line));
        trials.push(Trial::test(name, move || check(&read_str(line)?)));
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}
