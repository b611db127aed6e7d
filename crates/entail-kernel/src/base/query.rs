//! Looking things up.

use std::sync::Arc;

use super::nodes::{KeyNode, NONE};
use super::{
    Base, BaseError, Belief, BeliefId, Justification, JustificationId, KeyId, Ref, SetId, Source,
    Status, split_ref,
};
use crate::Time;
use crate::confidence::fading;
use crate::equality::values_equal;

impl Base {
    /// How many beliefs there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.graph.beliefs.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The handle of the belief with that number, if there is one.
    #[must_use]
    pub fn belief_numbered(&self, number: u32) -> Option<BeliefId> {
        let id = BeliefId(number);
        self.graph.beliefs.get(id).map(|_| id)
    }

    /// The handle of the antecedent set with that number, if there is one.
    #[must_use]
    pub fn set_numbered(&self, number: u32) -> Option<SetId> {
        let id = SetId(number);
        self.graph.sets.get(id).map(|_| id)
    }

    /// The handle of the justification with that number, if there is one.
    #[must_use]
    pub fn justification_numbered(&self, number: u32) -> Option<JustificationId> {
        let id = JustificationId(number);
        self.graph.links.get(id).map(|_| id)
    }

    /// The belief of that ref (`key@revision`).
    #[must_use]
    pub fn find(&self, reference: &str) -> Option<BeliefId> {
        let (key, revision) = split_ref(reference)?;
        self.revision(self.graph.key(key)?, revision?)
    }

    /// The belief of that ref.
    #[must_use]
    pub fn find_ref(&self, reference: &Ref) -> Option<BeliefId> {
        self.revision(self.graph.key(&reference.key)?, reference.revision)
    }

    fn revision(&self, key: KeyId, revision: u32) -> Option<BeliefId> {
        let at = usize::try_from(revision.checked_sub(1)?).ok()?;
        self.graph
            .keys
            .at(key)
            .revisions
            .as_slice()
            .get(at)
            .map(|id| BeliefId(*id))
    }

    /// A belief.
    #[must_use]
    pub fn belief(&self, belief: BeliefId) -> Option<Belief<'_>> {
        let node = self.graph.beliefs.get(belief)?;
        Some(Belief {
            id: belief,
            key: &self.graph.keys.at(node.key).text,
            revision: node.revision,
            value: &node.value,
            claim: node.claim.as_deref(),
            metadata: node.metadata.as_deref(),
            created_at: node.created_at,
            status: self.status(belief),
            retraction: node.retraction.as_deref(),
        })
    }

    /// All beliefs, in order of creation.
    pub fn beliefs(&self) -> impl Iterator<Item = Belief<'_>> {
        (0..self.len()).filter_map(|at| self.belief(BeliefId::next(at)))
    }

    /// Whether a belief is believed; a handle that is not of this base names nothing that is.
    #[must_use]
    pub fn is_in(&self, belief: BeliefId) -> bool {
        self.graph
            .labels
            .get(belief)
            .is_some_and(|label| label.is_in)
    }

    /// The status of a belief.
    #[must_use]
    pub fn status(&self, belief: BeliefId) -> Status {
        if self.is_in(belief) {
            Status::In
        } else {
            Status::Out
        }
    }

    /// The ref of a belief.
    #[must_use]
    pub fn ref_of(&self, belief: BeliefId) -> Option<Ref> {
        self.graph
            .beliefs
            .get(belief)
            .map(|_| self.reference(belief))
    }

    /// The belief that a ref names, or what a bare key means: its believed revision, the latest
    /// when several equal ones are.
    ///
    /// # Errors
    /// `unknown_belief`; for a bare key also `not_believed` (nothing of it is) and
    /// `unresolved_conflict` (it is disputed).
    pub fn current(&self, target: &str) -> Result<BeliefId, BaseError> {
        let Some((key, None)) = split_ref(target) else {
            return self.known(target);
        };
        let node = self.key_node(key)?;
        let Some(latest) = node.believed.last() else {
            return Err(self.key_not_believed(key));
        };
        let latest = BeliefId(latest);
        self.check_undisputed(self.graph.beliefs.at(latest).key)?;
        Ok(latest)
    }

    /// What a bare key means, if it means anything.
    pub(crate) fn current_of(&self, key: KeyId) -> Option<BeliefId> {
        let latest = self.graph.keys.at(key).believed.last()?;
        (!self.is_key_disputed(key)).then_some(BeliefId(latest))
    }

    /// The belief of a ref.
    pub(super) fn known(&self, reference: &str) -> Result<BeliefId, BaseError> {
        self.find(reference)
            .ok_or_else(|| BaseError::UnknownBelief {
                target: reference.to_owned(),
            })
    }

    /// A key that has revisions.
    pub(super) fn key_node(&self, key: &str) -> Result<&KeyNode, BaseError> {
        self.graph
            .key(key)
            .map(|id| self.graph.keys.at(id))
            .filter(|node| node.revisions.len() > 0)
            .ok_or_else(|| BaseError::UnknownBelief {
                target: key.to_owned(),
            })
    }

    fn of_key(&self, key: &str, list: impl Fn(&KeyNode) -> &[u32]) -> Vec<BeliefId> {
        self.graph.key(key).map_or_else(Vec::new, |id| {
            list(self.graph.keys.at(id))
                .iter()
                .map(|id| BeliefId(*id))
                .collect()
        })
    }

    /// All revisions of a key, oldest first; empty for a key without any.
    #[must_use]
    pub fn revisions(&self, key: &str) -> Vec<BeliefId> {
        self.of_key(key, |node| node.revisions.as_slice())
    }

    /// How many beliefs are believed.
    #[must_use]
    pub fn believed_count(&self) -> usize {
        self.graph.believed_count
    }

    /// The believed revisions of a key, oldest first.
    #[must_use]
    pub fn believed(&self, key: &str) -> Vec<BeliefId> {
        self.of_key(key, |node| node.believed.as_slice())
    }

    /// Keys that have revisions, in the order of their first.
    pub fn keys(&self) -> impl Iterator<Item = &Arc<str>> {
        self.graph
            .key_order
            .iter()
            .map(|id| &self.graph.keys.at(*id).text)
    }

    /// Whether the key has believed revisions of unequal values.
    #[must_use]
    pub fn is_disputed(&self, key: &str) -> bool {
        self.graph
            .key(key)
            .is_some_and(|id| self.is_key_disputed(id))
    }

    pub(super) fn is_key_disputed(&self, key: KeyId) -> bool {
        let [first, rest @ ..] = self.graph.keys.at(key).believed.as_slice() else {
            return false;
        };
        let value = |id: &u32| &self.graph.beliefs.at(BeliefId(*id)).value;
        rest.iter().any(|id| !values_equal(value(first), value(id)))
    }

    pub(super) fn check_undisputed(&self, key: KeyId) -> Result<(), BaseError> {
        if !self.is_key_disputed(key) {
            return Ok(());
        }
        let believed = self.graph.keys.at(key).believed.as_slice();
        let names = believed
            .iter()
            .map(|id| self.reference(BeliefId(*id)).to_string());
        let sides = super::why::listed(names, believed.len());
        Err(BaseError::UnresolvedConflict {
            key: self.graph.keys.at(key).text.to_string(),
            sides,
        })
    }

    /// Whether a belief may be shown and built on: it is believed and its key undisputed. Of
    /// several equal believed revisions of a key only the latest is.
    #[must_use]
    pub fn is_visible(&self, belief: BeliefId) -> bool {
        self.graph
            .beliefs
            .get(belief)
            .is_some_and(|node| self.current_of(node.key) == Some(belief))
    }

    /// Every visible belief, keys in order of creation.
    #[must_use]
    pub fn visible(&self) -> Vec<BeliefId> {
        self.graph
            .key_order
            .iter()
            .filter_map(|key| self.current_of(*key))
            .collect()
    }

    /// Everything believed, keys in order of creation, revisions in theirs.
    #[must_use]
    pub fn all_in(&self) -> Vec<BeliefId> {
        self.graph
            .key_order
            .iter()
            .flat_map(|key| self.graph.keys.at(*key).believed.as_slice())
            .map(|id| BeliefId(*id))
            .collect()
    }

    /// A justification.
    #[must_use]
    pub fn justification(&self, id: JustificationId) -> Option<Justification<'_>> {
        let link = self.graph.links.get(id)?;
        let node = self.graph.justifications.get(id)?;
        let text = |key: KeyId| &self.graph.keys.at(key).text;
        let extra = node.extra.as_deref();
        Some(Justification {
            id,
            belief: link.belief,
            kind: node.kind,
            source: Arc::clone(self.graph.source(node.source)),
            antecedents: (link.set != NONE).then_some(SetId(link.set)),
            unless: self.graph.unless(id).map(text).collect(),
            inputs: node.inputs().iter().copied().map(text).collect(),
            rule_version: node.rule_version(),
            formula: node.formula(),
            confidence: node.confidence(),
            valid_until: node.valid_until(),
            half_life: node.half_life(),
            citation: extra.and_then(|extra| extra.citation.as_deref()),
            note: extra.and_then(|extra| extra.note.as_deref()),
            created_at: node.created_at,
            is_valid: link.faults == 0,
            is_expired: link.is_expired,
        })
    }

    /// The justifications of a belief, the one given or renewed last at the end.
    #[must_use]
    pub fn justifications(&self, belief: BeliefId) -> Vec<Justification<'_>> {
        self.graph
            .beliefs
            .get(belief)
            .map_or_else(Vec::new, |node| {
                node.justifications
                    .as_slice()
                    .iter()
                    .filter_map(|id| self.justification(JustificationId(*id)))
                    .collect()
            })
    }

    /// The source of a belief's valid justification that was given or renewed last.
    #[must_use]
    pub fn valid_source(&self, belief: BeliefId) -> Option<&Source> {
        let reasons = self.graph.beliefs.get(belief)?.justifications.as_slice();
        let mut reasons = reasons.iter().rev().map(|id| JustificationId(*id));
        let valid = reasons.find(|id| self.graph.links.at(*id).faults == 0)?;
        let source = self.graph.justifications.at(valid).source;
        Some(self.graph.source(source))
    }

    /// The beliefs of a set, each once, those of the set that it extends first.
    #[must_use]
    pub fn antecedents(&self, set: SetId) -> Vec<BeliefId> {
        let Some(node) = self.graph.sets.get(set) else {
            return Vec::new();
        };
        let mut beliefs: Vec<_> = self
            .graph
            .lineage(set.0)
            .into_iter()
            .flat_map(|set| self.graph.own_edges(set))
            .map(|edge| edge.belief)
            .collect();
        if node.parent != NONE {
            beliefs = super::justify::distinct(&beliefs);
        }
        beliefs
    }

    /// The set that a set extends, and the beliefs that it adds to it.
    #[must_use]
    pub fn set(&self, set: SetId) -> Option<(Option<SetId>, Vec<BeliefId>)> {
        let node = self.graph.sets.get(set)?;
        let own = self.graph.own_edges(set);
        Some((
            (node.parent != NONE).then_some(SetId(node.parent)),
            own.iter().map(|edge| edge.belief).collect(),
        ))
    }

    /// The latest revision of each key with nothing believed, that was not retracted and rests on
    /// premises only, all of them expired. Keys in order of creation.
    #[must_use]
    pub fn stale(&self) -> Vec<BeliefId> {
        let mut lost: Vec<_> = self
            .graph
            .lost
            .iter()
            .map(|key| self.graph.keys.at(*key))
            .collect();
        lost.sort_unstable_by_key(|node| node.order);
        lost.into_iter()
            .filter_map(|node| node.revisions.last().map(BeliefId))
            .filter(|belief| !self.graph.labels.at(*belief).is_retracted)
            .filter(|belief| {
                self.graph
                    .beliefs
                    .at(*belief)
                    .justifications
                    .as_slice()
                    .iter()
                    .map(|id| JustificationId(*id))
                    .all(|id| {
                        self.graph.links.at(id).is_expired
                            && self.graph.justifications.at(id).kind
                                == super::JustificationKind::Premise
                    })
            })
            .collect()
    }

    /// Believed beliefs of which no valid justification is fresh: each fades, and has lost at
    /// least that share of its weight by then. Keys in order of creation. Linear in what is
    /// believed.
    #[must_use]
    pub fn faded(&self, share: f64, at: Time) -> Vec<BeliefId> {
        let has_faded = |id: &u32| {
            let id = JustificationId(*id);
            let node = self.graph.justifications.at(id);
            self.graph.links.at(id).faults > 0
                || node
                    .half_life()
                    .is_some_and(|half_life| 1.0 - fading(node.created_at, at, half_life) >= share)
        };
        self.all_in()
            .into_iter()
            .filter(|belief| {
                self.graph
                    .beliefs
                    .at(*belief)
                    .justifications
                    .as_slice()
                    .iter()
                    .all(has_faded)
            })
            .collect()
    }
}
