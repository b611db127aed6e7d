//! The suite `kernel`: the belief base and what is checked with it, beside the same work in the
//! reference library where that is installed.

mod formulas;
mod reference;

use reference::Reference;

use crate::{
    Outcome,
    core::{
        base::{
            REGION, SIZES, STEPS, building, bytes_each, chain, fan, local_change, there_and_back,
        },
        expression, text,
    },
    table::Table,
};

/// Formula steps that are verified.
const VERIFIED: usize = 1_000;

pub(crate) fn measure(table: &mut Table) -> Outcome {
    let reference = Reference::time()?;
    table.heading(format!("{} justifications", grouped(STEPS)));
    let built = building(fan)?;
    reference.beside(table, "building them", built, "build 10,000 justifications");
    reference.beside(
        table,
        "retracting and restoring what a fan rests on",
        there_and_back(fan)?,
        "retract and restore a fan of 10,000",
    );
    reference.beside(
        table,
        "… what a chain rests on",
        there_and_back(chain)?,
        "retract and restore a chain of 10,000",
    );

    table.heading(format!(
        "a local change there and back, a region of {REGION} beliefs (of 2 in the reference)"
    ));
    for size in SIZES {
        let (time, base) = local_change(size)?;
        let name = grouped(size);
        let theirs = format!("one local change in {name}");
        reference.beside(table, format!("in a base of {name}"), time, &theirs);
        if Some(&size) == SIZES.last() {
            bytes_each(table, &base, size);
        }
    }

    table.heading("what is checked");
    let cited = text::citing()?;
    reference.beside(
        table,
        "a quote in 10 MB and its value",
        cited,
        "a quote in 10 MB",
    );
    let (formula, _) = expression::growth()?;
    reference.beside(table, "a formula, read and evaluated", formula, "a formula");
    let verified = formulas::verifying(VERIFIED)?;
    let name = format!("verifying {} formula steps", grouped(VERIFIED));
    reference.beside(table, name, verified, "verify 1,000 formula steps");
    Ok(())
}

/// A number with commas between its thousands, as the reference's lines have it.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::grouped;

    #[test]
    fn thousands_are_set_apart() {
        for (number, text) in [
            (0, "0"),
            (999, "999"),
            (1_000, "1,000"),
            (1_234_567, "1,234,567"),
        ] {
            assert_eq!(grouped(number), text);
        }
    }
}
