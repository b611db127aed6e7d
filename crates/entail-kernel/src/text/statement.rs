//! Does a quote state a value?

use std::fmt;
use std::ops::Range;

use entail_json::Value;

use super::characters::is_currency;
use super::decimal::Decimal;
use super::figures::{Figure, Unit, figures};
use super::folding::{Folded, fold};
use crate::limits::{FIGURES_IN_MESSAGE, QUOTED_CHARACTERS, TOKEN_BYTES};

/// A value that a quote does not state. The message says what the quote does state.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct NotStated {
    /// What the claim says: the value's canonical text, cut if it is long.
    pub claim: String,
    /// What the quote says instead.
    pub quote: Instead,
}

/// What a quote says that does not state a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Instead {
    /// The value is a number; these are the first figures of the quote, and whether there
    /// are more.
    Figures(Vec<String>, bool),
    /// The value is a text or a boolean; this is the quote, cut if it is long.
    Words(String),
    /// The value is null, a list or an object, which no quote states.
    Nothing,
}

impl fmt::Display for NotStated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let claim = &self.claim;
        match &self.quote {
            Instead::Figures(figures, more) => {
                f.write_str("the quote states ")?;
                match figures.split_last() {
                    None => f.write_str("no figure that can be read for certain")?,
                    Some((last, [])) => {
                        write!(f, "{last}{}", if *more { " and more" } else { "" })?
                    }
                    Some((last, others)) if *more => {
                        write!(f, "{}, {last} and more", others.join(", "))?;
                    }
                    Some((last, others)) => write!(f, "{} and {last}", others.join(", "))?,
                }
                write!(f, ", the claim says {claim}")
            }
            Instead::Words(quote) => write!(
                f,
                "the quote says \"{quote}\", which does not hold {claim} as a whole word or \
                 phrase; give the value as the quote writes it"
            ),
            Instead::Nothing => write!(
                f,
                "a quote cannot state {claim}; cite a number, a text or a boolean"
            ),
        }
    }
}

/// Whether `quote` states `value`: a number as a figure does (see
/// [`Figure::states`](super::Figure::states)), a text or a boolean as a whole word or phrase
/// after folding, a text that writes a number as that number too.
///
/// A quote taken from a document is better asked by
/// [`Document::states`](super::Document::states), which sees what its ends cut.
///
/// # Errors
///
/// If it does not.
///
/// ```
/// use entail_kernel::text::states;
/// use entail_json::read_str;
///
/// assert!(states(&read_str("0.0976")?, "up 9.76%").is_ok());
/// assert!(states(&read_str(r#""Austin""#)?, "Headquarters: Austin, Texas").is_ok());
/// let refusal = states(&read_str("50")?, "made 1500 units for 250 clients").unwrap_err();
/// assert_eq!(refusal.to_string(), "the quote states 1500 and 250, the claim says 50");
/// # Ok::<(), entail_json::ReadError>(())
/// ```
pub fn states(value: &Value, quote: &str) -> Result<(), NotStated> {
    states_within(value, quote, 0..quote.len())
}

/// Whether `text`, from which `quote` is cut, states `value` there.
pub(super) fn states_within(
    value: &Value,
    text: &str,
    quote: Range<usize>,
) -> Result<(), NotStated> {
    let (window, within) = widen(text, quote);
    let stated = match value {
        Value::Number(number) => states_number(&Decimal::from(number), window, &within),
        Value::Bool(truth) => states_phrase(&truth.to_string(), window, &within),
        Value::String(text) => {
            let phrase = fold(text);
            states_phrase(&phrase, window, &within).or_else(|words| match numeric(&phrase) {
                Some(number) => states_number(&number, window, &within),
                None => Err(words),
            })
        }
        Value::Null | Value::Array(_) | Value::Object(_) => Err(Instead::Nothing),
    };
    stated.map_err(|quote| NotStated {
        claim: describe(value),
        quote,
    })
}

/// The quote with the rest of the words that its ends cut, as far as [`TOKEN_BYTES`], and where it
/// lies in that. What reaches beyond the quote is not stated by it, so a word longer than that
/// needs no more of a look.
fn widen(text: &str, quote: Range<usize>) -> (&str, Range<usize>) {
    let before = text.get(..quote.start).unwrap_or_default();
    let after = text.get(quote.end..).unwrap_or_default();
    let start = before
        .char_indices()
        .rev()
        .take_while(|(at, c)| !c.is_whitespace() && quote.start - at <= TOKEN_BYTES)
        .last()
        .map_or(quote.start, |(at, _)| at);
    let end = after
        .char_indices()
        .take_while(|(at, c)| !c.is_whitespace() && *at < TOKEN_BYTES)
        .last()
        .map_or(quote.end, |(at, c)| quote.end + at + c.len_utf8());
    let window = text.get(start..end).unwrap_or_default();
    (window, quote.start - start..quote.end - start)
}

fn states_number(value: &Decimal, window: &str, within: &Range<usize>) -> Result<(), Instead> {
    let mut said: Vec<Figure> = Vec::new();
    let mut more = false;
    let looks = |figure: &Figure| {
        let digits = window.get(figure.digits.clone());
        (digits, figure.sign, figure.unit, figure.kind)
    };
    for mut figure in figures(window) {
        if figure.digits.start < within.start || figure.digits.end > within.end {
            continue;
        }
        // A scale that the quote cuts off must not let zero state what is small beside it.
        if figure.span.end > within.end && figure.value().is_some_and(Decimal::is_zero) {
            figure.unit = Unit::Other;
        }
        if figure.states(value) {
            return Ok(());
        }
        if figure.value().is_none() || more {
            continue;
        }
        if !said.iter().any(|other| looks(other) == looks(&figure)) {
            more = said.len() == FIGURES_IN_MESSAGE;
            if !more {
                said.push(figure);
            }
        }
    }
    let mut said: Vec<String> = said.iter().map(|figure| figure.describe(window)).collect();
    said.dedup();
    Err(Instead::Figures(said, more))
}

/// Whether `phrase`, folded, stands in the quote as a whole word or phrase.
fn states_phrase(phrase: &str, window: &str, within: &Range<usize>) -> Result<(), Instead> {
    let folded = Folded::new(window);
    let stands_whole = |text: &str, place: Range<usize>, span: &Range<usize>| {
        let before = text.get(..place.start).unwrap_or_default();
        let after = text.get(place.end..).unwrap_or_default();
        span.start >= within.start
            && span.end <= within.end
            && starts_whole(phrase, before)
            && ends_whole(phrase, after)
    };
    folded
        .and_then(|folded| {
            folded.find_where(phrase, |place, span| {
                stands_whole(folded.as_str(), place, span)
            })
        })
        .map(|_| ())
        .ok_or_else(|| Instead::Words(shorten(window.get(within.clone()).unwrap_or_default())))
}

/// Whether `phrase` starts a word after `before`, and if with a figure, one that neither a minus
/// nor further digits belong to.
fn starts_whole(phrase: &str, before: &str) -> bool {
    let Some(first) = phrase.chars().next() else {
        return false;
    };
    let mut back = before.chars().rev();
    let Some(last) = back.next() else {
        return true;
    };
    if is_word(first) && is_word(last) {
        return false;
    }
    let second = back.next();
    let signed = matches!(first, '.' | '-' | '+');
    let starts_figure = first.is_numeric()
        || (is_currency(first) || signed) && phrase.chars().nth(1).is_some_and(char::is_numeric);
    if !starts_figure {
        return true;
    }
    if signed && is_word(last) {
        return false;
    }
    let tied = second.is_some_and(|c| is_word(c) || matches!(c, ')' | '%'));
    match last {
        '.' => second.is_some_and(|c| c == '.' || c.is_alphabetic()),
        ',' | '\'' => !second.is_some_and(char::is_numeric),
        '-' => tied,
        _ if is_currency(last) => second != Some('-') || back.next().is_some_and(is_word),
        _ => true,
    }
}

/// Whether `phrase` ends a word before `after`, and if with a digit, not inside a longer number.
fn ends_whole(phrase: &str, after: &str) -> bool {
    let Some(last) = phrase.chars().next_back() else {
        return false;
    };
    let mut ahead = after.chars();
    let Some(next) = ahead.next() else {
        return true;
    };
    if is_word(last) && is_word(next) {
        return false;
    }
    !(last.is_numeric()
        && matches!(next, '.' | ',' | '\'')
        && ahead.next().is_some_and(char::is_numeric))
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The number that a folded text writes: an optional sign, an optional `$`, `€` or `£`, digits
/// with commas between groups.
fn numeric(folded: &str) -> Option<Decimal> {
    let (negative, rest) = match folded.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, folded.strip_prefix('+').unwrap_or(folded)),
    };
    let digits = rest.strip_prefix(['$', '€', '£']).unwrap_or(rest);
    if !digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return None;
    }
    let mantissa = digits.split(['.', 'e']).next().unwrap_or_default();
    let grouped = mantissa.split(',').enumerate().all(|(at, group)| {
        at > 0 && group.len() == 3 || at == 0 && (group.len() <= 3 || !mantissa.contains(','))
    });
    let well = grouped
        && !digits
            .get(mantissa.len()..)
            .is_some_and(|rest| rest.contains(','));
    let plain: String = digits.chars().filter(|c| *c != ',').collect();
    let sign = if negative { "-" } else { "" };
    Decimal::parse(&format!("{sign}{plain}")).filter(|_| well)
}

fn describe(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
        Value::Bool(truth) => truth.to_string(),
        Value::Number(number) => shorten(&number.to_string()),
        Value::String(text) => format!("\"{}\"", shorten(text)),
    }
}

/// `text` on one line, cut after [`QUOTED_CHARACTERS`] characters.
fn shorten(text: &str) -> String {
    let mut out: String = text
        .chars()
        .take(QUOTED_CHARACTERS)
        .map(|c| {
            if c.is_whitespace() || c.is_control() {
                ' '
            } else {
                c
            }
        })
        .collect();
    if text.chars().nth(QUOTED_CHARACTERS).is_some() {
        out.push('…');
    }
    out
}
