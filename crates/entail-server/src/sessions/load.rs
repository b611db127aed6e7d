//! Bringing a session in memory to the store's version.

use std::{
    collections::{HashMap, VecDeque, hash_map::Entry as Slot},
    sync::Arc,
};

use entail_json::Digest;
use entail_session::{Context, Document, ReplayError, Session};
use entail_store::{Journal, SessionRow};
use entail_trace::journal::{Entry, Timestamp};
use uuid::Uuid;

use crate::{
    app::App,
    limits::{REMEMBERED_CONTEXTS, SESSION_BYTES},
    metrics,
    problem::{Code, Problem},
    sessions::{Documents, Target},
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
    /// A session that is at the store's version now.
    pub(crate) fn new(tenant: String, session: Session, checked_at: i64) -> Self {
        Self {
            tenant,
            session,
            checked_at,
            contexts: VecDeque::new(),
            latest: None,
        }
    }

    /// What it weighs, in bytes, about: its base, its documents (which others may share), and
    /// what stands around them.
    pub(crate) fn weight(&self) -> usize {
        let summary = self.session.summary();
        self.session
            .base()
            .heap_bytes()
            .saturating_mul(2)
            .saturating_add(summary.counts.turns.saturating_mul(SESSION_BYTES / 16))
            .saturating_add(SESSION_BYTES)
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
    metrics::load();
    let now = crate::clock::now_micros();
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
            Ok(loaded)
        }
        _ => Ok(Loaded::new(
            target.tenant.clone(),
            load(app, &row, row.version).await?,
            now,
        )),
    }
}

/// The session as the commit of that version left it, from its journal. It costs a replay of the
/// journal up to there and is not kept.
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
    load(app, &row, version).await
}

/// A session from its journal up to a version.
async fn load(app: &App, row: &SessionRow, version: u64) -> Result<Session, Problem> {
    let mut journal = app.store().journal(row);
    let mut first = journal.next_batch().await?.unwrap_or_default();
    first.retain(|entry| entry.seq <= version);
    let documents = documents(app, row, &first).await?;
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
    let journal = app
        .store()
        .journal_after(row, session.version(), session.chain_head());
    apply_rest(app, row, session, journal, row.version).await
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
        let documents = documents(app, row, &entries).await?;
        for entry in &entries {
            session
                .apply(entry, |digest| documents.get(digest).cloned())
                .map_err(|error| broken(&error))?;
        }
    }
    Ok(())
}

/// The documents that entries name.
async fn documents(
    app: &App,
    row: &SessionRow,
    entries: &[Entry],
) -> Result<HashMap<Digest, Arc<Document>>, Problem> {
    let mut documents = HashMap::new();
    for digest in entries.iter().flat_map(Session::documents_named) {
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
