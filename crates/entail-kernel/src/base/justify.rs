//! Justifying values by other beliefs.

use entail_json::{Number, Value};

use super::assert::{check_source_name, valid_expiry, valid_key, valid_share};
use super::record::Reason;
use super::{
    Antecedents, Base, BaseError, BeliefId, JustificationKind, KeyId, SetId, SourceKind, Step,
};
use crate::Time;
use crate::equality::results_agree;
use crate::expression::Formula;

/// Whether an equal revision that is out may come back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Revival {
    /// No: there is a new revision.
    Never,
    /// Yes, where nothing of the key is believed and its latest revision was not retracted.
    OfLatest,
}

impl Base {
    /// Interns an antecedent set: what `extends` holds, and these beliefs, in this order.
    ///
    /// Steps that share their antecedents share a set, so that C claims which each rest on N
    /// beliefs and on the claims before them cost N + C edges:
    ///
    /// ```
    /// use entail_kernel::base::{Antecedents, Premise, Step};
    /// use entail_kernel::{Base, Time};
    ///
    /// let mut base = Base::default();
    /// let now = Time::EPOCH;
    /// let mut shown = Vec::new();
    /// for n in 0..3_i64 {
    ///     let premise = Premise::new(format!("k{n}"), n, "tool:t".parse()?);
    ///     shown.push(base.assert(premise, now)?.belief);
    /// }
    /// let mut set = base.antecedent_set(None, &shown)?;
    /// for n in 0..5_i64 {
    ///     let mut step = Step::new(format!("c{n}"), n, "model:m".parse()?, [""; 0]);
    ///     step.antecedents = set.map_or(Antecedents::Named(Vec::new()), Antecedents::Set);
    ///     let claim = base.justify(step, now)?;
    ///     set = base.antecedent_set(set, &[claim])?;
    /// }
    /// assert_eq!(base.edges(), 3 + 5);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// Nothing at all is no set: `None`. A belief given twice counts once.
    ///
    /// # Errors
    /// `unknown_belief` for a handle that is not of this base; `invalid_argument` for such a set.
    pub fn antecedent_set(
        &mut self,
        extends: Option<SetId>,
        beliefs: &[BeliefId],
    ) -> Result<Option<SetId>, BaseError> {
        self.operate(|base| base.set_of(extends, beliefs))
    }

    fn set_of(
        &mut self,
        extends: Option<SetId>,
        beliefs: &[BeliefId],
    ) -> Result<Option<SetId>, BaseError> {
        self.check_room()?;
        if extends.is_some_and(|set| self.graph.sets.get(set).is_none()) {
            return Err(BaseError::argument(
                "antecedents",
                "extend a set that is not of this base: make one with `antecedent_set`",
            ));
        }
        if let Some(unknown) = beliefs
            .iter()
            .find(|id| self.graph.beliefs.get(**id).is_none())
        {
            return Err(BaseError::UnknownBelief {
                target: format!("#{}", unknown.0),
            });
        }
        Ok(self.intern_set(extends, &distinct(beliefs)))
    }

    /// How many edges antecedent sets have: beliefs in sets, a shared set counted once.
    #[must_use]
    pub fn edges(&self) -> usize {
        self.graph.set_edges.len()
    }

    /// Justifies a value by other beliefs.
    ///
    /// Every antecedent must be believed and undisputed, and a formula must reproduce the value. A
    /// believed revision of an equal value gains the justification; otherwise there is a new
    /// revision, even if the latest one is equal but out.
    ///
    /// # Errors
    /// `invalid_key`, `unknown_belief`, `not_believed`, `unresolved_conflict`, `invalid_formula`,
    /// `circular_defeat`, and `invalid_argument` where an argument makes no sense.
    pub fn justify(&mut self, step: Step, now: Time) -> Result<BeliefId, BaseError> {
        self.operate(|base| base.take_step(step, Revival::Never, now))
    }

    /// Like [`justify`](Self::justify), for what waits to be derived again: where nothing of the
    /// key is believed and the latest revision has an equal value and was not retracted, that
    /// revision comes back, and with it everything that rests on it.
    ///
    /// # Errors
    /// As for [`justify`](Self::justify).
    pub fn rederive(&mut self, step: Step, now: Time) -> Result<BeliefId, BaseError> {
        self.operate(|base| base.take_step(step, Revival::OfLatest, now))
    }

    fn take_step(
        &mut self,
        step: Step,
        revival: Revival,
        now: Time,
    ) -> Result<BeliefId, BaseError> {
        self.check_room()?;
        valid_key(&step.key)?;
        check_source_name(&step.source.name)?;
        valid_share("confidence", step.confidence)?;
        let valid_until = valid_expiry(step.expiry, now)?;
        for key in step.unless.iter().chain(&step.inputs) {
            valid_key(key)?;
        }
        let set = self.resolve_antecedents(step.antecedents)?;
        let computed = match &step.formula {
            Some(formula) => Some(self.compute(&step.key, formula, set)?),
            None => None,
        };
        let value = agreed_value(&step.key, step.value, computed)?;
        let key = self.intern_key(&step.key);
        let unless = self.intern_keys(&step.unless);
        let inputs = self.intern_keys(&step.inputs);
        let source = self.intern_source(&step.source);
        let kind = if step.source.kind == SourceKind::Rule {
            JustificationKind::Rule
        } else {
            JustificationKind::Model
        };
        let reason = Reason {
            kind,
            source,
            set,
            unless,
            inputs,
            rule_version: None,
            formula: step.formula,
            confidence: step.confidence,
            valid_until,
            half_life: None,
            citation: None,
            note: step.note,
        };
        let described = (step.claim, step.metadata);
        self.conclude(key, value, described, reason, revival, now)
    }

    /// Gives a value a derived justification, on the revision where it belongs.
    pub(super) fn conclude(
        &mut self,
        key: KeyId,
        value: Value,
        (claim, metadata): (Option<String>, Option<entail_json::Object>),
        reason: Reason,
        revival: Revival,
        now: Time,
    ) -> Result<BeliefId, BaseError> {
        let present = self.believed_equal(key, &value).or_else(|| match revival {
            Revival::Never => None,
            Revival::OfLatest => self.renewable(key, &value),
        });
        let belief = match present {
            Some(belief) => belief,
            None => self.add_belief(key, value, claim, metadata, now),
        };
        let is_free = reason.set.is_none() && reason.unless.is_empty();
        self.add_reason(belief, reason, now);
        if !is_free
            && !self.leads_nowhere(belief)
            && let Some(defeater) = self.defeat_loop(&[belief])
        {
            return Err(BaseError::CircularDefeat {
                key: self.graph.keys.at(key).text.to_string(),
                defeater: self.graph.keys.at(defeater).text.to_string(),
            });
        }
        self.settle();
        Ok(belief)
    }

    pub(super) fn intern_keys(&mut self, keys: &[String]) -> Vec<KeyId> {
        let keys: Vec<_> = keys.iter().map(|key| self.intern_key(key)).collect();
        distinct(&keys)
    }

    /// Checks that antecedents are believed and undisputed, and makes a set of them.
    fn resolve_antecedents(
        &mut self,
        antecedents: Antecedents,
    ) -> Result<Option<SetId>, BaseError> {
        match antecedents {
            Antecedents::Named(targets) => {
                let beliefs = targets
                    .iter()
                    .map(|target| self.antecedent(target))
                    .collect::<Result<Vec<_>, _>>()?;
                self.set_of(None, &beliefs)
            }
            Antecedents::Beliefs(beliefs) => {
                let set = self.set_of(None, &beliefs)?;
                self.check_set(set)
            }
            Antecedents::Set(set) => {
                let set = self.set_of(Some(set), &[])?;
                self.check_set(set)
            }
        }
    }

    /// The belief that a key or ref names as an antecedent.
    pub(super) fn antecedent(&self, target: &str) -> Result<BeliefId, BaseError> {
        let belief = self.current(target)?;
        self.check_antecedent(belief)?;
        Ok(belief)
    }

    fn check_antecedent(&self, belief: BeliefId) -> Result<(), BaseError> {
        if !self.graph.labels.at(belief).is_in {
            return Err(self.not_believed(belief));
        }
        self.check_undisputed(self.graph.beliefs.at(belief).key)
    }

    /// Checks a set as a whole where its label says enough, else belief by belief.
    fn check_set(&self, set: Option<SetId>) -> Result<Option<SetId>, BaseError> {
        if let Some(set) = set
            && !(self.graph.sets.at(set).is_in && self.graph.contested.is_empty())
        {
            for belief in self.antecedents(set) {
                self.check_antecedent(belief)?;
            }
        }
        Ok(set)
    }

    /// What a formula computes from the antecedents.
    fn compute(&self, key: &str, formula: &str, set: Option<SetId>) -> Result<f64, BaseError> {
        let invalid = |reason: String| BaseError::InvalidFormula {
            key: key.to_owned(),
            reason,
        };
        let parsed = Formula::parse(formula).map_err(|error| invalid(error.to_string()))?;
        // Keys are compared by their handles, since a set may hold everything that was shown.
        let wanted: Vec<_> = parsed
            .placeholders()
            .iter()
            .map(|key| (key.as_str(), self.graph.key(key)))
            .collect();
        let mut values: Vec<Option<&Value>> = vec![None; wanted.len()];
        let sets = set.map_or_else(Vec::new, |set| self.graph.lineage(set.0));
        for edge in sets.into_iter().flat_map(|set| self.graph.own_edges(set)) {
            let key = Some(self.graph.labels.at(edge.belief).key);
            if let Some(at) = wanted.iter().position(|(_, there)| *there == key)
                && let Some(value) = values.get_mut(at)
            {
                *value = Some(&self.graph.beliefs.at(edge.belief).value);
            }
        }
        let find = |key: &str| {
            let at = wanted.iter().position(|(there, _)| *there == key)?;
            values.get(at).copied().flatten()
        };
        if let Some((missing, _)) = wanted.iter().find(|(key, _)| find(key).is_none()) {
            return Err(invalid(format!(
                "`{missing}` is not among the antecedents: add it there"
            )));
        }
        parsed
            .evaluate(find)
            .map_err(|error| invalid(error.to_string()))
    }
}

/// The value of a step, checked against what its formula computes.
fn agreed_value(
    key: &str,
    stated: Option<Value>,
    computed: Option<f64>,
) -> Result<Value, BaseError> {
    match (stated, computed) {
        (Some(stated), Some(computed)) if !results_agree(computed, &stated) => {
            Err(BaseError::InvalidFormula {
                key: key.to_owned(),
                reason: format!("it gives {computed}, not {stated}: correct one of them"),
            })
        }
        (Some(stated), _) => Ok(stated),
        (None, Some(computed)) => {
            Number::from_f64(computed)
                .map(Value::from)
                .ok_or_else(|| BaseError::InvalidFormula {
                    key: key.to_owned(),
                    reason: "its result is not finite".to_owned(),
                })
        }
        (None, None) => Err(BaseError::argument(
            "value",
            "is missing: give it, or a formula that computes it",
        )),
    }
}

/// The items in their order, each once.
pub(super) fn distinct<T: Copy + Eq + std::hash::Hash>(items: &[T]) -> Vec<T> {
    /// Below this looking through a list beats hashing.
    const FEW: usize = 8;
    if items.len() <= FEW {
        let mut kept = Vec::with_capacity(items.len());
        for item in items {
            if !kept.contains(item) {
                kept.push(*item);
            }
        }
        return kept;
    }
    let mut seen = rustc_hash::FxHashSet::default();
    items
        .iter()
        .copied()
        .filter(|item| seen.insert(*item))
        .collect()
}
