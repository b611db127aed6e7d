//! What a turn may rest on.

use entail_kernel::base::{BeliefId, SetId, split_ref};
use rustc_hash::{FxHashMap, FxHashSet};

use super::refusal::Refusal;
use crate::commit::Commit;
use crate::context::Context;
use crate::error::CommandError;

/// The beliefs of a context, in order of creation.
pub(super) fn beliefs(
    commit: &Commit<'_>,
    context: &Context,
) -> Result<Vec<BeliefId>, CommandError> {
    let base = &commit.session.base;
    let mut beliefs = Vec::with_capacity(context.refs.len());
    for reference in &context.refs {
        let belief = base
            .find(reference)
            .ok_or_else(|| CommandError::InvalidArgument {
                pointer: "/context_id".to_owned(),
                reason: format!(
                    "names a context with `{reference}`, which is not here: take a new one"
                ),
            })?;
        beliefs.push(belief);
    }
    beliefs.sort_unstable();
    beliefs.dedup();
    Ok(beliefs)
}

/// What the turn's context showed, and what the response has added so far.
pub(super) struct Shown {
    /// The context's beliefs, in order of creation.
    beliefs: Vec<BeliefId>,
    claimed: FxHashMap<String, BeliefId>,
    cited: FxHashSet<String>,
    called: FxHashSet<String>,
    /// The antecedent set of the context's beliefs.
    context_set: Option<SetId>,
    /// That set with every claim of the response so far.
    chain: Option<SetId>,
    /// Beliefs of the context and claims of the response that no longer hold, as far as it is
    /// known; a citation may change that.
    gone: Option<Vec<BeliefId>>,
}

impl Shown {
    /// Interns the set of the context's beliefs, given in order of creation, as a continuation of
    /// what the turn before rested on wherever that still stands: then only what is new costs
    /// anything.
    pub(super) fn new(
        commit: &mut Commit<'_>,
        beliefs: Vec<BeliefId>,
    ) -> Result<Self, CommandError> {
        let base = &commit.session.base;
        let before = commit.session.state.shown;
        let before = before.filter(|set| !beliefs.is_empty() && base.set(*set).is_some());
        let mut known = before.map_or_else(Vec::new, |set| base.antecedents(set));
        known.sort_unstable();
        let is_known = |belief: &BeliefId| known.binary_search(belief).is_ok();
        let new: Vec<BeliefId> = beliefs
            .iter()
            .copied()
            .filter(|belief| !is_known(belief))
            .collect();
        let kept = beliefs.len().saturating_sub(new.len());
        let extends = before.filter(|_| kept == known.len());
        let new = if extends.is_some() {
            new
        } else {
            beliefs.clone()
        };
        let context_set = commit.base_at("", |base| base.antecedent_set(extends, &new))?;
        Ok(Self {
            beliefs,
            claimed: FxHashMap::default(),
            cited: FxHashSet::default(),
            called: FxHashSet::default(),
            context_set,
            chain: context_set,
            gone: None,
        })
    }

    /// The antecedent set of the context's beliefs.
    pub(super) fn context_set(&self) -> Option<SetId> {
        self.context_set
    }

    /// The antecedent set of the context's beliefs and the response's claims.
    pub(super) fn chain(&self) -> Option<SetId> {
        self.chain
    }

    /// The belief that a key (or a ref) in an action means: a claim of this response, or what
    /// the context showed.
    pub(super) fn find(&self, commit: &Commit<'_>, name: &str) -> Result<BeliefId, Refusal> {
        let base = &commit.session.base;
        let Some((key, revision)) = split_ref(name) else {
            return Err(Refusal::unknown_key(name));
        };
        if let Some(belief) = self.of_key(commit, key) {
            let shown = base.belief(belief).map(|belief| belief.revision);
            if revision.is_none() || revision == shown {
                return Ok(belief);
            }
            return Err(Refusal::not_visible(
                name,
                &format!("it shows another revision; write `{key}`"),
            ));
        }
        if base.revisions(key).is_empty() {
            if self.called.contains(key) {
                return Err(Refusal::same_response(key));
            }
            if commit.session.state.calls.filling(key).is_some() {
                return Err(Refusal::not_visible(
                    key,
                    "the result of its tool call has not arrived; wait for a context that shows it",
                ));
            }
            return Err(Refusal::unknown_key(name));
        }
        if self.called.contains(key) {
            return Err(Refusal::same_response(key));
        }
        if self.cited.contains(key) {
            return Err(Refusal::not_visible(
                key,
                "it was cited in this same response; rest on it from the next turn on",
            ));
        }
        if base.is_disputed(key) {
            return Err(Refusal::not_visible(
                key,
                "its value is disputed; do without it until the conflict is settled",
            )
            .in_conflict());
        }
        Err(Refusal::not_visible(
            key,
            if base.believed(key).is_empty() {
                "it is no longer believed; rest only on keys that the context lists"
            } else {
                "it was not shown; rest only on keys that the context lists"
            },
        ))
    }

    /// Whether anything of the key was shown or claimed.
    pub(super) fn holds_key(&self, commit: &Commit<'_>, key: &str) -> bool {
        self.of_key(commit, key).is_some()
    }

    /// What was claimed of a key, or else shown: its latest revision that was.
    fn of_key(&self, commit: &Commit<'_>, key: &str) -> Option<BeliefId> {
        let was_shown = |belief: &BeliefId| self.beliefs.binary_search(belief).is_ok();
        self.claimed.get(key).copied().or_else(|| {
            let revisions = commit.session.base.revisions(key);
            revisions.into_iter().rev().find(was_shown)
        })
    }

    /// Everything that a conservative claim depends on, save what has its own key.
    pub(super) fn all_but(&self, commit: &Commit<'_>, key: &str) -> Vec<BeliefId> {
        let base = &commit.session.base;
        let all = self
            .chain
            .map(|set| base.antecedents(set))
            .unwrap_or_default();
        let other = |id: &BeliefId| base.belief(*id).is_none_or(|belief| &**belief.key != key);
        all.into_iter().filter(other).collect()
    }

    pub(super) fn called(&mut self, key: &str) {
        self.called.insert(key.to_owned());
    }

    pub(super) fn is_called(&self, key: &str) -> bool {
        self.called.contains(key)
    }

    /// Notes an accepted citation: it may have made a conflict.
    pub(super) fn cited(&mut self, key: &str) {
        self.cited.insert(key.to_owned());
        self.gone = None;
    }

    /// Notes an accepted claim; from now on conservative claims depend on it, too.
    pub(super) fn claimed(&mut self, commit: &mut Commit<'_>, key: &str, belief: BeliefId) {
        let before = self.claimed.insert(key.to_owned(), belief);
        if before == Some(belief) || self.beliefs.binary_search(&belief).is_ok() {
            return;
        }
        let chain = self.chain;
        // The belief is of this base, which is all that can be wrong with it.
        if let Ok(longer) = commit.base(|base| base.antecedent_set(chain, &[belief])) {
            self.chain = longer;
        }
    }

    /// Keys of beliefs among everything shown and claimed that no longer hold, and whether one
    /// of them is disputed.
    pub(super) fn gone(&mut self, commit: &Commit<'_>) -> (Vec<String>, bool) {
        let base = &commit.session.base;
        let gone = self.gone.get_or_insert_with(|| {
            let all = self.beliefs.iter().chain(self.claimed.values());
            all.copied()
                .filter(|belief| !holds(commit, *belief))
                .collect()
        });
        gone.sort_unstable();
        let keys = gone
            .iter()
            .filter_map(|id| base.belief(*id))
            .map(|b| b.key.to_string());
        let keys: Vec<String> = keys.collect();
        let is_conflict = keys.iter().any(|key| base.is_disputed(key));
        (keys, is_conflict)
    }
}

/// Whether a belief is believed and undisputed.
pub(super) fn holds(commit: &Commit<'_>, belief: BeliefId) -> bool {
    let base = &commit.session.base;
    base.is_in(belief)
        && base
            .belief(belief)
            .is_some_and(|belief| !base.is_disputed(belief.key))
}
