//! Formulas.

use entail_json::Value;
use entail_kernel::{
    expression::{Formula, placeholders},
    limits::EXPRESSION_CHARACTERS,
};

use crate::{Measured, Outcome, measure::repeated, table::Table};

const GROWTH: &str = "({revenue:Q3} - {revenue:Q2}) / {revenue:Q2} * 100";

/// What the growth formula takes a Python implementation, read and evaluated, in seconds.
const PYTHON: f64 = 10.4e-6;

/// The time it takes to read the growth formula and to evaluate it, and to evaluate it only.
pub(crate) fn growth() -> Measured<(f64, f64)> {
    let (q2, q3) = (
        Value::from(4_300_000_000_i64),
        Value::from(4_500_000_000_i64),
    );
    let value_of = |key: &str| match key {
        "revenue:Q2" => Some(&q2),
        "revenue:Q3" => Some(&q3),
        _ => None,
    };
    let both = repeated(|| Formula::parse(GROWTH).and_then(|growth| growth.evaluate(value_of)));
    let growth = Formula::parse(GROWTH)?;
    growth.evaluate(value_of)?;
    Ok((both, repeated(|| growth.evaluate(value_of))))
}

pub(crate) fn measure(table: &mut Table) -> Outcome {
    table.heading("formulas");
    let (both, evaluated) = growth()?;
    table.compared(
        "the growth of revenue, read and evaluated",
        both,
        PYTHON,
        "Python",
    );
    table.time("… evaluated only", evaluated, "");

    let links = EXPRESSION_CHARACTERS / 2 - 1;
    for (name, text) in [
        (
            "a sum as long as a formula may be",
            "1+".repeat(links) + "1",
        ),
        (
            "powers as long as a formula may be",
            "1**".repeat(EXPRESSION_CHARACTERS / 3 - 1) + "1",
        ),
        (
            "2,000 times `-`, refused",
            "-".repeat(EXPRESSION_CHARACTERS),
        ),
        ("10 MB of `(`, refused", "(".repeat(10_000_000)),
    ] {
        let steps = Formula::parse(&text).map_or(0, |formula| formula.steps());
        let time =
            repeated(|| Formula::parse(&text).and_then(|formula| formula.evaluate(|_| None)));
        table.time(name, time, format!("{steps} steps"));
    }
    let braces = "{".repeat(10_000_000);
    let time = repeated(|| placeholders(&braces).len());
    table.time("placeholders of 10 MB of `{`", time, "0 found");
    Ok(())
}
