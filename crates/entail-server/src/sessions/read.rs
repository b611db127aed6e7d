//! Looking at a session, at least as new as asked for.

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

/// Looks at a session's state, evaluated now.
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

/// Looks at a session for longer, on a thread for such work.
pub(crate) async fn study<T: Send + 'static>(
    app: &App,
    target: &Target,
    min_version: Option<u64>,
    look: impl FnOnce(&Session, Time) -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    let session = hold(app, target, min_version).await?;
    let span = tracing::Span::current();
    let work = move || span.in_scope(|| look(&session, now(&session)));
    tokio::task::spawn_blocking(work)
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
