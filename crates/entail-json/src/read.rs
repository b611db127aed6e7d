//! The reader: strict, exact, in one pass, with the place of every fault.

mod error;
mod parse;

pub use error::{Failure, Fault, FaultKind, ReadError, ReadErrorKind};

use crate::{Limits, Value};

/// How a text is read. The default is JSON to the letter.
///
/// ```
/// use entail_json::Reader;
///
/// let lenient = Reader { trailing_commas: true, ..Reader::default() };
/// let reading = lenient.read(br#"[1, {"a": 1, "a": 2},]"#)?;
/// assert_eq!(reading.value.to_string(), r#"[1,{"a":1}]"#);
/// assert_eq!(reading.faults[0].offset, 13);
/// assert_eq!(reading.faults[0].path(), [1, 0]);
/// # Ok::<(), entail_json::ReadError>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Reader {
    /// What is too long and what too deep.
    pub limits: Limits,
    /// Whether control characters may stand in strings as they are, not escaped.
    pub control_characters: bool,
    /// Whether a list or an object may end in a comma.
    pub trailing_commas: bool,
}

/// What was read, and what in it cannot be kept as it was written.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// The value. Where a fault stands it holds a stand-in: U+FFFD for a character, `null` for a
    /// number, the first of two members of one name. A value with faults is not what was written.
    pub value: Value,
    /// The faults, in the order of the text; at most one a string, a number or a member name.
    pub faults: Vec<Fault>,
}

impl Reader {
    /// Reads a text that is one value with nothing but white space around it.
    ///
    /// # Errors
    /// Where the text is no JSON (by this reader's leave), is not UTF-8, or passes a limit.
    pub fn read(&self, text: &[u8]) -> Result<Reading, ReadError> {
        self.check_length(text.len())
            .map_err(|failure| failure.locate(text))?;
        let utf8 = std::str::from_utf8(text).map_err(|error| {
            Failure {
                kind: ReadErrorKind::InvalidUtf8,
                offset: error.valid_up_to(),
            }
            .locate(text)
        })?;
        parse::whole(self, utf8).map_err(|failure| failure.locate(text))
    }

    /// Reads one value that starts at `start` (after white space), and says where it ended.
    /// What follows is not looked at.
    ///
    /// # Errors
    /// As [`read`](Self::read); the failure does not hold its line, since finding that costs a
    /// pass over the text: ask [`Failure::locate`].
    ///
    /// ```
    /// let reader = entail_json::Reader::default();
    /// let (reading, end) = reader.read_prefix("see [1, 2] below", 4).map_err(|_| "no value")?;
    /// assert_eq!((reading.value.to_string().as_str(), end), ("[1,2]", 10));
    /// # Ok::<(), &str>(())
    /// ```
    pub fn read_prefix(&self, text: &str, start: usize) -> Result<(Reading, usize), Failure> {
        self.check_length(text.len().saturating_sub(start))?;
        parse::prefix(self, text, start)
    }

    fn check_length(&self, length: usize) -> Result<(), Failure> {
        let max = self.limits.max_bytes;
        if length > max {
            return Err(Failure {
                kind: ReadErrorKind::TooLong { max },
                offset: max,
            });
        }
        Ok(())
    }
}

/// Reads JSON to the letter: one value, no name twice, no U+0000, no unpaired surrogate, no
/// number past the range of floats, at most [`DEFAULT_DEPTH`](crate::limits::DEFAULT_DEPTH) deep.
///
/// # Errors
/// At the first fault, with its place.
///
/// ```
/// let error = entail_json::read(b"{\"a\": 1,\n \"a\": 2}").unwrap_err();
/// assert_eq!(error.to_string(), "the member name is given twice, at line 2 column 2");
/// ```
pub fn read(text: &[u8]) -> Result<Value, ReadError> {
    let reading = Reader::default().read(text)?;
    match reading.faults.first() {
        None => Ok(reading.value),
        Some(fault) => Err(Failure {
            kind: ReadErrorKind::Fault(fault.kind),
            offset: fault.offset,
        }
        .locate(text)),
    }
}

/// [`read`] for text that is known to be UTF-8.
///
/// # Errors
/// As [`read`].
pub fn read_str(text: &str) -> Result<Value, ReadError> {
    read(text.as_bytes())
}
