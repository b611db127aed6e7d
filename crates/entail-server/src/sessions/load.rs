//! Bringing a session in memory to the store's version.

use std::{
    collections::{HashMap, VecDeque, hash_map::Entry as Slot},
    sync::Arc,
};

use entail_json::Digest;
use entail_session::{Context, Document, ReplayError, Session};
use entail_store::{Journal, SessionRow};
use entail_trace::journal::Timestamp;
use uuid::Uuid;

use crate::{
    app::App,
    clock,
    limits::{
        MEASURE_COMMITS, MEASURE_SHARE, REMEMBERED_CONTEXTS, SESSION_BYTES, SNAPSHOT_LEAST_COMMITS,
        SNAPSHOT_SHARE,
    },
    metrics,
    problem::{Code, Problem},
    sessions::{Documents, Target, Weight, snapshots},
};

/// A session in memory.
#[derive(Debug)]
pub(crate) struct Loaded {
    /// Whose it is.
    pub(crate) tenant: String,
    /// Its state.
    pub(crate) session: Session,
    /// When its version was last compared with the store's, in microseconds.
    pub(crate) checked_at: i64,
    contexts: VecDeque<Arc<Context>>,
    /// The context handed out last, as far as this process knows; `None` where it has to ask.
    pub(crate) latest: Option<Latest>,
    /// The version of its last snapshot, be it written or asked for.
    snapshot_at: u64,
    /// What it weighed, and at which version and with how many documents it was measured.
    measured: Option<(Weight, u64, usize)>,
}

/// The context handed out last.
#[derive(Clone, Debug)]
pub(crate) struct Latest {
    /// Its id, nil where there is none.
    pub(crate) id: Uuid,
    /// From when on it counts no more.
    pub(crate) expires_at: Timestamp,
    /// What it showed.
    pub(crate) context: Option<Arc<Context>>,
}

impl Latest {
    /// None was handed out, or none that still counts.
    pub(crate) fn none() -> Self {
        Self {
            id: Uuid::nil(),
            expires_at: Timestamp::EPOCH,
            context: None,
        }
    }
}

impl Loaded {
    /// A session that is at the store's version now, and whose last snapshot is of that version;
    /// 0 where there is none.
    pub(crate) fn new(tenant: String, session: Session, checked_at: i64, snapshot_at: u64) -> Self {
        Self {
            tenant,
            session,
            checked_at,
            contexts: VecDeque::new(),
            latest: None,
            snapshot_at,
            measured: None,
        }
    }

    /// What it takes of memory. It is measured anew as its journal grows by a part, and counts as
    /// growing evenly between, so that a commit does not cost a walk through the whole session.
    pub(crate) fn weigh(&mut self) -> Weight {
        let version = self.session.version();
        let documents = self.session.summary().counts.documents;
        let is_known = |measured: &&(Weight, u64, usize)| {
            let grown = version.abs_diff(measured.1);
            measured.2 == documents && grown < MEASURE_COMMITS.max(version / MEASURE_SHARE)
        };
        let (weight, at) = match self.measured.as_ref().filter(is_known) {
            Some((weight, at, _)) => (weight.clone(), *at),
            None => {
                let weight = self.measure();
                self.measured = Some((weight.clone(), version, documents));
                (weight, version)
            }
        };
        let grown = u64::try_from(weight.bytes)
            .unwrap_or(u64::MAX)
            .saturating_mul(version)
            / at.max(1);
        Weight {
            bytes: usize::try_from(grown).unwrap_or(usize::MAX),
            ..weight
        }
    }

    fn measure(&self) -> Weight {
        let texts = self.session.documents().flat_map(|(_, versions)| versions);
        let texts = texts.map(|version| (version.sha256(), version.document.heap_bytes()));
        let documents: HashMap<Digest, usize> = texts.collect();
        let contexts = self.contexts.iter().map(|context| {
            let refs = context.refs.iter();
            let refs = refs.map(|shown| size_of::<String>().saturating_add(shown.len()));
            refs.fold(size_of::<Context>(), usize::saturating_add)
        });
        Weight {
            bytes: contexts
                .fold(self.session.heap_bytes(), usize::saturating_add)
                .saturating_add(SESSION_BYTES),
            documents: documents.into_iter().collect(),
        }
    }

    /// Whether its state is to be kept again after so many commits; asked once for each.
    pub(crate) fn takes_snapshot(&mut self, every: u64) -> bool {
        let version = self.session.version();
        let is_due = every > 0
            && version.saturating_sub(self.snapshot_at) >= every.max(version / SNAPSHOT_SHARE);
        if is_due {
            self.snapshot_at = version;
        }
        is_due
    }

    /// Whether its state is worth keeping when it is evicted.
    pub(crate) fn leaves_snapshot(&self) -> bool {
        self.session.version().saturating_sub(self.snapshot_at) >= SNAPSHOT_LEAST_COMMITS
    }

    /// Remembers a context that was handed out.
    pub(crate) fn remember(&mut self, context: Arc<Context>) {
        if self.contexts.len() == REMEMBERED_CONTEXTS {
            self.contexts.pop_front();
        }
        self.contexts.push_back(context);
    }

    /// A context remembered under that id.
    pub(crate) fn remembered(&self, id: &str) -> Option<Arc<Context>> {
        self.contexts
            .iter()
            .find(|context| context.id == id)
            .cloned()
    }
}

/// There is no such session, or it is another tenant's, which is the same to the caller.
pub(crate) fn unknown(target: &Target) -> Problem {
    Problem::new(
        Code::UnknownSession,
        format!("there is no session `{}`", target.id),
    )
}

/// The session at the store's version: what is missing is read and applied.
pub(crate) async fn bring_up(
    app: &App,
    target: &Target,
    loaded: Option<Loaded>,
) -> Result<Loaded, Problem> {
    let now = clock::now_micros();
    let row = app
        .store()
        .session(&target.tenant, target.id)
        .await?
        .ok_or_else(|| unknown(target))?;
    match loaded {
        // A session that is ahead of its store was restored from a backup under us.
        Some(mut loaded) if loaded.session.version() <= row.version => {
            catch_up(app, &row, &mut loaded.session).await?;
            loaded.checked_at = now;
            metrics::caught_up();
            Ok(loaded)
        }
        _ => {
            let (session, snapshot_at) = load(app, &row, row.version).await?;
            let from = if snapshot_at > 0 {
                "snapshot"
            } else {
                "journal"
            };
            metrics::loaded(from, clock::now_micros().saturating_sub(now));
            Ok(Loaded::new(
                target.tenant.clone(),
                session,
                now,
                snapshot_at,
            ))
        }
    }
}

/// The session as the commit of that version left it. It costs a replay of the journal up to
/// there, from the snapshot on if that is not beyond, and is not kept.
pub(crate) async fn past(app: &App, target: &Target, version: u64) -> Result<Session, Problem> {
    let row = app
        .store()
        .session(&target.tenant, target.id)
        .await?
        .ok_or_else(|| unknown(target))?;
    if version == 0 || version > row.version {
        let detail = format!(
            "the session has the versions 1 to {}, not {version}",
            row.version
        );
        return Err(Problem::new(Code::UnknownVersion, detail));
    }
    load(app, &row, version).await.map(|(session, _)| session)
}

/// A session at a version, from its latest snapshot and the journal from there on, else from its
/// whole journal; and the version of the snapshot, 0 if there was none.
pub(super) async fn load(
    app: &App,
    row: &SessionRow,
    version: u64,
) -> Result<(Session, u64), Problem> {
    match snapshots::load(app, row, version).await? {
        Some((session, snapshot_at)) => Ok((session, snapshot_at)),
        None => replay(app, row, version).await.map(|session| (session, 0)),
    }
}

/// A session from its journal up to a version.
async fn replay(app: &App, row: &SessionRow, version: u64) -> Result<Session, Problem> {
    let mut journal = app.store().journal(row);
    let mut first = journal.next_batch().await?.unwrap_or_default();
    first.retain(|entry| entry.seq <= version);
    let named: Vec<_> = first.iter().flat_map(Session::documents_named).collect();
    let documents = documents(app, row, named).await?;
    let limits = app.settings().session_limits();
    let mut session = Session::replay(&first, limits, |digest| documents.get(digest).cloned())
        .map_err(|error| broken(&error))?;
    apply_rest(app, row, &mut session, journal, version).await?;
    Ok(session)
}

/// What a session in memory lacks of its journal.
async fn catch_up(app: &App, row: &SessionRow, session: &mut Session) -> Result<(), Problem> {
    if session.version() == row.version && session.chain_head() == row.chain_head {
        return Ok(());
    }
    go_on(app, row, session, row.version).await
}

/// Applies what the journal has beyond the session, up to a version.
pub(super) async fn go_on(
    app: &App,
    row: &SessionRow,
    session: &mut Session,
    version: u64,
) -> Result<(), Problem> {
    let journal = app
        .store()
        .journal_after(row, session.version(), session.chain_head());
    apply_rest(app, row, session, journal, version).await
}

async fn apply_rest(
    app: &App,
    row: &SessionRow,
    session: &mut Session,
    mut journal: Journal<'_>,
    version: u64,
) -> Result<(), Problem> {
    while session.version() < version
        && let Some(mut entries) = journal.next_batch().await?
    {
        entries.retain(|entry| entry.seq <= version);
        let named: Vec<_> = entries.iter().flat_map(Session::documents_named).collect();
        let documents = documents(app, row, named).await?;
        for entry in &entries {
            session
                .apply(entry, |digest| documents.get(digest).cloned())
                .map_err(|error| broken(&error))?;
        }
    }
    Ok(())
}

/// The documents of these digests.
pub(super) async fn documents(
    app: &App,
    row: &SessionRow,
    digests: Vec<Digest>,
) -> Result<HashMap<Digest, Arc<Document>>, Problem> {
    let mut documents = HashMap::new();
    for digest in digests {
        if let Slot::Vacant(vacant) = documents.entry(digest) {
            vacant.insert(Documents::load(app, &row.tenant, &digest).await?);
        }
    }
    Ok(documents)
}

fn broken(error: &ReplayError) -> Problem {
    tracing::error!(%error, "a journal cannot be replayed");
    Problem::new(
        Code::BrokenJournal,
        "the journal of the session cannot be replayed",
    )
}
