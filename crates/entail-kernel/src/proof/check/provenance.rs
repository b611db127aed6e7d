//! Numbers in what a model wrote come from somewhere.

use std::borrow::Cow;

use entail_json::Value;
use rustc_hash::FxHashMap;

use super::super::{Proof, ProofStep};
use super::Report;
use crate::base::{Belief, Justification, JustificationKind, SetId, SourceKind};
use crate::limits::{SMALL_INTEGERS, YEARS};
use crate::text::figures::{Kind, Sign, Unit};
use crate::text::{Decimal, Figure, figures};

pub(super) fn check(proof: &Proof<'_>, report: &mut Report<'_>) {
    let mut stated: FxHashMap<SetId, Vec<Decimal>> = FxHashMap::default();
    for step in proof.steps() {
        let Some(shown) = &step.justification else {
            continue;
        };
        if shown.kind != JustificationKind::Model || shown.source.kind != SourceKind::Model {
            continue;
        }
        for text in written(&step, shown) {
            for figure in figures(&text).filter(|figure| needs_a_source(figure, &text)) {
                if !is_stated(proof, &step, shown, &figure, &mut stated) {
                    let figure = figure.describe(&text);
                    report.warn(&step, format!("says {figure}, which no antecedent states"));
                }
            }
        }
    }
}

/// What the author of a step wrote: the claim, a value that is a text, such as an answer's, and
/// one that is a number, unless a formula was to give it.
fn written<'a>(
    step: &ProofStep<'a>,
    shown: &Justification<'_>,
) -> impl Iterator<Item = Cow<'a, str>> + use<'a> {
    let claim = step.belief.claim;
    let value = match step.belief.value {
        Value::String(text) if claim != Some(text.as_str()) => Some(Cow::Borrowed(text.as_str())),
        Value::Number(number) if shown.formula.is_none() => Some(Cow::Owned(number.to_string())),
        _ => None,
    };
    claim.into_iter().map(Cow::Borrowed).chain(value)
}

/// Amounts do, except small whole numbers and years.
fn needs_a_source(figure: &Figure, text: &str) -> bool {
    let (Kind::Number, Some(precision)) = (figure.kind, figure.precision()) else {
        return false;
    };
    let is_scaled = matches!(figure.unit, Unit::Scale(_) | Unit::Percent);
    if precision < 0 || is_scaled {
        return true;
    }
    let digits = text.get(figure.digits.clone()).unwrap_or_default();
    let digits: String = digits
        .chars()
        .filter_map(|c| c.to_digit(10))
        .map(|d| d.to_string())
        .collect();
    let Ok(whole) = digits.parse::<u64>() else {
        return true;
    };
    let is_year = figure.span == figure.digits && digits.len() == 4 && YEARS.contains(&whole);
    whole >= SMALL_INTEGERS && !is_year
}

fn is_stated(
    proof: &Proof<'_>,
    step: &ProofStep<'_>,
    shown: &Justification<'_>,
    figure: &Figure,
    stated: &mut FxHashMap<SetId, Vec<Decimal>>,
) -> bool {
    // A value that its formula reproduces is more than a say-so.
    if shown.formula.is_some()
        && numbers_of_value(step.belief.value)
            .iter()
            .any(|n| says(figure, n))
    {
        return true;
    }
    let mut at = shown.antecedents;
    while let Some(set) = at {
        let Some((extends, own)) = proof.base.set(set) else {
            break;
        };
        let numbers = stated.entry(set).or_insert_with(|| {
            let own = own.iter().filter_map(|id| proof.base.belief(*id));
            own.flat_map(|belief| numbers_of(&belief)).collect()
        });
        if numbers.iter().any(|number| says(figure, number)) {
            return true;
        }
        at = extends;
    }
    false
}

/// Whether a figure says a number, rounded as it is written, at the scale that its unit gives.
fn says(figure: &Figure, number: &Decimal) -> bool {
    let (Some(value), Some(last)) = (figure.value(), figure.precision()) else {
        return false;
    };
    let sign_agrees = match figure.sign {
        Sign::Open => true,
        Sign::Minus => number.is_negative() || number.is_zero(),
        Sign::Plus => !number.is_negative(),
    };
    let scales: &[i64] = match figure.unit {
        Unit::Bare | Unit::Other => &[0],
        Unit::Percent => &[0, -2],
        Unit::Scale(power) => &[i64::from(power)],
    };
    sign_agrees
        && scales
            .iter()
            .any(|scale| value.rounds_from(number, last, *scale))
}

/// The numbers that a belief states, in its value and in its words.
fn numbers_of(belief: &Belief<'_>) -> Vec<Decimal> {
    let mut numbers = numbers_of_value(belief.value);
    numbers.extend(belief.claim.into_iter().flat_map(numbers_of_text));
    numbers
}

fn numbers_of_value(value: &Value) -> Vec<Decimal> {
    let mut numbers = Vec::new();
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        match value {
            Value::Number(number) => numbers.push(Decimal::from(number)),
            Value::String(text) => numbers.extend(numbers_of_text(text)),
            Value::Array(items) => open.extend(items),
            Value::Object(object) => open.extend(object.iter().map(|(_, value)| value)),
            Value::Null | Value::Bool(_) => {}
        }
    }
    numbers
}

/// The figures of a text, each at the scales that its unit gives.
fn numbers_of_text(text: &str) -> Vec<Decimal> {
    let at_scale = |figure: &Figure, scale: i64| {
        let sign = if figure.sign == Sign::Minus { "-" } else { "" };
        let value = figure.value()?;
        Decimal::parse(&format!("{sign}{value}e{scale}"))
    };
    figures(text)
        .flat_map(|figure| match figure.unit {
            Unit::Bare | Unit::Other => [at_scale(&figure, 0), None],
            Unit::Percent => [at_scale(&figure, 0), at_scale(&figure, -2)],
            Unit::Scale(power) => [at_scale(&figure, i64::from(power)), None],
        })
        .flatten()
        .collect()
}
