//! Why something is not believed, and what rests on what.

use std::fmt::Write as _;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::nodes::NONE;
use super::region::{Cursor, Node};
use super::{Base, BaseError, BeliefId, JustificationId, KeyId, SetId, WhyOut};

/// How many things a sentence lists by name.
const NAMED: usize = 3;

/// What is known to be lost of sets, by their numbers.
#[derive(Debug, Default)]
pub(crate) struct LostInSets(FxHashMap<u32, Lost>);

/// The beliefs of a set that are OUT: the first few, and how many.
#[derive(Clone, Debug, Default)]
struct Lost {
    first: Vec<BeliefId>,
    count: usize,
}

impl Base {
    /// Why a belief is not believed; `None` if it is, or if there is no such belief.
    ///
    /// It speaks of the justification that was given or renewed last.
    #[must_use]
    pub fn why_out(&self, belief: BeliefId) -> Option<WhyOut> {
        let label = self.graph.labels.get(belief)?;
        if label.is_in {
            return None;
        }
        let mut why = WhyOut {
            retracted: label.is_retracted,
            ..WhyOut::default()
        };
        let newest = self.graph.beliefs.at(belief).justifications.last();
        let (false, Some(newest)) = (why.retracted, newest.map(JustificationId)) else {
            return Some(why);
        };
        let link = self.graph.links.at(newest);
        if link.is_expired {
            why.expired = true;
            return Some(why);
        }
        why.lost = self.lost_antecedents(link.set);
        let mut defeaters: Vec<KeyId> = self
            .graph
            .unless(newest)
            .filter(|key| self.graph.keys.at(*key).believed.len() > 0)
            .collect();
        defeaters.sort_unstable();
        why.defeated_by = defeaters
            .into_iter()
            .map(|key| Arc::clone(&self.graph.keys.at(key).text))
            .collect();
        Some(why)
    }

    /// The beliefs of a set that are OUT. Sets that are IN are passed over.
    fn lost_antecedents(&self, set: u32) -> Vec<BeliefId> {
        if set == NONE {
            return Vec::new();
        }
        let lost: Vec<_> = self
            .graph
            .lineage(set)
            .into_iter()
            .filter(|set| !self.graph.sets.at(*set).is_in)
            .flat_map(|set| self.graph.own_edges(set))
            .map(|edge| edge.belief)
            .filter(|belief| !self.graph.labels.at(*belief).is_in)
            .collect();
        super::justify::distinct(&lost)
    }

    /// Why a belief is out, in words that follow its name. What was found out about sets is kept
    /// for the next one, since many beliefs share them.
    pub(crate) fn out_in_words(&self, belief: BeliefId, known: &mut LostInSets) -> String {
        let label = self.graph.labels.at(belief);
        if label.is_retracted {
            let reason = self
                .graph
                .beliefs
                .at(belief)
                .retraction
                .as_ref()
                .and_then(|retraction| retraction.reason.as_deref());
            return match reason {
                Some(reason) => format!("was retracted ({reason})"),
                None => "was retracted".to_owned(),
            };
        }
        let newest = self.graph.beliefs.at(belief).justifications.last();
        let Some(newest) = newest.map(JustificationId) else {
            return "has no justification".to_owned();
        };
        let link = self.graph.links.at(newest);
        if link.is_expired {
            return "rests on evidence that has expired".to_owned();
        }
        let mut words = Vec::new();
        let lost = self.lost_in(link.set, known);
        if lost.count > 0 {
            let names = lost.first.iter().map(|id| self.reference(*id).to_string());
            words.push(format!("lost its support {}", listed(names, lost.count)));
        }
        let mut defeaters = self
            .graph
            .unless(newest)
            .map(|key| self.graph.keys.at(key))
            .filter(|key| key.believed.len() > 0)
            .map(|key| key.text.to_string())
            .peekable();
        if defeaters.peek().is_some() {
            let by: Vec<_> = defeaters.collect();
            let count = by.len();
            words.push(format!("is defeated by {}", listed(by.into_iter(), count)));
        }
        if words.is_empty() {
            "is supported by nothing but itself".to_owned()
        } else {
            words.join(" and ")
        }
    }

    /// What is lost of a set: each set is gone over once.
    fn lost_in(&self, set: u32, known: &mut LostInSets) -> Lost {
        let mut unknown = Vec::new();
        let mut at = set;
        let mut lost = Lost::default();
        while at != NONE && !self.graph.sets.at(SetId(at)).is_in {
            if let Some(there) = known.0.get(&at) {
                lost = there.clone();
                break;
            }
            unknown.push(at);
            at = self.graph.sets.at(SetId(at)).parent;
        }
        for set in unknown.into_iter().rev() {
            for edge in self.graph.own_edges(SetId(set)) {
                if !self.graph.labels.at(edge.belief).is_in {
                    lost.count += 1;
                    if lost.first.len() < NAMED {
                        lost.first.push(edge.belief);
                    }
                }
            }
            known.0.insert(set, lost.clone());
        }
        lost
    }

    pub(super) fn not_believed(&self, belief: BeliefId) -> BaseError {
        let why = self.why_out(belief).unwrap_or_default();
        let way_out = if why.retracted {
            "restore it or use another"
        } else if why.expired {
            "assert it again"
        } else {
            "support it again or use another"
        };
        BaseError::NotBelieved {
            target: self.reference(belief).to_string(),
            reason: format!(
                "is not believed: it {}; {way_out}",
                self.out_in_words(belief, &mut LostInSets::default())
            ),
        }
    }

    /// The error for a key of which nothing is believed; it speaks of the latest revision.
    pub(super) fn key_not_believed(&self, key: &str) -> BaseError {
        let latest = self
            .key_node(key)
            .ok()
            .and_then(|node| node.revisions.last());
        match latest {
            Some(latest) => match self.not_believed(BeliefId(latest)) {
                BaseError::NotBelieved { reason, .. } => BaseError::NotBelieved {
                    target: key.to_owned(),
                    reason,
                },
                other => other,
            },
            None => BaseError::UnknownBelief {
                target: key.to_owned(),
            },
        }
    }

    /// Everything that rests on a belief, directly or not, or on the absence of its key, in order
    /// of creation. The belief itself is not listed.
    #[must_use]
    pub fn dependents(&self, belief: BeliefId) -> Vec<BeliefId> {
        if self.graph.beliefs.get(belief).is_none() {
            return Vec::new();
        }
        let start = Node::Belief(belief);
        let mut seen = FxHashSet::from_iter([start]);
        let mut open = vec![start];
        let mut found = Vec::new();
        while let Some(node) = open.pop() {
            let mut cursor = Cursor::new(&self.graph, node);
            while let Some(next) = cursor.next(&self.graph) {
                if seen.insert(next) {
                    open.push(next);
                    if let Node::Belief(dependent) = next {
                        found.push(dependent);
                    }
                }
            }
        }
        found.sort_unstable();
        found
    }
}

/// A few names in backticks, and how many more there are of so many: `a`, `b` and 3 more.
pub(super) fn listed(names: impl Iterator<Item = String>, count: usize) -> String {
    let mut text = String::new();
    let mut named = 0;
    for name in names.take(NAMED) {
        let separator = match named {
            0 => "",
            _ if named + 1 == count => " and ",
            _ => ", ",
        };
        let _ = write!(text, "{separator}`{name}`");
        named += 1;
    }
    if count > named {
        let _ = write!(text, " and {} more", count - named);
    }
    text
}
