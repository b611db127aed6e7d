//! Premises, retractions and restorations.

use entail_kernel::base::Premise;

use crate::command::Retraction;
use crate::commit::Commit;
use crate::error::CommandError;
use crate::limits::BATCH;
use crate::outcome::Outcome;

use super::{changed, check};

/// Asserts premises in order; gives the refs that carry them.
pub(super) fn assert(
    commit: &mut Commit<'_>,
    premises: Vec<Premise>,
    pointer: &str,
) -> Result<Vec<String>, CommandError> {
    if premises.len() > BATCH {
        return Err(CommandError::LimitExceeded {
            what: "too many premises".to_owned(),
            limit: BATCH,
        });
    }
    let mut refs = Vec::with_capacity(premises.len());
    for (index, premise) in premises.into_iter().enumerate() {
        let pointer = format!("{pointer}/{index}");
        refs.push(one(commit, premise, &pointer)?);
    }
    Ok(refs)
}

/// Asserts one premise; gives the ref that carries it.
pub(super) fn one(
    commit: &mut Commit<'_>,
    premise: Premise,
    pointer: &str,
) -> Result<String, CommandError> {
    let at = |name: &str| format!("{pointer}/{name}");
    check::key(&premise.key, &at("key"))?;
    check::value(commit, &premise.value, &at("value"))?;
    check::source(&premise.source, &at("source"))?;
    if let Some(arguments) = &premise.source.arguments {
        check::value(commit, arguments, &at("source"))?;
    }
    if let Some(quote) = &premise.source.quote {
        check::value(commit, &quote.as_str().into(), &at("source"))?;
    }
    if let Some(claim) = &premise.claim {
        check::value(commit, &claim.as_str().into(), &at("claim"))?;
    }
    if let Some(metadata) = &premise.metadata {
        check::value(commit, &metadata.clone().into(), &at("metadata"))?;
    }
    check::reason(premise.note.as_deref(), &at("note"))?;
    check::room(commit)?;
    let now = commit.at;
    let asserted = commit.base_at(pointer, |base| base.assert(premise, now))?;
    let reference = commit.session.base.ref_of(asserted.belief);
    Ok(reference
        .map(|reference| reference.to_string())
        .unwrap_or_default())
}

pub(super) fn retract(
    commit: &mut Commit<'_>,
    retraction: &Retraction,
) -> Result<Outcome, CommandError> {
    check::reason(retraction.reason.as_deref(), "/reason")?;
    let now = commit.at;
    let retracted = commit.base_at("/target", |base| {
        base.retract(
            &retraction.target,
            retraction.reason.as_deref(),
            retraction.fault,
            now,
        )
    })?;
    let refs = retracted
        .into_iter()
        .filter_map(|belief| commit.session.base.ref_of(belief));
    let refs = refs.map(|reference| reference.to_string()).collect();
    Ok(changed(commit, refs))
}

pub(super) fn restore(commit: &mut Commit<'_>, target: &str) -> Result<Outcome, CommandError> {
    let now = commit.at;
    let restored = commit.base_at("/target", |base| base.restore(target, now))?;
    let reference = commit.session.base.ref_of(restored);
    Ok(changed(
        commit,
        reference
            .map(|reference| reference.to_string())
            .into_iter()
            .collect(),
    ))
}
