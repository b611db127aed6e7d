//! The state machine.

use std::sync::Arc;

use entail_json::{Digest, Value};
use entail_kernel::base::Base;
use entail_kernel::text::Document;
use entail_kernel::{Span, Time};
use entail_trace::journal::Entry;

use crate::command::{Closing, Command, Opening};
use crate::context::{ContextOptions, ContextView};
use crate::error::{CommandError, ReplayError};
use crate::limits::Limits;
use crate::options::Options;
use crate::outcome::Executed;
use crate::state::State;

/// One session.
#[derive(Debug)]
pub struct Session {
    id: String,
    limits: Limits,
    base: Base,
    state: State,
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
    /// Open conflicts.
    pub conflicts: usize,
    /// Open calls.
    pub open_calls: usize,
    /// Document versions.
    pub documents: usize,
    /// Tools.
    pub tools: usize,
}

#[allow(unused_variables, clippy::todo, reason = "signatures first")]
impl Session {
    /// Opens a session: its first commit.
    ///
    /// `id` is a hyphenated lower-case UUID.
    pub fn open(
        id: &str,
        opening: Opening,
        limits: Limits,
        at: Time,
    ) -> Result<(Self, Executed), CommandError> {
        todo!()
    }

    /// Rebuilds a session from its journal. `documents` gives the text of a digest; see
    /// [`documents_named`](Self::documents_named).
    pub fn replay<'e>(
        entries: impl IntoIterator<Item = &'e Entry>,
        limits: Limits,
        documents: impl FnMut(&Digest) -> Option<Arc<Document>>,
    ) -> Result<Self, ReplayError> {
        todo!()
    }

    /// Takes in the next entry of this session's journal.
    pub fn apply(
        &mut self,
        entry: &Entry,
        documents: impl FnMut(&Digest) -> Option<Arc<Document>>,
    ) -> Result<(), ReplayError> {
        todo!()
    }

    /// The digests of the document texts that an entry names, for [`apply`](Self::apply).
    #[must_use]
    pub fn documents_named(entry: &Entry) -> Vec<Digest> {
        todo!()
    }

    /// Carries out a command. On an error the session is exactly as it was.
    pub fn execute(&mut self, command: Command, at: Time) -> Result<Executed, CommandError> {
        todo!()
    }

    /// Lets the last executed command stand: its entry is in the journal.
    pub fn confirm(&mut self) {
        todo!()
    }

    /// Takes the last executed command back: its entry could not be appended, or it was only
    /// tried out. Costs what the command changed.
    pub fn undo(&mut self) {
        todo!()
    }

    /// The time a commit now gets: the clock's, or a microsecond after the last commit's.
    #[must_use]
    pub fn commit_time(&self, clock: Time) -> Time {
        clock.max(self.time.saturating_add(Span::from_micros(1)))
    }

    /// Whether evidence has expired that is still counted: then [`Command::Refresh`] comes before
    /// any other command or context.
    #[must_use]
    pub fn needs_refresh(&self, at: Time) -> bool {
        todo!()
    }

    /// A context of the present state. It is no commit: keep it until a turn uses it.
    pub fn context(
        &self,
        id: &str,
        at: Time,
        options: &ContextOptions,
    ) -> Result<ContextView, CommandError> {
        todo!()
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

    /// What it goes by.
    #[must_use]
    pub fn options(&self) -> &Options {
        &self.state.options
    }

    /// The belief base, to be read.
    #[must_use]
    pub const fn base(&self) -> &Base {
        &self.base
    }

    /// What a list shows of it.
    #[must_use]
    pub fn summary(&self) -> Summary {
        todo!()
    }

    /// Everything observable as one value, the same for the same journal.
    #[must_use]
    pub fn dump(&self) -> Value {
        todo!()
    }
}
