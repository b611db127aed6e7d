//! Looking at a session, at least as new as asked for: at what its commits left, or at what it
//! stands for now.
//!
//! Time takes evidence away without a commit. What rests on labels is therefore looked at with
//! the expired evidence left out. Such a look commits nothing, and needs the session for itself
//! only where something has expired since the last commit.

use entail_kernel::Time;
use entail_session::Session;
use tokio::sync::OwnedRwLockReadGuard;

use crate::{
    app::App,
    clock,
    limits::STALE_MICROS,
    metrics,
    problem::{Code, Problem},
    sessions::{Lease, Target, load::Loaded, to_time},
};

type Held = OwnedRwLockReadGuard<Option<Loaded>, Session>;

/// Looks at what a session's commits left: definitions and records.
///
/// Without a version, a state that was compared with the store's a moment ago will do.
pub(crate) async fn read<T>(
    app: &App,
    target: &Target,
    min_version: Option<u64>,
    look: impl FnOnce(&Session, Time) -> Result<T, Problem>,
) -> Result<T, Problem> {
    let session = hold(app, target, min_version).await?;
    look(&session, now(&session))
}

/// Looks at what a session's commits left for longer, on a thread for such work.
pub(crate) async fn study<T: Send + 'static>(
    app: &App,
    target: &Target,
    min_version: Option<u64>,
    look: impl FnOnce(&Session, Time) -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    let session = hold(app, target, min_version).await?;
    on_thread(move || look(&session, now(&session))).await
}

/// Looks at what is believed now.
pub(crate) async fn read_now<T>(
    app: &App,
    target: &Target,
    min_version: Option<u64>,
    look: impl FnOnce(&Session, Time) -> Result<T, Problem>,
) -> Result<T, Problem> {
    match present(app, target, min_version).await? {
        Present::Committed(session, at) => look(&session, at),
        Present::Expired(mut lease) => lease.foresee(look)?,
    }
}

/// Looks at what is believed now for longer, on a thread for such work.
pub(crate) async fn study_now<T: Send + 'static>(
    app: &App,
    target: &Target,
    min_version: Option<u64>,
    look: impl FnOnce(&Session, Time) -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    let present = present(app, target, min_version).await?;
    on_thread(move || match present {
        Present::Committed(session, at) => look(&session, at),
        Present::Expired(mut lease) => lease.foresee(look)?,
    })
    .await
}

/// A session to be looked at as it stands now.
enum Present {
    /// What its commits left still holds.
    Committed(Held, Time),
    /// Evidence has expired since.
    Expired(Box<Lease>),
}

async fn present(app: &App, target: &Target, min_version: Option<u64>) -> Result<Present, Problem> {
    let session = hold(app, target, min_version).await?;
    let at = now(&session);
    if !session.needs_refresh(at) {
        return Ok(Present::Committed(session, at));
    }
    drop(session);
    let lease = Lease::take(app.clone(), target.clone()).await?;
    Ok(Present::Expired(Box::new(lease)))
}

async fn on_thread<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    let span = tracing::Span::current();
    tokio::task::spawn_blocking(move || span.in_scope(work))
        .await
        .map_err(|error| Problem::internal(&error))?
}

async fn hold(app: &App, target: &Target, min_version: Option<u64>) -> Result<Held, Problem> {
    let held = app.sessions().slot(target.id).read_owned().await;
    if let Ok(held) = OwnedRwLockReadGuard::try_map(held, |held| {
        held.as_ref()
            .filter(|held| will_do(held, target, min_version))
            .map(|held| &held.session)
    }) {
        metrics::hit();
        return Ok(held);
    }
    Lease::work(app, target.clone(), async |mut lease: Lease| {
        lease.make_current().await
    })
    .await?;
    let held = app.sessions().slot(target.id).read_owned().await;
    let held = OwnedRwLockReadGuard::try_map(held, |held| {
        held.as_ref()
            .filter(|held| held.tenant == target.tenant)
            .map(|held| &held.session)
    })
    .map_err(|_| {
        let detail = "the session did not stay in memory for long enough; try again";
        Problem::new(Code::Overloaded, detail)
    })?;
    match min_version.filter(|wanted| *wanted > held.version()) {
        None => Ok(held),
        Some(wanted) => {
            let detail = format!(
                "the session is at version {}, not yet at {wanted}",
                held.version()
            );
            Err(Problem::new(Code::UnknownVersion, detail))
        }
    }
}

fn will_do(held: &Loaded, target: &Target, min_version: Option<u64>) -> bool {
    held.tenant == target.tenant
        && match min_version {
            Some(wanted) => held.session.version() >= wanted,
            None => clock::now_micros().saturating_sub(held.checked_at) < STALE_MICROS,
        }
}

/// Now, or the last commit's time where this replica's clock is behind.
fn now(session: &Session) -> Time {
    session.commit_time(to_time(clock::now()))
}
