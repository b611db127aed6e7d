//! Premises as evidence: files, and the bytes of them that matter.

use std::sync::Arc;

use entail_json::{Digest, Object, Value, sha256};
use entail_kernel::base::{Belief, Record, SourceKind};
use entail_kernel::text::Document;
use entail_trace::{
    ContentPath, EvidenceRef, EvidenceRefContent, Id, Span, SupportKind, SupportRef,
};
use rustc_hash::FxHashMap;

use crate::state::State;

/// A file of evidence.
#[derive(Clone, Debug)]
pub struct EvidenceFile {
    /// Where it lies in the bundle: `evidence/<sha256>.txt` or `.json`.
    pub path: ContentPath,
    /// The digest of its bytes.
    pub sha256: Digest,
    /// Its content.
    pub content: EvidenceContent,
}

/// What an evidence file holds.
#[derive(Clone, Debug)]
pub enum EvidenceContent {
    /// A document's text.
    Document(Arc<Document>),
    /// Canonical JSON.
    Json(Arc<str>),
}

impl EvidenceFile {
    /// The bytes of the file.
    #[must_use]
    pub fn text(&self) -> &str {
        match &self.content {
            EvidenceContent::Document(document) => document.text(),
            EvidenceContent::Json(text) => text,
        }
    }
}

/// The evidence registered so far.
#[derive(Debug, Default)]
pub(super) struct EvidenceLog {
    pub(super) records: Vec<EvidenceRef>,
    pub(super) index: FxHashMap<Id, u32>,
    pub(super) files: Vec<EvidenceFile>,
    pub(super) paths: FxHashMap<ContentPath, usize>,
    settled: (usize, usize),
}

/// Evidence to be registered.
pub(super) struct Found {
    uri: String,
    span: Span,
    chunk: Digest,
    file: EvidenceFile,
}

impl EvidenceLog {
    pub(super) fn settle(&mut self) {
        self.settled = (self.records.len(), self.files.len());
    }

    pub(super) fn rollback(&mut self) {
        let (records, files) = self.settled;
        for record in self.records.drain(records..) {
            self.index.remove(record.id());
        }
        for file in self.files.drain(files..) {
            self.paths.remove(&file.path);
        }
    }

    pub(super) fn files(&self) -> &[EvidenceFile] {
        &self.files
    }

    pub(super) fn len(&self) -> usize {
        self.records.len()
    }

    /// A piece of evidence.
    pub(super) fn record(&self, at: u32) -> Option<&EvidenceRef> {
        self.records.get(usize::try_from(at).ok()?)
    }

    /// A claim's reference to a piece of evidence.
    pub(super) fn support(&self, at: u32) -> Option<SupportRef> {
        self.record(at).map(|record| SupportRef {
            kind: SupportKind::Evidence,
            ref_id: record.id().clone(),
            span: record.span,
            snippet_sha256: record.chunk_id,
        })
    }

    /// Registers evidence; gives its place, and whether it is new.
    pub(super) fn register(&mut self, found: Found) -> (u32, bool) {
        let record = EvidenceRef::new(EvidenceRefContent {
            uri: found.uri,
            sha256: found.file.sha256.to_string(),
            span: found.span,
            chunk_id: found.chunk,
            content_path: found.file.path.clone(),
        });
        if let Some(at) = self.index.get(record.id()) {
            return (*at, false);
        }
        if !self.paths.contains_key(&found.file.path) {
            self.paths.insert(found.file.path.clone(), self.files.len());
            self.files.push(found.file);
        }
        let at = u32::try_from(self.records.len()).unwrap_or(u32::MAX);
        self.index.insert(record.id().clone(), at);
        self.records.push(record);
        (at, true)
    }
}

/// The evidence of a call's result.
pub(super) fn of_result(tool: &str, call_id: &str, result: &Value) -> Option<Found> {
    whole(format!("tool:{tool}#{call_id}"), result)
}

/// The evidence of a premise: the quoted span of its document, or the premise itself.
pub(super) fn of_premise(belief: &Belief<'_>, record: &Record, state: &State) -> Option<Found> {
    if record.source.kind == SourceKind::Document
        && let Some(citation) = &record.citation
        && let Some(version) = state
            .documents
            .version(&record.source.name, citation.version)
        && version.sha256() == citation.document
    {
        return Some(Found {
            uri: format!("document:{}@{}", record.source.name, citation.version),
            span: Span::new(citation.start, citation.end)?,
            chunk: citation.digest,
            file: EvidenceFile {
                path: path(&citation.document, "txt")?,
                sha256: citation.document,
                content: EvidenceContent::Document(Arc::clone(&version.document)),
            },
        });
    }
    let source = record.source.to_string();
    let said = Object::from([
        ("key", Value::from(&**belief.key)),
        ("value", belief.value.clone()),
        ("source", source.as_str().into()),
        ("claim", belief.claim.map(str::to_owned).into()),
        ("origin", record.source.origin.clone().into()),
        ("metadata", belief.metadata.cloned().into()),
    ]);
    whole(source, &said.into())
}

/// A file of canonical JSON, all of which matters.
fn whole(uri: String, value: &Value) -> Option<Found> {
    let text: Arc<str> = value.to_string().into();
    let digest = sha256(text.as_bytes());
    Some(Found {
        uri,
        span: Span::whole(text.len())?,
        chunk: digest,
        file: EvidenceFile {
            path: path(&digest, "json")?,
            sha256: digest,
            content: EvidenceContent::Json(text),
        },
    })
}

pub(super) fn path(digest: &Digest, extension: &str) -> Option<ContentPath> {
    ContentPath::new(&format!("evidence/{digest}.{extension}")).ok()
}
