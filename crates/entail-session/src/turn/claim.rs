//! Claims and answers.

use entail_contract::{Answer, Claim, Code};
use entail_json::{Number, Value};
use entail_kernel::base::{Antecedents, BaseError, BeliefId, Lesson, Source, SourceKind, Step};
use entail_kernel::equality::{results_agree, values_equal};
use entail_kernel::expression::{Formula, placeholders};

use super::refusal::{Refusal, quoted, value};
use super::shown::holds;
use super::{Turning, non_blank};
use crate::options::Dependencies;

/// A claim or an answer whose own rules were checked.
struct Checked {
    key: String,
    value: Value,
    claim: Option<String>,
    /// What it says that it rests on: `follows_from`, then the formula's keys.
    rests_on: Vec<BeliefId>,
    formula: Option<String>,
    confidence: Option<f64>,
}

impl Turning<'_, '_> {
    pub(super) fn claim(&mut self, claim: Claim) -> Result<BeliefId, Refusal> {
        if self.context.scope.as_ref() != Some(&claim.key) {
            Self::check_key(&claim.key)?;
            self.check_scope()?;
        }
        let mut rests_on = self.dependencies_of(&claim.follows_from)?;
        let value = match &claim.formula {
            Some(formula) => self.compute(formula, &claim.value, &mut rests_on)?,
            None => claim.value,
        };
        if value.is_null() {
            return Err(Refusal::new(
                Code::MissingValue,
                format!(
                    "`{}` has neither a value nor a formula; give one of them",
                    quoted(&claim.key)
                ),
            ));
        }
        self.check_value(&value)?;
        self.check_words(&claim.claim)?;
        self.check_holder(&claim.key, &value)?;
        self.conclude(Checked {
            key: claim.key,
            value,
            claim: non_blank(claim.claim),
            rests_on,
            formula: claim.formula,
            confidence: claim.confidence,
        })
    }

    pub(super) fn answer(&mut self, answer: Answer) -> Result<BeliefId, Refusal> {
        let scope = self
            .context
            .scope
            .clone()
            .filter(|key| crate::commands::is_reserved(key));
        if scope.is_none() {
            self.check_scope()?;
        }
        let rests_on = self.dependencies_of(&answer.follows_from)?;
        let value = Value::from(answer.text.as_str());
        self.check_value(&value)?;
        if let Some(key) = &scope {
            self.check_holder(key, &value)?;
        }
        if self.dependencies == Dependencies::Declared && rests_on.is_empty() {
            return Err(Refusal::new(
                Code::AnswerWithoutSupport,
                "an answer must list the beliefs it rests on; name their keys in `follows_from`",
            ));
        }
        let key = scope.unwrap_or_else(|| self.next_answer_key());
        self.conclude(Checked {
            key,
            value,
            claim: non_blank(answer.text),
            rests_on,
            formula: None,
            confidence: answer.confidence,
        })
    }

    /// The key for one more answer. Of what was imported only the keys tell that they are answers'.
    fn next_answer_key(&self) -> String {
        let session = &self.commit.session;
        let mut number = session.state.answers.len();
        loop {
            number = number.saturating_add(1);
            let key = match number {
                1 => "answer".to_owned(),
                _ => format!("answer:{number}"),
            };
            if session.base.revisions(&key).is_empty() {
                return key;
            }
        }
    }

    fn check_scope(&self) -> Result<(), Refusal> {
        self.context.scope.as_ref().map_or(Ok(()), |key| {
            Err(Refusal::new(
                Code::NotVisible,
                format!(
                    "only `{}` is asked for here; claim that key and nothing else",
                    quoted(key)
                ),
            ))
        })
    }

    fn dependencies_of(&self, names: &[String]) -> Result<Vec<BeliefId>, Refusal> {
        names
            .iter()
            .map(|name| self.shown.find(self.commit, name))
            .collect()
    }

    /// What the formula gives on the values that were shown. A stated value that it reproduces,
    /// or does not, teaches the ledger about the model.
    fn compute(
        &mut self,
        text: &str,
        stated: &Value,
        rests_on: &mut Vec<BeliefId>,
    ) -> Result<Value, Refusal> {
        for key in placeholders(text) {
            rests_on.push(self.shown.find(self.commit, key)?);
        }
        let invalid = |reason: &dyn std::fmt::Display| {
            Refusal::new(
                Code::InvalidFormula,
                format!("the formula cannot be evaluated: {reason}"),
            )
        };
        let formula = Formula::parse(text).map_err(|error| invalid(&error))?;
        let base = &self.commit.session.base;
        let computed = formula
            .evaluate(|key| {
                let belief = self.shown.find(self.commit, key).ok()?;
                base.belief(belief).map(|belief| belief.value)
            })
            .map_err(|error| invalid(&error))?;
        if stated.is_null() {
            return Ok(Number::from_f64(computed).into());
        }
        let agrees = results_agree(computed, stated);
        if !formula.placeholders().is_empty() {
            self.teach(agrees, Lesson::Formula);
        }
        if agrees {
            return Ok(stated.clone());
        }
        Err(Refusal::new(
            Code::FormulaMismatch,
            format!(
                "the formula evaluates to {}, but the claim states {}; correct the value or \
                 leave it out",
                Value::from(Number::from_f64(computed)),
                value(stated)
            ),
        ))
    }

    fn check_value(&self, stated: &Value) -> Result<(), Refusal> {
        let limit = self.commit.session.limits.value_bytes;
        crate::commands::value_fault(stated, limit).map_or(Ok(()), |fault| {
            Err(Refusal::new(
                Code::UnsupportedValue,
                format!("the value cannot be stored: {fault}; state a smaller, plainer one"),
            ))
        })
    }

    /// A key that is disputed, holds another value or waits for a call's result takes no claim.
    fn check_holder(&self, key: &str, stated: &Value) -> Result<(), Refusal> {
        let base = &self.commit.session.base;
        if base.is_disputed(key) {
            return Err(Refusal::new(
                Code::KeyInConflict,
                format!(
                    "`{}` is disputed; leave it alone until the conflict is settled, or use a \
                     new key",
                    quoted(key)
                ),
            )
            .in_conflict());
        }
        let held = base
            .believed(key)
            .into_iter()
            .filter_map(|belief| base.belief(belief));
        if let Some(held) = held
            .map(|belief| belief.value)
            .find(|held| !values_equal(held, stated))
        {
            return Err(Refusal::new(
                Code::KeyHoldsOtherValue,
                format!(
                    "`{}` already holds {}; use a new key",
                    quoted(key),
                    value(held)
                ),
            ));
        }
        if self.shown.is_called(key) || self.commit.session.state.calls.filling(key).is_some() {
            return Err(Refusal::new(
                Code::KeyHoldsOtherValue,
                format!(
                    "`{}` will hold the result of an open tool call; use a new key",
                    quoted(key)
                ),
            ));
        }
        Ok(())
    }

    /// Checks that what it depends on still holds, and believes it.
    fn conclude(&mut self, checked: Checked) -> Result<BeliefId, Refusal> {
        let antecedents = match self.dependencies {
            Dependencies::Conservative => {
                let (gone, is_conflict) = self.shown.gone(self.commit);
                if !gone.is_empty() {
                    let refusal = Refusal::context_changed(&gone, true);
                    return Err(if is_conflict {
                        refusal.in_conflict()
                    } else {
                        refusal
                    });
                }
                match self.shown.chain() {
                    _ if self.shown.holds_key(self.commit, &checked.key) => {
                        Antecedents::Beliefs(self.shown.all_but(self.commit, &checked.key))
                    }
                    Some(set) => Antecedents::Set(set),
                    None => Antecedents::Beliefs(Vec::new()),
                }
            }
            Dependencies::Declared => {
                self.check_hold(&checked.rests_on)?;
                Antecedents::Beliefs(checked.rests_on.clone())
            }
        };
        self.check_room()?;
        let base = &self.commit.session.base;
        let keys = checked.rests_on.iter().filter_map(|id| base.belief(*id));
        let mut inputs: Vec<String> = Vec::new();
        for key in keys.map(|belief| belief.key.to_string()) {
            if !inputs.contains(&key) {
                inputs.push(key);
            }
        }
        let name = self.model.strip_prefix("model:").unwrap_or_default();
        let step = Step {
            key: checked.key.clone(),
            value: Some(checked.value),
            claim: checked.claim,
            antecedents,
            source: Source::new(SourceKind::Model, name),
            formula: checked.formula,
            confidence: checked.confidence,
            unless: Vec::new(),
            inputs,
            expiry: None,
            note: None,
            metadata: None,
        };
        let now = self.commit.at;
        let is_again = self.context.scope.is_some();
        let concluded = self.commit.base(|base| {
            if is_again {
                base.rederive(step, now)
            } else {
                base.justify(step, now)
            }
        });
        let belief = concluded.map_err(|error| of_base(&error))?;
        self.shown.claimed(self.commit, &checked.key, belief);
        Ok(belief)
    }

    fn check_hold(&self, rests_on: &[BeliefId]) -> Result<(), Refusal> {
        let base = &self.commit.session.base;
        let gone = rests_on
            .iter()
            .filter(|belief| !holds(self.commit, **belief));
        let gone = gone
            .filter_map(|belief| base.belief(*belief))
            .map(|b| b.key.to_string());
        let gone: Vec<String> = gone.collect();
        if gone.is_empty() {
            return Ok(());
        }
        let refusal = Refusal::context_changed(&gone, false);
        Err(if gone.iter().any(|key| base.is_disputed(key)) {
            refusal.in_conflict()
        } else {
            refusal
        })
    }
}

/// What the belief base itself refuses although everything before let it pass.
fn of_base(error: &BaseError) -> Refusal {
    let code = match error {
        BaseError::InvalidKey { .. } => Code::InvalidKey,
        BaseError::UnknownBelief { .. } => Code::UnknownKey,
        BaseError::NotBelieved { .. } | BaseError::UnresolvedConflict { .. } => {
            Code::ContextChanged
        }
        BaseError::InvalidFormula { .. } => Code::FormulaMismatch,
        _ => Code::UnsupportedValue,
    };
    Refusal::new(code, error.to_string())
}
