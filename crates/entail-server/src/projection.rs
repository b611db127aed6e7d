//! Feeding the SQL views for dashboards: what journals brought is copied into plain rows, in the
//! background and behind the commits.
//!
//! Each replica copies the sessions it committed to itself. What another left behind when it was
//! stopped is found by walking all sessions, at the start and every few minutes. Copying takes a
//! bounded share of the time, so that under load the views fall behind rather than the turns.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use entail_kernel::{Time, base::BeliefId};
use entail_session::{EntryTurn, Session};
use entail_store::{ProjectedBelief, ProjectedRejection, ProjectedTurn, Projection};
use entail_trace::journal::Entry;
use uuid::Uuid;

use crate::{
    app::App,
    clock,
    limits::{
        PROJECTED_BEHIND, PROJECTED_ENTRIES, PROJECTION_BATCH, PROJECTION_MS, PROJECTION_REST,
        PROJECTION_WALK_MS,
    },
    problem::{Code, Problem},
    sessions::{Target, read},
};

/// Sessions whose views are behind, with their tenants.
#[derive(Debug, Default)]
pub(crate) struct Behind(Mutex<HashMap<Uuid, String>>);

impl Behind {
    /// Notes that a session was committed to.
    pub(crate) fn note(&self, target: &Target) {
        let mut behind = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // What does not fit is found by the next walk.
        if behind.len() < PROJECTED_BEHIND && !behind.contains_key(&target.id) {
            behind.insert(target.id, target.tenant.clone());
        }
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    fn ids(&self) -> Vec<Uuid> {
        let behind = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        behind.keys().copied().collect()
    }

    fn take(&self, id: Uuid) -> Option<Target> {
        let mut behind = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        behind.remove(&id).map(|tenant| Target { tenant, id })
    }
}

/// Keeps the views fed until the service stops.
pub(crate) async fn keep(app: App) {
    if app.settings().no_views {
        return;
    }
    let mut walk_at = 0;
    loop {
        let now = clock::now_micros();
        if now >= walk_at {
            walk_at = now.saturating_add(PROJECTION_WALK_MS.saturating_mul(1_000));
            put_off(walk(&app).await);
        }
        put_off(round(&app).await);
        tokio::select! {
            () = app.drained() => return,
            () = tokio::time::sleep(Duration::from_millis(PROJECTION_MS)) => {}
        }
    }
}

fn put_off(outcome: Result<(), Problem>) {
    if let Err(problem) = outcome {
        tracing::warn!(
            code = problem.code().as_str(),
            "feeding the views is put off"
        );
    }
}

/// Notes every session whose views are behind, whoever committed to it.
pub(crate) async fn walk(app: &App) -> Result<(), Problem> {
    let mut after = None;
    while !app.is_draining() {
        let page = app.store().unprojected(after, PROJECTION_BATCH).await?;
        let is_last = page.len() < PROJECTION_BATCH as usize;
        for (tenant, id, _) in page {
            after = Some(id);
            app.views_behind().note(&Target { tenant, id });
        }
        if is_last || app.views_behind().len() >= PROJECTED_BEHIND {
            break;
        }
    }
    Ok(())
}

/// Copies what is noted by now.
pub(crate) async fn round(app: &App) -> Result<(), Problem> {
    for id in app.views_behind().ids() {
        if app.is_draining() {
            break;
        }
        // Taken before its journal is read: a commit meanwhile notes it anew.
        let Some(target) = app.views_behind().take(id) else {
            continue;
        };
        let started = clock::now_micros();
        match project(app, &target).await {
            Ok(()) => {}
            Err(problem) if problem.code() == Code::StoreUnavailable => {
                app.views_behind().note(&target);
                return Err(problem);
            }
            // One damaged session must not keep the others out of the views.
            Err(problem) => {
                let code = problem.code().as_str();
                tracing::warn!(session = %id, code, "left out of the views");
            }
        }
        let took = clock::now_micros().saturating_sub(started);
        let rest = u64::try_from(took)
            .unwrap_or_default()
            .saturating_mul(PROJECTION_REST);
        tokio::select! {
            () = app.drained() => break,
            () = tokio::time::sleep(Duration::from_micros(rest)) => {}
        }
    }
    Ok(())
}

/// Copies what a session's journal brought since it was last copied.
async fn project(app: &App, target: &Target) -> Result<(), Problem> {
    loop {
        let from = app.store().projected(target.id).await?;
        let entries = app
            .store()
            .entries(target.id, from, None, PROJECTED_ENTRIES)
            .await?;
        let Some(last) = entries.last() else {
            return Ok(());
        };
        let (to, is_last) = (last.seq, entries.len() < PROJECTED_ENTRIES as usize);
        let tenant = target.tenant.clone();
        let looked = read(app, target, Some(to), |session, at| {
            projection(session, &entries, tenant, target.id, from, at)
        })
        .await;
        let projection = match looked {
            Err(problem) if problem.code() == Code::UnknownSession => return Ok(()),
            projection => projection?,
        };
        let moved = app.store().project(&projection).await?;
        if is_last || !moved {
            return Ok(());
        }
    }
}

fn projection(
    session: &Session,
    entries: &[Entry],
    tenant: String,
    session_id: Uuid,
    from: u64,
    at: Time,
) -> Result<Projection, Problem> {
    let mut beliefs: Vec<BeliefId> = Vec::new();
    let (mut turns, mut to) = (Vec::new(), from);
    for entry in entries {
        let changes = session.changes_of(entry).map_err(|error| {
            tracing::error!(%error, "a journal entry cannot be read");
            Problem::new(
                Code::BrokenJournal,
                "the journal of the session cannot be read",
            )
        })?;
        beliefs.extend(changes.beliefs);
        turns.extend(changes.turn.map(|told| turn(entry, told)));
        to = entry.seq;
    }
    beliefs.sort_unstable();
    beliefs.dedup();
    let confidences = session.base().confidences_of(&beliefs, at);
    let rows = beliefs.iter().zip(confidences);
    Ok(Projection {
        tenant,
        session_id,
        from,
        to,
        as_of: session.version(),
        beliefs: rows
            .filter_map(|(id, confidence)| belief(session, *id, confidence))
            .collect(),
        turns,
    })
}

fn belief(session: &Session, id: BeliefId, confidence: f64) -> Option<ProjectedBelief> {
    let belief = session.base().belief(id)?;
    let justifications = session.base().justifications(id);
    let source = justifications.last().map(|given| given.source.label());
    Some(ProjectedBelief {
        reference: plain(&belief.reference().to_string()),
        key: plain(belief.key),
        value: plain(&entail_json::to_canonical(belief.value)),
        source: plain(source.as_deref().unwrap_or_default()),
        status: belief.status.to_string(),
        confidence,
    })
}

fn turn(entry: &Entry, told: EntryTurn) -> ProjectedTurn {
    let rejected = told.rejected.into_iter().map(|problem| ProjectedRejection {
        action: problem.kind.map(|kind| kind.as_str().to_owned()),
        key: problem.key.as_deref().map(plain),
        code: problem.code.as_str().to_owned(),
        message: plain(&problem.message),
    });
    ProjectedTurn {
        turn: entry.seq,
        model: (!told.model.is_empty()).then(|| plain(&told.model)),
        verdict: told.verdict.word().to_owned(),
        accepted: u64::try_from(told.accepted).unwrap_or(u64::MAX),
        rejected: rejected.collect(),
        at: entry.created_at,
    }
}

/// Text that every engine takes: what was refused may hold any character.
fn plain(text: &str) -> String {
    text.replace('\0', "\u{fffd}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Service;

    fn target(session: &str) -> Target {
        let id = session.rsplit('/').next().unwrap().parse().unwrap();
        Target {
            tenant: crate::caller::DEFAULT_TENANT.to_owned(),
            id,
        }
    }

    #[tokio::test]
    async fn what_was_committed_is_copied_once_and_then_nothing_is_behind() {
        let service = Service::start().await;
        let app = service.app();
        let session = service.open(r#"{"task": "t"}"#).await;
        service
            .post(&format!("{session}/turns"), r#"{"response": "no json"}"#)
            .await;
        let target = target(&session);
        assert_eq!(app.views_behind().len(), 1);
        assert_eq!(app.store().projected(target.id).await.unwrap(), 0);
        round(app).await.unwrap();
        assert_eq!(app.views_behind().len(), 0);
        assert_eq!(app.store().projected(target.id).await.unwrap(), 2);
        assert_eq!(app.store().unprojected(None, 10).await.unwrap(), []);
    }

    #[tokio::test]
    async fn what_another_process_left_behind_is_found_by_walking() {
        let service = Service::start().await;
        let app = service.app();
        let session = service.open(r#"{"task": "t"}"#).await;
        let target = target(&session);
        app.views_behind().take(target.id);
        round(app).await.unwrap();
        assert_eq!(app.store().projected(target.id).await.unwrap(), 0);
        walk(app).await.unwrap();
        round(app).await.unwrap();
        assert_eq!(app.store().projected(target.id).await.unwrap(), 1);
    }

    #[tokio::test]
    async fn a_session_that_is_gone_is_passed_over() {
        let service = Service::start().await;
        let app = service.app();
        let gone = service.open(r#"{"task": "t"}"#).await;
        let kept = service.open(r#"{"task": "t"}"#).await;
        service.call("DELETE", &gone, None).await;
        round(app).await.unwrap();
        assert_eq!(app.views_behind().len(), 0);
        let version = app.store().projected(target(&kept).id).await.unwrap();
        assert_eq!(version, 1);
    }
}
