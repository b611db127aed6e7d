//! The suite `core`: the pure crates.

pub(crate) mod base;
mod contract;
pub(crate) mod expression;
mod json;
pub(crate) mod text;

use crate::{Outcome, table::Table};

/// Pieces whose repetition tempts a reader into deep or repeated work.
const HOSTILE: [(&str, &str); 5] = [
    ("`[`", "["),
    ("`{\"a\":`", "{\"a\":"),
    ("quotes", "\""),
    ("fences", "```json\n"),
    ("`[0,`", "[0,"),
];

pub(crate) fn measure(table: &mut Table) -> Outcome {
    json::measure(table)?;
    contract::measure(table)?;
    expression::measure(table)?;
    text::measure(table)?;
    base::measure(table)
}
