//! Steps with formulas, and a proof of them all.

use entail_kernel::{
    Base,
    base::{BeliefId, Premise, Source, SourceKind, Step},
};

use crate::{Measured, core::base::NOW, measure::repeated};

/// The time it takes to gather the proof of so many formula steps and to run all its checks.
pub(super) fn verifying(steps: usize) -> Measured<f64> {
    let (base, roots) = growth(steps)?;
    let verify = || base.proof(&roots, NOW).check(&());
    let verification = verify();
    // Two premises stand below the steps.
    if !verification.holds() || verification.steps != steps + 2 {
        let first = verification.findings.first().map(ToString::to_string);
        let found = first.unwrap_or_default();
        return Err(format!("{} steps do not hold: {found}", verification.steps).into());
    }
    Ok(repeated(verify))
}

/// Two premises, and steps that each compute a number of their own from both.
fn growth(steps: usize) -> Measured<(Base, Vec<BeliefId>)> {
    let mut base = Base::default();
    let user = || Source::new(SourceKind::Human, "user");
    base.assert(Premise::new("q2", 4_300_000_000_i64, user()), NOW)?;
    base.assert(Premise::new("q3", 4_500_000_000_i64, user()), NOW)?;
    let mut roots = Vec::with_capacity(steps);
    for step in 0..steps {
        let key = format!("growth{step}");
        let mut computed = Step::new(
            key,
            0_i64,
            Source::new(SourceKind::Model, "m"),
            ["q2", "q3"],
        );
        computed.value = None;
        computed.formula = Some(format!("({{q3}} - {{q2}}) / {{q2}} * 100 + {step}"));
        roots.push(base.justify(computed, NOW)?);
        base.take_events();
    }
    Ok((base, roots))
}

#[cfg(test)]
mod tests {
    use super::growth;
    use crate::core::base::NOW;

    #[test]
    fn a_proof_of_formula_steps_holds_to_its_premises() {
        let (base, roots) = growth(10).unwrap();
        let verification = base.proof(&roots, NOW).check(&());
        assert!(verification.holds(), "{:?}", verification.findings);
        assert_eq!(verification.steps, 12);
    }
}
