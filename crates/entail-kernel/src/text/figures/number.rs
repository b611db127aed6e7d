//! Digits with what groups and follows them, read exactly or not at all.

use std::ops::Range;

use super::super::characters::{digit, is_extending, is_raised_digit};
use super::super::decimal::{Decimal, parse_exponent};
use super::cursor::Text;

/// A number that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reading {
    pub(super) value: Decimal,
    /// The power of ten of the last digit written.
    pub(super) last: i64,
}

/// Digits with their separators, fraction and exponent.
#[derive(Clone, Debug)]
pub(super) struct Run {
    pub(super) span: Range<usize>,
    /// The end, with a footnote's mark.
    pub(super) end: usize,
    pub(super) reading: Option<Reading>,
    /// Nothing but digits, and how many.
    pub(super) plain: Option<usize>,
    /// An exponent scales it already.
    pub(super) scientific: bool,
}

impl Run {
    /// The value, if it is written as nothing but one to four digits.
    pub(super) fn small(&self, text: Text<'_>) -> Option<u32> {
        self.plain.filter(|count| *count <= 4)?;
        text.slice(self.span.clone())
            .chars()
            .filter_map(digit)
            .try_fold(0, |value, digit| Some(value * 10 + u32::from(digit)))
    }

    /// Whether it is written with zeros in front, as codes are.
    pub(super) fn is_padded(&self, text: Text<'_>) -> bool {
        self.plain.is_some_and(|count| count > 1) && text.peek(self.span.start) == Some('0')
    }
}

/// Reads the run at `start`, where a digit stands, or a point before a digit.
pub(super) fn read(text: Text<'_>, start: usize) -> Run {
    let mut shape = Shape::default();
    let mut end = start;
    while let Some((c, after)) = text.next(end) {
        if let Some(value) = digit(c) {
            shape.digit(value);
        } else if end == start || separates(text, &shape, c, after) {
            shape.separator(c);
        } else {
            break;
        }
        end = after;
    }
    let plain = shape.is_plain().then_some(shape.digits.len());
    let mut run = Run {
        span: start..end,
        end,
        reading: None,
        plain,
        scientific: false,
    };
    finish(text, shape, &mut run);
    run
}

/// Whether `c`, which ends before `after`, joins the digits on both its sides.
fn separates(text: Text<'_>, shape: &Shape, c: char, after: usize) -> bool {
    match c {
        '.' | ',' | '\'' | '\u{2019}' => text.digit_at(after),
        '\u{A0}' | '\u{2007}' | '\u{2009}' | '\u{202F}' => {
            shape.may_take_group(c) && group_at(text, after).is_some()
        }
        ' ' => {
            shape.may_take_group(c)
                && group_at(text, after).is_some()
                && (shape.groups > 1 || zeros_ahead(text, after))
        }
        _ => false,
    }
}

/// The end of exactly three digits at `at`, and whether the first is a zero.
fn group_at(text: Text<'_>, at: usize) -> Option<(usize, bool)> {
    let mut end = at;
    for _ in 0..3 {
        let (c, after) = text.next(end)?;
        digit(c)?;
        end = after;
    }
    (!text.digit_at(end)).then_some((end, text.peek(at) == Some('0')))
}

/// Between plain spaces, `300` may well be the next column, `000` can only be the next group.
fn zeros_ahead(text: Text<'_>, at: usize) -> bool {
    const GROUPS: usize = 6;
    let mut at = at;
    for _ in 0..GROUPS {
        match group_at(text, at) {
            Some((_, true)) => return true,
            Some((end, false)) => match text.next(end) {
                Some((' ', after)) => at = after,
                _ => return false,
            },
            None => return false,
        }
    }
    false
}

/// How the digits read so far are grouped.
#[derive(Default)]
struct Shape {
    digits: Vec<u8>,
    /// Groups begun, the first included.
    groups: usize,
    group: usize,
    first: usize,
    grouping: Option<char>,
    /// All groups between the first and the one being read have three digits, or two.
    threes: bool,
    twos: bool,
    /// Digits after the point, once there is one.
    fraction: Option<usize>,
    broken: bool,
}

impl Shape {
    fn digit(&mut self, value: u8) {
        if self.groups == 0 {
            (self.groups, self.threes, self.twos) = (1, true, true);
        }
        self.digits.push(value);
        match &mut self.fraction {
            Some(count) => *count += 1,
            None => self.group += 1,
        }
    }

    fn separator(&mut self, c: char) {
        if self.fraction.is_some() {
            self.broken = true;
        } else if c == '.' {
            self.close_group();
            self.fraction = Some(0);
        } else {
            self.close_group();
            let c = if c == '\u{2019}' { '\'' } else { c };
            self.broken |= self.grouping.is_some_and(|grouping| grouping != c);
            self.grouping = Some(c);
            self.groups += 1;
            self.group = 0;
        }
    }

    /// Before the next group or the fraction begins.
    fn close_group(&mut self) {
        if self.groups <= 1 {
            self.first = self.group;
        } else {
            self.threes &= self.group == 3;
            self.twos &= self.group == 2;
        }
    }

    fn is_plain(&self) -> bool {
        self.grouping.is_none() && self.fraction.is_none()
    }

    /// Whether a space may be the next separator of groups of three.
    fn may_take_group(&self, c: char) -> bool {
        self.fraction.is_none()
            && match self.grouping {
                None => (1..=3).contains(&self.group) && self.digits.first() != Some(&0),
                Some(grouping) => grouping == c && self.group == 3,
            }
    }

    /// The power of ten of the last digit, if the digits can be read in one way only.
    fn last(&self) -> Option<i64> {
        let fraction = self.fraction.unwrap_or(0);
        if self.broken || self.fraction == Some(0) || self.digits.is_empty() {
            return None;
        }
        if self.grouping.is_some() && !self.is_grouped_well() {
            return None;
        }
        Some(-i64::try_from(fraction).ok()?)
    }

    /// Groups of three, or as in India two and at last three: `12,34,567`.
    fn is_grouped_well(&self) -> bool {
        let starts = self.digits.first() != Some(&0);
        let ends = self.group == 3;
        let western = self.threes && (1..=3).contains(&self.first);
        let indian = self.grouping == Some(',') && self.twos && (1..=2).contains(&self.first);
        starts && ends && (western || indian)
    }
}

/// Reads what may follow the digits directly: a fraction, an exponent, a footnote's mark.
fn finish(text: Text<'_>, mut shape: Shape, run: &mut Run) {
    let mut last = shape.last();
    if let Some((c, after)) = text.next(run.end)
        && let Some(parts) = vulgar_fraction(c)
    {
        (run.span.end, run.end) = (after, after);
        last = last.filter(|_| shape.fraction.is_none() && !parts.is_empty());
        if last.is_some() {
            shape.digits.extend_from_slice(parts);
            last = Some(-EIGHTHS);
        }
        run.plain = None;
    }
    if let Some((exponent, end)) = exponent(text, run.end) {
        (run.span.end, run.end) = (end, end);
        last = exponent.and_then(|exponent| Some(last? + exponent));
        (run.plain, run.scientific) = (None, true);
    }
    let is_ten = text.spells(run.span.clone(), "10");
    while let Some((c, after)) = text.next(run.end) {
        let is_sign = matches!(c, '\u{207A}' | '\u{207B}');
        if !is_sign && !is_raised_digit(c) {
            break;
        }
        if is_ten || is_sign {
            last = None;
        }
        run.end = after;
    }
    while let Some((c, after)) = text.next(run.end) {
        let goes_on = is_extending(c)
            || c.is_numeric() && digit(c).is_none()
            || c == '^' && text.digit_at(after);
        if !goes_on {
            break;
        }
        last = None;
        run.end = after;
    }
    run.reading = last.map(|last| Reading {
        value: Decimal::new(false, &shape.digits, last),
        last,
    });
}

/// How many places an exact fraction is written out to.
const EIGHTHS: i64 = 6;

/// The digits of a fraction that ends within [`EIGHTHS`] places; of others none.
fn vulgar_fraction(c: char) -> Option<&'static [u8]> {
    Some(match c {
        '½' => &[5, 0, 0, 0, 0, 0],
        '¼' => &[2, 5, 0, 0, 0, 0],
        '¾' => &[7, 5, 0, 0, 0, 0],
        '⅛' => &[1, 2, 5, 0, 0, 0],
        '⅜' => &[3, 7, 5, 0, 0, 0],
        '⅝' => &[6, 2, 5, 0, 0, 0],
        '⅞' => &[8, 7, 5, 0, 0, 0],
        '⅕' => &[2, 0, 0, 0, 0, 0],
        '⅖' => &[4, 0, 0, 0, 0, 0],
        '⅗' => &[6, 0, 0, 0, 0, 0],
        '⅘' => &[8, 0, 0, 0, 0, 0],
        _ if is_vulgar(c) => &[],
        _ => return None,
    })
}

fn is_vulgar(c: char) -> bool {
    matches!(c, '\u{BC}'..='\u{BE}' | '\u{2150}'..='\u{215F}' | '\u{2189}')
}

/// An exponent at `at`, written `e9`, `× 10⁹` or `x10^9`; the value is `None` if there is one that
/// cannot be read.
fn exponent(text: Text<'_>, at: usize) -> Option<(Option<i64>, usize)> {
    let (c, after) = text.next(at)?;
    if matches!(c, 'e' | 'E') {
        let (value, end) = signed_digits(text, after)?;
        let alone = !text
            .peek(end)
            .is_some_and(|c| c.is_alphanumeric() || c == '_');
        return Some((value.filter(|_| alone), end));
    }
    let (c, after) = text.next(text.skip_space(at))?;
    if !matches!(c, '×' | 'x' | 'X' | '*' | '·' | '⋅') {
        return None;
    }
    let mut base = text.skip_space(after);
    for expected in ['1', '0'] {
        let (c, after) = text.next(base)?;
        if c != expected {
            return None;
        }
        base = after;
    }
    match text.next(base)? {
        ('^', after) => signed_digits(text, after),
        _ => raised_digits(text, base),
    }
}

/// Digits with an optional sign.
fn signed_digits(text: Text<'_>, at: usize) -> Option<(Option<i64>, usize)> {
    let mut written = String::new();
    let mut end = at;
    if let Some((c, after)) = text.next(at)
        && matches!(c, '+' | '-' | '\u{2212}')
    {
        written.push(if c == '+' { '+' } else { '-' });
        end = after;
    }
    let sign = written.len();
    while let Some((c, after)) = text.next(end)
        && let Some(value) = digit(c)
    {
        written.push(char::from(b'0' + value));
        end = after;
    }
    (written.len() > sign).then(|| (parse_exponent(&written), end))
}

/// Superscript digits with an optional sign.
fn raised_digits(text: Text<'_>, at: usize) -> Option<(Option<i64>, usize)> {
    let mut written = String::new();
    let mut end = at;
    while let Some((c, after)) = text.next(end) {
        written.push(match c {
            '\u{207B}' if written.is_empty() => '-',
            '\u{B9}' => '1',
            '\u{B2}' => '2',
            '\u{B3}' => '3',
            '\u{2070}' | '\u{2074}'..='\u{2079}' => char::from_digit(u32::from(c) - 0x2070, 10)?,
            _ => break,
        });
        end = after;
    }
    (!matches!(written.as_str(), "" | "-")).then(|| (parse_exponent(&written), end))
}
