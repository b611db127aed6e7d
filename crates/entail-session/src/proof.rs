//! Questions about what a belief rests on.

use entail_kernel::base::{Base, BeliefId, JustificationKind};
use rustc_hash::FxHashSet;

/// Whether everything that a belief rests on ends in a tool, a document or a person.
///
/// A valid premise of such a source ends the search; otherwise the newest valid step is followed.
/// One that rests on nothing is a mere say-so.
pub(crate) fn is_grounded(base: &Base, belief: BeliefId) -> bool {
    let mut seen: FxHashSet<BeliefId> = FxHashSet::default();
    let mut sets = FxHashSet::default();
    let mut open = vec![belief];
    seen.insert(belief);
    while let Some(belief) = open.pop() {
        let justifications = base.justifications(belief);
        let valid = || justifications.iter().rev().filter(|reason| reason.is_valid);
        let is_grounded_premise = valid().any(|reason| {
            reason.kind == JustificationKind::Premise && reason.source.kind.is_grounded()
        });
        if is_grounded_premise {
            continue;
        }
        let Some(step) = valid().find(|reason| reason.antecedents.is_some()) else {
            return false;
        };
        let mut set = step.antecedents;
        while let Some(next) = set.filter(|next| sets.insert(*next)) {
            let Some((extends, own)) = base.set(next) else {
                break;
            };
            open.extend(own.into_iter().filter(|belief| seen.insert(*belief)));
            set = extends;
        }
    }
    true
}
