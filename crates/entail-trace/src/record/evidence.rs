//! Registered evidence.

use entail_json::{Digest, Value};

use super::{identified, sealed::Plumbing};
use crate::fault::{At, Faults};
use crate::fields::{Fields, digest, text};
use crate::id::{Content, Id, IdKind, Identified, sealed::Hashed};
use crate::path::ContentPath;
use crate::sink::Sink;
use crate::span::Span;

/// A piece of evidence: a span of a file that the bundle holds.
pub type EvidenceRef = Identified<EvidenceRefContent>;

/// What an [`EvidenceRef`] says.
#[derive(Clone, Debug, PartialEq)]
pub struct EvidenceRefContent {
    /// Where it comes from, such as `document:10-K@1` or `tool:get_revenue#call_v1_…`.
    pub uri: String,
    /// The digest of the whole file, in hexadecimal. It is checked against the file, not on
    /// reading: text that is no digest matches no file.
    pub sha256: String,
    /// The bytes of the file that matter.
    pub span: Span,
    /// The digest of exactly those bytes.
    pub chunk_id: Digest,
    /// The file, relative to the bundle; empty if there is none.
    pub content_path: ContentPath,
}

impl EvidenceRefContent {
    fn write<S: Sink>(&self, id: Option<&Id>, sink: &mut S) {
        sink.open();
        sink.text_member("chunk_id", &self.chunk_id.to_string());
        sink.text_member("content_path", self.content_path.as_str());
        if let Some(id) = id {
            sink.text_member("id", id);
        }
        sink.text_member("sha256", &self.sha256);
        sink.name("span");
        self.span.emit(sink);
        sink.text_member("uri", &self.uri);
        sink.close();
    }
}

impl Content for EvidenceRefContent {
    const ID_KIND: IdKind = IdKind::Evidence;
}

impl Hashed for EvidenceRefContent {
    fn hashed<S: Sink>(&self, sink: &mut S) {
        self.write(None, sink);
    }

    fn emit<S: Sink>(&self, id: &Id, sink: &mut S) {
        self.write(Some(id), sink);
    }
}

impl Plumbing for EvidenceRef {
    fn parse(value: Value, at: &At<'_>, faults: &mut Faults) -> Option<Self> {
        let mut fields = Fields::open(value, at, faults)?;
        let id = fields.own_id();
        let uri = fields.required(&["uri"], text);
        let sha256 = fields.required(&["sha256"], text);
        let span = fields.required(&["span"], Span::parse);
        let chunk_id = fields.required(&["chunk_id"], digest);
        let path = fields.defaulted(&["content_path"], ContentPath::parse, ContentPath::default);
        fields.close();
        let content = EvidenceRefContent {
            uri: uri?,
            sha256: sha256?,
            span: span?,
            chunk_id: chunk_id?,
            content_path: path?,
        };
        Some(Self::read_as(id?, content))
    }

    fn emit<S: Sink>(&self, sink: &mut S) {
        Hashed::emit(&**self, self.id(), sink);
    }
}

identified!(EvidenceRef);
