//! Finding quotes in documents.

use std::fmt::Write as _;

use entail_json::Value;
use entail_kernel::text::Document;

use crate::{
    Measured, Outcome,
    measure::{fresh, repeated},
    table::Table,
};

/// What a lookup in a document of 10 MB takes a Python implementation, in seconds.
const PYTHON: f64 = 0.220;

const BYTES: usize = 10_000_000;

/// What the quote states.
const STATED: i64 = 4_300_000_000;
const QUOTE: &str = "total revenue for the last quarter was \"$4.3 billion\"";

pub(crate) fn measure(table: &mut Table) -> Outcome {
    table.heading("a document of 10 MB");
    let text = filing();
    let indexing = fresh(|| text.clone(), |text| Document::new(std::mem::take(text)));
    table.time("indexing it", indexing, "");

    let document = Document::new(text)?;
    let last = repeated(|| document.find(QUOTE));
    table.compared("a quote at its end", last, PYTHON, "Python");
    let missing = "total revenue for the last quarter was \"$4.4 billion\"";
    if document.find(missing).is_some() {
        return Err("a quote that is not there was found".into());
    }
    let time = repeated(|| document.find(missing));
    table.compared("a quote that is not there", time, PYTHON, "Python");
    table.compared(
        "a word that stands in every line",
        repeated(|| document.find("revenue")),
        PYTHON,
        "Python",
    );
    let found = document.find(QUOTE).ok_or("the quote was not found")?;
    let value = Value::from(STATED);
    document.states(&found, &value)?;
    table.time(
        "whether a quote states a value",
        repeated(|| document.states(&found, &value)),
        "",
    );
    Ok(())
}

/// The time it takes to find the quote at the end of 10 MB and to see that it states its value.
pub(crate) fn citing() -> Measured<f64> {
    let document = Document::new(filing())?;
    let value = Value::from(STATED);
    let states = || {
        let found = document.find(QUOTE)?;
        document.states(&found, &value).ok()
    };
    states().ok_or("the quote does not state its value")?;
    Ok(repeated(states))
}

/// Ten megabytes of prose with figures, quotation marks and dashes, and one sentence at the end.
fn filing() -> String {
    let mut text = String::with_capacity(BYTES + 200);
    let mut line = 0_u64;
    while text.len() < BYTES {
        line += 1;
        let _ = writeln!(
            text,
            "Note {line}. Net revenue of the “North–West” segment was ${}.{} million, a change of \
             {}% against the prior year’s figure; see page {}.",
            line * 7919 % 9973,
            line % 10,
            line * 31 % 97,
            line % 300,
        );
    }
    text + "Total revenue for the last\nquarter was “$4.3 billion”.\n"
}
