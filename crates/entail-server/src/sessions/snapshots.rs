//! Snapshots: sessions' states in the store, which shorten loading and are never the truth.
//!
//! They are written in the background, every so many commits and when a session is evicted, one
//! at a time. What proves to be of no use (damaged, of another form, of another history than the
//! journal's) is told, removed and passed over: the journal is replayed instead.

use std::sync::{Arc, Mutex, PoisonError};

use entail_session::{Image, ImageError, Session};
use entail_store::{SessionRow, Snapshot, StoreError};
use tokio::sync::mpsc;
use uuid::Uuid;

use crate::{
    app::App,
    limits::{INLINE_BYTES, SNAPSHOT_QUEUE},
    metrics,
    problem::{Code, Problem},
    sessions::{Slot, load, load::Loaded},
};

/// The sessions whose snapshot is to be written.
#[derive(Debug)]
pub(crate) struct Snapshots {
    queue: mpsc::Sender<Job>,
    jobs: Mutex<Option<mpsc::Receiver<Job>>>,
}

/// A session whose snapshot is to be written. Its slot keeps it in memory.
#[derive(Debug)]
struct Job {
    id: Uuid,
    slot: Slot,
}

impl Default for Snapshots {
    fn default() -> Self {
        let (queue, jobs) = mpsc::channel(SNAPSHOT_QUEUE);
        Self {
            queue,
            jobs: Mutex::new(Some(jobs)),
        }
    }
}

impl Snapshots {
    /// Has a session's snapshot written, unless too many wait already.
    fn ask(&self, id: Uuid, slot: Slot) {
        if self.queue.try_send(Job { id, slot }).is_err() {
            metrics::snapshot("put_off");
        }
    }
}

/// Takes note of a session after work on it: what it weighs, whom it drives out, and whether it
/// is time for a snapshot.
pub(super) fn account(app: &App, id: Uuid, mut loaded: Option<&mut Loaded>) {
    let every = app.settings().snapshot_every;
    let weight = loaded.as_mut().map(|loaded| loaded.weigh());
    for (evicted, slot) in app.sessions().weigh(id, weight.unwrap_or_default()) {
        metrics::evicted();
        // One that somebody works on stays in memory as long as that takes.
        let leaves = slot.try_read().is_ok_and(|held| {
            let held = held.as_ref();
            every > 0 && held.is_some_and(Loaded::leaves_snapshot)
        });
        if leaves {
            app.snapshots().ask(evicted, slot);
        }
    }
    if loaded.is_some_and(|loaded| loaded.takes_snapshot(every))
        && let Some(slot) = app.sessions().peek(id)
    {
        app.snapshots().ask(id, slot);
    }
}

/// Writes the snapshots asked for, until the service stops.
pub(crate) async fn write(app: App) {
    let jobs = app.snapshots().jobs.lock();
    let jobs = jobs.unwrap_or_else(PoisonError::into_inner).take();
    let Some(mut jobs) = jobs else { return };
    loop {
        let job = tokio::select! {
            () = app.drained() => return,
            job = jobs.recv() => job,
        };
        let Some(Job { id, slot }) = job else { return };
        match write_one(&app, id, slot).await {
            Ok(true) => metrics::snapshot("written"),
            // It was deleted, or is loaded again.
            Ok(false) => {}
            Err(problem) => {
                metrics::snapshot("failed");
                tracing::warn!(session = %id, code = problem.code().as_str(), "a snapshot was not written");
            }
        }
    }
}

/// Writes a session's snapshot; whether there was a session. Its state is put into bytes while it
/// can be read but not changed.
async fn write_one(app: &App, id: Uuid, slot: Slot) -> Result<bool, Problem> {
    let held = slot.read_owned().await;
    let image = move || held.as_ref().and_then(|held| held.session.image());
    let image = tokio::task::spawn_blocking(image)
        .await
        .map_err(|error| Problem::internal(&error))?;
    let Some(image) = image else {
        return Ok(false);
    };
    let snapshot = Snapshot {
        session_id: id,
        seq: image.version,
        head: image.head,
        format: image.format,
        sha256: image.sha256,
        state: image.bytes,
    };
    app.store().put_snapshot(&snapshot).await?;
    Ok(true)
}

/// Why a snapshot is of no use.
#[derive(Debug, thiserror::Error)]
enum Refusal {
    /// It is no image of this session at its entry.
    #[error(transparent)]
    Image(#[from] ImageError),
    /// The row cannot be read.
    #[error("the snapshot's row cannot be read")]
    Row(#[source] StoreError),
    /// The journal ends before it.
    #[error("the snapshot is ahead of the journal: was the database restored from a backup?")]
    Ahead,
    /// The journal has another entry there, or one that does not go on from it.
    #[error("the journal does not go on from the snapshot")]
    Unlinked,
}

impl Refusal {
    fn word(&self) -> &'static str {
        match self {
            Self::Image(error) => error.word(),
            Self::Row(_) => "unreadable",
            Self::Ahead => "ahead",
            Self::Unlinked => "unlinked",
        }
    }
}

/// What stands between a snapshot and its use: that it is of none, or that the store fails.
enum Fault {
    Refused(Refusal),
    Failed(Problem),
}

impl From<ImageError> for Fault {
    fn from(error: ImageError) -> Self {
        Self::Refused(error.into())
    }
}

impl From<Problem> for Fault {
    /// A journal that cannot be gone on with is the snapshot's fault until it is replayed.
    fn from(problem: Problem) -> Self {
        match problem.code() {
            Code::BrokenJournal => Self::Refused(Refusal::Unlinked),
            _ => Self::Failed(problem),
        }
    }
}

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Unreadable { .. } => Self::Refused(Refusal::Row(error)),
            error => Self::Failed(error.into()),
        }
    }
}

/// A session at a version, from its snapshot and the journal from there on, with the snapshot's
/// version; nothing where there is no snapshot, where it is beyond that version, or where it is of
/// no use.
pub(super) async fn load(
    app: &App,
    row: &SessionRow,
    version: u64,
) -> Result<Option<(Session, u64)>, Problem> {
    let (snapshot, seq) = match app.store().snapshot(row.id).await {
        Ok(None) => return Ok(None),
        Ok(Some(snapshot)) if snapshot.seq > version && snapshot.seq <= row.version => {
            return Ok(None);
        }
        Ok(Some(snapshot)) => {
            let seq = snapshot.seq;
            (Ok(snapshot), Some(seq))
        }
        Err(error) => (Err(Fault::from(error)), None),
    };
    let restored = match snapshot {
        Ok(snapshot) => restore(app, row, snapshot, version).await,
        Err(fault) => Err(fault),
    };
    let refusal = match restored {
        Ok(session) => return Ok(seq.map(|seq| (session, seq))),
        Err(Fault::Failed(problem)) => return Err(problem),
        Err(Fault::Refused(refusal)) => refusal,
    };
    metrics::snapshot_refused(refusal.word());
    let cause = std::error::Error::source(&refusal).map(ToString::to_string);
    tracing::warn!(
        session = %row.id, error = %refusal, cause, "a snapshot is passed over, the journal replayed"
    );
    // Another build may still read what it wrote itself.
    let is_of_another_build = matches!(refusal, Refusal::Image(ImageError::UnknownFormat { .. }));
    if let Some(seq) = seq.filter(|_| !is_of_another_build)
        && let Err(error) = app.store().delete_snapshot(row.id, seq).await
    {
        tracing::warn!(session = %row.id, %error, "a snapshot of no use was not removed");
    }
    Ok(None)
}

async fn restore(
    app: &App,
    row: &SessionRow,
    snapshot: Snapshot,
    version: u64,
) -> Result<Session, Fault> {
    if snapshot.seq > row.version {
        return Err(Fault::Refused(Refusal::Ahead));
    }
    if !is_linked(app, row, &snapshot).await? {
        return Err(Fault::Refused(Refusal::Unlinked));
    }
    let image = Image {
        format: snapshot.format,
        version: snapshot.seq,
        head: snapshot.head,
        sha256: snapshot.sha256,
        bytes: snapshot.state,
    };
    let documents = load::documents(app, row, image.documents()?).await?;
    let (id, limits) = (row.id.to_string(), app.settings().session_limits());
    let is_short = image.bytes.len() <= INLINE_BYTES;
    let read = move || {
        Session::from_image(&id, &image, limits, |digest| {
            documents.get(digest).map(Arc::clone)
        })
    };
    let mut session = if is_short {
        read()?
    } else {
        let read = tokio::task::spawn_blocking(read).await;
        read.map_err(|error| Problem::internal(&error))??
    };
    load::go_on(app, row, &mut session, version).await?;
    Ok(session)
}

/// Whether the journal has the entry that the snapshot was taken after.
async fn is_linked(app: &App, row: &SessionRow, snapshot: &Snapshot) -> Result<bool, StoreError> {
    if snapshot.seq == row.version {
        return Ok(snapshot.head == row.chain_head);
    }
    let before = snapshot.seq.saturating_sub(1);
    let entries = app.store().entries(row.id, before, None, 1).await?;
    let is_it = |entry: &entail_trace::journal::Entry| {
        entry.seq == snapshot.seq && entry.hash == snapshot.head
    };
    Ok(entries.first().is_some_and(is_it))
}

#[cfg(test)]
mod tests;
