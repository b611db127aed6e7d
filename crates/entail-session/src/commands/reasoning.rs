//! The orchestrator's own steps, and what settles or teaches.

use entail_kernel::base::{Derivation, Disputed, Settlement, Step};

use crate::command::Told;
use crate::commit::Commit;
use crate::error::CommandError;
use crate::limits::BATCH;
use crate::outcome::{Changed, Outcome, Propagated};
use crate::waiting::waiting_of;

use super::{changed, check};

pub(super) fn justify(commit: &mut Commit<'_>, step: Step) -> Result<Outcome, CommandError> {
    check::key(&step.key, "/key")?;
    check_keys(&step.unless, "/unless")?;
    if let Some(value) = &step.value {
        check::value(commit, value, "/value")?;
    }
    if let Some(claim) = &step.claim {
        check::value(commit, &claim.as_str().into(), "/claim")?;
    }
    if let Some(metadata) = &step.metadata {
        check::value(commit, &metadata.clone().into(), "/metadata")?;
    }
    check::source(&step.source, "/source")?;
    check::reason(step.note.as_deref(), "/note")?;
    check::room(commit)?;
    let now = commit.at;
    let belief = commit.base_at("", |base| base.justify(step, now))?;
    let reference = commit.session.base.ref_of(belief);
    Ok(changed(
        commit,
        reference
            .map(|reference| reference.to_string())
            .into_iter()
            .collect(),
    ))
}

pub(super) fn derive(
    commit: &mut Commit<'_>,
    derivation: Derivation,
) -> Result<Outcome, CommandError> {
    check::key(&derivation.key, "/key")?;
    check_keys(&derivation.unless, "/unless")?;
    if let Some(claim) = &derivation.claim {
        check::value(commit, &claim.as_str().into(), "/claim")?;
    }
    if commit.session.base.rule(&derivation.rule, None).is_none() {
        return Err(CommandError::UnknownRule {
            name: derivation.rule,
        });
    }
    check::room(commit)?;
    let now = commit.at;
    let belief = commit.base_at("", |base| base.derive(derivation, now))?;
    let reference = commit.session.base.ref_of(belief);
    Ok(changed(
        commit,
        reference
            .map(|reference| reference.to_string())
            .into_iter()
            .collect(),
    ))
}

/// Keys that are only named need not be free of what only answers have.
fn check_keys(keys: &[String], pointer: &str) -> Result<(), CommandError> {
    for (index, key) in keys.iter().enumerate() {
        if let Some(reason) = check::key_fault(key) {
            return Err(CommandError::InvalidKey {
                key: crate::text::shorten(key, 80),
                reason,
                pointer: format!("{pointer}/{index}"),
            });
        }
    }
    Ok(())
}

pub(super) fn resolve(
    commit: &mut Commit<'_>,
    conflict: &str,
    settlement: &Settlement,
) -> Result<Outcome, CommandError> {
    check::reason(settlement.reason.as_deref(), "/reason")?;
    let base = &commit.session.base;
    let disputed = match conflict
        .strip_prefix("constraint:")
        .map(Disputed::Constraint)
    {
        Some(constraint) if base.conflict(constraint).is_some() => constraint,
        _ => Disputed::Key(conflict),
    };
    let now = commit.at;
    let resolved = commit.base_at("", |base| base.resolve(disputed, settlement, now))?;
    let refs = resolved
        .retracted
        .iter()
        .filter_map(|belief| commit.session.base.ref_of(*belief));
    let refs = refs.map(|reference| reference.to_string()).collect();
    Ok(changed(commit, refs))
}

pub(super) fn tell(commit: &mut Commit<'_>, told: &[Told]) -> Result<Outcome, CommandError> {
    if told.len() > BATCH {
        return Err(CommandError::LimitExceeded {
            what: "too many outcomes".to_owned(),
            limit: BATCH,
        });
    }
    let now = commit.at;
    for (index, told) in told.iter().enumerate() {
        let pointer = format!("/{index}/source");
        check::plain(&told.source, &pointer)?;
        commit.base_at(&pointer, |base| {
            base.outcome(
                &told.source,
                told.correct,
                entail_kernel::base::Lesson::Told,
                now,
            )
        })?;
    }
    Ok(Outcome::Changed(Changed::default()))
}

pub(super) fn propagate(commit: &mut Commit<'_>) -> Result<Outcome, CommandError> {
    let now = commit.at;
    let derived = commit.base_at("", |base| Ok(base.rerun_rules(now)))?;
    commit.follow_up();
    let base = &commit.session.base;
    let derived = derived.into_iter().filter_map(|belief| base.ref_of(belief));
    Ok(Outcome::Propagated(Propagated {
        derived: derived.map(|reference| reference.to_string()).collect(),
        pending: base
            .pending()
            .iter()
            .filter_map(|pending| waiting_of(base, pending))
            .collect(),
        changes: commit.changes(),
        conflicts: commit.conflict_keys(),
    }))
}
