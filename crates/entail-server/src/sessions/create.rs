//! Opening a session: its first commit.

use entail_kernel::confidence::Totals;
use entail_session::{Executed, Opening, Session};
use entail_store::{Commit, Created, Creation, IdempotencyKey, KeyedAnswer};
use uuid::Uuid;

use crate::{
    app::App,
    clock,
    limits::LEDGER_SOURCES,
    problem::{Code, Problem},
    sessions::{
        Documents, Reply, Target,
        lease::{fill, same_body},
        load::Loaded,
        row, seal,
        snapshots::account,
        to_time, to_timestamp,
    },
    wire::OpeningRequest,
};

/// What became of an opening.
#[derive(Debug)]
pub(crate) enum Opened {
    /// The session was opened just now.
    Now(Reply),
    /// It had been opened before, under the same idempotency key.
    Before(Reply),
}

/// Opens a session for a tenant.
///
/// Under an idempotency key its id is reserved first, in a statement of its own, so that a retry
/// after a crash comes to the same session.
pub(crate) async fn create(
    app: &App,
    tenant: &str,
    request: OpeningRequest,
    key: Option<IdempotencyKey>,
    reply: impl Fn(&Session, &Executed) -> Reply,
) -> Result<Opened, Problem> {
    let mut id = clock::new_id();
    if let Some(key) = &key {
        let reserved = app
            .store()
            .reserve_session(tenant, key, id, clock::now())
            .await?;
        same_body(key, &reserved.body)?;
        if let Some(answer) = reserved.answer.as_deref().and_then(Reply::from_kept) {
            return Ok(Opened::Before(answer));
        }
        id = reserved.session_id;
    }
    let opening = opening(app, tenant, id, request).await?;
    let at = to_time(clock::now());
    let (mut session, executed) = Session::open(
        &id.to_string(),
        opening,
        app.settings().session_limits(),
        at,
    )?;
    let Some(entry) = executed.entry.clone() else {
        return Err(Problem::new(Code::Internal, "the session was not opened"));
    };
    let answer = reply(&session, &executed);
    let mut commit = Commit::new(id, entry, row::update(&session));
    commit.row.labels = Some(row::labels(&session));
    commit.row.summary = Some(row::summary(&session));
    commit.row.expires_at = Some(session.options().expires_at.map(to_timestamp));
    fill(&mut commit, &executed);
    let key = key.map(|key| KeyedAnswer {
        key,
        answer: answer.to_kept(),
    });
    let scope = key.as_ref().map(|keyed| keyed.key.clone());
    let creation = Creation {
        tenant: tenant.to_owned(),
        commit,
        key,
    };
    match app.store().create(creation).await? {
        Created::Done => {
            session.confirm();
            hold(
                app,
                Target {
                    tenant: tenant.to_owned(),
                    id,
                },
                session,
            )
            .await;
            Ok(Opened::Now(answer))
        }
        Created::Exists => {
            let stored = match &scope {
                Some(key) => app.store().tenant_answer(tenant, key).await?,
                None => None,
            };
            stored
                .and_then(|stored| Reply::from_kept(&stored.answer))
                .map(Opened::Before)
                .ok_or_else(|| {
                    Problem::new(
                        Code::IdempotencyKeyBusy,
                        "a request with this `idempotency-key` is under way; send it again soon",
                    )
                })
        }
    }
}

async fn hold(app: &App, target: Target, session: Session) {
    app.views_behind().note(&target);
    let mut loaded = Loaded::new(target.tenant, session, clock::now_micros(), 0);
    let mut slot = app.sessions().slot(target.id).write_owned().await;
    account(app, target.id, Some(&mut loaded));
    *slot = Some(loaded);
}

/// The opening with its documents stored and indexed, its secrets stored and taken out, and what the tenant knows of sources.
async fn opening(
    app: &App,
    tenant: &str,
    id: Uuid,
    request: OpeningRequest,
) -> Result<Opening, Problem> {
    let mut documents = Vec::with_capacity(request.documents.len());
    for document in request.documents {
        let indexed = Documents::put(app, tenant, document.text).await?;
        documents.push((document.name, indexed));
    }
    let mut tools = request.tools;
    for (_, definition) in &mut tools {
        seal(app, id, definition).await?;
    }
    let now = to_time(clock::now());
    Ok(Opening {
        task: request.task,
        instructions: request.instructions,
        policy: request.policy,
        documents,
        tools,
        rules: request.rules,
        constraints: request.constraints,
        premises: request.premises,
        plan: request.plan,
        labels: request.labels,
        expires_at: request.expires_in.map(|span| now.saturating_add(span)),
        ledger: ledger(app, tenant).await?,
    })
}

/// The tenant's trust ledger, as a new session copies it.
async fn ledger(app: &App, tenant: &str) -> Result<Vec<(String, Totals)>, Problem> {
    let mut ledger = Vec::new();
    loop {
        let after = ledger
            .last()
            .map(|(source, _): &(String, Totals)| source.clone());
        let page = app
            .store()
            .sources(tenant, after.as_deref(), LEDGER_SOURCES)
            .await?;
        let is_last = page.len() < usize::try_from(LEDGER_SOURCES).unwrap_or(usize::MAX);
        ledger.extend(page.into_iter().map(row::totals));
        if is_last {
            return Ok(ledger);
        }
    }
}
