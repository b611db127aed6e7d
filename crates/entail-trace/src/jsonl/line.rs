//! Lines of bounded length out of any reader.

use std::io::{self, BufRead};

/// Reads lines, never holding more than one and never one that is too long.
///
/// ```
/// let mut lines = entail_trace::LineReader::new(&b"{}\r\n\n[1]"[..], 10);
/// let first = lines.next_line()?.ok_or("no line")?;
/// assert_eq!((first.number, first.offset, first.content()), (1, 0, &b"{}"[..]));
/// assert!(lines.next_line()?.is_some_and(|line| line.content().is_empty()));
/// let last = lines.next_line()?.ok_or("no line")?;
/// assert_eq!((last.number, last.offset, last.raw), (3, 5, &b"[1]"[..]));
/// assert!(lines.next_line()?.is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct LineReader<R> {
    input: R,
    limit: usize,
    line: Vec<u8>,
    offset: u64,
    number: u64,
}

/// One line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RawLine<'l> {
    /// Its number, from 1.
    pub number: u64,
    /// Where it starts, in bytes from the beginning.
    pub offset: u64,
    /// Its bytes with its end, `\n` or `\r\n`, if it has one.
    pub raw: &'l [u8],
}

impl<'l> RawLine<'l> {
    /// Its bytes without its end; empty if it is blank.
    #[must_use]
    pub fn content(&self) -> &'l [u8] {
        let content = self.raw.strip_suffix(b"\n").unwrap_or(self.raw);
        let content = content.strip_suffix(b"\r").unwrap_or(content);
        if content.trim_ascii().is_empty() {
            &[]
        } else {
            content
        }
    }
}

/// A line that could not be read.
#[derive(Debug, thiserror::Error)]
pub enum LineError {
    /// The input failed.
    #[error("line {number} cannot be read")]
    Io {
        /// The line, from 1.
        number: u64,
        /// What the input says.
        source: io::Error,
    },
    /// The line is too long.
    #[error("line {number} is longer than {limit} bytes: split it, or raise the limit")]
    TooLong {
        /// The line, from 1.
        number: u64,
        /// The most bytes a line may have.
        limit: usize,
    },
}

impl<R: BufRead> LineReader<R> {
    /// Reads lines of at most `limit` bytes, their end included.
    pub fn new(input: R, limit: usize) -> Self {
        Self {
            input,
            limit,
            line: Vec::new(),
            offset: 0,
            number: 0,
        }
    }

    /// The next line, or `None` at the end.
    ///
    /// # Errors
    /// [`LineError`] if the input fails or the line is too long; nothing further can be read then.
    pub fn next_line(&mut self) -> Result<Option<RawLine<'_>>, LineError> {
        let length = u64::try_from(self.line.len()).unwrap_or(u64::MAX);
        self.offset = self.offset.saturating_add(length);
        self.line.clear();
        let number = self.number.saturating_add(1);
        loop {
            let buffer = match self.input.fill_buf() {
                Ok(buffer) => buffer,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(source) => return Err(LineError::Io { number, source }),
            };
            let end = memchr::memchr(b'\n', buffer).map(|at| at.saturating_add(1));
            let piece = buffer.get(..end.unwrap_or(buffer.len())).unwrap_or(buffer);
            if self.line.len().saturating_add(piece.len()) > self.limit {
                return Err(LineError::TooLong {
                    number,
                    limit: self.limit,
                });
            }
            self.line.extend_from_slice(piece);
            let taken = piece.len();
            self.input.consume(taken);
            if end.is_some() || taken == 0 {
                break;
            }
        }
        if !self.line.is_empty() {
            self.number = number;
        }
        Ok(self.current())
    }

    /// The line that was read last.
    pub(crate) fn current(&self) -> Option<RawLine<'_>> {
        let line = RawLine {
            number: self.number,
            offset: self.offset,
            raw: &self.line,
        };
        (!self.line.is_empty()).then_some(line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::BufReader;

    #[test]
    fn lines_are_the_same_whatever_the_size_of_the_buffer() {
        let text = b"one\ntwo\r\n\n  \nlast";
        for size in 1..20 {
            let mut lines = LineReader::new(BufReader::with_capacity(size, &text[..]), 100);
            let mut seen = Vec::new();
            while let Some(line) = lines.next_line().unwrap() {
                seen.push((line.number, line.offset, line.content().to_vec()));
            }
            assert_eq!(
                seen,
                [
                    (1, 0, b"one".to_vec()),
                    (2, 4, b"two".to_vec()),
                    (3, 9, Vec::new()),
                    (4, 10, Vec::new()),
                    (5, 13, b"last".to_vec()),
                ]
            );
        }
    }

    #[test]
    fn a_line_past_the_limit_is_refused_before_it_is_held() {
        let endless = io::repeat(b'x');
        let mut lines = LineReader::new(BufReader::new(endless), 1000);
        let error = lines.next_line().unwrap_err();
        assert!(matches!(
            error,
            LineError::TooLong {
                number: 1,
                limit: 1000
            }
        ));
        assert!(lines.line.len() <= 1000);
    }
}
