//! Rules and constraints as registered, with their versions.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::assert::{valid_key, valid_share};
use super::{Base, BaseError, Event};
use crate::Time;
use crate::expression::{ExpressionError, RuleExpression};
use crate::image::{Malformed, Reader, Writer};

/// A rule as registered: a deterministic expression over named inputs.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// Its name.
    pub name: Arc<str>,
    /// Its version, counted from 1.
    pub version: u32,
    /// How certain a step by it is, from 0 to 1.
    pub confidence: f64,
    /// The expression, over its parameters.
    pub expression: Arc<RuleExpression>,
}

impl Rule {
    /// What its inputs are called in the expression.
    #[must_use]
    pub fn parameters(&self) -> &[String] {
        self.expression.inputs()
    }
}

/// A constraint as registered: an expression over the current values of keys that must be true.
#[derive(Clone, Debug, PartialEq)]
pub struct Constraint {
    /// Its name.
    pub name: Arc<str>,
    /// Its version, counted from 1.
    pub version: u32,
    /// The keys, in the order of the expression's inputs.
    pub keys: Vec<Arc<str>>,
    /// The expression, over what the keys are called in it.
    pub expression: Arc<RuleExpression>,
}

impl Constraint {
    /// What each key is called in the expression, and the key.
    pub fn inputs(&self) -> impl Iterator<Item = (&str, &Arc<str>)> {
        let names = self.expression.inputs().iter().map(String::as_str);
        names.zip(&self.keys)
    }
}

/// All versions of something, and whether its newest one is in force.
#[derive(Clone, Debug)]
struct Versions<T> {
    all: Vec<T>,
    is_active: bool,
}

/// Everything registered with a base.
#[derive(Clone, Debug, Default)]
pub(super) struct Rules {
    rules: BTreeMap<Arc<str>, Versions<Rule>>,
    constraints: BTreeMap<Arc<str>, Versions<Constraint>>,
}

/// How to take a registration or a withdrawal back.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    name: Arc<str>,
    is_new_version: bool,
    was_active: bool,
}

impl Rules {
    pub(super) fn put_back_rule(&mut self, slot: Slot) {
        put_back(&mut self.rules, slot);
    }

    pub(super) fn put_back_constraint(&mut self, slot: Slot) {
        put_back(&mut self.constraints, slot);
    }

    /// The newest version, if it is in force.
    pub(super) fn rule(&self, name: &str) -> Option<&Rule> {
        active(&self.rules, name)
    }

    pub(super) fn rule_version(&self, name: &str, version: u32) -> Option<&Rule> {
        let at = usize::try_from(version.checked_sub(1)?).ok()?;
        self.rules.get(name)?.all.get(at)
    }

    pub(super) fn constraint(&self, name: &str) -> Option<&Constraint> {
        active(&self.constraints, name)
    }

    fn next_rule_version(&self, name: &str) -> u32 {
        next_version(&self.rules, name)
    }

    fn next_constraint_version(&self, name: &str) -> u32 {
        next_version(&self.constraints, name)
    }

    /// Rules in force, by name.
    pub(super) fn rules(&self) -> impl Iterator<Item = &Rule> {
        self.rules
            .values()
            .filter(|versions| versions.is_active)
            .filter_map(|versions| versions.all.last())
    }

    /// Constraints in force, by name.
    pub(super) fn constraints(&self) -> impl Iterator<Item = &Constraint> {
        self.constraints
            .values()
            .filter(|versions| versions.is_active)
            .filter_map(|versions| versions.all.last())
    }
}

impl Rules {
    pub(super) fn write_image(&self, out: &mut Writer) {
        write_versions(out, &self.rules, |out, rule| {
            write_expression(out, &rule.expression);
            out.float(rule.confidence);
        });
        write_versions(out, &self.constraints, |out, constraint| {
            write_expression(out, &constraint.expression);
            out.list(constraint.keys.iter(), |out, key| out.text(key));
        });
    }

    pub(super) fn read_image(from: &mut Reader<'_>) -> Result<Self, Malformed> {
        let rules = read_versions(from, |from, name, version| {
            Ok(Rule {
                name: Arc::clone(name),
                version,
                expression: read_expression(from)?,
                confidence: from.float()?,
            })
        })?;
        let constraints = read_versions(from, |from, name, version| {
            Ok(Constraint {
                name: Arc::clone(name),
                version,
                expression: read_expression(from)?,
                keys: from.list(1, |from| from.text().map(Into::into))?,
            })
        })?;
        Ok(Self { rules, constraints })
    }
}

fn write_versions<T>(
    out: &mut Writer,
    all: &BTreeMap<Arc<str>, Versions<T>>,
    mut write: impl FnMut(&mut Writer, &T),
) {
    out.list(all.iter(), |out, (name, versions)| {
        out.text(name);
        out.flag(versions.is_active);
        out.list(versions.all.iter(), &mut write);
    });
}

fn read_versions<T>(
    from: &mut Reader<'_>,
    mut read: impl FnMut(&mut Reader<'_>, &Arc<str>, u32) -> Result<T, Malformed>,
) -> Result<BTreeMap<Arc<str>, Versions<T>>, Malformed> {
    let named = from.list(3, |from| {
        let name: Arc<str> = from.text()?.into();
        let is_active = from.flag()?;
        let mut version = 0_u32;
        let all = from.list(1, |from| {
            version = version.saturating_add(1);
            read(from, &name, version)
        })?;
        Ok((name, Versions { all, is_active }))
    })?;
    Ok(named.into_iter().collect())
}

fn write_expression(out: &mut Writer, expression: &RuleExpression) {
    out.text(expression.text());
    out.list(expression.inputs().iter(), |out, input| out.text(input));
}

fn read_expression(from: &mut Reader<'_>) -> Result<Arc<RuleExpression>, Malformed> {
    let text = from.text()?;
    let inputs = from.list(1, Reader::text)?;
    RuleExpression::parse(text, &inputs)
        .map(Arc::new)
        .map_err(|_| from.fault("an expression that cannot be read"))
}

fn active<'a, T>(all: &'a BTreeMap<Arc<str>, Versions<T>>, name: &str) -> Option<&'a T> {
    let versions = all.get(name).filter(|versions| versions.is_active)?;
    versions.all.last()
}

fn next_version<T>(all: &BTreeMap<Arc<str>, Versions<T>>, name: &str) -> u32 {
    let count = all.get(name).map_or(0, |versions| versions.all.len());
    super::nodes::length(count).saturating_add(1)
}

/// Adds a version.
fn add<T>(all: &mut BTreeMap<Arc<str>, Versions<T>>, name: &Arc<str>, item: T) -> Slot {
    let versions = all.entry(Arc::clone(name)).or_insert_with(|| Versions {
        all: Vec::new(),
        is_active: false,
    });
    versions.all.push(item);
    Slot {
        name: Arc::clone(name),
        is_new_version: true,
        was_active: std::mem::replace(&mut versions.is_active, true),
    }
}

/// Takes the newest version out of force.
fn withdraw<T>(all: &mut BTreeMap<Arc<str>, Versions<T>>, name: &str) -> Option<Slot> {
    let (name, versions) = all.get_key_value(name)?;
    if !versions.is_active {
        return None;
    }
    let name = Arc::clone(name);
    all.get_mut(&name)?.is_active = false;
    Some(Slot {
        name,
        is_new_version: false,
        was_active: true,
    })
}

fn put_back<T>(all: &mut BTreeMap<Arc<str>, Versions<T>>, slot: Slot) {
    let Some(versions) = all.get_mut(&slot.name) else {
        return;
    };
    versions.is_active = slot.was_active;
    if slot.is_new_version {
        versions.all.pop();
        if versions.all.is_empty() {
            all.remove(&slot.name);
        }
    }
}

impl Base {
    /// Registers a rule, or a new version of it. Beliefs remember the version that derived them.
    /// Returns the version.
    ///
    /// # Errors
    /// `invalid_argument` for a nameless rule, a confidence outside 0 to 1, or an expression or
    /// parameters that cannot be read.
    ///
    /// ```
    /// use entail_kernel::base::Premise;
    /// use entail_kernel::base::Derivation;
    /// use entail_kernel::{Base, Time};
    ///
    /// let mut base = Base::default();
    /// let now = Time::EPOCH;
    /// base.set_rule("growth", &["prev", "cur"], "(cur - prev) / prev * 100.0", None, now)?;
    /// base.assert(Premise::new("q2", 200_i64, "tool:t".parse()?), now)?;
    /// base.assert(Premise::new("q3", 250_i64, "tool:t".parse()?), now)?;
    /// let growth = base.derive(Derivation::new("growth", "growth", ["q2", "q3"]), now)?;
    /// assert_eq!(base.belief(growth).and_then(|b| b.value.as_f64()), Some(25.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_rule(
        &mut self,
        name: &str,
        parameters: &[impl AsRef<str>],
        expression: &str,
        confidence: Option<f64>,
        now: Time,
    ) -> Result<u32, BaseError> {
        self.operate(|base| {
            valid_name("rule", name)?;
            valid_share("confidence", confidence)?;
            let expression = RuleExpression::parse(expression, parameters)
                .map_err(|error| unreadable("rule", name, &error))?;
            let confidence = confidence.unwrap_or(base.settings.trust.priors.rule);
            Ok(base.set_rule_now(name.into(), expression, confidence, now))
        })
    }

    pub(super) fn set_rule_now(
        &mut self,
        name: Arc<str>,
        expression: RuleExpression,
        confidence: f64,
        now: Time,
    ) -> u32 {
        let version = self.rules.next_rule_version(&name);
        let parameters = expression.inputs().to_vec();
        let text = expression.text().to_owned();
        let rule = Rule {
            name: Arc::clone(&name),
            version,
            confidence,
            expression: Arc::new(expression),
        };
        let slot = add(&mut self.rules.rules, &name, rule);
        self.undo.push(super::undo::Undo::Rule(Box::new(slot)));
        self.wake_rule(&name);
        self.say(|_| Event::RuleSet {
            name,
            version,
            parameters,
            expression: text,
            confidence,
            at: now,
        });
        version
    }

    /// Withdraws a rule. What it derived stands; what loses its support then waits.
    ///
    /// # Errors
    /// `invalid_argument` if there is no such rule.
    pub fn remove_rule(&mut self, name: &str, now: Time) -> Result<(), BaseError> {
        self.operate(|base| base.remove_rule_now(name, now))
    }

    pub(super) fn remove_rule_now(&mut self, name: &str, now: Time) -> Result<(), BaseError> {
        let slot =
            withdraw(&mut self.rules.rules, name).ok_or_else(|| unregistered("rule", name))?;
        self.undo.push(super::undo::Undo::Rule(Box::new(slot)));
        self.say(|_| Event::RuleRemoved {
            name: name.into(),
            at: now,
        });
        Ok(())
    }

    /// Registers a constraint, or a new version of it: what each key is called in the expression,
    /// and the key. Returns the version.
    ///
    /// # Errors
    /// `invalid_key`; `invalid_argument` for a nameless constraint, one without keys, or an
    /// expression or names that cannot be read.
    pub fn set_constraint(
        &mut self,
        name: &str,
        inputs: &[(impl AsRef<str>, impl AsRef<str>)],
        expression: &str,
        now: Time,
    ) -> Result<u32, BaseError> {
        self.operate(|base| {
            valid_name("constraint", name)?;
            if inputs.is_empty() {
                return Err(BaseError::argument(
                    name,
                    "constrains no key: name at least one",
                ));
            }
            for (_, key) in inputs {
                valid_key(key.as_ref())?;
            }
            let names: Vec<_> = inputs.iter().map(|(name, _)| name).collect();
            let expression = RuleExpression::parse(expression, &names)
                .map_err(|error| unreadable("constraint", name, &error))?;
            let keys = inputs.iter().map(|(_, key)| key.as_ref().into()).collect();
            Ok(base.set_constraint_now(name.into(), keys, expression, now))
        })
    }

    pub(super) fn set_constraint_now(
        &mut self,
        name: Arc<str>,
        keys: Vec<Arc<str>>,
        expression: RuleExpression,
        now: Time,
    ) -> u32 {
        let version = self.rules.next_constraint_version(&name);
        let constraint = Constraint {
            name: Arc::clone(&name),
            version,
            keys,
            expression: Arc::new(expression),
        };
        let inputs = constraint
            .inputs()
            .map(|(name, key)| (name.to_owned(), key.to_string()))
            .collect();
        let text = constraint.expression.text().to_owned();
        let slot = add(&mut self.rules.constraints, &name, constraint);
        self.undo
            .push(super::undo::Undo::Constraint(Box::new(slot)));
        self.say(|_| Event::ConstraintSet {
            name,
            version,
            inputs,
            expression: text,
            at: now,
        });
        version
    }

    /// Withdraws a constraint.
    ///
    /// # Errors
    /// `invalid_argument` if there is no such constraint.
    pub fn remove_constraint(&mut self, name: &str, now: Time) -> Result<(), BaseError> {
        self.operate(|base| base.remove_constraint_now(name, now))
    }

    pub(super) fn remove_constraint_now(&mut self, name: &str, now: Time) -> Result<(), BaseError> {
        let slot = withdraw(&mut self.rules.constraints, name)
            .ok_or_else(|| unregistered("constraint", name))?;
        self.undo
            .push(super::undo::Undo::Constraint(Box::new(slot)));
        self.say(|_| Event::ConstraintRemoved {
            name: name.into(),
            at: now,
        });
        Ok(())
    }

    /// A rule in force, or a version of it, in force or not.
    #[must_use]
    pub fn rule(&self, name: &str, version: Option<u32>) -> Option<&Rule> {
        match version {
            Some(version) => self.rules.rule_version(name, version),
            None => self.rules.rule(name),
        }
    }

    /// Rules in force, by name.
    pub fn rules(&self) -> impl Iterator<Item = &Rule> {
        self.rules.rules()
    }

    /// A constraint in force.
    #[must_use]
    pub fn constraint(&self, name: &str) -> Option<&Constraint> {
        self.rules.constraint(name)
    }

    /// Constraints in force, by name.
    pub fn constraints(&self) -> impl Iterator<Item = &Constraint> {
        self.rules.constraints()
    }
}

fn valid_name(what: &str, name: &str) -> Result<(), BaseError> {
    if name.is_empty() {
        return Err(BaseError::argument(what, "has no name: give it one"));
    }
    Ok(())
}

fn unreadable(what: &str, name: &str, error: &ExpressionError) -> BaseError {
    BaseError::argument(name, format!("is a {what} that cannot be read: {error}"))
}

pub(super) fn unregistered(what: &str, name: &str) -> BaseError {
    BaseError::argument(name, format!("is no registered {what}: register it first"))
}
