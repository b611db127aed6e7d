//! What the service does by itself, once in a while, in batches: close sessions whose time has
//! come, fold what they taught into the tenants' ledgers, delete what has expired.
//!
//! Every replica does it; each step is safe to be done twice at once.

use std::time::Duration;

use entail_session::{Closing, Command};
use entail_trace::journal::Timestamp;

use crate::{
    app::App,
    clock,
    limits::{FOLD_PAUSE_MS, HOUSEKEEPING_BATCH, HOUSEKEEPING_MS, PURGE_BATCH},
    problem::{Code, Problem},
    sessions::{Lease, Reply, Target, Terms},
};

/// Keeps house until the service stops.
pub(crate) async fn keep(app: App) {
    loop {
        tokio::select! {
            () = app.drained() => return,
            () = tokio::time::sleep(Duration::from_millis(HOUSEKEEPING_MS)) => {}
        }
        if let Err(problem) = round(&app, clock::now()).await {
            tracing::warn!(code = problem.code().as_str(), "housekeeping is put off");
        }
    }
}

/// One round of it.
pub(crate) async fn round(app: &App, now: Timestamp) -> Result<(), Problem> {
    loop {
        let expired = app
            .store()
            .expired_sessions(now, HOUSEKEEPING_BATCH)
            .await?;
        let is_last = expired.len() < HOUSEKEEPING_BATCH as usize;
        let mut closed = 0_usize;
        for (tenant, id) in expired {
            closed = closed.saturating_add(usize::from(close(app, Target { tenant, id }).await?));
        }
        if is_last || closed == 0 || app.is_draining() {
            break;
        }
    }
    retire(app, now).await?;
    while !app.is_draining() && app.store().fold_outcomes(PURGE_BATCH).await? == PURGE_BATCH {
        // The ledger may lag; turns are not to wait for it.
        tokio::time::sleep(Duration::from_millis(FOLD_PAUSE_MS)).await;
    }
    while !app.is_draining() && app.store().purge(now, PURGE_BATCH).await?.total() > 0 {}
    Ok(())
}

/// Deletes what expired longer ago than sessions are to be kept.
async fn retire(app: &App, now: Timestamp) -> Result<(), Problem> {
    let kept_s = app.settings().delete_expired_after_s;
    let Some(kept_us) = i64::try_from(kept_s)
        .ok()
        .filter(|kept_s| *kept_s > 0)
        .and_then(|kept_s| kept_s.checked_mul(1_000_000))
    else {
        return Ok(());
    };
    let before = now.saturating_add_micros(kept_us.saturating_neg());
    while !app.is_draining() {
        let retired = app
            .store()
            .retired_sessions(before, HOUSEKEEPING_BATCH)
            .await?;
        if retired.is_empty() {
            break;
        }
        for (tenant, id) in retired {
            app.store().delete_session(&tenant, id).await?;
            app.sessions().forget(id);
            app.feed().tell_gone(id);
            tracing::info!(session = %id, "deleted an expired session");
        }
    }
    Ok(())
}

/// Closes an expired session as abandoned; whether it was still open.
async fn close(app: &App, target: Target) -> Result<bool, Problem> {
    let id = target.id;
    let closed = Lease::work(app, target, async |mut lease: Lease| {
        lease.make_current().await?;
        let closing = Closing::Abandoned {
            reason: Some("it expired".to_owned()),
        };
        let build = |_: &entail_session::Session, _| Ok(Command::Close(closing.clone()));
        let reply = |_: &entail_session::Session, _: &entail_session::Executed| {
            Reply::ok(entail_json::Object::new())
        };
        lease.commit(&Terms::default(), build, reply).await
    })
    .await;
    match closed {
        Ok(_) => {
            tracing::info!(session = %id, "closed an expired session");
            Ok(true)
        }
        Err(problem) if matches!(problem.code(), Code::SessionClosed | Code::UnknownSession) => {
            Ok(false)
        }
        // One damaged session must not keep the others from being closed.
        Err(problem) if problem.code() == Code::BrokenJournal => Ok(false),
        Err(problem) => Err(problem),
    }
}

#[cfg(test)]
mod tests {
    use entail_json::Value;

    use super::*;
    use crate::{config::Settings, testing::Service};

    #[tokio::test]
    async fn an_expired_session_is_closed_as_abandoned_and_another_is_not() {
        let service = Service::start().await;
        let expired = service.open(r#"{"task": "t", "expires_in_s": 60}"#).await;
        let lasting = service
            .open(r#"{"task": "t", "expires_in_s": 36000}"#)
            .await;
        let in_two_hours = clock::now().saturating_add_micros(7_200_000_000);
        round(service.app(), in_two_hours).await.unwrap();
        let state = async |path: &str| {
            let session = service.get(path).await.json();
            session
                .get("state")
                .and_then(Value::as_str)
                .map(str::to_owned)
        };
        assert_eq!(state(&expired).await.as_deref(), Some("abandoned"));
        assert_eq!(state(&lasting).await.as_deref(), Some("open"));
        let listed = service.get("/sessions?state=abandoned").await.json();
        assert_eq!(
            listed
                .get("items")
                .and_then(Value::as_array)
                .map(<[Value]>::len),
            Some(1)
        );
        round(service.app(), in_two_hours).await.unwrap();
    }

    #[tokio::test]
    async fn a_session_is_deleted_when_it_was_kept_for_long_enough_after_it_expired() {
        let service = Service::with(Settings {
            delete_expired_after_s: 3_600,
            ..Settings::default()
        })
        .await;
        let session = service.open(r#"{"task": "t", "expires_in_s": 60}"#).await;
        let later = |hours: i64| clock::now().saturating_add_micros(hours * 3_600_000_000);
        round(service.app(), later(1)).await.unwrap();
        assert_eq!(service.get(&session).await.status, 200);
        round(service.app(), later(2)).await.unwrap();
        assert_eq!(service.get(&session).await.code(), "unknown_session");
    }

    #[tokio::test]
    async fn what_a_session_learned_reaches_the_tenants_ledger() {
        let service = Service::start().await;
        let session = service
            .open(r#"{"task": "t", "premises": [{"key": "k", "value": 1, "source": "tool:bad"}]}"#)
            .await;
        let retraction = r#"{"target": "k", "fault": "source"}"#;
        service
            .post(&format!("{session}/retractions"), retraction)
            .await;
        round(service.app(), clock::now()).await.unwrap();
        let source = service.get("/sources/tool%3Abad").await.json();
        assert_eq!(source.get("total").and_then(Value::as_u64), Some(1));
        assert_eq!(source.get("correct").and_then(Value::as_u64), Some(0));
    }
}
