//! One unit of work on one session: its lease, its commits, its contexts.

use std::sync::Arc;

use entail_kernel::Time;
use entail_session::{
    Command, CommandError, Context, ContextOptions, ContextView, Executed, Session,
};
use entail_store::{
    Appended, CallJob, Commit, IdempotencyKey, KeyedAnswer, Outcome, StoreError, limits::DAY_MICROS,
};
use tokio::sync::OwnedRwLockWriteGuard;
use uuid::Uuid;

use crate::{
    app::App,
    clock,
    limits::COMMIT_ATTEMPTS,
    metrics,
    problem::{Code, Problem},
    sessions::{
        Reply, Target,
        load::{Latest, Loaded, bring_up, unknown},
        row,
        snapshots::account,
        to_time, to_timestamp,
    },
    telemetry,
};

/// On what terms a command is to be committed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Terms {
    /// The caller's idempotency key, its scope and its body's hash.
    pub(crate) key: Option<IdempotencyKey>,
    /// The versions of which the session must be at one.
    pub(crate) if_match: Option<Vec<u64>>,
    /// Only tell what would happen.
    pub(crate) dry_run: bool,
}

/// What a command is judged on beside the session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum On {
    /// Nothing.
    Session,
    /// The context handed out last, by whichever replica.
    LatestContext,
}

/// What became of a command.
#[derive(Clone, Debug)]
pub(crate) enum Committed {
    /// It was done just now, or would be.
    Now(Reply),
    /// It had been done before, under the same idempotency key.
    Before(Reply),
}

/// The right to change a session in this process, until dropped.
#[derive(Debug)]
pub(crate) struct Lease {
    app: App,
    target: Target,
    slot: OwnedRwLockWriteGuard<Option<Loaded>>,
    loaded: Option<Loaded>,
    /// Whether the store's version was looked up under this lease.
    is_current: bool,
    /// The expiry of evidence that was committed under this lease, on nobody's word.
    expired: Option<Expired>,
}

/// Commits that no caller asked for: a caller who saw the session before them saw it as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Expired {
    /// The session's version before them.
    before: u64,
    /// And after them.
    after: u64,
}

impl Drop for Lease {
    fn drop(&mut self) {
        // After a panic the session may be half changed: it is loaded again instead.
        if !std::thread::panicking() {
            *self.slot = self.loaded.take();
        }
        account(&self.app, self.target.id, self.slot.as_mut());
    }
}

impl Lease {
    /// Does work on a session in a task of its own, which goes on if the caller goes away.
    pub(crate) async fn work<T, F>(
        app: &App,
        target: Target,
        work: impl FnOnce(Self) -> F + Send + 'static,
    ) -> Result<T, Problem>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, Problem>> + Send,
    {
        let app = app.clone();
        let unit = async move { work(Self::take(app, target).await?).await };
        let unit = telemetry::within(telemetry::current(), unit);
        let task = tokio::spawn(tracing::Instrument::in_current_span(unit));
        task.await.map_err(|error| Problem::internal(&error))?
    }

    /// Takes it in the task of the caller: for what may end at any `await`, so for no commit.
    pub(super) async fn take(app: App, target: Target) -> Result<Self, Problem> {
        let mut slot = app.sessions().slot(target.id).write_owned().await;
        let loaded = slot.take();
        let mut lease = Self {
            app,
            target,
            slot,
            loaded,
            is_current: false,
            expired: None,
        };
        match &lease.loaded {
            Some(loaded) if loaded.tenant == lease.target.tenant => metrics::hit(),
            Some(_) => return Err(unknown(&lease.target)),
            None => {
                metrics::miss();
                lease.refresh_from_store().await?;
            }
        }
        Ok(lease)
    }

    /// The service.
    pub(crate) fn app(&self) -> &App {
        &self.app
    }

    /// Which session it is.
    pub(crate) fn target(&self) -> &Target {
        &self.target
    }

    /// The session.
    pub(crate) fn session(&self) -> Result<&Session, Problem> {
        let loaded = self.loaded.as_ref();
        loaded
            .map(|loaded| &loaded.session)
            .ok_or_else(|| unknown(&self.target))
    }

    /// Looks at the session as it stands now, its expired evidence left out; commits nothing.
    pub(crate) fn foresee<T>(
        &mut self,
        look: impl FnOnce(&Session, Time) -> T,
    ) -> Result<T, Problem> {
        let session = self.session_mut()?;
        let at = session.commit_time(to_time(clock::now()));
        Ok(session.foresee(at, |session| look(session, at))?)
    }

    /// Brings the session to the store's version, unless that was done under this lease.
    pub(crate) async fn make_current(&mut self) -> Result<(), Problem> {
        if self.is_current {
            Ok(())
        } else {
            self.refresh_from_store().await
        }
    }

    /// Brings the session to the store's version.
    pub(crate) async fn refresh_from_store(&mut self) -> Result<(), Problem> {
        let loaded = self.loaded.take();
        self.loaded = Some(bring_up(&self.app, &self.target, loaded).await?);
        self.is_current = true;
        Ok(())
    }

    /// Makes a command a commit.
    ///
    /// `build` gives the command on the session's present state, and is asked again after a lost
    /// race; `reply` gives the answer before the commit is made, since it is kept with it.
    pub(crate) async fn commit(
        &mut self,
        terms: &Terms,
        mut build: impl FnMut(&Session, Time) -> Result<Command, Problem> + Send,
        reply: impl Fn(&Session, &Executed) -> Reply + Send,
    ) -> Result<Committed, Problem> {
        let build = move |session: &Session, _: Option<&Arc<Context>>, at| build(session, at);
        self.commit_on(On::Session, terms, build, reply).await
    }

    /// Makes a command a commit that may rest on the context handed out last. Whether that still
    /// is the last one is checked by the commit itself, as the version is.
    pub(crate) async fn commit_on(
        &mut self,
        on: On,
        terms: &Terms,
        mut build: impl FnMut(&Session, Option<&Arc<Context>>, Time) -> Result<Command, Problem> + Send,
        reply: impl Fn(&Session, &Executed) -> Reply + Send,
    ) -> Result<Committed, Problem> {
        if terms.dry_run {
            // No commit will check whether it still is the last one.
            self.forget_latest_context();
        }
        for _ in 0..COMMIT_ATTEMPTS {
            // A dry run commits nothing, the expiry of evidence neither.
            let at = if terms.dry_run {
                self.session()?.commit_time(to_time(clock::now()))
            } else {
                self.expire_evidence().await?
            };
            let latest = match on {
                On::Session => None,
                On::LatestContext => Some(self.latest_context().await?),
            };
            let context = latest.as_ref().and_then(|latest| latest.context.as_ref());
            let mut build = |session: &Session, at| build(session, context, at);
            let executed = match self.execute(terms, at, &mut build) {
                Ok(executed) => executed,
                // A refusal on a state that may be behind another replica's is no answer yet.
                Err(_) if !self.is_current => {
                    self.refresh_from_store().await?;
                    continue;
                }
                // What stands in its way may be the same request, done before.
                Err(problem) => {
                    return match self.answered_before(terms).await? {
                        Some(before) => Ok(Committed::Before(before)),
                        None => Err(problem),
                    };
                }
            };
            let answer = reply(self.session()?, &executed);
            if terms.dry_run {
                self.undo()?;
                return Ok(Committed::Now(answer));
            }
            let Some(entry) = &executed.entry else {
                if !self.is_current {
                    self.refresh_from_store().await?;
                    continue;
                }
                let before = self.answered_before(terms).await?;
                return Ok(before.map_or(Committed::Now(answer), Committed::Before));
            };
            let mut commit =
                Commit::new(self.target.id, entry.clone(), row::update(self.session()?));
            fill(&mut commit, &executed);
            commit.latest_context = latest.as_ref().map(|latest| latest.id);
            commit.key = terms.key.clone().map(|key| KeyedAnswer {
                key,
                answer: answer.to_kept(),
            });
            match self.append(commit).await? {
                Appended::Done => {
                    count(&executed);
                    return Ok(Committed::Now(answer));
                }
                Appended::Conflict { .. } => self.refresh_from_store().await?,
                Appended::ContextChanged => self.forget_latest_context(),
                Appended::KeyPresent => {
                    return match self.answered_before(terms).await? {
                        Some(before) => Ok(Committed::Before(before)),
                        None => Err(Problem::new(
                            Code::IdempotencyKeyBusy,
                            "a request with this `idempotency-key` is under way; send it again soon",
                        )),
                    };
                }
                Appended::Gone => {
                    self.loaded = None;
                    return Err(unknown(&self.target));
                }
            }
        }
        Err(outrun())
    }

    /// Hands out a context of the session's present state, and keeps what it showed.
    pub(crate) async fn take_context(
        &mut self,
        options: &ContextOptions,
        if_match: Option<&[u64]>,
    ) -> Result<ContextView, Problem> {
        self.hand_out(if_match, |session, id, at| session.context(id, at, options))
            .await
    }

    /// Hands out a context for deriving a key again.
    pub(crate) async fn take_rederivation_context(
        &mut self,
        key: &str,
    ) -> Result<ContextView, Problem> {
        self.hand_out(None, |session, id, at| {
            session.rederivation_context(key, id, at)
        })
        .await
    }

    /// Hands out a context if the session is at the store's version, which is checked where it is
    /// kept; else brings the session there and takes another.
    async fn hand_out(
        &mut self,
        if_match: Option<&[u64]>,
        take: impl Fn(&Session, &str, Time) -> Result<ContextView, CommandError> + Send,
    ) -> Result<ContextView, Problem> {
        for _ in 0..COMMIT_ATTEMPTS {
            let at = self.expire_evidence().await?;
            let id = clock::new_id();
            let view = self
                .meets(if_match)
                .and_then(|()| Ok(take(self.session()?, &id.to_string(), at)?));
            let view = match view {
                Ok(view) => view,
                // A refusal on a state that may be behind another replica's is no answer yet.
                Err(_) if !self.is_current => {
                    self.refresh_from_store().await?;
                    continue;
                }
                Err(problem) => return Err(problem),
            };
            match self.keep_context(id, &view.context).await? {
                Appended::Conflict { .. } => self.refresh_from_store().await?,
                Appended::Gone => {
                    self.loaded = None;
                    return Err(unknown(&self.target));
                }
                Appended::Done | Appended::KeyPresent | Appended::ContextChanged => {
                    return Ok(view);
                }
            }
        }
        Err(outrun())
    }

    async fn keep_context(&mut self, id: Uuid, context: &Context) -> Result<Appended, Problem> {
        let as_of = to_timestamp(context.as_of);
        let kept = entail_store::Context {
            session_id: self.target.id,
            id,
            version: context.version,
            as_of,
            refs: context.refs_text(),
            documents: context.documents_text(),
            expires_at: as_of.saturating_add_micros(DAY_MICROS),
        };
        let expires_at = kept.expires_at;
        let appended = self.app.store().put_context(kept).await?;
        if appended == Appended::Done
            && let Some(loaded) = &mut self.loaded
        {
            let context = Arc::new(context.clone());
            loaded.checked_at = clock::now_micros();
            if context.scope.is_none() {
                loaded.latest = Some(Latest {
                    id,
                    expires_at,
                    context: Some(Arc::clone(&context)),
                });
            }
            loaded.remember(context);
            self.is_current = true;
        }
        Ok(appended)
    }

    /// The context handed out last, by whichever replica, as far as this process knows.
    async fn latest_context(&mut self) -> Result<Latest, Problem> {
        let now = clock::now();
        let known = self
            .loaded
            .as_ref()
            .and_then(|loaded| loaded.latest.clone());
        let latest = match known {
            Some(latest) => latest,
            None => match self.app.store().latest_context(self.target.id, now).await? {
                Some(kept) => Latest {
                    id: kept.id,
                    expires_at: kept.expires_at,
                    context: Some(Arc::new(from_kept(&kept)?)),
                },
                None => Latest::none(),
            },
        };
        if let Some(loaded) = &mut self.loaded {
            loaded.latest = Some(latest.clone());
        }
        Ok(if latest.expires_at > now {
            latest
        } else {
            Latest::none()
        })
    }

    fn forget_latest_context(&mut self) {
        if let Some(loaded) = &mut self.loaded {
            loaded.latest = None;
        }
    }

    /// A context this process handed out lately.
    pub(crate) fn remembered(&self, id: &str) -> Option<Arc<Context>> {
        self.loaded
            .as_ref()
            .and_then(|loaded| loaded.remembered(id))
    }

    /// Commits the expiry of evidence whose time is up, so that nothing new rests on it; the time
    /// of the next commit.
    pub(crate) async fn expire_evidence(&mut self) -> Result<Time, Problem> {
        for _ in 0..COMMIT_ATTEMPTS {
            let now = to_time(clock::now());
            let session = self.session()?;
            let before = session.version();
            let at = session.commit_time(now);
            if !session.needs_refresh(at) {
                return Ok(at);
            }
            let executed = self.session_mut()?.execute(Command::Refresh, at)?;
            let Some(entry) = &executed.entry else {
                return Ok(at);
            };
            let mut commit =
                Commit::new(self.target.id, entry.clone(), row::update(self.session()?));
            fill(&mut commit, &executed);
            match self.append(commit).await? {
                Appended::Done => self.note_expired(before)?,
                Appended::KeyPresent | Appended::ContextChanged => {}
                Appended::Conflict { .. } => self.refresh_from_store().await?,
                Appended::Gone => {
                    self.loaded = None;
                    return Err(unknown(&self.target));
                }
            }
        }
        Err(outrun())
    }

    fn note_expired(&mut self, before: u64) -> Result<(), Problem> {
        let earlier = self.expired.filter(|expired| expired.after == before);
        self.expired = Some(Expired {
            before: earlier.map_or(before, |expired| expired.before),
            after: self.session()?.version(),
        });
        Ok(())
    }

    /// Whether the session is at one of the versions, the expiry of evidence that this lease has
    /// committed just now left aside: the caller could not know of it.
    fn meets(&self, if_match: Option<&[u64]>) -> Result<(), Problem> {
        let version = self.session()?.version();
        let expired = self.expired.filter(|expired| expired.after == version);
        let seen = expired.map_or(version, |expired| expired.before);
        match if_match {
            Some(wanted) if !wanted.contains(&seen) => Err(moved_on(version)),
            _ => Ok(()),
        }
    }

    fn execute(
        &mut self,
        terms: &Terms,
        at: Time,
        build: &mut (impl FnMut(&Session, Time) -> Result<Command, Problem> + Send),
    ) -> Result<Executed, Problem> {
        self.meets(terms.if_match.as_deref())?;
        let session = self.session_mut()?;
        let command = build(session, at)?;
        Ok(if terms.dry_run {
            session.try_out(command, at)?
        } else {
            session.execute(command, at)?
        })
    }

    /// Sends a commit: the session is confirmed if it was made, and undone if it was not. When
    /// neither is known, it is forgotten, to be loaded again.
    async fn append(&mut self, commit: Commit) -> Result<Appended, Problem> {
        let (version, kind) = (commit.entry.seq, commit.entry.kind.clone());
        let calls = commit.calls_due.clone();
        let started = clock::now_micros();
        match self.app.store().append(commit).await {
            Ok(Appended::Done) => {
                self.session_mut()?.confirm();
                self.is_current = true;
                if let Some(loaded) = &mut self.loaded {
                    loaded.checked_at = clock::now_micros();
                }
                self.app.feed().tell(self.target.id, version);
                self.app.views_behind().note(&self.target);
                if !calls.is_empty() {
                    let opened = calls.iter().map(|call| call.call_id.as_str());
                    self.app.telemetry().opened(opened);
                    self.app.calls_wake().notify_one();
                }
                metrics::commit(&kind, clock::now_micros().saturating_sub(started));
                Ok(Appended::Done)
            }
            Ok(other) => {
                if matches!(other, Appended::Conflict { .. }) {
                    metrics::conflict();
                }
                self.undo()?;
                Ok(other)
            }
            // Nothing was written, so the session stays as it was and goes on being read.
            Err(error @ StoreError::Full { .. }) => {
                self.undo()?;
                Err(error.into())
            }
            Err(error) => {
                self.loaded = None;
                Err(error.into())
            }
        }
    }

    fn undo(&mut self) -> Result<(), Problem> {
        self.session_mut()?.undo();
        Ok(())
    }

    fn session_mut(&mut self) -> Result<&mut Session, Problem> {
        let loaded = self.loaded.as_mut();
        loaded
            .map(|loaded| &mut loaded.session)
            .ok_or_else(|| unknown(&self.target))
    }

    async fn answered_before(&self, terms: &Terms) -> Result<Option<Reply>, Problem> {
        let Some(key) = &terms.key else {
            return Ok(None);
        };
        let Some(stored) = self.app.store().answer(self.target.id, key).await? else {
            return Ok(None);
        };
        same_body(key, &stored.body)?;
        Ok(Reply::from_kept(&stored.answer))
    }
}

pub(crate) fn outrun() -> Problem {
    Problem::new(
        Code::Overloaded,
        "the session changes faster than this request can be applied; try again",
    )
}

/// The refusal of a request on the condition of another version.
pub(crate) fn moved_on(version: u64) -> Problem {
    let detail = format!("the session is at version {version}; read it again");
    Problem::new(Code::VersionMismatch, detail).with_member("version", version)
}

/// A context from what the store kept of it.
pub(crate) fn from_kept(kept: &entail_store::Context) -> Result<Context, Problem> {
    Context::from_kept(
        &kept.id.to_string(),
        kept.version,
        to_time(kept.as_of),
        &kept.refs,
        &kept.documents,
    )
    .map_err(|faults| Problem::internal(&faults))
}

/// Counts a turn.
fn count(executed: &Executed) {
    if let entail_session::Outcome::Turn(turn) = &executed.outcome {
        let codes = turn
            .rejected
            .iter()
            .map(|rejection| rejection.code.as_str());
        metrics::turn(turn.verdict.word(), codes);
    }
}

/// Refuses an idempotency key that was used with another body.
pub(crate) fn same_body(key: &IdempotencyKey, body: &entail_json::Digest) -> Result<(), Problem> {
    if key.body == *body {
        return Ok(());
    }
    Err(Problem::new(
        Code::IdempotencyKeyReused,
        "this `idempotency-key` was used with another body; use a new key for a new request",
    ))
}

/// What else is written with a commit.
pub(crate) fn fill(commit: &mut Commit, executed: &Executed) {
    commit.documents.clone_from(&executed.documents);
    commit.calls_done.clone_from(&executed.closed_calls);
    commit.calls_due = executed
        .http_calls
        .iter()
        .map(|call| CallJob {
            call_id: call.call_id.clone(),
            due_at: commit.entry.created_at,
        })
        .collect();
    commit.outcomes = executed
        .lessons
        .iter()
        .map(|lesson| Outcome {
            source: lesson.source.clone(),
            correct: lesson.correct,
        })
        .collect();
}
