//! Deriving values with rules.

use entail_json::{Value, to_canonical};

use super::assert::valid_key;
use super::justify::Revival;
use super::record::Reason;
use super::rules::unregistered;
use super::{Base, BaseError, BeliefId, Derivation, JustificationKind, Rule, Source, SourceKind};
use crate::Time;
use crate::limits::{RULE_VALUE_BYTES, RULE_VALUE_LEVELS};

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
        let value = rule
            .expression
            .evaluate(value_of)
            .map_err(|error| format!("rule `{}` failed: {error}", rule.name))?;
        match excess(&value) {
            None => Ok(value),
            Some(excess) => Err(format!(
                "rule `{}` failed: its value {excess}; let it give less",
                rule.name
            )),
        }
    }
}

/// What is too much about a value that a rule gives, in words.
fn excess(value: &Value) -> Option<String> {
    let mut bytes = 0_usize;
    let mut open = vec![(value, 1_usize)];
    while let Some((value, level)) = open.pop() {
        if level > RULE_VALUE_LEVELS {
            return Some(format!("is nested deeper than {RULE_VALUE_LEVELS} levels"));
        }
        let inside = level.saturating_add(1);
        bytes = bytes.saturating_add(match value {
            Value::String(text) => text.len(),
            Value::Array(items) => {
                open.extend(items.iter().map(|item| (item, inside)));
                items.len()
            }
            Value::Object(members) => {
                open.extend(members.iter().map(|(_, member)| (member, inside)));
                members.len()
            }
            _ => 1,
        });
        if bytes > RULE_VALUE_BYTES {
            break;
        }
    }
    let is_large = bytes > RULE_VALUE_BYTES || to_canonical(value).len() > RULE_VALUE_BYTES;
    is_large.then(|| format!("has more than {RULE_VALUE_BYTES} bytes"))
}
