//! Folding: the form in which quotes are compared.
//!
//! Letters are made lower-case, curly quotes straight, every kind of hyphen, dash and minus one
//! hyphen; white space, no-break spaces included, becomes one space; soft hyphens and other
//! invisible characters go; composed letters, ligatures, full-width forms and the like are taken
//! apart. Superscripts, subscripts, circled numbers and fractions stay what they are.
//!
//! A *piece* is a character with the marks that follow it. Folded text keeps a map to the bytes
//! it came from, and a span never cuts a piece.

use std::ops::Range;

use unicode_normalization::char::canonical_combining_class;

use super::characters::{fold as fold_character, is_extending, is_ignored};
use super::runs::{Lookup, Runs};
use super::search::{self, Found};
use crate::limits::{DOCUMENT_BYTES, PIECE_BYTES, PIECE_MARKS};

/// The folded form of `text`, without white space at its ends.
///
/// ```
/// use entail_kernel::text::folding::fold;
///
/// assert_eq!(fold("  The “ﬁrst”\u{a0}\n Year‑end "), "the \"first\" year-end");
/// assert_eq!(fold("$450¹, 12 m²"), "$450¹, 12 m²");
/// assert_eq!(fold("CAFÉ"), fold("cafe\u{301}"));
/// ```
#[must_use]
pub fn fold(text: &str) -> String {
    let mut folded = build(text, &mut NoMap);
    if folded.ends_with(' ') {
        folded.pop();
    }
    if folded.starts_with(' ') {
        folded.remove(0);
    }
    folded
}

/// A folded text that knows which bytes of the original each part came from.
///
/// ```
/// use entail_kernel::text::folding::Folded;
///
/// let folded = Folded::new("Akti\u{ad}en‑ﬁx").ok_or("too long")?;
/// assert_eq!(folded.as_str(), "aktien-fix");
/// assert_eq!(folded.original(0..6), Some(0..8));
/// assert_eq!(folded.original(7..8), None); // half of the ligature
/// # Ok::<(), &str>(())
/// ```
#[derive(Clone, Debug)]
pub struct Folded {
    text: Box<str>,
    runs: Runs,
}

impl Folded {
    /// Bytes on the heap.
    pub(super) fn heap_bytes(&self) -> usize {
        self.text.len() + self.runs.heap_bytes()
    }

    /// Folds `text`, or gives `None` if it is longer than [`DOCUMENT_BYTES`]. Linear.
    #[must_use]
    pub fn new(text: &str) -> Option<Self> {
        if text.len() > DOCUMENT_BYTES {
            return None;
        }
        let mut runs = Runs::default();
        let folded = build(text, &mut runs);
        runs.finish();
        Some(Self {
            text: folded.into_boxed_str(),
            runs,
        })
    }

    /// The folded text. White space at its ends is one space, if there was any.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The bytes of the original that `folded` came from, or `None` if an end of the range
    /// cuts a piece.
    #[must_use]
    pub fn original(&self, folded: Range<usize>) -> Option<Range<usize>> {
        self.unfold(&folded, &self.runs.lookup())
    }

    fn unfold(&self, folded: &Range<usize>, runs: &Lookup<'_>) -> Option<Range<usize>> {
        if folded.is_empty() || !self.is_boundary(folded.start) || !self.is_boundary(folded.end) {
            return None;
        }
        Some(runs.start(folded.start)?..runs.end(folded.end)?)
    }

    /// The first place where `needle`, folded and trimmed already, stands on whole pieces, and
    /// how many such places there are, none overlapping an earlier one. Linear in both lengths.
    pub(super) fn find(&self, needle: &str) -> Option<Found> {
        self.find_where(needle, |_, _| true)
    }

    /// As [`Folded::find`], but only places that `wanted` takes, which is given the place in the
    /// folded text and in the original.
    pub(super) fn find_where(
        &self,
        needle: &str,
        wanted: impl Fn(Range<usize>, &Range<usize>) -> bool,
    ) -> Option<Found> {
        let runs = self.runs.lookup();
        search::find(self.text.as_bytes(), needle.as_bytes(), |place| {
            self.unfold(&place, &runs)
                .filter(|span| wanted(place, span))
        })
    }

    /// How many bytes of memory this takes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        size_of::<Self>() + self.text.len() + self.runs.bytes()
    }

    /// How many runs the map has: one and one more for each change of lengths.
    #[must_use]
    pub fn runs(&self) -> usize {
        self.runs.len()
    }

    fn is_boundary(&self, at: usize) -> bool {
        match self.text.get(at..).map(|rest| rest.chars().next()) {
            None => false,
            Some(None) => true,
            Some(Some(next)) => !is_extending(next) || self.starts_anew(at),
        }
    }

    /// A mark with nothing to sit on is a piece of its own.
    fn starts_anew(&self, at: usize) -> bool {
        self.text
            .get(..at)
            .is_some_and(|before| before.is_empty() || before.ends_with(' '))
    }
}

/// Where [`build`] tells of what it wrote.
trait Map {
    fn even(&mut self, folded: usize, original: usize);
    fn piece(&mut self, folded: usize, into: usize, original: usize, from: usize);
}

struct NoMap;

impl Map for NoMap {
    fn even(&mut self, _: usize, _: usize) {}
    fn piece(&mut self, _: usize, _: usize, _: usize, _: usize) {}
}

impl Map for Runs {
    #[inline]
    fn even(&mut self, folded: usize, original: usize) {
        Self::even(self, folded, original);
    }

    fn piece(&mut self, folded: usize, into: usize, original: usize, from: usize) {
        let short = |length: usize| u16::try_from(length).unwrap_or(u16::MAX);
        Self::piece(self, folded, short(into), original, short(from));
    }
}

fn build(text: &str, map: &mut impl Map) -> String {
    let mut out = String::with_capacity(text.len());
    let mut marks = Marks::default();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let at = text.len() - rest.len();
        let taken = if c.is_whitespace() {
            if !out.ends_with(' ') {
                map.even(out.len(), at);
                out.push(' ');
            }
            c.len_utf8()
        } else if is_ignored(c) {
            c.len_utf8()
        } else {
            match plain_stretch(rest) {
                0 => piece(rest, at, &mut out, &mut marks, map),
                length => {
                    map.even(out.len(), at);
                    let start = out.len();
                    out.push_str(rest.get(..length).unwrap_or_default());
                    if let Some(copied) = out.get_mut(start..) {
                        copied.make_ascii_lowercase();
                    }
                    length
                }
            }
        };
        rest = rest.get(taken..).unwrap_or_default();
    }
    out
}

/// How many bytes at the start of `text` need no more than lower-casing: ASCII with single spaces
/// between words, short of a last character that a mark may follow.
fn plain_stretch(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut space = false;
    let mut length = 0;
    for &byte in bytes {
        match byte {
            b' ' if space => break,
            b'\t'..=b'\r' | b'`' | 0x80.. => break,
            _ => {
                space = byte == b' ';
                length += 1;
            }
        }
    }
    if bytes.get(length).is_some_and(|next| *next >= 0x80) && !space {
        length = length.saturating_sub(1);
    }
    length
}

/// Writes the piece at the start of `rest` and says how many bytes it took.
fn piece(rest: &str, at: usize, out: &mut String, marks: &mut Marks, map: &mut impl Map) -> usize {
    let folded = out.len();
    let mut leaders = 0;
    let mut taken = 0;
    for (offset, c) in rest.char_indices() {
        if taken > 0 {
            if is_ignored(c) {
                continue;
            }
            if !extends(c) || offset >= PIECE_BYTES {
                break;
            }
        }
        fold_character(c, |d| {
            leaders += usize::from(!is_extending(d));
            marks.write(d, out);
        });
        taken = offset + c.len_utf8();
    }
    marks.flush(out);
    let into = out.len() - folded;
    if into == taken && leaders <= 1 {
        map.even(folded, at);
    } else {
        map.piece(folded, into, at, taken);
    }
    taken
}

/// Whether the folded form of `c` begins with a character that continues a piece.
fn extends(c: char) -> bool {
    is_extending(c)
        || matches!(
            c,
            '\u{E33}' | '\u{EB3}' | '\u{FF9E}' | '\u{FF9F}' | '\u{FFA0}'..='\u{FFDC}'
        ) && {
            let mut first = None;
            fold_character(c, |d| first = first.or(Some(d)));
            first.is_some_and(is_extending)
        }
}

/// Marks that wait to be put in canonical order.
#[derive(Default)]
struct Marks {
    waiting: Vec<(u8, char)>,
}

impl Marks {
    fn write(&mut self, c: char, out: &mut String) {
        match canonical_combining_class(c) {
            0 => {
                self.flush(out);
                out.push(c);
            }
            class => {
                self.waiting.push((class, c));
                if self.waiting.len() >= PIECE_MARKS {
                    self.flush(out);
                }
            }
        }
    }

    fn flush(&mut self, out: &mut String) {
        self.waiting.sort_by_key(|(class, _)| *class);
        out.extend(self.waiting.drain(..).map(|(_, c)| c));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_extends_a_piece_is_known_without_folding_it() {
        for c in '\0'..=char::MAX {
            if c.is_whitespace() || is_ignored(c) {
                continue;
            }
            let mut first = None;
            fold_character(c, |d| first = first.or(Some(d)));
            assert_eq!(
                extends(c),
                first.is_some_and(is_extending),
                "U+{:04X}",
                u32::from(c)
            );
        }
    }

    #[test]
    fn marks_come_in_one_order() {
        assert_eq!(fold("a\u{301}\u{323}"), fold("a\u{323}\u{301}"));
        assert_eq!(fold("ậ"), fold("â\u{323}"));
        assert_eq!(fold("ậ"), fold("ạ\u{302}"));
        assert_eq!(fold("e\u{ad}\u{301}"), fold("é"));
    }

    #[test]
    fn hangul_and_kana_match_taken_apart_too() {
        assert_eq!(fold("한"), fold("\u{1112}\u{1161}\u{11AB}"));
        assert_eq!(fold("ガ"), fold("ｶﾞ"));
    }

    #[test]
    fn plain_prose_is_one_run() {
        let prose = "The quick brown fox, 4.3 billion.\nNext line".repeat(100);
        assert_eq!(Folded::new(&prose).unwrap().runs(), 1);
    }

    #[test]
    fn the_map_stays_small_on_texts_of_one_kind() {
        for text in [
            "É".repeat(5000),
            "я ".repeat(5000),
            "ﬁ".repeat(5000),
            "’".repeat(5000),
        ] {
            let runs = Folded::new(&text).unwrap().runs();
            assert!(
                runs <= 2,
                "{runs} runs for {}",
                text.chars().next().unwrap()
            );
        }
    }

    #[test]
    fn ten_thousand_marks_on_one_letter_are_one_piece() {
        let text = format!("a{}b", "\u{301}\u{323}".repeat(5000));
        let folded = Folded::new(&text).unwrap();
        assert_eq!(folded.find("a").map(|found| found.count), None);
        assert_eq!(folded.find("b").unwrap().span, text.len() - 1..text.len());
    }
}
