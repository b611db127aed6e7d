//! The words that scale a figure.

use std::ops::Range;

use super::cursor::Text;

/// A word that scales.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Word {
    /// The power of ten, and whether the word is a short form that must stand alone.
    Scale {
        power: u8,
        short: bool,
    },
    Percent,
}

/// How a message names a scale.
pub(super) fn name(power: u8) -> &'static str {
    match power {
        3 => " thousand",
        6 => " million",
        9 => " billion",
        12 => " trillion",
        _ => "",
    }
}

const LONG: [(&str, u8); 8] = [
    ("thousand", 3),
    ("thousands", 3),
    ("million", 6),
    ("millions", 6),
    ("billion", 9),
    ("billions", 9),
    ("trillion", 12),
    ("trillions", 12),
];

const SHORT: [(&str, u8); 16] = [
    ("k", 3),
    ("m", 6),
    ("mm", 6),
    ("mn", 6),
    ("mln", 6),
    ("mio", 6),
    ("mil", 6),
    ("b", 9),
    ("bn", 9),
    ("bln", 9),
    ("bil", 9),
    ("t", 12),
    ("tn", 12),
    ("tr", 12),
    ("trn", 12),
    ("tln", 12),
];

const PERCENT: [&str; 3] = ["percent", "pct", "pp"];

/// What `range`, a whole word, means as a unit.
pub(super) fn word(text: Text<'_>, range: Range<usize>) -> Option<Word> {
    let find = |list: &[(&str, u8)]| {
        list.iter()
            .find(|(word, _)| text.spells(range.clone(), word))
            .map(|(_, power)| *power)
    };
    if let Some(power) = find(&LONG) {
        return Some(Word::Scale {
            power,
            short: false,
        });
    }
    if let Some(power) = find(&SHORT) {
        return Some(Word::Scale { power, short: true });
    }
    PERCENT
        .iter()
        .any(|word| text.spells(range.clone(), word))
        .then_some(Word::Percent)
}

/// The end of `per cent` or `percentage point(s)`, of which `range` is the first word.
pub(super) fn two_words(text: Text<'_>, range: Range<usize>) -> Option<usize> {
    let seconds: &[&str] = if text.spells(range.clone(), "per") {
        &["cent"]
    } else if text.spells(range.clone(), "percentage") {
        &["point", "points"]
    } else {
        return None;
    };
    let (between, after) = text.next(range.end)?;
    if !between.is_whitespace() && !super::super::characters::is_dash(between) {
        return None;
    }
    let second = text.word(text.skip_space(after), 8);
    seconds
        .iter()
        .any(|word| text.spells(second.clone(), word))
        .then_some(second.end)
}
