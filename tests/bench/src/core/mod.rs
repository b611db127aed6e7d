//! The suite `core`: the pure crates.

mod expression;
mod json;

use crate::{Outcome, table::Table};

pub(crate) fn measure(table: &mut Table) -> Outcome {
    json::measure(table)?;
    expression::measure(table)
}
