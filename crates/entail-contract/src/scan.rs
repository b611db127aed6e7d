//! One grammar for JSON, JSON with the accepted slips, and Python literals; one pass, no
//! recursion, and every byte looked at once.

use crate::{
    numbers, python,
    strings::{self, Quoted},
};

/// How a text is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// JSON to the letter.
    Strict,
    /// JSON with control characters standing in strings, trailing commas, and `NaN`, `Infinity`
    /// and `-Infinity`, which are read so that they can be refused one by one.
    Json,
    /// Python literals: both quote styles, `True`, `False`, `None`, tuples, signed numbers.
    Python,
}

/// A scalar as it was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scalar {
    Null,
    True,
    False,
    /// A number; the token is its text.
    Number,
    /// `NaN`, `Infinity` or `-Infinity`.
    NotFinite,
    /// A string; the token is what stands between the quotes.
    String(Quoted),
}

/// A stretch of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// What a list, a tuple or an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Container {
    Object,
    List,
}

/// Takes what the scanner finds. `depth` is the number of containers around what is told, and
/// for `open` and `close` the container itself counts.
pub(crate) trait Sink {
    fn open(&mut self, kind: Container, at: usize, depth: usize);
    /// `grouping`: the container was a pair of parentheses around a single value.
    fn close(&mut self, end: usize, depth: usize, grouping: bool);
    fn name(&mut self, token: Token, quoted: Quoted, depth: usize);
    fn scalar(&mut self, scalar: Scalar, token: Token, depth: usize);
}

/// Why a text is no value, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Broken {
    /// The first byte that could not stand there.
    pub(crate) at: usize,
    /// What could have stood there.
    pub(crate) expected: &'static str,
    /// Whether the text ended inside the value.
    pub(crate) unfinished: bool,
}

impl Broken {
    pub(crate) fn expected(at: usize, expected: &'static str) -> Self {
        Self {
            at,
            expected,
            unfinished: false,
        }
    }

    pub(crate) fn unfinished(at: usize, expected: &'static str) -> Self {
        Self {
            at,
            expected,
            unfinished: true,
        }
    }
}

/// Set in an open tuple's place once it holds a comma.
const COMMA: u32 = 1 << 31;

/// Reads values out of a text and counts the bytes it visits.
pub(crate) struct Scanner<'t> {
    bytes: &'t [u8],
    /// Where the containers stand that are open, outermost first.
    open: Vec<u32>,
    /// Bytes visited so far.
    pub(crate) steps: u64,
}

impl<'t> Scanner<'t> {
    /// The text must be UTF-8 and no longer than [`crate::limits::MAX_BYTES`].
    pub(crate) fn new(bytes: &'t [u8]) -> Self {
        Self {
            bytes,
            open: Vec::new(),
            steps: 0,
        }
    }

    /// After a failure: where the containers stand that were still open.
    pub(crate) fn unclosed(&self) -> impl Iterator<Item = usize> + '_ {
        self.open.iter().map(|at| (at & !COMMA) as usize)
    }

    /// Reads the value that starts at `start`, after white space, within the first `end` bytes,
    /// and says where it ended.
    pub(crate) fn value<S: Sink>(
        &mut self,
        start: usize,
        end: usize,
        dialect: Dialect,
        sink: &mut S,
    ) -> Result<usize, Broken> {
        self.open.clear();
        let bytes = self.bytes.get(..end).unwrap_or(self.bytes);
        let result = self.run(bytes, start, dialect, sink);
        let reached = match result {
            Ok(end) => end,
            Err(broken) => broken.at,
        };
        self.steps += reached.saturating_sub(start) as u64 + 1;
        result
    }

    fn run<S: Sink>(
        &mut self,
        bytes: &[u8],
        start: usize,
        dialect: Dialect,
        sink: &mut S,
    ) -> Result<usize, Broken> {
        let python = dialect == Dialect::Python;
        let slips = dialect != Dialect::Strict;
        let mut at = start;
        loop {
            at = skip_space(bytes, at);
            let Some(&first) = bytes.get(at) else {
                return Err(Broken::unfinished(at, "a value"));
            };
            match first {
                b'"' => {
                    let (token, quoted) = strings::token(bytes, at, dialect)?;
                    sink.scalar(Scalar::String(quoted), token, self.open.len());
                    at = token.end + 1;
                }
                b'{' => {
                    self.push(at);
                    sink.open(Container::Object, at, self.open.len());
                    at = skip_space(bytes, at + 1);
                    if bytes.get(at) != Some(&b'}') {
                        at = self.name(bytes, at, dialect, sink, "a quoted member name or `}`")?;
                        continue;
                    }
                    at = self.close(at, sink);
                }
                b'[' => {
                    self.push(at);
                    sink.open(Container::List, at, self.open.len());
                    at = skip_space(bytes, at + 1);
                    if bytes.get(at) != Some(&b']') {
                        continue;
                    }
                    at = self.close(at, sink);
                }
                b'(' if python => {
                    self.push(at);
                    sink.open(Container::List, at, self.open.len());
                    at = skip_space(bytes, at + 1);
                    if bytes.get(at) != Some(&b')') {
                        continue;
                    }
                    self.note_comma();
                    at = self.close(at, sink);
                }
                b'\'' if python => {
                    let (token, quoted) = strings::token(bytes, at, dialect)?;
                    sink.scalar(Scalar::String(quoted), token, self.open.len());
                    at = token.end + 1;
                }
                _ => {
                    let (scalar, end) = if python {
                        python::scalar(bytes, at)?
                    } else {
                        numbers::scalar(bytes, at, slips)?
                    };
                    sink.scalar(scalar, Token { start: at, end }, self.open.len());
                    at = end;
                }
            }
            loop {
                let Some(&opener) = self.open.last() else {
                    return Ok(at);
                };
                let closer = closer(bytes, opener);
                at = skip_space(bytes, at);
                match bytes.get(at) {
                    Some(&found) if found == closer => at = self.close(at, sink),
                    Some(b',') => {
                        self.note_comma();
                        at = skip_space(bytes, at + 1);
                        if slips && bytes.get(at) == Some(&closer) {
                            at = self.close(at, sink);
                            continue;
                        }
                        if closer == b'}' {
                            at = self.name(bytes, at, dialect, sink, "a quoted member name")?;
                        }
                        break;
                    }
                    found => {
                        let expected = match closer {
                            b'}' => "`,` or `}`",
                            b']' => "`,` or `]`",
                            _ => "`,` or `)`",
                        };
                        return Err(match found {
                            Some(_) => Broken::expected(at, expected),
                            None => Broken::unfinished(at, expected),
                        });
                    }
                }
            }
        }
    }

    /// Reads a member name and its colon.
    fn name<S: Sink>(
        &self,
        bytes: &[u8],
        at: usize,
        dialect: Dialect,
        sink: &mut S,
        expected: &'static str,
    ) -> Result<usize, Broken> {
        match bytes.get(at) {
            Some(b'"') => {}
            Some(b'\'') if dialect == Dialect::Python => {}
            Some(_) => return Err(Broken::expected(at, expected)),
            None => return Err(Broken::unfinished(at, expected)),
        }
        let (token, quoted) = strings::token(bytes, at, dialect)?;
        sink.name(token, quoted, self.open.len());
        let at = skip_space(bytes, token.end + 1);
        match bytes.get(at) {
            Some(b':') => Ok(at + 1),
            Some(_) => Err(Broken::expected(at, "`:` after the member name")),
            None => Err(Broken::unfinished(at, "`:` after the member name")),
        }
    }

    fn push(&mut self, at: usize) {
        self.open
            .push(u32::try_from(at).unwrap_or(u32::MAX) & !COMMA);
    }

    fn note_comma(&mut self) {
        if let Some(opener) = self.open.last_mut() {
            *opener |= COMMA;
        }
    }

    fn close<S: Sink>(&mut self, at: usize, sink: &mut S) -> usize {
        let depth = self.open.len();
        let opener = self.open.pop().unwrap_or_default();
        let tuple = self.bytes.get((opener & !COMMA) as usize) == Some(&b'(');
        sink.close(at + 1, depth, tuple && opener & COMMA == 0);
        at + 1
    }
}

fn closer(bytes: &[u8], opener: u32) -> u8 {
    match bytes.get((opener & !COMMA) as usize) {
        Some(b'{') => b'}',
        Some(b'[') => b']',
        _ => b')',
    }
}

/// The first byte from `at` on that is no white space.
#[inline]
pub(crate) fn skip_space(bytes: &[u8], mut at: usize) -> usize {
    while let Some(b' ' | b'\n' | b'\t' | b'\r') = bytes.get(at) {
        at += 1;
    }
    at
}
