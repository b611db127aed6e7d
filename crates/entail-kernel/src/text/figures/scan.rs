//! From a text to its figures, token by token.

use std::collections::VecDeque;
use std::ops::Range;

use super::super::characters::{digit, is_dash};
use super::cursor::Text;
use super::left::{self, Left};
use super::number::{self, Run};
use super::right::{self, Join, Right};
use super::{Figure, Kind, Sign, Unit, calendar};
use crate::limits::{FIGURE_PARTS, FIGURES_IN_RANGE};

/// The figures of a text, from left to right; see [`super::figures()`].
#[derive(Clone)]
pub struct Figures<'t> {
    text: Text<'t>,
    /// Everything before this has been read.
    at: usize,
    ready: VecDeque<Figure>,
    /// So many at the back of `ready` wait for the unit at the other end of their range.
    waiting: usize,
    join: Option<Join>,
    /// The kind and the end of the figure read last.
    last: Option<(Kind, usize)>,
}

impl<'t> Figures<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self {
            text: Text(text),
            at: 0,
            ready: VecDeque::new(),
            waiting: 0,
            join: None,
            last: None,
        }
    }

    fn next_digit(&self) -> Option<usize> {
        let rest = self.text.0.get(self.at..)?;
        let mut searched = 0;
        for (at, byte) in rest.bytes().enumerate() {
            if byte.is_ascii_digit() {
                return Some(self.at + at);
            }
            // Full-width digits start with this byte.
            if byte == 0xEF && at >= searched {
                searched = at + 3;
                if rest.get(at..)?.chars().next().and_then(digit).is_some() {
                    return Some(self.at + at);
                }
            }
        }
        None
    }

    /// Reads the token whose first digit is at `first`.
    fn token(&mut self, first: usize) {
        let text = self.text;
        let left = left::read(text, first);
        let Left::Figure {
            digits,
            start,
            sign,
            tied,
            unread,
        } = left
        else {
            self.at = number::read(text, first).end;
            return self.settle(None);
        };
        let (mut runs, ties, end) = gather(text, digits);
        let right = right::read(text, end);
        if right.code || runs.len() >= FIGURE_PARTS {
            self.at = right.end;
            return self.settle(None);
        }
        self.at = end;
        if unread && let Some(run) = runs.first_mut() {
            run.reading = None;
        }
        let range_end = self.join == Some(Join::Dash) && sign != Sign::Minus;
        let token = Token {
            text,
            start,
            sign: if range_end { Sign::Plus } else { sign },
            tied: tied && self.join != Some(Join::Dash),
            range_end: self.join.is_some(),
            after_date: self.after_date(start),
            runs: &runs,
            ties: &ties,
            right: &right,
        };
        let figures = token.figures();
        let between = || text.spells(calendar::word_before(text, start), "between");
        self.last = figures.last().map(|figure| (figure.kind, figure.span.end));
        let join = figures
            .last()
            .filter(|figure| figure.kind == Kind::Number)
            .and_then(|_| right::join(text, right.end, between));
        self.take(figures, join);
    }

    /// Whether a figure that starts at `start` follows a date as its year does.
    fn after_date(&self, start: usize) -> bool {
        const GAP: usize = 4;
        self.last.is_some_and(|(kind, end)| {
            kind == Kind::Date
                && start.checked_sub(end).is_some_and(|gap| gap <= GAP)
                && self
                    .text
                    .slice(end..start)
                    .chars()
                    .all(|c| c.is_whitespace() || c == ',')
        })
    }

    fn take(&mut self, figures: Vec<Figure>, join: Option<Join>) {
        let count = figures.len();
        let unit = figures.first().map(|figure| figure.unit);
        self.ready.extend(figures);
        if join.is_some() {
            self.join = join;
            let lacking = self
                .ready
                .iter()
                .rev()
                .take_while(|figure| lacks_unit(figure))
                .count();
            self.waiting = if lacking >= count {
                lacking.min(self.waiting + count)
            } else {
                lacking
            };
            if self.waiting > FIGURES_IN_RANGE {
                self.waiting = 0;
            }
        } else {
            self.settle(unit.map(|unit| (unit, count)));
        }
    }

    /// Gives the figures that wait the unit of the one that ends their range, which is the first
    /// of the `count` read last.
    fn settle(&mut self, end: Option<(Unit, usize)>) {
        if let Some((unit, count)) = end {
            let by_word = self.join == Some(Join::Word);
            for figure in self.ready.iter_mut().rev().skip(count).take(self.waiting) {
                if !by_word || matches!(unit, Unit::Scale(_) | Unit::Percent) {
                    figure.unit = unit;
                }
            }
        }
        self.waiting = 0;
        self.join = None;
    }
}

impl Iterator for Figures<'_> {
    type Item = Figure;

    fn next(&mut self) -> Option<Figure> {
        loop {
            if self.ready.len() > self.waiting {
                return self.ready.pop_front();
            }
            match self.next_digit() {
                Some(first) => self.token(first),
                None if self.waiting > 0 => self.settle(None),
                None => return None,
            }
        }
    }
}

fn lacks_unit(figure: &Figure) -> bool {
    figure.kind == Kind::Number && matches!(figure.unit, Unit::Bare | Unit::Other)
}

/// The runs of digits at `start` that dashes, slashes and colons tie together, the ties, and the
/// end. Of a token with [`FIGURE_PARTS`] or more the rest is passed over.
fn gather(text: Text<'_>, start: usize) -> (Vec<Run>, Vec<char>, usize) {
    let mut runs = vec![number::read(text, start)];
    let mut ties = Vec::new();
    let mut end = runs.first().map_or(start, |run| run.end);
    while let Some((c, after)) = text.next(end) {
        let tie = match c {
            ':' | '/' => c,
            'T' if calendar::date(text, &runs, &ties) == Some(runs.len()) => 'T',
            _ if is_dash(c) => '-',
            _ => break,
        };
        if !text.digit_at(after) {
            break;
        }
        let run = number::read(text, after);
        end = run.end;
        if runs.len() < FIGURE_PARTS {
            runs.push(run);
            ties.push(tie);
        }
    }
    (runs, ties, end)
}

/// A part of a date or a time that takes up `span`.
fn calendar_part(run: &Run, span: Range<usize>, kind: Kind) -> Figure {
    Figure {
        span,
        digits: run.span.clone(),
        kind,
        sign: Sign::Plus,
        unit: Unit::Other,
        reading: run.reading.clone(),
    }
}

/// A token and what stands around it.
struct Token<'a> {
    text: Text<'a>,
    start: usize,
    sign: Sign,
    tied: bool,
    range_end: bool,
    after_date: bool,
    runs: &'a [Run],
    ties: &'a [char],
    right: &'a Right,
}

impl Token<'_> {
    fn figures(&self) -> Vec<Figure> {
        let mut out = Vec::with_capacity(self.runs.len());
        let mut at = 0;
        while let Some(run) = self.runs.get(at) {
            let rest = self.runs.get(at..).unwrap_or_default();
            let ties = self.ties.get(at..).unwrap_or_default();
            let date = || calendar::date(self.text, rest, ties).map(|count| (count, Kind::Date));
            let time = || calendar::time(self.text, rest, ties).map(|count| (count, Kind::Time));
            let fresh = self
                .before(at)
                .is_none_or(|before| Some(before) != self.tie(at));
            if let Some((count, kind)) = date().or_else(time).filter(|_| fresh) {
                let parts = rest.get(..count).unwrap_or_default();
                let end = parts.last().map_or(run.span.end, |last| last.span.end);
                out.extend(
                    parts
                        .iter()
                        .map(|part| calendar_part(part, run.span.start..end, kind)),
                );
                at += count;
                continue;
            }
            if let Some(parts) = calendar::dotted(self.text, run) {
                out.extend(parts.into_iter().map(|part| {
                    let part = number::read(Text(self.text.slice(0..part.end)), part.start);
                    calendar_part(&part, run.span.clone(), Kind::Date)
                }));
            } else {
                out.push(self.single(at, run));
            }
            at += 1;
        }
        out
    }

    fn tie(&self, at: usize) -> Option<char> {
        self.ties.get(at).copied()
    }

    fn before(&self, at: usize) -> Option<char> {
        self.tie(at.checked_sub(1)?)
    }

    fn single(&self, at: usize, run: &Run) -> Figure {
        let (before, after) = (self.before(at), self.tie(at));
        let is_last = at + 1 == self.runs.len();
        // The first end of a range has the unit of the second.
        let ends_here = is_last || self.runs.len() == 2 && self.ties == ['-'];
        let mut unit = if ends_here {
            self.right.unit
        } else {
            Unit::Other
        };
        let tied = self.tied && at == 0 || self.runs.len() > 2 || before.or(after) == Some(':');
        if unit == Unit::Bare && (tied || run.scientific || run.is_padded(self.text)) {
            unit = Unit::Other;
        }
        let kind = self.kind(run, ends_here, unit);
        let fraction =
            self.ties.contains(&'/') && !self.is_span_of_years() || is_last && self.right.fraction;
        let start = if at == 0 { self.start } else { run.span.start };
        let end =
            if is_last && (self.right.ordinal || matches!(unit, Unit::Scale(_) | Unit::Percent)) {
                self.right.end
            } else {
                run.span.end
            };
        Figure {
            span: start..end,
            digits: run.span.clone(),
            kind,
            sign: if at == 0 { self.sign } else { Sign::Plus },
            unit: if kind == Kind::Number {
                unit
            } else {
                Unit::Other
            },
            reading: run.reading.clone().filter(|_| !fraction),
        }
    }

    /// `2024/25`.
    fn is_span_of_years(&self) -> bool {
        let [first, second] = self.runs else {
            return false;
        };
        first.plain == Some(4)
            && first.small(self.text).is_some_and(calendar::is_year)
            && matches!(second.plain, Some(2 | 4))
    }

    fn kind(&self, run: &Run, ends_here: bool, unit: Unit) -> Kind {
        let Some(value) = run.small(self.text) else {
            return Kind::Number;
        };
        if matches!(unit, Unit::Scale(_) | Unit::Percent) {
            return Kind::Number;
        }
        if ends_here && value <= 24 && calendar::clock_at(self.text, self.right.end) {
            return Kind::Time;
        }
        let day = (1..=31).contains(&value) && run.plain.is_some_and(|count| count <= 2);
        let year = calendar::is_year(value);
        let month_after = || ends_here && calendar::is_month(self.text, self.right.word.clone());
        let month_before = || calendar::month_before(self.text, self.start);
        let dated = day && (month_after() || month_before() || self.range_end && self.after_date)
            || year && (month_before() || self.after_date);
        match (dated, ends_here && self.right.ordinal) {
            (true, _) => Kind::Date,
            (false, true) => Kind::Ordinal,
            (false, false) => Kind::Number,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::cursor::LOOKS;
    use super::super::figures;

    /// How many characters a text of `length` bytes made of `unit` has looked at.
    fn looks(unit: &str, length: usize) -> usize {
        let text = unit.repeat(length / unit.len());
        LOOKS.set(0);
        let _ = figures(&text).count();
        LOOKS.get()
    }

    #[test]
    fn twice_the_text_is_at_most_twice_the_work() {
        for unit in [
            "9",
            "1 ",
            "1,",
            "1.",
            ".1",
            "1-",
            "-1",
            "1)",
            "((1",
            "1'",
            "1:",
            "1/",
            "1 to ",
            "1e",
            "4-5% ",
            "between 1 and ",
            "e1",
            "1 000 ",
            "1 300 ",
            "1\u{a0}300 ",
            "1½",
            "1¹",
            "^1",
            "1^",
            "$1",
            "US$",
            "\u{ad}",
            "1\u{ad}",
            "1\u{ad}\u{ad}\u{ad}-",
            "1%",
            "1k",
            "1kkkk",
            "June 1, ",
            "10:10:",
            "2025-01-01T10:10 ",
            "× 10⁹",
            "1× 10",
            "1     ",
            "1))))",
            "1…",
            "１　",
            "1 1/2 ",
            "1 thousand ",
            "_1",
            "1_",
            "1\u{301}",
            "1 m 1 mm 1 per 1 percentage ",
        ] {
            let (one, two) = (looks(unit, 1 << 12), looks(unit, 1 << 13));
            assert!(two <= 2 * one + 300, "{unit:?}: {one}, then {two}");
            assert!(one <= 60 * (1 << 12), "{unit:?}: {one}");
        }
        for filler in ["\u{ad}", " ", "a", ")", ".", "-", "¹", "0"] {
            let text = |length: usize| format!("1{}1", filler.repeat(length));
            let looks = |length| looks(&text(length), text(length).len());
            let (one, two) = (looks(1 << 12), looks(1 << 13));
            assert!(two <= 2 * one + 300, "{filler:?}: {one}, then {two}");
        }
    }
}
