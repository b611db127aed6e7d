//! What lost its support: what rules derive again, and what waits for the model.

use std::sync::Arc;

use super::justify::{Revival, distinct};
use super::nodes::NONE;
use super::why::listed;
use super::{
    Base, BeliefId, Conflict, Derivation, JustificationId, JustificationKind, KeyId, SetId, Work,
};
use crate::Time;

/// Something that lost its support and waits to be derived again.
#[derive(Clone, Debug, PartialEq)]
pub struct Pending {
    /// Its latest revision.
    pub belief: BeliefId,
    /// The justification that is the recipe: the newest one that is no premise.
    pub justification: JustificationId,
    /// What kind of step it is.
    pub kind: JustificationKind,
    /// Its inputs, each with what is believed of it, if that is one undisputed value.
    pub inputs: Vec<(Arc<str>, Option<BeliefId>)>,
    /// Whether only the model has to be asked: it is a model's step, all inputs are believed and
    /// nothing defeats it.
    pub is_ready: bool,
    /// Why it waits, in words.
    pub reason: String,
}

/// What re-running rules did, and what is left.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Propagation {
    /// Beliefs that rules derived again, in that order.
    pub derived: Vec<BeliefId>,
    /// What still waits, and why.
    pub pending: Vec<Pending>,
    /// Conflicts that are open.
    pub conflicts: Vec<Conflict>,
}

/// How a key that lost its support was derived.
#[derive(Clone, Debug)]
struct Recipe {
    belief: BeliefId,
    justification: JustificationId,
    inputs: Vec<KeyId>,
}

impl Base {
    /// Runs rules again for what lost its support, until nothing more follows, and reports what
    /// still waits.
    ///
    /// A value equal to the old one brings the old revision back, and everything that rests on
    /// it: the cascade stops there.
    pub fn propagate(&mut self, now: Time) -> Propagation {
        Propagation {
            derived: self.rerun_rules(now),
            pending: self.pending(),
            conflicts: self.conflicts(),
        }
    }

    /// Runs rules again for what lost its support, in dependency order: a rule runs when all its
    /// inputs are believed and undisputed. Returns what was derived. The cost follows what
    /// changed since the last time.
    pub fn rerun_rules(&mut self, now: Time) -> Vec<BeliefId> {
        let mut derived = Vec::new();
        let mut tried = rustc_hash::FxHashSet::default();
        let mut total = Work::default();
        let mark = self.mark();
        while let Some(key) = self.woken.pop_first() {
            if tried.contains(&key) {
                continue;
            }
            let Some(derivation) = self.runnable(key) else {
                continue;
            };
            self.work = Work::default();
            let inner = self.mark();
            match self.run_rule(&derivation, Revival::OfLatest, now) {
                Ok(belief) => {
                    tried.insert(key);
                    derived.push(belief);
                    self.commit(inner);
                }
                // It stays among what waits; `pending` says why.
                Err(_) => self.rollback(inner),
            }
            total.add(self.work);
        }
        self.commit(mark);
        self.work = total;
        derived
    }

    /// How to run the rule of a key that lost its support, if it can run now.
    fn runnable(&self, key: KeyId) -> Option<Derivation> {
        let recipe = self.recipe(key)?;
        let node = self.graph.justifications.at(recipe.justification);
        node.rule_version()?;
        let is_ready = recipe
            .inputs
            .iter()
            .all(|input| self.current_of(*input).is_some());
        if !is_ready || self.defeater(recipe.justification).is_some() {
            return None;
        }
        let text = |key: KeyId| self.graph.keys.at(key).text.to_string();
        let source = self.graph.source(node.source);
        Some(Derivation {
            key: text(key),
            rule: source.name.clone(),
            inputs: recipe.inputs.into_iter().map(text).collect(),
            unless: self.graph.unless(recipe.justification).map(text).collect(),
            claim: self
                .graph
                .beliefs
                .at(recipe.belief)
                .claim
                .as_deref()
                .map(Into::into),
        })
    }

    /// What lost its support and waits to be derived again, with why; keys in order of creation.
    /// Linear in what is not believed.
    #[must_use]
    pub fn pending(&self) -> Vec<Pending> {
        let mut lost = self.graph.lost.clone();
        lost.sort_unstable_by_key(|key| self.graph.keys.at(*key).order);
        lost.into_iter()
            .filter_map(|key| self.waiting(key))
            .collect()
    }

    /// Why a key waits to be derived again; `None` if it does not.
    #[must_use]
    pub fn pending_of(&self, key: &str) -> Option<Pending> {
        self.waiting(self.graph.key(key)?)
    }

    fn waiting(&self, key: KeyId) -> Option<Pending> {
        let recipe = self.recipe(key)?;
        let node = self.graph.justifications.at(recipe.justification);
        let inputs: Vec<_> = recipe
            .inputs
            .iter()
            .map(|input| {
                let text = Arc::clone(&self.graph.keys.at(*input).text);
                (text, self.current_of(*input))
            })
            .collect();
        let mut is_ready = false;
        let reason = if let Some(reason) = self.missing_inputs(&recipe.inputs) {
            reason
        } else if let Some(defeater) = self.defeater(recipe.justification) {
            format!(
                "`{}` is believed and defeats it",
                self.graph.keys.at(defeater).text
            )
        } else if node.kind == JustificationKind::Rule {
            let beliefs: Vec<_> = inputs.iter().filter_map(|(_, belief)| *belief).collect();
            self.why_rule_waits(&self.graph.source(node.source).name, &beliefs)
        } else {
            is_ready = true;
            "waits for the model to derive it again".to_owned()
        };
        Some(Pending {
            belief: recipe.belief,
            justification: recipe.justification,
            kind: node.kind,
            inputs,
            is_ready,
            reason,
        })
    }

    fn why_rule_waits(&self, name: &str, beliefs: &[BeliefId]) -> String {
        let Some(rule) = self.rules.rule(name) else {
            return format!("rule `{name}` is not registered");
        };
        if rule.parameters().len() != beliefs.len() {
            return format!("rule `{name}` takes other inputs now: derive it anew");
        }
        match self.value_by(rule, beliefs) {
            Ok(_) => format!("rule `{name}` has not run since its inputs came back"),
            Err(reason) => reason,
        }
    }

    fn missing_inputs(&self, inputs: &[KeyId]) -> Option<String> {
        let missing: Vec<_> = inputs
            .iter()
            .filter(|input| self.current_of(**input).is_none())
            .collect();
        let [first, ..] = missing.as_slice() else {
            return None;
        };
        let count = missing.len();
        let names = missing
            .iter()
            .map(|key| self.graph.keys.at(**key).text.to_string());
        let names = listed(names, count);
        let noun = if count == 1 { "input" } else { "inputs" };
        let verb = match (count, self.graph.keys.at(**first).believed.len()) {
            (1, 0) => "is not believed",
            (1, _) => "is disputed",
            _ => "are not believed or disputed",
        };
        Some(format!("{noun} {names} {verb}"))
    }

    /// A key whose being believed defeats a justification.
    fn defeater(&self, id: JustificationId) -> Option<KeyId> {
        self.graph
            .unless(id)
            .find(|key| self.graph.keys.at(*key).believed.len() > 0)
    }

    /// How a key that lost its support was derived; `None` if it has not, if its latest revision
    /// was retracted, or if it only ever had premises.
    fn recipe(&self, key: KeyId) -> Option<Recipe> {
        let node = self.graph.keys.at(key);
        if node.lost_at == NONE {
            return None;
        }
        let belief = BeliefId(node.revisions.last()?);
        if self.graph.labels.at(belief).is_retracted {
            return None;
        }
        let justification = self
            .graph
            .beliefs
            .at(belief)
            .justifications
            .as_slice()
            .iter()
            .rev()
            .map(|id| JustificationId(*id))
            .find(|id| self.graph.justifications.at(*id).kind != JustificationKind::Premise)?;
        let mut inputs = self
            .graph
            .justifications
            .at(justification)
            .inputs()
            .to_vec();
        let set = self.graph.links.at(justification).set;
        if inputs.is_empty() && set != NONE {
            let keys = self.antecedents(SetId(set));
            let keys: Vec<_> = keys
                .iter()
                .map(|id| self.graph.beliefs.at(*id).key)
                .collect();
            inputs = distinct(&keys);
        }
        Some(Recipe {
            belief,
            justification,
            inputs,
        })
    }

    /// Lets everything that waits for this rule be tried again.
    pub(super) fn wake_rule(&mut self, name: &str) {
        for key in &self.graph.lost {
            if self.graph.keys.at(*key).rules == 0 {
                continue;
            }
            let is_waiting = self.recipe(*key).is_some_and(|recipe| {
                let source = self.graph.justifications.at(recipe.justification).source;
                self.graph.source(source).name == name
            });
            if is_waiting {
                self.woken.insert(*key);
            }
        }
    }
}

impl Work {
    fn add(&mut self, other: Self) {
        self.beliefs += other.beliefs;
        self.sets += other.sets;
        self.edges += other.edges;
        self.changes += other.changes;
    }
}
