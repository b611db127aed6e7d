//! Stepping through a text by characters, either way.

#[cfg(test)]
use std::cell::Cell;
use std::ops::Range;

use super::super::characters::{digit, is_ignored, narrow};

/// A text whose characters are looked at in their narrow form, invisible ones passed over.
#[derive(Clone, Copy)]
pub(super) struct Text<'t>(pub(super) &'t str);

#[cfg(test)]
thread_local! {
    /// How many characters have been looked at on this thread.
    pub(super) static LOOKS: Cell<usize> = const { Cell::new(0) };
}

#[cfg(test)]
fn look(characters: usize) {
    LOOKS.set(LOOKS.get() + characters);
}

#[cfg(not(test))]
fn look(_: usize) {}

impl<'t> Text<'t> {
    /// The character at or after `at` and where it ends.
    pub(super) fn next(self, at: usize) -> Option<(char, usize)> {
        let first = *self.0.as_bytes().get(at)?;
        if first.is_ascii() {
            look(1);
            return Some((char::from(first), at + 1));
        }
        let rest = self.0.get(at..)?;
        let found = rest.char_indices().find(|(_, c)| !is_ignored(*c));
        look(found.map_or(rest.len(), |(offset, _)| offset + 1));
        let (offset, c) = found?;
        Some((narrow(c), at + offset + c.len_utf8()))
    }

    /// The character before `at` and where it starts.
    pub(super) fn prev(self, at: usize) -> Option<(char, usize)> {
        let last = at.checked_sub(1)?;
        let byte = *self.0.as_bytes().get(last)?;
        if byte.is_ascii() {
            look(1);
            return Some((char::from(byte), last));
        }
        let found = self
            .0
            .get(..at)?
            .char_indices()
            .rfind(|(_, c)| !is_ignored(*c));
        look(at - found.map_or(0, |(start, _)| start));
        let (start, c) = found?;
        Some((narrow(c), start))
    }

    pub(super) fn peek(self, at: usize) -> Option<char> {
        Some(self.next(at)?.0)
    }

    pub(super) fn peek_before(self, at: usize) -> Option<char> {
        Some(self.prev(at)?.0)
    }

    pub(super) fn digit_at(self, at: usize) -> bool {
        self.peek(at).is_some_and(|c| digit(c).is_some())
    }

    /// Past white space at `at`.
    pub(super) fn skip_space(self, at: usize) -> usize {
        let mut end = at;
        while let Some((c, after)) = self.next(end)
            && c.is_whitespace()
        {
            end = after;
        }
        end
    }

    /// The letters at `at`, at most `limit`; more make the range end inside the word.
    pub(super) fn word(self, at: usize, limit: usize) -> Range<usize> {
        let mut end = at;
        for _ in 0..limit {
            match self.next(end) {
                Some((c, after)) if c.is_alphabetic() => end = after,
                _ => break,
            }
        }
        at..end
    }

    /// The letters that end at `end`, at most `limit`.
    pub(super) fn word_before(self, end: usize, limit: usize) -> Range<usize> {
        let mut start = end;
        for _ in 0..limit {
            match self.prev(start) {
                Some((c, before)) if c.is_alphabetic() => start = before,
                _ => break,
            }
        }
        start..end
    }

    pub(super) fn slice(self, range: Range<usize>) -> &'t str {
        self.0.get(range).unwrap_or_default()
    }

    /// Whether `range` spells the ASCII `word`, in any case and width.
    pub(super) fn spells(self, range: Range<usize>, word: &str) -> bool {
        if range.len() < word.len() {
            return false;
        }
        let mut letters = self
            .slice(range)
            .chars()
            .filter(|c| !is_ignored(*c))
            .map(|c| narrow(c).to_ascii_lowercase());
        let mut expected = word.chars();
        loop {
            match (letters.next(), expected.next()) {
                (None, None) => return true,
                (Some(c), Some(d)) if c == d => {}
                _ => return false,
            }
        }
    }
}
