//! What a claim rests on, nearest first.

use entail_kernel::base::{Base, BeliefId, SetId};
use rustc_hash::FxHashSet;

use super::Note;
use crate::limits::{CLAIM_SUPPORTS, COMMIT_WALK, SUPPORT_WALK};

/// Everything behind an antecedent set, nearest first. A set that extends the one walked last, as
/// the claims of one conservative turn do, only costs what it adds.
#[derive(Debug, Default)]
pub(super) struct Walk {
    set: Option<SetId>,
    /// Beliefs that extensions added after the walk, oldest first.
    front: Vec<BeliefId>,
    /// Beliefs in the order in which the walk met them.
    order: Vec<BeliefId>,
    seen: FxHashSet<BeliefId>,
    sets: FxHashSet<SetId>,
    /// How far the two lists were looked at for what follows.
    looked_at: (usize, usize),
    /// The first beliefs of the walk that have claim records, and the first pieces of evidence.
    nearest: Vec<BeliefId>,
    pieces: Vec<u32>,
    claims_total: usize,
    evidence: FxHashSet<u32>,
    /// Whether there was more than may be walked through.
    is_cut: bool,
    /// Beliefs walked through so far, by earlier walks too.
    walked: usize,
}

impl Walk {
    /// Walks through what a set rests on. `noted` holds the claim records by belief.
    pub(super) fn to(&mut self, base: &Base, noted: &[Option<Note>], set: SetId) {
        self.walk(base, set);
        self.count(noted);
    }

    fn walk(&mut self, base: &Base, set: SetId) {
        if self.set == Some(set) {
            return;
        }
        let Some((extends, own)) = base.set(set) else {
            return;
        };
        if self.set.is_some() && extends == self.set {
            self.sets.insert(set);
            for belief in own {
                if self.seen.insert(belief) {
                    self.front.push(belief);
                    self.follow(base, vec![belief]);
                }
            }
        } else {
            *self = Self {
                walked: self.walked,
                ..Self::default()
            };
            let first = self.members(base, set);
            self.order.extend(first.iter().copied());
            self.follow(base, first);
        }
        self.set = Some(set);
    }

    /// Beliefs with claim records, nearest first; not all, but more than are ever named.
    pub(super) fn nearest(&self) -> impl Iterator<Item = BeliefId> {
        self.front.iter().rev().chain(&self.nearest).copied()
    }

    /// Pieces of evidence of the walk, nearest first; not all, but as many as are ever named.
    pub(super) fn pieces(&self) -> &[u32] {
        &self.pieces
    }

    /// How many claim records and how many pieces of evidence there are behind the set.
    pub(super) fn totals(&self) -> (usize, usize) {
        (self.claims_total, self.evidence.len())
    }

    /// Looks at what the lists have gained.
    fn count(&mut self, noted: &[Option<Note>]) {
        let (front, order) = self.looked_at;
        self.looked_at = (self.front.len(), self.order.len());
        let front = self
            .front
            .get(front..)
            .unwrap_or_default()
            .iter()
            .map(|id| (*id, true));
        let order = self
            .order
            .get(order..)
            .unwrap_or_default()
            .iter()
            .map(|id| (*id, false));
        for (belief, is_front) in front.chain(order) {
            let Some(Some(record)) = noted.get(usize::from(belief)) else {
                continue;
            };
            self.claims_total = self.claims_total.saturating_add(1);
            if !is_front && self.nearest.len() < CLAIM_SUPPORTS.saturating_mul(2) {
                self.nearest.push(belief);
            }
            for piece in &record.evidence {
                if self.evidence.insert(*piece) && self.pieces.len() < CLAIM_SUPPORTS {
                    self.pieces.push(*piece);
                }
            }
        }
    }

    /// Whether a belief is among them.
    pub(super) fn holds(&self, belief: BeliefId) -> bool {
        self.seen.contains(&belief)
    }

    /// Whether these are all.
    pub(super) const fn is_complete(&self) -> bool {
        !self.is_cut
    }

    /// Goes on from these, layer by layer.
    fn follow(&mut self, base: &Base, mut layer: Vec<BeliefId>) {
        while !layer.is_empty() {
            let mut next = Vec::new();
            for belief in layer {
                self.walked = self.walked.saturating_add(1);
                if self.seen.len() > SUPPORT_WALK || self.walked > COMMIT_WALK {
                    self.is_cut = true;
                    return;
                }
                for reason in base.justifications(belief) {
                    if let Some(set) = reason.antecedents.filter(|_| reason.is_valid) {
                        next.extend(self.members(base, set));
                    }
                }
            }
            self.order.extend(next.iter().copied());
            layer = next;
        }
    }

    /// The beliefs of a set that were not seen before, newest first.
    fn members(&mut self, base: &Base, set: SetId) -> Vec<BeliefId> {
        let mut members = Vec::new();
        let mut next = Some(set);
        while let Some(set) = next.filter(|set| self.sets.insert(*set)) {
            let Some((extends, own)) = base.set(set) else {
                break;
            };
            members.extend(own.into_iter().filter(|belief| self.seen.insert(*belief)));
            next = extends;
        }
        members.sort_unstable_by(|a, b| b.cmp(a));
        members
    }
}
