//! Nothing rests on what had expired or was not there yet.

use rustc_hash::FxHashMap;

use super::super::Proof;
use super::Report;
use crate::Time;
use crate::base::{BeliefId, SetId};

pub(super) fn check(proof: &Proof<'_>, report: &mut Report<'_>) {
    let latest = latest_in_sets(proof);
    for step in proof.steps() {
        let Some(shown) = &step.justification else {
            continue;
        };
        if let Some(until) = shown.valid_until.filter(|until| *until <= proof.at) {
            report.error(&step, format!("rests on evidence that expired at {until}"));
        } else if shown.is_expired {
            report.error(&step, "rests on evidence that has expired");
        }
        let latest = shown.antecedents.and_then(|set| latest.get(&set));
        if let Some((created, antecedent)) = latest
            && *created > shown.created_at
            && let Some(reference) = proof.base.ref_of(*antecedent)
        {
            report.error(
                &step,
                format!(
                    "was justified at {}, before its antecedent `{reference}` existed ({created})",
                    shown.created_at
                ),
            );
        }
    }
}

/// The youngest belief of each set, with those of the sets that it extends.
fn latest_in_sets(proof: &Proof<'_>) -> FxHashMap<SetId, (Time, BeliefId)> {
    let mut latest: FxHashMap<SetId, (Time, BeliefId)> = FxHashMap::default();
    for set in &proof.sets {
        let Some((extends, own)) = proof.base.set(*set) else {
            continue;
        };
        let own = own
            .into_iter()
            .filter_map(|id| Some((proof.base.belief(id)?.created_at, id)));
        let inherited = extends.and_then(|parent| latest.get(&parent).copied());
        if let Some(youngest) = own.chain(inherited).max() {
            latest.insert(*set, youngest);
        }
    }
    latest
}
