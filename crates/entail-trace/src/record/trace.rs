//! A trace: its header, its events, and the id that follows from both.

use std::ops::Deref;

use entail_json::{Hasher, Object, Value};

use super::{Record, TraceEvent, sealed::Plumbing};
use crate::fault::{At, Faults};
use crate::fields::{self, Fields, integer, object, text};
use crate::id::{Id, IdKind};
use crate::sink::{Sink, TextSink};
use crate::words::unknown;

/// The runtime protocol that is written and understood.
pub const RUNTIME_PROTOCOL_VERSION: i64 = 1;
/// The schema that is written.
pub const SCHEMA_VERSION: i64 = 1;
/// The schemas that are understood.
pub const SCHEMA_VERSIONS: [i64; 2] = [1, 2];
/// The hash that is used.
pub const FINGERPRINT_ALGO: &str = "sha256";
/// The canonical form that is used.
pub const CANONICALIZATION_VERSION: i64 = 1;

/// What the header of a trace says, apart from the trace's id.
#[derive(Clone, Debug, PartialEq)]
pub struct TraceHeaderContent {
    /// [`RUNTIME_PROTOCOL_VERSION`] in what is written here; whatever was read.
    pub runtime_protocol_version: i64,
    /// [`SCHEMA_VERSION`] in what is written here; whatever was read.
    pub schema_version: i64,
    /// [`FINGERPRINT_ALGO`] in what is written here; whatever was read.
    pub fingerprint_algo: String,
    /// [`CANONICALIZATION_VERSION`] in what is written here; whatever was read.
    pub canonicalization_version: i64,
    /// The problem.
    pub spec_id: Id,
    /// The plan.
    pub plan_id: Id,
    /// The reasoning policy, the reasoning trace and whatever else is said of the trace.
    pub metadata: Object,
}

impl TraceHeaderContent {
    /// The header of a trace in the versions written here, without metadata.
    #[must_use]
    pub fn new(spec_id: Id, plan_id: Id) -> Self {
        Self {
            runtime_protocol_version: RUNTIME_PROTOCOL_VERSION,
            schema_version: SCHEMA_VERSION,
            fingerprint_algo: FINGERPRINT_ALGO.to_owned(),
            canonicalization_version: CANONICALIZATION_VERSION,
            spec_id,
            plan_id,
            metadata: Object::new(),
        }
    }

    /// Writes the members that sort after `events` and `id`.
    fn write_rest<S: Sink>(&self, record: Option<&str>, sink: &mut S) {
        sink.name("metadata");
        sink.object(&self.metadata);
        sink.text_member("plan_id", &self.plan_id);
        if let Some(record) = record {
            sink.text_member("record", record);
        }
        sink.name("runtime_protocol_version");
        sink.integer(self.runtime_protocol_version);
        sink.name("schema_version");
        sink.integer(self.schema_version);
        sink.text_member("spec_id", &self.spec_id);
    }
}

/// The first line of a trace.
#[derive(Clone, Debug, PartialEq)]
pub struct TraceHeader {
    id: Id,
    content: TraceHeaderContent,
}

impl TraceHeader {
    /// The header of the trace with this id, which follows from the header and all events: see
    /// [`TraceHasher`].
    #[must_use]
    pub fn new(id: Id, content: TraceHeaderContent) -> Self {
        Self { id, content }
    }

    /// The id of the trace as the header has it.
    #[must_use]
    pub fn id(&self) -> &Id {
        &self.id
    }

    /// The header without the id.
    #[must_use]
    pub fn content(&self) -> &TraceHeaderContent {
        &self.content
    }
}

impl Deref for TraceHeader {
    type Target = TraceHeaderContent;

    fn deref(&self) -> &TraceHeaderContent {
        &self.content
    }
}

impl Plumbing for TraceHeader {
    fn parse(value: Value, at: &At<'_>, faults: &mut Faults) -> Option<Self> {
        let mut fields = Fields::open(value, at, faults)?;
        let record = fields.required(&["record"], text);
        if let Some(record) = record
            && record != "trace_header"
        {
            fields.fault("record", unknown(&record, "header", &["trace_header"]));
        }
        let id = fields.required(&["id"], fields::id);
        let one = || 1;
        let protocol = fields.defaulted(&["runtime_protocol_version"], integer, one);
        let schema = fields.defaulted(&["schema_version"], integer, one);
        let algo = fields.defaulted(&["fingerprint_algo"], text, || FINGERPRINT_ALGO.to_owned());
        let canonicalization = fields.defaulted(&["canonicalization_version"], integer, one);
        let spec_id = fields.required(&["spec_id"], fields::id);
        let plan_id = fields.required(&["plan_id"], fields::id);
        let metadata = fields.defaulted(&["metadata"], object, Object::new);
        fields.close();
        let content = TraceHeaderContent {
            runtime_protocol_version: protocol?,
            schema_version: schema?,
            fingerprint_algo: algo?,
            canonicalization_version: canonicalization?,
            spec_id: spec_id?,
            plan_id: plan_id?,
            metadata: metadata?,
        };
        Some(Self { id: id?, content })
    }

    fn emit<S: Sink>(&self, sink: &mut S) {
        sink.open();
        sink.name("canonicalization_version");
        sink.integer(self.canonicalization_version);
        sink.text_member("fingerprint_algo", &self.fingerprint_algo);
        sink.text_member("id", &self.id);
        self.content.write_rest(Some("trace_header"), sink);
        sink.close();
    }
}

impl Record for TraceHeader {
    const NAME: &'static str = "TraceHeader";
}

/// Computes the id of a trace from its header and its events, one event at a time.
#[derive(Clone, Debug)]
pub struct TraceHasher {
    hasher: Hasher,
    /// What follows the events.
    rest: String,
    text: String,
    events: u64,
}

impl TraceHasher {
    /// The id of a trace with this header.
    #[must_use]
    pub fn new(header: &TraceHeaderContent) -> Self {
        let mut hasher = Hasher::default();
        let version = header.canonicalization_version;
        hasher.update(format!("{{\"canonicalization_version\":{version},\"events\":[").as_bytes());
        let mut rest = String::from("],");
        let mut sink = TextSink::new(&mut rest);
        sink.text_member("fingerprint_algo", &header.fingerprint_algo);
        header.write_rest(None, &mut sink);
        rest.push('}');
        Self {
            hasher,
            rest,
            text: String::new(),
            events: 0,
        }
    }

    /// Adds the next event.
    pub fn push(&mut self, event: &TraceEvent) {
        let mut text = std::mem::take(&mut self.text);
        text.clear();
        event.write_canonical(&mut text);
        self.push_canonical(&text);
        self.text = text;
    }

    /// Adds the next event as its canonical text.
    pub(crate) fn push_canonical(&mut self, event: &str) {
        if self.events > 0 {
            self.hasher.update(b",");
        }
        self.hasher.update(event.as_bytes());
        self.events = self.events.saturating_add(1);
    }

    /// How many events were added.
    #[must_use]
    pub fn events(&self) -> u64 {
        self.events
    }

    /// The id.
    #[must_use]
    pub fn finish(mut self) -> Id {
        self.hasher.update(self.rest.as_bytes());
        IdKind::Trace.id(self.hasher.finish())
    }
}

/// A whole trace in memory.
///
/// ```
/// use entail_trace::{Id, Payload, Trace, TraceEvent, TraceHeaderContent};
///
/// let header = TraceHeaderContent::new(Id::new("spec_v1_x")?, Id::new("plan_v1_x")?);
/// let started = TraceEvent::new(0, Id::new("node_v1_x")?, Payload::StepStarted);
/// let trace = Trace::new(header, vec![started]);
/// assert!(trace.header().id().starts_with("trace_v1_"));
/// assert_eq!(trace.to_jsonl().lines().count(), 2);
/// # Ok::<(), entail_trace::IdError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    header: TraceHeader,
    events: Vec<TraceEvent>,
}

impl Trace {
    /// A trace of these events, under the id that follows from them.
    #[must_use]
    pub fn new(header: TraceHeaderContent, events: Vec<TraceEvent>) -> Self {
        let mut hasher = TraceHasher::new(&header);
        for event in &events {
            hasher.push(event);
        }
        let id = hasher.finish();
        Self {
            header: TraceHeader::new(id, header),
            events,
        }
    }

    /// The header.
    #[must_use]
    pub fn header(&self) -> &TraceHeader {
        &self.header
    }

    /// The events.
    #[must_use]
    pub fn events(&self) -> &[TraceEvent] {
        &self.events
    }

    /// The bytes of `trace.jsonl`: a canonical record a line, the header first.
    #[must_use]
    pub fn to_jsonl(&self) -> String {
        let mut text = String::new();
        crate::jsonl::write_header_line(&self.header, &mut text);
        for event in &self.events {
            crate::jsonl::write_event_line(event, &mut text);
        }
        text
    }
}
