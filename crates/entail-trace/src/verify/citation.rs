//! The digests of cited bytes, read again from where they stand.

use std::collections::HashMap;
use std::io;

use entail_json::{Digest, sha256, to_canonical};

use super::index::Line;
use crate::bytes::{Bytes, Files, digest_of_range};
use crate::jsonl::read_event_line;
use crate::limits::{CITED_BYTES_FACTOR, CITED_BYTES_FLOOR, CITED_SPANS_KEPT};
use crate::record::{EvidenceRef, Payload};
use crate::span::Span;

/// Why cited bytes cannot be digested.
#[derive(Debug)]
pub(crate) enum Uncitable {
    /// There are only so many.
    PastEnd(u64),
    /// The evidence has no file, or there is none of that name.
    NoFile,
    /// What holds them cannot be read.
    Unreadable,
    /// All citations together would read too much.
    TooMuch,
}

impl From<io::Error> for Uncitable {
    fn from(_: io::Error) -> Self {
        Self::Unreadable
    }
}

impl std::fmt::Display for Uncitable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::PastEnd(length) => write!(f, "reaches past the end at byte {length}"),
            Self::NoFile => f.write_str("is of evidence whose file is not there"),
            Self::Unreadable => f.write_str("cannot be read"),
            Self::TooMuch => f.write_str(
                "is not checked: the citations of this trace cover too many bytes in all",
            ),
        }
    }
}

/// The file of the evidence registered at a line.
struct Held<'s> {
    line: Line,
    file: Option<Box<dyn Bytes + 's>>,
    /// The digest of all of it, if it is known.
    digest: Option<Digest>,
}

/// What is cited: the event that brought it in, by its line.
pub(crate) struct Citations<'s> {
    trace: &'s dyn Bytes,
    files: Option<&'s dyn Files>,
    /// The text that was looked into last: a statement or a result.
    text: Option<(Line, Vec<u8>)>,
    /// The file that was looked into last.
    file: Option<Held<'s>>,
    known: HashMap<(u64, Span), Digest>,
    allowed: u64,
    read: u64,
}

impl<'s> Citations<'s> {
    pub(crate) fn new(trace: &'s dyn Bytes, files: Option<&'s dyn Files>) -> Self {
        Self {
            trace,
            files,
            text: None,
            file: None,
            known: HashMap::new(),
            allowed: CITED_BYTES_FLOOR,
            read: 0,
        }
    }

    /// Allows work in proportion to so many bytes more.
    pub(crate) fn allow_for(&mut self, bytes: u64) {
        self.allowed = self
            .allowed
            .saturating_add(bytes.saturating_mul(CITED_BYTES_FACTOR));
    }

    /// How many bytes were read again.
    pub(crate) fn bytes_read(&self) -> u64 {
        self.read
    }

    /// The digest of a span of the statement or result in the event at `line`.
    pub(crate) fn in_event(&mut self, line: Line, span: Span) -> Result<Digest, Uncitable> {
        if let Some(known) = self.known.get(&(line.offset(), span)) {
            return Ok(*known);
        }
        if self.text.as_ref().is_none_or(|(there, _)| *there != line) {
            self.spend(u64::from(line.length()))?;
            self.text = Some((line, self.text_of(line)?));
        }
        self.spend(span.length())?;
        let text = self.text.as_ref().map_or(&[][..], |(_, text)| text);
        let length = u64::try_from(text.len()).unwrap_or(u64::MAX);
        let digest = sha256(span.of(text).ok_or(Uncitable::PastEnd(length))?);
        self.remember(line, span, digest);
        Ok(digest)
    }

    /// The digest of a span of the file of the evidence registered at `line`.
    pub(crate) fn in_file(&mut self, line: Line, span: Span) -> Result<Digest, Uncitable> {
        if let Some(known) = self.known.get(&(line.offset(), span)) {
            return Ok(*known);
        }
        if self.file.as_ref().is_none_or(|held| held.line != line) {
            self.spend(u64::from(line.length()))?;
            self.file = Some(Held {
                line,
                file: self.file_of(line)?,
                digest: None,
            });
        }
        let held = self.file.as_ref();
        let Some((file, whole)) = held.and_then(|held| Some((held.file.as_ref()?, held.digest)))
        else {
            return Err(Uncitable::NoFile);
        };
        let length = file.length()?;
        if let Some(digest) = whole.filter(|_| span.start() == 0 && span.end() == length) {
            return Ok(digest);
        }
        if span.end() > length {
            return Err(Uncitable::PastEnd(length));
        }
        if self.read.saturating_add(span.length()) > self.allowed {
            return Err(Uncitable::TooMuch);
        }
        let digest = digest_of_range(file, span.start(), span.length())?;
        self.read = self.read.saturating_add(span.length());
        self.remember(line, span, digest);
        Ok(digest)
    }

    /// Holds the file of evidence that is just being registered, and the digest of all of it.
    pub(crate) fn hold(&mut self, line: Line, evidence: &EvidenceRef, digest: Option<Digest>) {
        if let Ok(file) = self.file_at(evidence) {
            self.file = Some(Held { line, file, digest });
        }
    }

    fn text_of(&self, line: Line) -> Result<Vec<u8>, Uncitable> {
        match self.payload(line)? {
            Payload::ClaimEmitted(claim) => Ok(claim.into_content().statement.into_bytes()),
            Payload::ToolReturned(result) => Ok(to_canonical(&result.result).into_bytes()),
            _ => Err(Uncitable::Unreadable),
        }
    }

    fn file_of(&self, line: Line) -> Result<Option<Box<dyn Bytes + 's>>, Uncitable> {
        let Payload::EvidenceRegistered(evidence) = self.payload(line)? else {
            return Err(Uncitable::Unreadable);
        };
        Ok(self.file_at(&evidence)?)
    }

    fn file_at(&self, evidence: &EvidenceRef) -> io::Result<Option<Box<dyn Bytes + 's>>> {
        match self.files {
            Some(files) if !evidence.content_path.is_empty() => {
                files.open(evidence.content_path.as_str())
            }
            _ => Ok(None),
        }
    }

    fn payload(&self, line: Line) -> Result<Payload, Uncitable> {
        let length = usize::try_from(line.length()).map_err(|_| Uncitable::Unreadable)?;
        let mut bytes = vec![0; length];
        self.trace.read_exact_at(line.offset(), &mut bytes)?;
        read_event_line(&bytes)
            .map(|event| event.payload)
            .map_err(|_| Uncitable::Unreadable)
    }

    fn spend(&mut self, bytes: u64) -> Result<(), Uncitable> {
        let read = self.read.saturating_add(bytes);
        if read > self.allowed {
            return Err(Uncitable::TooMuch);
        }
        self.read = read;
        Ok(())
    }

    fn remember(&mut self, line: Line, span: Span, digest: Digest) {
        if self.known.len() >= CITED_SPANS_KEPT {
            self.known.clear();
        }
        self.known.insert((line.offset(), span), digest);
    }
}
