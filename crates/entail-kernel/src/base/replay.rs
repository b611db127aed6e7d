//! Applying what happened elsewhere.

use super::assert::{valid_key, valid_share};
use super::learn::{check_settings, check_totals};
use super::nodes::length;
use super::record::Reason;
use super::{
    Base, BaseError, BeliefId, Event, JustificationId, JustificationKind, Record, Ref, SetId,
};
use crate::Time;
use crate::expression::RuleExpression;

impl Base {
    /// Applies events that another base gave, in their order. Nothing is decided again; labels
    /// are brought up to date once, at the end, so that the cost is linear in the events. All or
    /// nothing; what is applied gives no events here.
    ///
    /// # Errors
    /// `invalid_argument`, naming the event by its place counted from 1, when one does not fit
    /// what was applied before it; `circular_defeat` when they lead to such a loop.
    ///
    /// ```
    /// use entail_kernel::base::Premise;
    /// use entail_kernel::{Base, Time};
    ///
    /// let mut base = Base::default();
    /// base.assert(Premise::new("a", 1_i64, "human:h".parse()?), Time::EPOCH)?;
    /// let mut copy = Base::default();
    /// copy.replay(&base.take_events())?;
    /// assert_eq!(copy.dump(), base.dump());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn replay<'a>(
        &mut self,
        events: impl IntoIterator<Item = &'a Event>,
    ) -> Result<(), BaseError> {
        self.is_replaying = true;
        let done = self.operate(|base| {
            let mut touched = Vec::new();
            for (at, event) in events.into_iter().enumerate() {
                base.apply(event, &mut touched).map_err(|problem| {
                    BaseError::argument(
                        format!("event {}", at + 1),
                        format!("({}) {problem}: the journal is damaged", event.word()),
                    )
                })?;
            }
            if let Some(key) = base.defeat_loop(&touched) {
                let key = base.graph.keys.at(key).text.to_string();
                return Err(BaseError::CircularDefeat {
                    defeater: key.clone(),
                    key,
                });
            }
            Ok(())
        });
        self.is_replaying = false;
        done
    }

    /// Applies one event; beliefs that gain a step are added to those touched.
    fn apply(&mut self, event: &Event, touched: &mut Vec<BeliefId>) -> Result<(), String> {
        self.check_room().map_err(in_words)?;
        match event {
            Event::Configured(settings) => {
                check_settings(settings).map_err(in_words)?;
                self.configure_now((**settings).clone());
            }
            Event::Seeded { source, totals } => {
                check_totals(source, *totals).map_err(in_words)?;
                let name = self.name_of(source)?;
                self.seed_now(name, *totals);
            }
            Event::Rated { source, prior } => {
                valid_share("prior", *prior).map_err(in_words)?;
                let name = self.name_of(source)?;
                self.rate_now(name, *prior);
            }
            Event::BeliefAdded {
                belief,
                value,
                claim,
                metadata,
                at,
            } => {
                valid_key(&belief.key).map_err(in_words)?;
                let key = self.intern_key(&belief.key);
                let next = length(self.graph.keys.at(key).revisions.len()).saturating_add(1);
                if belief.revision != next {
                    return Err(format!("adds `{belief}`, but revision {next} comes next"));
                }
                self.add_belief(key, value.clone(), claim.clone(), metadata.clone(), *at);
            }
            Event::SetAdded { set, extends, refs } => self.apply_set(*set, *extends, refs)?,
            Event::JustificationAdded {
                justification,
                belief,
                record,
            } => {
                expect_number("justification", *justification, self.graph.links.len())?;
                let belief = self.resolve_ref(belief)?;
                let reason = self.reason_of(record)?;
                if record.set.is_some() || !record.unless.is_empty() {
                    touched.push(belief);
                }
                self.add_reason(belief, reason, record.at);
            }
            Event::JustificationReplaced {
                justification,
                belief,
                record,
            } => {
                let id = JustificationId(*justification);
                let belief = self.resolve_ref(belief)?;
                let reason = self.reason_of(record)?;
                let fits = self
                    .graph
                    .links
                    .get(id)
                    .is_some_and(|link| link.belief == belief)
                    && reason.kind == JustificationKind::Premise
                    && self.graph.premise(belief, reason.source) == Some(id);
                if !fits {
                    return Err(format!(
                        "replaces justification {justification}, which is no premise of that source"
                    ));
                }
                self.replace_reason(id, reason, record.at);
            }
            Event::Retracted { belief, reason, at } => {
                let id = self.resolve_ref(belief)?;
                if self.graph.labels.at(id).is_retracted {
                    return Err(format!("retracts `{belief}` again"));
                }
                self.retract_now(id, reason.as_deref(), *at);
            }
            Event::Restored { belief, at } => {
                let id = self.resolve_ref(belief)?;
                if !self.graph.labels.at(id).is_retracted {
                    return Err(format!("restores `{belief}`, which was not retracted"));
                }
                self.restore_now(id, *at);
            }
            Event::Expired { justifications, at } => self.apply_expiry(justifications, *at)?,
            Event::Outcome {
                source,
                correct,
                lesson,
                at,
            } => {
                let name = self.name_of(source)?;
                self.tell_now(name, *correct, *lesson, *at);
            }
            Event::RuleSet {
                name,
                version,
                parameters,
                expression,
                confidence,
                at,
            } => {
                let expression = RuleExpression::parse(expression, parameters)
                    .map_err(|error| error.to_string())?;
                valid_share("confidence", Some(*confidence)).map_err(in_words)?;
                let given = self.set_rule_now(name.clone(), expression, *confidence, *at);
                expect_version(name, *version, given)?;
            }
            Event::RuleRemoved { name, at } => self
                .remove_rule_now(name, *at)
                .map_err(|error| error.to_string())?,
            Event::ConstraintSet {
                name,
                version,
                inputs,
                expression,
                at,
            } => {
                let names: Vec<_> = inputs.iter().map(|(name, _)| name).collect();
                let expression =
                    RuleExpression::parse(expression, &names).map_err(|error| error.to_string())?;
                let keys = inputs.iter().map(|(_, key)| key.as_str().into()).collect();
                let given = self.set_constraint_now(name.clone(), keys, expression, *at);
                expect_version(name, *version, given)?;
            }
            Event::ConstraintRemoved { name, at } => self
                .remove_constraint_now(name, *at)
                .map_err(|error| error.to_string())?,
            Event::Resolved { .. } => self.resolved_now(event.clone()),
        }
        Ok(())
    }

    fn apply_set(&mut self, set: u32, extends: Option<u32>, refs: &[Ref]) -> Result<(), String> {
        expect_number("set", set, self.graph.sets.len())?;
        if refs.is_empty() {
            return Err("adds nothing to a set".to_owned());
        }
        if extends.is_some_and(|parent| self.graph.sets.get(SetId(parent)).is_none()) {
            return Err("extends a set that is not there".to_owned());
        }
        let beliefs = refs
            .iter()
            .map(|reference| self.resolve_ref(reference))
            .collect::<Result<Vec<_>, _>>()?;
        self.add_set(extends.unwrap_or(super::nodes::NONE), &beliefs);
        Ok(())
    }

    fn apply_expiry(&mut self, justifications: &[u32], at: Time) -> Result<(), String> {
        let ids: Vec<_> = justifications
            .iter()
            .map(|id| JustificationId(*id))
            .collect();
        for id in &ids {
            let can_expire = self
                .graph
                .links
                .get(*id)
                .is_some_and(|link| !link.is_expired)
                && self.graph.justifications.at(*id).expires();
            if !can_expire {
                return Err(format!("expires justification {}, which cannot", id.0));
            }
        }
        self.expire_now(&super::justify::distinct(&ids), at);
        Ok(())
    }

    fn name_of(&mut self, source: &str) -> Result<super::NameId, String> {
        self.source_name(source).map_err(in_words)
    }

    fn resolve_ref(&self, reference: &Ref) -> Result<BeliefId, String> {
        self.find_ref(reference)
            .ok_or_else(|| format!("names `{reference}`, which is not there"))
    }

    fn reason_of(&mut self, record: &Record) -> Result<Reason, String> {
        for key in record.unless.iter().chain(&record.inputs) {
            valid_key(key).map_err(in_words)?;
        }
        if record.source.name.is_empty() {
            return Err("has a nameless source".to_owned());
        }
        valid_share("confidence", record.confidence).map_err(in_words)?;
        let is_premise = record.kind == JustificationKind::Premise;
        if is_premise && (record.set.is_some() || !record.unless.is_empty()) {
            return Err("is a premise with antecedents".to_owned());
        }
        let set = record.set.map(SetId);
        if set.is_some_and(|set| self.graph.sets.get(set).is_none()) {
            return Err("rests on a set that is not there".to_owned());
        }
        Ok(Reason {
            kind: record.kind,
            source: self.intern_source(&record.source),
            set,
            unless: record
                .unless
                .iter()
                .map(|key| self.intern_key(key))
                .collect(),
            inputs: record
                .inputs
                .iter()
                .map(|key| self.intern_key(key))
                .collect(),
            rule_version: record.rule_version,
            formula: record.formula.clone(),
            confidence: record.confidence,
            valid_until: record.valid_until,
            half_life: record.half_life,
            citation: record.citation,
            note: record.note.clone(),
        })
    }
}

fn in_words(error: BaseError) -> String {
    error.to_string()
}

fn expect_number(what: &str, given: u32, next: usize) -> Result<(), String> {
    if given as usize == next {
        Ok(())
    } else {
        Err(format!("adds {what} {given}, but {next} comes next"))
    }
}

fn expect_version(name: &str, given: u32, next: u32) -> Result<(), String> {
    if given == next {
        Ok(())
    } else {
        Err(format!(
            "sets version {given} of `{name}`, but {next} comes next"
        ))
    }
}
