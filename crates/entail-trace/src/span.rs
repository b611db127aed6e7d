//! Spans of bytes.

use std::fmt;
use std::ops::Range;

use entail_json::Value;

use crate::fault::{At, Faults};
use crate::fields;
use crate::sink::Sink;

/// A span of bytes `[start, end)` that holds at least one byte.
///
/// ```
/// use entail_trace::Span;
///
/// let span = Span::new(6, 11).ok_or("empty")?;
/// assert_eq!(span.of(b"hello world"), Some(&b"world"[..]));
/// assert_eq!(span.of(b"hello"), None);
/// assert_eq!(Span::new(3, 3), None);
/// # Ok::<(), &str>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    start: u64,
    end: u64,
}

impl Span {
    /// The span, or `None` if it would be empty or end before it starts.
    #[must_use]
    pub fn new(start: u64, end: u64) -> Option<Self> {
        (start < end && i64::try_from(end).is_ok()).then_some(Self { start, end })
    }

    /// The span of all of a text of this many bytes; `None` for an empty one.
    #[must_use]
    pub fn whole(length: usize) -> Option<Self> {
        Self::new(0, u64::try_from(length).ok()?)
    }

    /// The first byte.
    #[must_use]
    pub fn start(&self) -> u64 {
        self.start
    }

    /// The byte after the last.
    #[must_use]
    pub fn end(&self) -> u64 {
        self.end
    }

    /// How many bytes it covers; never 0.
    #[must_use]
    pub fn length(&self) -> u64 {
        self.end.saturating_sub(self.start)
    }

    /// The bytes it covers, or `None` if it reaches past the end.
    #[must_use]
    pub fn of<'b>(&self, bytes: &'b [u8]) -> Option<&'b [u8]> {
        let range: Range<usize> = self.start.try_into().ok()?..self.end.try_into().ok()?;
        bytes.get(range)
    }

    pub(crate) fn parse(value: Value, at: &At<'_>, faults: &mut Faults) -> Option<Self> {
        let read = fields::list(value, at, faults, fields::natural)?;
        let &[start, end] = read.as_slice() else {
            faults.push(
                at,
                format!("has {} numbers: a span is `[start, end]`", read.len()),
            );
            return None;
        };
        let span = Self::new(start, end);
        if span.is_none() {
            faults.push(
                at,
                format!("`[{start}, {end}]` is empty: a span ends after it starts"),
            );
        }
        span
    }

    pub(crate) fn emit<S: Sink>(&self, sink: &mut S) {
        sink.open_list();
        sink.integer(self.start);
        sink.integer(self.end);
        sink.close_list();
    }
}

/// `start-end`, as in a marker.
impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.start, self.end)
    }
}
