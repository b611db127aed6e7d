//! The state machine.

use std::sync::Arc;

use entail_json::{Digest, Reader, Value};
use entail_kernel::base::{Base, Event as BaseEvent, Mark};
use entail_kernel::text::Document;
use entail_kernel::{Span, Time};
use entail_trace::journal::{Draft, Entry, FORMAT, Timestamp};

use crate::command::{Closing, Command, Opening};
use crate::commands;
use crate::commit::Commit;
use crate::error::{CommandError, ReplayError};
use crate::event::{self, Event};
use crate::limits::Limits;
use crate::options::Options;
use crate::outcome::{Executed, LedgerLesson, Outcome};
use crate::payload;
use crate::replay;
use crate::state::State;
use crate::trace::TraceLog;

/// One session.
///
/// It is changed by [`execute`](Self::execute) and [`apply`](Self::apply) only; everything else
/// reads.
#[derive(Debug)]
pub struct Session {
    pub(crate) id: String,
    pub(crate) limits: Limits,
    pub(crate) base: Base,
    pub(crate) state: State,
    pub(crate) trace: TraceLog,
    version: u64,
    head: Digest,
    time: Time,
    pending: Option<Pending>,
}

/// What to go back to when a commit is undone.
#[derive(Debug)]
struct Pending {
    mark: Mark,
    version: u64,
    head: Digest,
    time: Time,
}

/// What a list of sessions shows of one.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// Its version: the place of its last journal entry.
    pub version: u64,
    /// The hash of that entry.
    pub chain_head: Digest,
    /// When that was.
    pub last_commit_at: Time,
    /// How it was closed, if it is.
    pub closed: Option<Closing>,
    /// The latest accepted answer's ref and whether it is believed.
    pub answer: Option<(String, bool)>,
    /// How much there is.
    pub counts: Counts,
}

/// How much there is in a session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Turns.
    pub turns: usize,
    /// Beliefs, all revisions counted.
    pub beliefs: usize,
    /// Of those, believed.
    pub believed: usize,
    /// Rejected actions, and calls that failed.
    pub rejections: usize,
    /// Open conflicts.
    pub conflicts: usize,
    /// Open calls.
    pub open_calls: usize,
    /// Document versions.
    pub documents: usize,
    /// Tools.
    pub tools: usize,
}

impl Session {
    pub(crate) fn empty(id: &str, limits: Limits) -> Self {
        Self {
            id: id.to_owned(),
            limits,
            base: Base::default(),
            state: State::new(),
            trace: TraceLog::new(),
            version: 0,
            head: Digest::ZERO,
            time: Time::MIN,
            pending: None,
        }
    }

    /// Puts it at the entry of a journal that its state is known at.
    pub(crate) const fn stand_at(&mut self, version: u64, head: Digest, time: Time) {
        self.version = version;
        self.head = head;
        self.time = time;
    }

    /// Opens a session: its first commit, to be confirmed like any other.
    ///
    /// `id` is a hyphenated lower-case UUID.
    ///
    /// # Errors
    /// What is wrong with the opening; its pointer leads into the body of `POST /sessions`.
    pub fn open(
        id: &str,
        opening: Opening,
        limits: Limits,
        at: Time,
    ) -> Result<(Self, Executed), CommandError> {
        let mut session = Self::empty(id, limits);
        let payload = payload::of_opening(&opening);
        let executed = session.run("open", &payload, at, |commit| {
            commands::open::carry_out(commit, opening)
        })?;
        Ok((session, executed))
    }

    /// Rebuilds a session from its whole journal. `documents` gives the text of a digest; see
    /// [`documents_named`](Self::documents_named).
    ///
    /// # Errors
    /// [`ReplayError`] at the first entry that does not fit. A journal without entries is
    /// [`ReplayError::Empty`].
    pub fn replay<'e>(
        entries: impl IntoIterator<Item = &'e Entry>,
        limits: Limits,
        mut documents: impl FnMut(&Digest) -> Option<Arc<Document>>,
    ) -> Result<Self, ReplayError> {
        let mut session: Option<Self> = None;
        for entry in entries {
            let session = session.get_or_insert_with(|| Self::empty(&entry.session_id, limits));
            session.apply(entry, &mut documents)?;
        }
        session.ok_or(ReplayError::Empty)
    }

    /// Takes in the next entry of this session's journal. Nothing is decided again.
    ///
    /// # Errors
    /// [`ReplayError`] when it does not fit; the session is then as it was.
    pub fn apply(
        &mut self,
        entry: &Entry,
        mut documents: impl FnMut(&Digest) -> Option<Arc<Document>>,
    ) -> Result<(), ReplayError> {
        if self.pending.is_some() {
            return Err(ReplayError::Unconfirmed);
        }
        self.check_next(entry)?;
        let at = Time::from_micros(entry.created_at.as_micros()).unwrap_or(Time::MAX);
        let events = replay::read_events(entry)?;
        let before = self.advance(at);
        match replay::apply(self, entry.seq, at, &events, &mut documents) {
            Ok(()) => {
                self.head = entry.hash;
                self.base.commit(before.mark);
                self.state.settle();
                self.trace.settle();
                Ok(())
            }
            Err(error) => {
                self.go_back(before);
                Err(error)
            }
        }
    }

    fn check_next(&self, entry: &Entry) -> Result<(), ReplayError> {
        let seq = entry.seq;
        if entry.v != FORMAT {
            return Err(ReplayError::UnknownFormat { seq, v: entry.v });
        }
        if entry.session_id != self.id {
            return Err(ReplayError::Foreign {
                seq,
                reason: "it is of another session",
            });
        }
        if seq != self.version.saturating_add(1) {
            return Err(ReplayError::OutOfOrder {
                version: self.version,
                found: seq,
            });
        }
        if entry.prev_hash != self.head {
            return Err(ReplayError::Foreign {
                seq,
                reason: "it follows another entry",
            });
        }
        Ok(())
    }

    /// The digests of the document texts that an entry names, to be at hand for
    /// [`apply`](Self::apply).
    #[must_use]
    pub fn documents_named(entry: &Entry) -> Vec<Digest> {
        if !entry.events.contains("\"document_put\"") {
            return Vec::new();
        }
        replay::read_list(entry).map_or_else(|_| Vec::new(), |list| event::documents_named(&list))
    }

    /// Carries out a command. On an error the session is exactly as it was.
    ///
    /// Where [`needs_refresh`](Self::needs_refresh) says so, [`Command::Refresh`] comes first, as
    /// a commit of its own.
    ///
    /// # Errors
    /// Why the command is refused.
    pub fn execute(&mut self, command: Command, at: Time) -> Result<Executed, CommandError> {
        if self.pending.is_some() {
            return Err(CommandError::Unconfirmed);
        }
        if let Some(closing) = &self.state.closed
            && !command.is_taken_when_closed()
        {
            return Err(CommandError::SessionClosed {
                how: closing.word(),
            });
        }
        let (kind, payload) = (command.kind(), payload::of(&command));
        self.run(kind, &payload, at, |commit| {
            commands::carry_out(commit, command)
        })
    }

    /// Carries out a command only to see what comes of it: where
    /// [`needs_refresh`](Self::needs_refresh) says so, evidence expires first, and
    /// [`undo`](Self::undo) takes both back. What [`Executed::entry`] holds then is nothing to be
    /// kept. On an error the session is exactly as it was.
    ///
    /// # Errors
    /// Why the command is refused.
    pub fn try_out(&mut self, command: Command, at: Time) -> Result<Executed, CommandError> {
        if !self.needs_refresh(at) {
            return self.execute(command, at);
        }
        self.execute(Command::Refresh, at)?;
        let Some(before) = self.pending.take() else {
            return self.execute(command, at);
        };
        let done = self.execute(command, at);
        if let Some(inner) = self.pending.take() {
            self.base.commit(inner.mark);
        }
        self.pending = Some(before);
        if done.is_err() {
            self.undo();
        }
        done
    }

    /// Shows the session as it stands at a time, between commits: evidence that has expired by
    /// then counts no more. Its version, its chain and its last commit are shown as they are, and
    /// afterwards it is exactly as it was. Costs what expires.
    ///
    /// # Errors
    /// [`CommandError::Unconfirmed`] while a command waits to be confirmed or undone.
    pub fn foresee<T>(
        &mut self,
        at: Time,
        look: impl FnOnce(&Self) -> T,
    ) -> Result<T, CommandError> {
        if !self.needs_refresh(at) {
            return Ok(look(self));
        }
        let committed = (self.version, self.head, self.time);
        self.execute(Command::Refresh, at)?;
        (self.version, self.head, self.time) = committed;
        let seen = look(self);
        self.undo();
        Ok(seen)
    }

    pub(crate) fn run(
        &mut self,
        kind: &'static str,
        payload: &Value,
        at: Time,
        work: impl FnOnce(&mut Commit<'_>) -> Result<Outcome, CommandError>,
    ) -> Result<Executed, CommandError> {
        let at = self.commit_time(at);
        let before = self.advance(at);
        let mut commit = Commit::new(self, &before.mark, at);
        let done = work(&mut commit);
        let events = commit.finish();
        match done {
            Err(error) => {
                self.go_back(before);
                Err(error)
            }
            Ok(outcome) if events.is_empty() => {
                self.go_back(before);
                Ok(Executed::nothing(outcome))
            }
            Ok(outcome) => {
                self.trace
                    .commit(self.version, at, &events, &self.base, &self.state);
                let entry = self.seal(kind, payload, &events, at);
                self.head = entry.hash;
                self.pending = Some(before);
                Ok(self.executed(entry, outcome, &events))
            }
        }
    }

    /// Goes on to the next version; gives what to go back to.
    fn advance(&mut self, at: Time) -> Pending {
        let before = Pending {
            mark: self.base.mark(),
            version: self.version,
            head: self.head,
            time: self.time,
        };
        self.version = self.version.saturating_add(1);
        self.time = at;
        before
    }

    fn go_back(&mut self, before: Pending) {
        self.base.rollback(before.mark);
        self.state.rollback();
        self.trace.rollback();
        self.version = before.version;
        self.head = before.head;
        self.time = before.time;
    }

    fn seal(&self, kind: &str, payload: &Value, events: &[Event], at: Time) -> Entry {
        Entry::seal(
            &self.head,
            &Draft {
                session_id: &self.id,
                seq: self.version,
                kind,
                payload,
                events: &event::list_value(events),
                created_at: timestamp(at),
            },
        )
    }

    fn executed(&self, entry: Entry, outcome: Outcome, events: &[Event]) -> Executed {
        let mut executed = Executed {
            entry: Some(entry),
            ..Executed::nothing(outcome)
        };
        for event in events {
            match event {
                Event::Base(BaseEvent::Outcome {
                    source,
                    correct,
                    lesson,
                    at,
                }) => {
                    executed.lessons.push(LedgerLesson {
                        source: source.to_string(),
                        correct: *correct,
                        lesson: *lesson,
                        at: *at,
                    });
                }
                Event::CallOpened(opened) => {
                    executed.http_calls.extend(
                        self.state
                            .calls
                            .get(&opened.call_id)
                            .and_then(crate::call::Call::http),
                    );
                }
                Event::CallReturned { call_id, .. } | Event::CallAbandoned { call_id } => {
                    executed.closed_calls.push(call_id.clone());
                }
                Event::DocumentPut { sha256, .. } => executed.documents.push(*sha256),
                _ => {}
            }
        }
        executed
    }

    /// Lets the last executed command stand: its entry is in the journal.
    pub fn confirm(&mut self) {
        if let Some(before) = self.pending.take() {
            self.base.commit(before.mark);
            // They are in the journal now.
            drop(self.base.take_events());
            self.state.settle();
            self.trace.settle();
        }
    }

    /// Takes the last executed command back: its entry could not be appended, or it was only
    /// tried out. Costs what the command changed.
    pub fn undo(&mut self) {
        if let Some(before) = self.pending.take() {
            self.go_back(before);
        }
    }

    /// Whether a command waits to be confirmed or undone.
    #[must_use]
    pub const fn is_pending(&self) -> bool {
        self.pending.is_some()
    }

    /// The time a commit now gets: the clock's, or a microsecond after the last commit's, so
    /// that time in a session never goes back.
    #[must_use]
    pub fn commit_time(&self, clock: Time) -> Time {
        if self.version == 0 {
            return clock;
        }
        clock.max(self.time.saturating_add(Span::from_micros(1)))
    }

    /// Whether evidence has expired that is still counted: then [`Command::Refresh`] comes before
    /// any other command or context.
    #[must_use]
    pub fn needs_refresh(&self, at: Time) -> bool {
        self.base.next_expiry().is_some_and(|next| next <= at)
    }

    /// Its id.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The place of the last journal entry, an unconfirmed one counted.
    #[must_use]
    pub const fn version(&self) -> u64 {
        self.version
    }

    /// The hash of that entry.
    #[must_use]
    pub const fn chain_head(&self) -> Digest {
        self.head
    }

    /// The time of that entry.
    #[must_use]
    pub const fn last_commit_at(&self) -> Time {
        self.time
    }

    /// What it goes by.
    #[must_use]
    pub fn options(&self) -> &Options {
        &self.state.options
    }

    /// Its limits.
    #[must_use]
    pub const fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The belief base, to be read.
    #[must_use]
    pub const fn base(&self) -> &Base {
        &self.base
    }
}

pub(crate) fn timestamp(at: Time) -> Timestamp {
    #[expect(
        clippy::expect_used,
        reason = "both kinds of time span the years 0 to 9999"
    )]
    Timestamp::from_micros(at.micros()).expect("a time within the years 0 to 9999")
}

/// Reads JSON of the journal: as strict as any, and as deep as an event around a value.
pub(crate) fn read_journal_json(text: &str) -> Result<Value, String> {
    let mut reader = Reader::default();
    reader.limits.max_depth = entail_json::limits::MAX_DEPTH;
    let reading = reader
        .read(text.as_bytes())
        .map_err(|error| error.to_string())?;
    match reading.faults.first() {
        None => Ok(reading.value),
        Some(_) => Err("it holds what strict JSON does not".to_owned()),
    }
}
