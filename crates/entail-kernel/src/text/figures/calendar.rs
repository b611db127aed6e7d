//! Dates and times, whose numbers are no amounts.

use std::ops::Range;

use super::cursor::Text;
use super::number::Run;

const MONTHS: [&str; 24] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
    "jan",
    "feb",
    "mar",
    "apr",
    "jun",
    "jul",
    "aug",
    "sep",
    "sept",
    "oct",
    "nov",
    "dec",
];

/// Whether `range` names a month. A small initial is taken for the verb or a slip.
pub(super) fn is_month(text: Text<'_>, range: Range<usize>) -> bool {
    text.slice(range.clone()).starts_with(char::is_uppercase)
        && MONTHS.iter().any(|month| text.spells(range.clone(), month))
}

/// Whether the word before `at` names a month, also as `Jun. 30` or `June the 30`.
pub(super) fn month_before(text: Text<'_>, at: usize) -> bool {
    is_month(text, word_before(text, at))
}

/// The word before `at`, over a space and a point.
pub(super) fn word_before(text: Text<'_>, at: usize) -> Range<usize> {
    const LONGEST: usize = 12;
    let mut end = at;
    for skipped in [' ', '.'] {
        if let Some((c, start)) = text.prev(end)
            && (c == skipped || skipped == ' ' && c.is_whitespace())
        {
            end = start;
        }
    }
    let word = text.word_before(end, LONGEST);
    if text
        .prev(word.start)
        .is_some_and(|(c, _)| c.is_alphanumeric())
    {
        return end..end;
    }
    word
}

/// How many of `runs`, tied by `ties` (one between each two), make a date at their start.
pub(super) fn date(text: Text<'_>, runs: &[Run], ties: &[char]) -> Option<usize> {
    let [first, second, third, ..] = runs else {
        return None;
    };
    let tie = *ties.first()?;
    if tie == ':' || ties.get(1) != Some(&tie) || ties.get(2) == Some(&tie) {
        return None;
    }
    let part = |run: &Run| Some((run.plain?, run.small(text)?));
    is_date(part(first)?, part(second)?, part(third)?, tie == '/').then_some(3)
}

/// The parts of a date written with points (`30.06.2025`), which reads as one run.
pub(super) fn dotted(text: Text<'_>, run: &Run) -> Option<[Range<usize>; 3]> {
    const LONGEST: usize = 10;
    if run.span.len() > LONGEST || run.reading.is_some() {
        return None;
    }
    let mut parts = text.slice(run.span.clone()).split('.');
    let mut start = run.span.start;
    let mut next = || {
        let part = parts.next()?;
        let span = start..start + part.len();
        start = span.end + 1;
        let digits = part.bytes().all(|byte| byte.is_ascii_digit());
        Some((span, (part.len(), part.parse().ok().filter(|_| digits)?)))
    };
    let (first, second, third) = (next()?, next()?, next()?);
    (next().is_none() && is_date(first.1, second.1, third.1, false))
        .then_some([first.0, second.0, third.0])
}

/// Whether three parts, given as how many digits and what value, are year, month and day, or
/// day and month either way round and year.
fn is_date(
    first: (usize, u32),
    second: (usize, u32),
    third: (usize, u32),
    short_year: bool,
) -> bool {
    let year = |(length, value): (usize, u32)| length == 4 && is_year(value);
    let day = |(length, value): (usize, u32)| length <= 2 && (1..=31).contains(&value);
    let month = |(length, value): (usize, u32)| length <= 2 && (1..=12).contains(&value);
    let last = year(third) || short_year && third.0 == 2;
    year(first) && month(second) && day(third)
        || last && (month(first) && day(second) || day(first) && month(second))
}

pub(super) fn is_year(value: u32) -> bool {
    (1000..3000).contains(&value)
}

/// How many of `runs` make a time at their start: `10:45`, `10:45:30`.
pub(super) fn time(text: Text<'_>, runs: &[Run], ties: &[char]) -> Option<usize> {
    let [hour, minute, ..] = runs else {
        return None;
    };
    let sixty = |run: &Run| run.plain == Some(2) && run.small(text).is_some_and(|value| value < 60);
    if ties.first() != Some(&':')
        || hour.plain.is_none_or(|count| count > 2)
        || hour.small(text).is_none_or(|value| value > 24)
        || !sixty(minute)
    {
        return None;
    }
    if ties.get(1) != Some(&':') {
        return Some(2);
    }
    let second = runs.get(2)?;
    let whole = text
        .slice(second.span.clone())
        .split('.')
        .next()
        .is_some_and(|whole| whole.len() == 2);
    (whole && ties.get(2) != Some(&':')).then_some(3)
}

/// Whether the text at `at` names an hour: `pm`, `a.m.`, `o'clock`.
pub(super) fn clock_at(text: Text<'_>, at: usize) -> bool {
    let start = text.skip_space(at);
    let word = text.word(start, 3);
    if ["am", "pm"]
        .iter()
        .any(|half| text.spells(word.clone(), half))
    {
        return !text.peek(word.end).is_some_and(char::is_alphanumeric);
    }
    if text.spells(word.clone(), "a") || text.spells(word.clone(), "p") {
        return text
            .next(word.end)
            .is_some_and(|(c, after)| c == '.' && matches!(text.peek(after), Some('m' | 'M')));
    }
    text.spells(word.clone(), "o")
        && text.next(word.end).is_some_and(|(c, after)| {
            super::super::characters::straight_quote(c) == Some('\'')
                && text.spells(text.word(after, 6), "clock")
        })
}
