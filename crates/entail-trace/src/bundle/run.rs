//! The run that a bundle records.

use entail_json::{Digest, Value};

use super::JournalEnd;
use crate::fault::{At, Faults};
use crate::fields::{self, Fields, digest, natural, text};
use crate::id::{Content, Id, IdKind, Identified, sealed::Hashed};
use crate::journal::Timestamp;
use crate::jsonl::TraceEnd;
use crate::record::Record;
use crate::record::sealed::Plumbing;
use crate::sink::Sink;

/// A run: a session as far as its journal goes.
pub type RunMeta = Identified<RunMetaContent>;

/// What a [`RunMeta`] says. All of it follows from the journal and the trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunMetaContent {
    /// The session.
    pub session_id: String,
    /// The trace, by the id that follows from its content.
    pub trace_id: Id,
    /// The digest of the trace's bytes.
    pub trace_sha256: Digest,
    /// The hash of the journal's last entry.
    pub chain_head: Digest,
    /// How many entries the journal has.
    pub entries: u64,
    /// When the first was committed.
    pub started_at: Timestamp,
    /// When the last was committed.
    pub last_commit_at: Timestamp,
}

impl RunMetaContent {
    /// The run of a journal and its trace.
    #[must_use]
    pub fn new(journal: &JournalEnd, trace: &TraceEnd) -> Self {
        Self {
            session_id: journal.session_id.clone(),
            trace_id: trace.trace_id.clone(),
            trace_sha256: trace.fingerprint,
            chain_head: journal.chain_head,
            entries: journal.seq,
            started_at: journal.started_at,
            last_commit_at: journal.last_commit_at,
        }
    }

    fn write<S: Sink>(&self, id: Option<&Id>, sink: &mut S) {
        sink.open();
        sink.text_member("chain_head", &self.chain_head.to_string());
        sink.name("entries");
        sink.integer(self.entries);
        if let Some(id) = id {
            sink.text_member("id", id);
        }
        sink.text_member("last_commit_at", &self.last_commit_at.to_string());
        sink.text_member("session_id", &self.session_id);
        sink.text_member("started_at", &self.started_at.to_string());
        sink.text_member("trace_id", &self.trace_id);
        sink.text_member("trace_sha256", &self.trace_sha256.to_string());
        sink.close();
    }
}

impl Content for RunMetaContent {
    const ID_KIND: IdKind = IdKind::Run;
}

impl Hashed for RunMetaContent {
    fn hashed<S: Sink>(&self, sink: &mut S) {
        self.write(None, sink);
    }

    fn emit<S: Sink>(&self, id: &Id, sink: &mut S) {
        self.write(Some(id), sink);
    }
}

impl Plumbing for RunMeta {
    fn parse(value: Value, at: &At<'_>, faults: &mut Faults) -> Option<Self> {
        let mut fields = Fields::open(value, at, faults)?;
        let id = fields.own_id();
        let session_id = fields.required(&["session_id"], text);
        let trace_id = fields.required(&["trace_id"], fields::id);
        let trace_sha256 = fields.required(&["trace_sha256"], digest);
        let chain_head = fields.required(&["chain_head"], digest);
        let entries = fields.required(&["entries"], natural);
        let started_at = fields.required(&["started_at"], super::checkpoint::timestamp);
        let last_commit_at = fields.required(&["last_commit_at"], super::checkpoint::timestamp);
        fields.close();
        let content = RunMetaContent {
            session_id: session_id?,
            trace_id: trace_id?,
            trace_sha256: trace_sha256?,
            chain_head: chain_head?,
            entries: entries?,
            started_at: started_at?,
            last_commit_at: last_commit_at?,
        };
        Some(Self::read_as(id?, content))
    }

    fn emit<S: Sink>(&self, sink: &mut S) {
        Hashed::emit(&**self, self.id(), sink);
    }
}

impl Record for RunMeta {
    const NAME: &'static str = "RunMeta";
}
