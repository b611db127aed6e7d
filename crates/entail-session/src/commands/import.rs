//! The first commit of a session that goes on from a snapshot.

use entail_json::{Object, Value};
use entail_kernel::Time;

use crate::Limits;
use crate::commit::Commit;
use crate::error::CommandError;
use crate::options::{Labels, Options, Policy};
use crate::outcome::{Executed, Outcome};
use crate::session::Session;
use crate::snapshot::{IMPORT, Snapshot};

use super::{changed, open, registrations};

impl Session {
    /// Opens a session from a snapshot: its first commit, to be confirmed like any other.
    ///
    /// Beliefs, justifications, retractions and documents are the snapshot's; the policy is the
    /// default with the snapshot's ledger settings, which is what its confidences went by. What
    /// the ledger had seen is copied in as totals; a tenant's ledger learns nothing from it. The
    /// commit's time is `at`, or the snapshot's latest time if that is later, and evidence whose
    /// time is up by then expires.
    ///
    /// # Errors
    /// A task that is empty or too long; a belief that would depend on the absence of something
    /// that depends on it.
    pub fn import(
        id: &str,
        task: &str,
        snapshot: Snapshot,
        limits: Limits,
        at: Time,
    ) -> Result<(Self, Executed), CommandError> {
        let mut session = Self::empty(id, limits);
        let payload = payload(task, &snapshot);
        let at = at.max(snapshot.latest());
        let executed = session.run(IMPORT, &payload, at, |commit| {
            carry_out(commit, task, snapshot)
        })?;
        Ok((session, executed))
    }
}

fn payload(task: &str, snapshot: &Snapshot) -> Value {
    let documents: Object = snapshot
        .documents
        .iter()
        .map(|(name, document)| (name.clone(), document.id().into()))
        .collect();
    let mut payload = Object::from([
        ("task", task.into()),
        ("sha256", snapshot.sha256.into()),
        ("documents", documents.into()),
    ]);
    for (name, value) in snapshot.kept.members() {
        payload.insert(name, value);
    }
    payload.into()
}

fn carry_out(
    commit: &mut Commit<'_>,
    task: &str,
    snapshot: Snapshot,
) -> Result<Outcome, CommandError> {
    open::check_task(task)?;
    let limit = commit.session.limits.beliefs;
    if snapshot.beliefs > limit {
        let what = "too many beliefs".to_owned();
        return Err(CommandError::LimitExceeded { what, limit });
    }
    let options = Options {
        task: task.to_owned(),
        instructions: None,
        policy: Policy {
            ledger: snapshot.ledger,
            ..Policy::default()
        },
        labels: Labels::new(),
        expires_at: None,
    };
    let settings = options.policy.settings();
    let now = commit.at;
    commit.open(options, None);
    commit.base_at("/ledger", |base| base.configure(settings))?;
    for (source, totals) in &snapshot.seeds {
        commit.base_at("/ledger", |base| base.seed(source, *totals))?;
    }
    for (name, document) in &snapshot.documents {
        let pointer = crate::fields::member("/documents", name);
        registrations::put_document(commit, name, document, &pointer)?;
    }
    commit
        .replay(snapshot.events)
        .map_err(|error| CommandError::Base {
            pointer: "/justifications".to_owned(),
            error,
        })?;
    commit.base_at("", |base| {
        base.refresh(now);
        Ok(())
    })?;
    Ok(changed(commit, Vec::new()))
}
