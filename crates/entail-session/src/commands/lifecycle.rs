//! The end of a session and what changes on the way.

use crate::command::{Closing, Patch};
use crate::commit::Commit;
use crate::error::CommandError;
use crate::outcome::{Changed, Outcome};

use super::{changed, check};

pub(super) fn close(commit: &mut Commit<'_>, closing: Closing) -> Result<Outcome, CommandError> {
    check::reason(closing.reason(), "/reason")?;
    let mut notes = Vec::new();
    match &closing {
        Closing::Answered => {
            let answers = &commit.session.state.answers;
            let base = &commit.session.base;
            let stands = |reference: &str| base.find(reference).is_some_and(|id| base.is_in(id));
            if !answers.iter().any(|answer| stands(&answer.reference)) {
                return Err(check::invalid(
                    "/state",
                    "is `answered`, but no accepted answer is believed: close it as \
                     `insufficient_evidence` or `abandoned`",
                ));
            }
        }
        Closing::InsufficientEvidence { .. } => {
            if commit.session.trace.has_derived_claims() {
                notes.push(
                    "derived claims were accepted before, so the check `insufficient_reasoning` \
                     of the report fails"
                        .to_owned(),
                );
            }
        }
        Closing::Abandoned { .. } => {}
    }
    let open: Vec<String> = commit
        .session
        .state
        .calls
        .open()
        .map(|call| call.id().to_owned())
        .collect();
    for call_id in &open {
        commit.abandon_call(call_id);
    }
    commit.close(closing);
    Ok(Outcome::Changed(Changed {
        notes,
        ..Changed::default()
    }))
}

pub(super) fn reopen(commit: &mut Commit<'_>) -> Result<Outcome, CommandError> {
    let Some(closing) = &commit.session.state.closed else {
        return Err(CommandError::NotClosed);
    };
    let mut notes = Vec::new();
    if matches!(closing, Closing::InsufficientEvidence { .. }) {
        notes.push(
            "the trace says that there is not enough evidence: if a claim is derived now, the \
             check `insufficient_reasoning` of the report fails"
                .to_owned(),
        );
    }
    commit.reopen();
    Ok(Outcome::Changed(Changed {
        notes,
        ..Changed::default()
    }))
}

pub(super) fn patch(commit: &mut Commit<'_>, patch: Patch) -> Result<Outcome, CommandError> {
    let before = &commit.session.state.options;
    let mut options = (**before).clone();
    if let Some(labels) = patch.labels {
        options.labels = labels;
    }
    if let Some(policy) = patch.policy {
        options.policy = policy;
    }
    if let Some(expires_at) = patch.expires_at {
        if expires_at.is_some_and(|time| time <= commit.at) {
            return Err(check::invalid(
                "/expires_at",
                "has passed: give a time that lies ahead",
            ));
        }
        options.expires_at = expires_at;
    }
    if options == **before {
        return Ok(Outcome::Changed(Changed::default()));
    }
    let settings = options.policy.settings();
    let is_new = settings != before.policy.settings();
    commit.patch(options);
    if is_new {
        commit.base_at("/policy", |base| base.configure(settings))?;
    }
    Ok(changed(commit, Vec::new()))
}

pub(super) fn refresh(commit: &mut Commit<'_>) -> Result<Outcome, CommandError> {
    let now = commit.at;
    commit.base_at("", |base| {
        base.refresh(now);
        Ok(())
    })?;
    Ok(changed(commit, Vec::new()))
}
