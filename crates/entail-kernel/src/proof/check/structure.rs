//! Everything rests on what is there and believed.

use super::super::Proof;
use super::Report;
use crate::base::{LostInSets, Status};

pub(super) fn check(proof: &Proof<'_>, report: &mut Report<'_>) {
    let mut known = LostInSets::default();
    for step in proof.steps() {
        let belief = &step.belief;
        if belief.status == Status::Out {
            let why = proof.base.out_in_words(belief.id, &mut known);
            report.error(&step, format!("is not believed: it {why}"));
        } else if !step.justification.as_ref().is_some_and(|j| j.is_valid) {
            report.error(&step, "is believed without a valid justification");
        }
    }
    // Sets are shared, so each is gone through once and not once a step.
    let mut broken = rustc_hash::FxHashSet::default();
    for set in &proof.sets {
        let Some((extends, own)) = proof.base.set(*set) else {
            continue;
        };
        let is_whole = own.iter().all(|belief| proof.holds(*belief))
            && extends.is_none_or(|parent| !broken.contains(&parent));
        if !is_whole {
            broken.insert(*set);
        }
    }
    if broken.is_empty() {
        return;
    }
    for step in proof.steps() {
        let set = step.justification.as_ref().and_then(|j| j.antecedents);
        if set.is_some_and(|set| broken.contains(&set)) {
            report.error(&step, "rests on something that is not in the proof");
        }
    }
}
