//! Places in a text.

/// A place in a text: what an editor would show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The line, from 1. Only `\n` ends a line.
    pub line: usize,
    /// The column, from 1, counted in characters.
    pub column: usize,
}

/// The line and column of a byte offset; past the end counts as the end.
///
/// ```
/// let place = entail_json::position("{\n  é!".as_bytes(), 6);
/// assert_eq!((place.line, place.column), (2, 4));
/// ```
#[must_use]
pub fn position(text: &[u8], offset: usize) -> Position {
    let before = text.get(..offset).unwrap_or(text);
    let start = memchr::memrchr(b'\n', before).map_or(0, |at| at + 1);
    let starts_character = |byte: &&u8| **byte & 0xC0 != 0x80;
    Position {
        line: memchr::memchr_iter(b'\n', before).count() + 1,
        column: before
            .get(start..)
            .unwrap_or_default()
            .iter()
            .filter(starts_character)
            .count()
            + 1,
    }
}
