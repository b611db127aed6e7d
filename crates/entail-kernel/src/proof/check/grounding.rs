//! Every leaf is something that a tool, a document or a person said.

use super::super::{Proof, ProofStep};
use super::Report;
use crate::base::{JustificationKind, SourceKind};

pub(super) fn check(proof: &Proof<'_>, report: &mut Report<'_>) {
    for step in proof.steps() {
        let Some(shown) = &step.justification else {
            continue;
        };
        if shown.antecedents.is_some() || is_grounded(proof, &step) {
            continue;
        }
        let source = &shown.source;
        match source.kind {
            SourceKind::Assumption => report.warn(&step, "is an assumption"),
            SourceKind::Rule => {
                report.warn(
                    &step,
                    format!("rests on `{source}` alone, which has no inputs"),
                );
            }
            _ => report.error(&step, format!("rests on the say-so of `{source}` alone")),
        }
    }
}

/// Whether a leaf has a valid reason from outside, perhaps not the strongest one.
fn is_grounded(proof: &Proof<'_>, step: &ProofStep<'_>) -> bool {
    let is_outside = |kind: SourceKind| kind.is_grounded();
    let shown = step.justification.as_ref();
    shown.is_some_and(|shown| is_outside(shown.source.kind))
        || proof
            .base
            .justifications(step.belief.id)
            .iter()
            .any(|other| {
                other.is_valid
                    && other.kind == JustificationKind::Premise
                    && is_outside(other.source.kind)
            })
}
