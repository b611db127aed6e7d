//! Rules and constraints.

use crate::command::{ConstraintDefinition, RuleDefinition};
use crate::commit::Commit;
use crate::error::CommandError;
use crate::outcome::{Changed, Outcome};

use super::{changed, check};

pub(super) fn put(
    commit: &mut Commit<'_>,
    name: &str,
    rule: &RuleDefinition,
    pointer: &str,
) -> Result<Outcome, CommandError> {
    check::name(name, "rule", &format!("{pointer}/name"))?;
    let base = &commit.session.base;
    if let Some(before) = base.rule(name, None) {
        let confidence = rule.confidence.unwrap_or(base.settings().trust.priors.rule);
        let is_same = before.parameters() == rule.parameters
            && before.expression.text() == rule.expression
            && before.confidence.total_cmp(&confidence).is_eq();
        if is_same {
            return Ok(Outcome::Rule {
                name: name.to_owned(),
                version: before.version,
            });
        }
    } else {
        check_room(commit)?;
    }
    let now = commit.at;
    let version = commit
        .base(|base| {
            base.set_rule(
                name,
                &rule.parameters,
                &rule.expression,
                rule.confidence,
                now,
            )
        })
        .map_err(|error| CommandError::InvalidRule {
            pointer: pointer.to_owned(),
            error,
        })?;
    commit.follow_up();
    Ok(Outcome::Rule {
        name: name.to_owned(),
        version,
    })
}

pub(super) fn delete(commit: &mut Commit<'_>, name: &str) -> Result<Outcome, CommandError> {
    if commit.session.base.rule(name, None).is_none() {
        return Err(CommandError::UnknownRule {
            name: name.to_owned(),
        });
    }
    let now = commit.at;
    commit.base_at("", |base| base.remove_rule(name, now))?;
    Ok(Outcome::Changed(Changed::default()))
}

pub(super) fn put_constraint(
    commit: &mut Commit<'_>,
    name: &str,
    constraint: &ConstraintDefinition,
    pointer: &str,
) -> Result<Outcome, CommandError> {
    check::name(name, "constraint", &format!("{pointer}/name"))?;
    for (index, (_, key)) in constraint.inputs.iter().enumerate() {
        if let Some(reason) = check::key_fault(key) {
            return Err(CommandError::InvalidKey {
                key: crate::text::shorten(key, 80),
                reason,
                pointer: format!("{pointer}/inputs/{index}"),
            });
        }
    }
    if let Some(before) = commit.session.base.constraint(name) {
        let inputs = before.inputs().map(|(name, key)| (name, &**key));
        let is_same = before.expression.text() == constraint.expression
            && inputs.eq(constraint
                .inputs
                .iter()
                .map(|(name, key)| (name.as_str(), key.as_str())));
        if is_same {
            return Ok(Outcome::Rule {
                name: name.to_owned(),
                version: before.version,
            });
        }
    } else {
        check_room(commit)?;
    }
    let now = commit.at;
    let version = commit
        .base(|base| base.set_constraint(name, &constraint.inputs, &constraint.expression, now))
        .map_err(|error| CommandError::InvalidRule {
            pointer: pointer.to_owned(),
            error,
        })?;
    commit.follow_up();
    Ok(Outcome::Rule {
        name: name.to_owned(),
        version,
    })
}

pub(super) fn delete_constraint(
    commit: &mut Commit<'_>,
    name: &str,
) -> Result<Outcome, CommandError> {
    if commit.session.base.constraint(name).is_none() {
        return Err(CommandError::UnknownConstraint {
            name: name.to_owned(),
        });
    }
    let now = commit.at;
    commit.base_at("", |base| base.remove_constraint(name, now))?;
    Ok(changed(commit, Vec::new()))
}

fn check_room(commit: &Commit<'_>) -> Result<(), CommandError> {
    let base = &commit.session.base;
    let limit = commit.session.limits.rules;
    let there = base
        .rules()
        .count()
        .saturating_add(base.constraints().count());
    if there >= limit {
        let what = "too many rules and constraints".to_owned();
        return Err(CommandError::LimitExceeded { what, limit });
    }
    Ok(())
}
