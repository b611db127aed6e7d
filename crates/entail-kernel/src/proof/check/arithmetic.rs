//! Formulas and rules give the values that stand there.

use entail_json::Value;

use super::super::{Proof, ProofStep};
use super::Report;
use crate::base::{Justification, JustificationKind};
use crate::equality::{results_agree, values_equal};
use crate::expression::Formula;

pub(super) fn check(proof: &Proof<'_>, report: &mut Report<'_>) {
    for step in proof.steps() {
        let Some(shown) = &step.justification else {
            continue;
        };
        let run = if let Some(formula) = shown.formula {
            run_formula(proof, &step, formula)
        } else if let (JustificationKind::Rule, Some(version)) = (shown.kind, shown.rule_version) {
            run_rule(proof, &step, shown, version)
        } else {
            continue;
        };
        if let Err(problem) = run {
            report.error(&step, problem);
        }
    }
}

fn run_formula(proof: &Proof<'_>, step: &ProofStep<'_>, formula: &str) -> Result<(), String> {
    let parsed = Formula::parse(formula)
        .map_err(|error| format!("has a formula that cannot be read: {error}"))?;
    let computed = parsed
        .evaluate(|key| value_of(proof, step, key))
        .map_err(|error| format!("has a formula that cannot be evaluated: {error}"))?;
    if results_agree(computed, step.belief.value) {
        return Ok(());
    }
    Err(format!(
        "is {}, but its formula gives {computed}",
        step.belief.value
    ))
}

fn run_rule(
    proof: &Proof<'_>,
    step: &ProofStep<'_>,
    shown: &Justification<'_>,
    version: u32,
) -> Result<(), String> {
    let name = &shown.source.name;
    let rule = proof.base.rule(name, Some(version)).ok_or_else(|| {
        format!("was derived by version {version} of rule `{name}`, which is gone")
    })?;
    let parameters = rule.parameters();
    let value = rule
        .expression
        .evaluate(|parameter| {
            let at = parameters.iter().position(|there| there == parameter)?;
            value_of(proof, step, shown.inputs.get(at)?)
        })
        .map_err(|error| format!("was derived by rule `{name}`, which now fails: {error}"))?;
    if values_equal(&value, step.belief.value) {
        return Ok(());
    }
    Err(format!(
        "is {}, but version {version} of rule `{name}` gives {value}",
        step.belief.value
    ))
}

fn value_of<'a>(proof: &Proof<'a>, step: &ProofStep<'a>, key: &str) -> Option<&'a Value> {
    let belief = proof.antecedent_of(step, key)?;
    Some(proof.base.belief(belief)?.value)
}
