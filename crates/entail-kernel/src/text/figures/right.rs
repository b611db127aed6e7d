//! What stands after a figure: its unit, a word, or the other end of a range.

use std::ops::Range;

use super::super::characters::{
    digit, is_currency, is_dash, is_extending, is_raised_digit, straight_quote,
};
use super::Unit;
use super::cursor::Text;
use super::units::{self, Word};

/// The longest word that means something here.
const WORD: usize = 12;

/// What the text after a number makes of it.
#[derive(Clone, Debug)]
pub(super) struct Right {
    pub(super) unit: Unit,
    /// The end of the unit, or of the number if there is none.
    pub(super) end: usize,
    /// The word after the number that is no unit.
    pub(super) word: Range<usize>,
    /// The digits are part of a code that goes on after letters, such as `2Q25`.
    pub(super) code: bool,
    pub(super) ordinal: bool,
    /// The digits are the whole part of `4 1/2`.
    pub(super) fraction: bool,
}

impl Right {
    fn new(unit: Unit, end: usize) -> Self {
        Self {
            unit,
            end,
            word: end..end,
            code: false,
            ordinal: false,
            fraction: false,
        }
    }
}

/// Reads on from `at`, the end of a number.
pub(super) fn read(text: Text<'_>, at: usize) -> Right {
    let Some((c, after)) = text.next(at) else {
        return Right::new(Unit::Bare, at);
    };
    if c.is_alphabetic() {
        return attached(text, at);
    }
    let letter_follows = text.peek(after).is_some_and(char::is_alphabetic);
    match c {
        '_' if letter_follows || text.digit_at(after) => {
            return Right {
                code: true,
                ..Right::new(Unit::Other, after)
            };
        }
        '%' => return Right::new(Unit::Percent, after),
        '°' | '′' | '″' | '‰' | '‱' | '¢' | '×' => return Right::new(Unit::Other, at),
        '-' | '\u{2010}' | '\u{2011}' if letter_follows => return hyphened(text, at, after),
        '/' if letter_follows => return Right::new(Unit::Other, at),
        _ => {}
    }
    let mut end = at;
    while let Some((c, after)) = text.next(end)
        && (matches!(c, ')' | ']' | '}') || is_currency(c))
    {
        end = after;
    }
    let start = text.skip_space(end);
    match text.next(start) {
        Some(('%', after)) => Right::new(Unit::Percent, after),
        Some(('°' | '‰' | '‱' | '¢', _)) => Right::new(Unit::Other, at),
        Some((c, _)) if c.is_alphabetic() => spaced(text, at, start),
        _ => Right {
            fraction: end == at && fraction_at(text, start),
            ..Right::new(Unit::Bare, at)
        },
    }
}

/// Whether one or two digits over one or two more stand at `at`, and no date.
fn fraction_at(text: Text<'_>, at: usize) -> bool {
    let digits = |at: usize| {
        let mut end = at;
        for _ in 0..2 {
            match text.next(end) {
                Some((c, after)) if digit(c).is_some() => end = after,
                _ => break,
            }
        }
        (end > at).then_some(end)
    };
    let Some(('/', under)) = digits(at).and_then(|over| text.next(over)) else {
        return false;
    };
    digits(under)
        .and_then(|end| text.peek(end))
        .is_none_or(|c| digit(c).is_none() && c != '/')
        && text.digit_at(under)
}

/// Letters right after the digits.
fn attached(text: Text<'_>, at: usize) -> Right {
    let (end, code) = letters(text, at);
    let word = at..end;
    if code {
        return Right {
            code: true,
            end,
            ..Right::new(Unit::Other, at)
        };
    }
    let written = text.slice(word.clone());
    if ["st", "nd", "rd", "th", "º", "ª"]
        .iter()
        .any(|suffix| written.eq_ignore_ascii_case(suffix))
    {
        return Right {
            ordinal: true,
            word: text.word(text.skip_space(end), WORD),
            ..Right::new(Unit::Other, end)
        };
    }
    scaled(text, at, word)
}

/// The end of the letters at `at`, and whether digits or an underscore go on from there.
fn letters(text: Text<'_>, at: usize) -> (usize, bool) {
    let mut end = at;
    while let Some((c, after)) = text.next(end)
        && (c.is_alphabetic() || is_extending(c))
    {
        end = after;
    }
    let code = text.next(end).is_some_and(|(c, after)| {
        digit(c).is_some() || c == '_' && text.peek(after).is_some_and(char::is_alphanumeric)
    });
    (end, code)
}

/// A word after a hyphen: `4.3-billion`, `5-percent`, `3-month`.
fn hyphened(text: Text<'_>, at: usize, start: usize) -> Right {
    let word = text.word(start, WORD);
    if let Some(end) = two_word_percent(text, word.clone()) {
        return Right::new(Unit::Percent, end);
    }
    match units::word(text, word.clone()) {
        Some(Word::Scale {
            power,
            short: false,
        }) => Right::new(Unit::Scale(power), word.end),
        Some(Word::Percent) => Right::new(Unit::Percent, word.end),
        _ => Right {
            word,
            ..Right::new(Unit::Other, at)
        },
    }
}

/// A word after white space or a closing bracket.
fn spaced(text: Text<'_>, at: usize, start: usize) -> Right {
    scaled(text, at, text.word(start, WORD))
}

fn scaled(text: Text<'_>, at: usize, word: Range<usize>) -> Right {
    let other = Right {
        word: word.clone(),
        ..Right::new(Unit::Other, at)
    };
    if text
        .peek(word.end)
        .is_some_and(|c| c.is_alphabetic() || is_extending(c))
    {
        return other;
    }
    if let Some(end) = two_word_percent(text, word.clone()) {
        return Right::new(Unit::Percent, end);
    }
    match units::word(text, word.clone()) {
        Some(Word::Percent) if stands_alone(text, word.clone(), false) => {
            Right::new(Unit::Percent, word.end)
        }
        Some(Word::Scale { power, short })
            if stands_alone(text, word.clone(), short) && !scale_follows(text, word.end) =>
        {
            Right::new(Unit::Scale(power), word.end)
        }
        _ => other,
    }
}

fn two_word_percent(text: Text<'_>, word: Range<usize>) -> Option<usize> {
    let end = units::two_words(text, word)?;
    (!text.peek(end).is_some_and(char::is_alphanumeric)).then_some(end)
}

/// `4.3 thousand million` is not read by its first word.
fn scale_follows(text: Text<'_>, at: usize) -> bool {
    let next = text.word(text.skip_space(at), WORD);
    next.start > at
        && matches!(
            units::word(text, next),
            Some(Word::Scale { short: false, .. })
        )
}

/// Whether `word` ends as a whole token. A short form is one only if nothing hangs on it: `m²`,
/// `m/s`, `B2B` and `k-run` are other things.
fn stands_alone(text: Text<'_>, word: Range<usize>, short: bool) -> bool {
    let Some((c, after)) = text.next(word.end) else {
        return true;
    };
    let letter_follows = text.peek(after).is_some_and(char::is_alphanumeric);
    match c {
        _ if c.is_whitespace() => true,
        _ if digit(c).is_some() => false,
        '_' => !letter_follows,
        _ if !short => true,
        ',' | ';' | ':' | '!' | '?' | ')' | ']' | '}' | '…' | '*' | '†' | '‡' | '+' | '|' => {
            true
        }
        '.' => !letter_follows,
        _ if straight_quote(c).is_some() || is_currency(c) => !letter_follows,
        '\u{2014}' | '\u{2015}' => true,
        _ if is_dash(c) => !text.peek(after).is_some_and(char::is_alphabetic),
        _ if is_raised_digit(c) => {
            text.slice(word.clone()).chars().count() > 1 && !text.spells(word, "mm")
        }
        _ => false,
    }
}

/// How a figure goes on to the other end of a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Join {
    Dash,
    /// `to`, `and`.
    Word,
}

/// Whether the text from `at` on leads to the other end of a range; `between` says
/// whether the word before the figure is that.
pub(super) fn join(text: Text<'_>, at: usize, between: impl Fn() -> bool) -> Option<Join> {
    let start = text.skip_space(at);
    let (c, after) = text.next(start)?;
    if is_dash(c) {
        let next = text.skip_space(after);
        let even = (start == at) == (next == after);
        return (even && number_at(text, next)).then_some(Join::Dash);
    }
    let word = text.word(start, WORD);
    let joins = text.spells(word.clone(), "to")
        || text.spells(word.clone(), "through")
        || text.spells(word.clone(), "and") && between();
    let next = text.skip_space(word.end);
    (joins && start > at && next > word.end && number_at(text, next)).then_some(Join::Word)
}

/// Whether a number starts at `at`, after a sign or a sign of money.
fn number_at(text: Text<'_>, at: usize) -> bool {
    const PREFIX: usize = 6;
    let mut at = at;
    let mut money = false;
    for _ in 0..PREFIX {
        let Some((c, after)) = text.next(at) else {
            return false;
        };
        if digit(c).is_some() {
            return true;
        }
        let letter = !money && c.is_ascii_uppercase();
        if !letter && c != '.' && c != '+' && !is_currency(c) && !is_dash(c) {
            return false;
        }
        money |= is_currency(c);
        at = after;
    }
    false
}
