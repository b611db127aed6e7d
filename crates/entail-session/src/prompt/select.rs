//! Which beliefs a context may show, best first.

use entail_kernel::Time;
use entail_kernel::base::BeliefId;

use crate::context::ContextOptions;
use crate::session::Session;

/// A belief and its confidence at the context's time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ranked {
    pub belief: BeliefId,
    pub confidence: f64,
}

/// Believed, undisputed, confident enough; by confidence, then the newest first.
pub(super) fn ranked(session: &Session, at: Time, options: &ContextOptions) -> Vec<Ranked> {
    let policy = &session.state.options.policy;
    let base = &session.base;
    let confidences = base.confidences(at);
    let in_scope = |belief: &BeliefId| match &options.scope {
        None => true,
        Some(prefixes) => base.belief(*belief).is_some_and(|belief| {
            prefixes
                .iter()
                .any(|prefix| belief.key.starts_with(prefix.as_str()))
        }),
    };
    let visible = base.visible().into_iter().filter(in_scope);
    let mut ranked: Vec<Ranked> = visible
        .map(|belief| Ranked {
            belief,
            confidence: confidences.of(belief),
        })
        .filter(|ranked| ranked.confidence >= policy.min_confidence)
        .collect();
    let most = options
        .max_beliefs
        .unwrap_or(policy.max_beliefs)
        .min(policy.max_beliefs);
    let order = |a: &Ranked, b: &Ranked| {
        b.confidence
            .total_cmp(&a.confidence)
            .then_with(|| b.belief.cmp(&a.belief))
    };
    if ranked.len() > most {
        if most > 0 {
            ranked.select_nth_unstable_by(most.saturating_sub(1), order);
        }
        ranked.truncate(most);
    }
    ranked.sort_unstable_by(order);
    ranked
}
