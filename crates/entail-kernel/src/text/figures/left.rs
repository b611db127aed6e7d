//! What stands before a figure: its sign, a sign of money, or a name that the digits belong to.

use super::super::characters::{
    digit, is_currency, is_dash, is_extending, is_unspaced, straight_quote,
};
use super::Sign;
use super::cursor::Text;

/// What the text before some digits makes of them.
pub(super) enum Left {
    /// Part of a name, such as `Q2`.
    Name,
    Figure {
        /// Where the digits start, a leading point included.
        digits: usize,
        /// Where sign and sign of money start.
        start: usize,
        sign: Sign,
        /// A dash ties the figure to a word or another figure.
        tied: bool,
        /// The digits cannot be read for certain.
        unread: bool,
    },
}

/// Codes of currencies that are written right before digits.
const CODES: [&str; 19] = [
    "USD", "EUR", "GBP", "JPY", "CHF", "AUD", "CAD", "NZD", "CNY", "RMB", "HKD", "SGD", "INR",
    "SEK", "NOK", "DKK", "BRL", "MXN", "ZAR",
];

pub(super) fn read(text: Text<'_>, first: usize) -> Left {
    let Some((digits, unread)) = leading_point(text, first) else {
        return Left::Name;
    };
    let mut unread = unread;
    let mut start = digits;
    if let Some((c, before)) = text.prev(digits) {
        let underscored = c == '_' && text.peek_before(before).is_some_and(char::is_alphanumeric);
        if underscored || is_extending(c) {
            return Left::Name;
        }
        if c.is_alphabetic() && !is_unspaced(c) {
            match code_before(text, digits) {
                Some(code) => start = code,
                None => return Left::Name,
            }
        } else if c == '^' || c.is_numeric() && digit(c).is_none() {
            (start, unread) = (before, true);
        }
    }
    let inner = sign(text, start);
    let money = money(text, start);
    let outer = money.map(|money| sign(text, money));
    let found = match outer {
        Some(outer) if inner.sign == Sign::Open => outer,
        _ => inner,
    };
    Left::Figure {
        digits,
        start: found.start.min(money.unwrap_or(start)),
        sign: found.sign,
        tied: found.tied,
        unread,
    }
}

/// Where the number starts that has its first digit at `first`, and whether it is unreadable;
/// `None` if a point ties it to a word (`fig.5`).
fn leading_point(text: Text<'_>, first: usize) -> Option<(usize, bool)> {
    let Some(('.', point)) = text.prev(first) else {
        return Some((first, false));
    };
    let Some((c, before)) = text.prev(point) else {
        return Some((point, false));
    };
    let starts_fraction = c.is_whitespace()
        || is_dash(c)
        || is_currency(c)
        || straight_quote(c).is_some()
        || matches!(
            c,
            '(' | '[' | '{' | '+' | '±' | '~' | '≈' | '<' | '>' | '=' | '≤' | '≥' | '|'
        );
    if starts_fraction {
        Some((point, false))
    } else if matches!(c, '.' | '…') {
        Some((first, false))
    } else if c.is_alphabetic() {
        let word = text.word_before(before + c.len_utf8(), 3);
        ["rs", "fr", "kr"]
            .iter()
            .any(|money| text.spells(word.clone(), money))
            .then_some((first, false))
    } else {
        Some((first, true))
    }
}

/// The start of a currency's code that ends at `end`.
fn code_before(text: Text<'_>, end: usize) -> Option<usize> {
    let word = text.word_before(end, 4);
    let written = text.slice(word.clone());
    (written == "Rs" || CODES.contains(&written)).then_some(word.start)
}

/// Where a sign of money before `end` starts, with the letters that belong to it (`US$`).
fn money(text: Text<'_>, end: usize) -> Option<usize> {
    const SPACES: usize = 3;
    let mut at = end;
    for _ in 0..=SPACES {
        let (c, start) = text.prev(at)?;
        if is_currency(c) {
            let letters = text.word_before(start, 4);
            let upper = text.slice(letters.clone());
            let named = upper.len() <= 3 && upper.bytes().all(|byte| byte.is_ascii_uppercase());
            return Some(if named { letters.start } else { start });
        }
        let opens_or_signs = c == '(' || is_dash(c) || matches!(c, '+');
        if !c.is_whitespace() && !opens_or_signs {
            return None;
        }
        at = start;
    }
    None
}

struct Found {
    start: usize,
    sign: Sign,
    tied: bool,
}

/// The sign that stands before `at`.
fn sign(text: Text<'_>, at: usize) -> Found {
    let open = Found {
        start: at,
        sign: Sign::Open,
        tied: false,
    };
    let Some((c, start)) = text.prev(at) else {
        return open;
    };
    match c {
        '(' => match text.prev(start) {
            Some((c, start)) if is_minus(c) && !follows_something(text, start) => Found {
                start,
                sign: Sign::Minus,
                tied: false,
            },
            _ => open,
        },
        '+' => Found {
            start,
            sign: Sign::Plus,
            tied: false,
        },
        '\u{2212}' | '-' | '\u{2010}'..='\u{2013}' | '\u{FE63}' | '\u{FF0D}' => {
            dash(text, start, open)
        }
        // A true minus may stand off from its number; a hyphen there is punctuation.
        _ if c.is_whitespace() => match text.prev(start) {
            Some(('\u{2212}', minus)) if !follows_something(text, minus) => Found {
                start: minus,
                sign: Sign::Minus,
                tied: false,
            },
            _ => open,
        },
        _ => open,
    }
}

/// What a dash at `at`, right before a figure, means.
fn dash(text: Text<'_>, at: usize, open: Found) -> Found {
    match text.prev(at) {
        Some((c, _)) if c.is_alphanumeric() || matches!(c, ')' | ']' | '}' | '%') => Found {
            sign: Sign::Plus,
            tied: true,
            ..open
        },
        Some((c, before)) if is_dash(c) || c == '/' && text.peek_before(before) == Some('+') => {
            open
        }
        _ => Found {
            start: at,
            sign: Sign::Minus,
            tied: false,
        },
    }
}

fn is_minus(c: char) -> bool {
    matches!(
        c,
        '-' | '\u{2010}'..='\u{2013}' | '\u{2212}' | '\u{FE63}' | '\u{FF0D}'
    )
}

/// Whether a figure or a word ends before `at`, white space apart.
fn follows_something(text: Text<'_>, at: usize) -> bool {
    let mut end = at;
    while let Some((c, start)) = text.prev(end)
        && c.is_whitespace()
        && at - start < 8
    {
        end = start;
    }
    text.prev(end)
        .is_some_and(|(c, _)| c.is_numeric() || matches!(c, ')' | ']' | '}' | '%'))
}
