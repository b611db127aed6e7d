//! Writing traces.

use std::io::{self, Write};

use entail_json::{Digest, Hasher};

use crate::record::{Record, TraceEvent, TraceHasher, TraceHeader, TraceHeaderContent};

/// Appends the line of a header.
pub(crate) fn write_header_line(header: &TraceHeader, out: &mut String) {
    header.write_canonical(out);
    out.push('\n');
}

pub(crate) const EVENT_PREFIX: &str = "{\"event\":";
pub(crate) const EVENT_SUFFIX: &str = ",\"record\":\"trace_event\"}\n";

/// Appends the line of an event.
pub(crate) fn write_event_line(event: &TraceEvent, out: &mut String) {
    out.push_str(EVENT_PREFIX);
    event.write_canonical(out);
    out.push_str(EVENT_SUFFIX);
}

/// Writes a trace line by line.
///
/// ```
/// use entail_trace::{Id, TraceHeader, TraceHeaderContent, TraceHasher, TraceWriter};
///
/// let content = TraceHeaderContent::new(Id::new("spec_v1_x")?, Id::new("plan_v1_x")?);
/// let id = TraceHasher::new(&content).finish();
/// let mut bytes = Vec::new();
/// let written = TraceWriter::new(&mut bytes, &TraceHeader::new(id, content))?.finish()?;
/// assert_eq!(written.fingerprint, entail_json::sha256(&bytes));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct TraceWriter<W> {
    out: W,
    line: String,
    hasher: Hasher,
    written: u64,
}

/// What was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Written {
    /// The fingerprint of the trace: the digest of its bytes.
    pub fingerprint: Digest,
    /// How many bytes there are.
    pub bytes: u64,
}

impl<W: Write> TraceWriter<W> {
    /// Begins a trace with its header.
    ///
    /// # Errors
    /// What the output says.
    pub fn new(out: W, header: &TraceHeader) -> io::Result<Self> {
        let mut writer = Self {
            out,
            line: String::new(),
            hasher: Hasher::default(),
            written: 0,
        };
        write_header_line(header, &mut writer.line);
        writer.put()?;
        Ok(writer)
    }

    /// Writes the next event.
    ///
    /// # Errors
    /// What the output says.
    pub fn write(&mut self, event: &TraceEvent) -> io::Result<()> {
        write_event_line(event, &mut self.line);
        self.put()
    }

    /// Flushes the output.
    ///
    /// # Errors
    /// What the output says.
    pub fn finish(mut self) -> io::Result<Written> {
        self.out.flush()?;
        Ok(Written {
            fingerprint: self.hasher.finish(),
            bytes: self.written,
        })
    }

    fn put(&mut self) -> io::Result<()> {
        self.out.write_all(self.line.as_bytes())?;
        self.hasher.update(self.line.as_bytes());
        let length = u64::try_from(self.line.len()).unwrap_or(u64::MAX);
        self.written = self.written.saturating_add(length);
        self.line.clear();
        Ok(())
    }
}

/// Writes a trace whose events are made twice, so that they need not be held: the header comes
/// first and its id follows from all of them.
///
/// # Errors
/// What the output says.
pub fn write_trace<W, I>(
    out: W,
    header: TraceHeaderContent,
    events: impl Fn() -> I,
) -> io::Result<(TraceHeader, Written)>
where
    W: Write,
    I: Iterator<Item = TraceEvent>,
{
    let mut hasher = TraceHasher::new(&header);
    events().for_each(|event| hasher.push(&event));
    let id = hasher.finish();
    let header = TraceHeader::new(id, header);
    let mut writer = TraceWriter::new(out, &header)?;
    for event in events() {
        writer.write(&event)?;
    }
    let written = writer.finish()?;
    Ok((header, written))
}
