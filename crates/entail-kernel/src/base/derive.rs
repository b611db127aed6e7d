//! Deriving values with rules.

use entail_json::Value;

use super::assert::valid_key;
use super::justify::Revival;
use super::record::Reason;
use super::rules::unregistered;
use super::{Base, BaseError, BeliefId, Derivation, JustificationKind, Rule, Source, SourceKind};
use crate::Time;

impl Base {
    /// Runs a registered rule over the current values of its inputs.
    ///
    /// # Errors
    /// `invalid_key`, `unknown_belief`, `not_believed`, `unresolved_conflict`, `circular_defeat`;
    /// `invalid_argument` for an unknown rule or the wrong number of inputs; `invalid_formula`
    /// when the rule has no value there.
    pub fn derive(&mut self, derivation: Derivation, now: Time) -> Result<BeliefId, BaseError> {
        self.operate(|base| {
            base.check_room()?;
            for key in [&derivation.key].into_iter().chain(&derivation.unless) {
                valid_key(key)?;
            }
            base.run_rule(&derivation, Revival::Never, now)
        })
    }

    pub(super) fn run_rule(
        &mut self,
        derivation: &Derivation,
        revival: Revival,
        now: Time,
    ) -> Result<BeliefId, BaseError> {
        let Derivation { key, inputs, .. } = derivation;
        let rule = self
            .rules
            .rule(&derivation.rule)
            .ok_or_else(|| unregistered("rule", &derivation.rule))?
            .clone();
        if inputs.len() != rule.parameters().len() {
            return Err(BaseError::argument(
                "inputs",
                format!(
                    "of rule `{}` are {}, not {}: give one key for each parameter",
                    rule.name,
                    rule.parameters().len(),
                    inputs.len()
                ),
            ));
        }
        let beliefs = inputs
            .iter()
            .map(|input| self.antecedent(input))
            .collect::<Result<Vec<_>, _>>()?;
        let value = self
            .value_by(&rule, &beliefs)
            .map_err(|reason| BaseError::InvalidFormula {
                key: key.clone(),
                reason,
            })?;
        let key = self.intern_key(key);
        let distinct = super::justify::distinct(&beliefs);
        let set = self.intern_set(None, &distinct);
        let unless = self.intern_keys(&derivation.unless);
        // The recipe keeps every input in its place, repeated ones too.
        let inputs = beliefs
            .iter()
            .map(|id| self.graph.beliefs.at(*id).key)
            .collect();
        let source = self.intern_source(&Source::new(SourceKind::Rule, &*rule.name));
        let reason = Reason {
            kind: JustificationKind::Rule,
            source,
            set,
            unless,
            inputs,
            rule_version: Some(rule.version),
            formula: None,
            confidence: Some(rule.confidence),
            valid_until: None,
            half_life: None,
            citation: None,
            note: None,
        };
        let described = (derivation.claim.clone(), None);
        self.conclude(key, value, described, reason, revival, now)
    }

    /// What a rule gives for the values of these beliefs, or why it gives nothing, in words.
    pub(super) fn value_by(&self, rule: &Rule, beliefs: &[BeliefId]) -> Result<Value, String> {
        let value_of = |input: &str| {
            let at = rule.parameters().iter().position(|there| there == input)?;
            Some(&self.graph.beliefs.at(*beliefs.get(at)?).value)
        };
        rule.expression
            .evaluate(value_of)
            .map_err(|error| format!("rule `{}` failed: {error}", rule.name))
    }
}
