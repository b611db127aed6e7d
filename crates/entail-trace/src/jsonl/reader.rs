//! Reading traces, one event at a time.

use std::io::BufRead;

use entail_json::{Digest, Hasher, ReadError, Value};

use super::line::{LineError, LineReader, RawLine};
use super::writer::{EVENT_PREFIX, EVENT_SUFFIX, write_header_line};
use crate::fault::{At, Faults, RecordError};
use crate::fields::{Fields, text};
use crate::id::Id;
use crate::limits::MAX_LINE_BYTES;
use crate::record::sealed::Plumbing;
use crate::record::{Record, TraceEvent, TraceHasher, TraceHeader, read_json};
use crate::words::unknown;

/// Where a record stands in its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The line, from 1.
    pub line: u64,
    /// Its first byte, from the beginning of the file.
    pub offset: u64,
    /// Its bytes, without its end.
    pub length: u32,
}

/// A trace that cannot be read, and the line that is why.
#[derive(Debug, thiserror::Error)]
#[error("line {line}: {kind}")]
pub struct ReadTraceError {
    /// The line, from 1.
    pub line: u64,
    /// What is wrong with it.
    #[source]
    pub kind: ReadTraceErrorKind,
}

/// What is wrong with a line of a trace.
#[derive(Debug, thiserror::Error)]
pub enum ReadTraceErrorKind {
    /// There is nothing in it.
    #[error("the trace is empty: it starts with a header")]
    Empty,
    /// It is no line that could be read.
    #[error(transparent)]
    Line(LineError),
    /// It is not JSON.
    #[error("not valid json: {0}")]
    Json(ReadError),
    /// It is JSON but not the record it should be.
    #[error(transparent)]
    Record(RecordError),
}

/// What is known of a trace when all of it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceEnd {
    /// The digest of the trace's bytes as they are.
    pub fingerprint: Digest,
    /// The trace's id, computed from its header and events.
    pub trace_id: Id,
    /// How many events there are.
    pub events: u64,
    /// How many bytes there are.
    pub bytes: u64,
    /// The first line that is not written canonically, if there is one.
    pub first_uncanonical_line: Option<u64>,
}

/// Reads a trace from a stream: the header at once, then an event at a time. It holds one line.
///
/// `\r\n` and blank lines are tolerated (and noted as not canonical); anything else that is not
/// the header followed by events is an error.
///
/// ```
/// use entail_trace::{Id, Payload, Trace, TraceEvent, TraceHeaderContent, TraceReader};
///
/// let header = TraceHeaderContent::new(Id::new("spec_v1_x")?, Id::new("plan_v1_x")?);
/// let event = TraceEvent::new(0, Id::new("node_v1_x")?, Payload::StepStarted);
/// let trace = Trace::new(header, vec![event]);
///
/// let bytes = trace.to_jsonl();
/// let mut reader = TraceReader::new(bytes.as_bytes())?;
/// assert_eq!(reader.header(), trace.header());
/// while let Some((place, event)) = reader.next_event()? {
///     assert_eq!((place.line, &event), (2, &trace.events()[0]));
/// }
/// let end = reader.finish()?;
/// assert_eq!(&end.trace_id, trace.header().id());
/// assert_eq!(end.first_uncanonical_line, None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct TraceReader<R> {
    bytes: Bytes<R>,
    header: TraceHeader,
    content: TraceHasher,
    canonical: String,
}

/// The lines of a trace, and what is known of them as bytes.
#[derive(Debug)]
struct Bytes<R> {
    lines: LineReader<R>,
    hasher: Hasher,
    count: u64,
    first_uncanonical_line: Option<u64>,
}

impl<R: BufRead> Bytes<R> {
    /// The next line that is not blank.
    fn next(&mut self) -> Result<Option<RawLine<'_>>, ReadTraceError> {
        loop {
            // Borrowing the line here and returning it below would hold `self` for good.
            let blank = match self.lines.next_line() {
                Err(error) => return Err(at_line(error)),
                Ok(None) => return Ok(None),
                Ok(Some(line)) => {
                    self.hasher.update(line.raw);
                    let length = u64::try_from(line.raw.len()).unwrap_or(u64::MAX);
                    self.count = self.count.saturating_add(length);
                    line.content().is_empty().then_some(line.number)
                }
            };
            match blank {
                Some(number) => self.uncanonical(number),
                None => return Ok(self.lines.current()),
            }
        }
    }

    fn uncanonical(&mut self, line: u64) {
        self.first_uncanonical_line.get_or_insert(line);
    }
}

impl<R: BufRead> TraceReader<R> {
    /// Reads the header, with lines of at most [`MAX_LINE_BYTES`].
    ///
    /// # Errors
    /// [`ReadTraceError`] if the first line is not a header.
    pub fn new(input: R) -> Result<Self, ReadTraceError> {
        Self::with_line_limit(input, MAX_LINE_BYTES)
    }

    /// Reads the header, with lines of at most `limit` bytes.
    ///
    /// # Errors
    /// [`ReadTraceError`] if the first line is not a header.
    pub fn with_line_limit(input: R, limit: usize) -> Result<Self, ReadTraceError> {
        let mut bytes = Bytes {
            lines: LineReader::new(input, limit),
            hasher: Hasher::default(),
            count: 0,
            first_uncanonical_line: None,
        };
        let Some(line) = bytes.next()? else {
            return Err(ReadTraceError {
                line: 1,
                kind: ReadTraceErrorKind::Empty,
            });
        };
        let header = read_line(&line, TraceHeader::NAME, TraceHeader::parse)?;
        let mut canonical = String::new();
        write_header_line(&header, &mut canonical);
        if canonical.as_bytes() != line.raw {
            let number = line.number;
            bytes.uncanonical(number);
        }
        Ok(Self {
            bytes,
            content: TraceHasher::new(&header),
            header,
            canonical,
        })
    }

    /// The header.
    #[must_use]
    pub fn header(&self) -> &TraceHeader {
        &self.header
    }

    /// The next event and where it stands, or `None` at the end.
    ///
    /// # Errors
    /// [`ReadTraceError`] if a line is not an event; reading on after that makes no sense.
    pub fn next_event(&mut self) -> Result<Option<(Place, TraceEvent)>, ReadTraceError> {
        let Some(line) = self.bytes.next()? else {
            return Ok(None);
        };
        let event = read_line(&line, "trace line", parse_event)?;
        let place = Place {
            line: line.number,
            offset: line.offset,
            length: u32::try_from(line.content().len()).unwrap_or(u32::MAX),
        };
        self.canonical.clear();
        event.write_canonical(&mut self.canonical);
        let is_canonical = line
            .raw
            .strip_prefix(EVENT_PREFIX.as_bytes())
            .and_then(|rest| rest.strip_suffix(EVENT_SUFFIX.as_bytes()))
            .is_some_and(|content| content == self.canonical.as_bytes());
        if !is_canonical {
            self.bytes.uncanonical(place.line);
        }
        self.content.push_canonical(&self.canonical);
        Ok(Some((place, event)))
    }

    /// What is known of the trace as a whole. Events not yet taken are read first.
    ///
    /// # Errors
    /// [`ReadTraceError`] if a line that was not yet read is not an event.
    pub fn finish(mut self) -> Result<TraceEnd, ReadTraceError> {
        while self.next_event()?.is_some() {}
        Ok(TraceEnd {
            fingerprint: self.bytes.hasher.finish(),
            events: self.content.events(),
            trace_id: self.content.finish(),
            bytes: self.bytes.count,
            first_uncanonical_line: self.bytes.first_uncanonical_line,
        })
    }
}

fn at_line(error: LineError) -> ReadTraceError {
    let (LineError::Io { number, .. } | LineError::TooLong { number, .. }) = &error;
    ReadTraceError {
        line: *number,
        kind: ReadTraceErrorKind::Line(error),
    }
}

fn read_line<T>(
    line: &RawLine<'_>,
    name: &'static str,
    parse: fn(Value, &At<'_>, &mut Faults) -> Option<T>,
) -> Result<T, ReadTraceError> {
    let fail = |kind| ReadTraceError {
        line: line.number,
        kind,
    };
    let value = read_json(line.content()).map_err(|error| fail(ReadTraceErrorKind::Json(error)))?;
    let mut faults = Faults::default();
    let read = parse(value, &At::ROOT, &mut faults);
    faults
        .settle(name, read)
        .map_err(|error| fail(ReadTraceErrorKind::Record(error)))
}

/// Reads the line of one event.
pub(crate) fn read_event_line(line: &[u8]) -> Result<TraceEvent, ReadTraceError> {
    let line = RawLine {
        number: 1,
        offset: 0,
        raw: line,
    };
    read_line(&line, "trace line", parse_event)
}

fn parse_event(value: Value, at: &At<'_>, faults: &mut Faults) -> Option<TraceEvent> {
    let mut fields = Fields::open(value, at, faults)?;
    let record = fields.required(&["record"], text)?;
    if record != "trace_event" {
        fields.fault("record", unknown(&record, "event", &["trace_event"]));
        return None;
    }
    let event = fields.required(&["event"], TraceEvent::parse);
    fields.close();
    event
}
