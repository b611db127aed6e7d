//! The words of a formula.

use std::collections::BTreeSet;

use crate::base::check_key;
use crate::expression::error::{ExpressionError, ExpressionFault, quoted};
use crate::expression::scanner::Scanner;

/// A word of a formula.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Token<'t> {
    Number(f64),
    /// The key inside the braces.
    Placeholder(&'t str),
    Name(&'t str),
    Plus,
    Minus,
    Star,
    Slash,
    SlashSlash,
    Percent,
    StarStar,
    Open,
    Close,
    Comma,
}

/// The next word, or `None` at the end. White space before it must have been skipped.
pub(super) fn token<'t>(scanner: &mut Scanner<'t>) -> Result<Option<Token<'t>>, ExpressionError> {
    let offset = scanner.offset();
    let Some(first) = scanner.peek() else {
        return Ok(None);
    };
    if scanner.at_number() {
        return scanner.number().map(|value| Some(Token::Number(value)));
    }
    let token = match first {
        '+' => Some(Token::Plus),
        '-' => Some(Token::Minus),
        '*' => Some(Token::Star),
        '/' => Some(Token::Slash),
        '%' => Some(Token::Percent),
        '(' => Some(Token::Open),
        ')' => Some(Token::Close),
        ',' => Some(Token::Comma),
        _ => None,
    };
    if let Some(token) = token {
        scanner.step();
        return Ok(Some(match token {
            Token::Star if scanner.eat("*") => Token::StarStar,
            Token::Slash if scanner.eat("/") => Token::SlashSlash,
            token => token,
        }));
    }
    if let Some(name) = scanner.name() {
        return Ok(Some(Token::Name(name)));
    }
    if !scanner.eat("{") {
        let fault = ExpressionFault::UnexpectedCharacter {
            found: first,
            way_out: way_out(first),
        };
        return Err(ExpressionError::new(scanner.text(), offset, fault));
    }
    let content = scanner.take_until_brace();
    let fault = if !scanner.eat("}") {
        ExpressionFault::UnclosedPlaceholder
    } else if check_key(content).is_ok() {
        return Ok(Some(Token::Placeholder(content)));
    } else {
        ExpressionFault::InvalidPlaceholder(quoted(content))
    };
    Err(ExpressionError::new(scanner.text(), offset, fault))
}

/// The distinct keys that a text names in `{key}` placeholders, in the order of their first
/// appearance, whether or not the text is a formula. For a formula they are those of
/// [`Formula::placeholders`](super::Formula::placeholders).
///
/// A claim's dependencies are checked before its formula is read, so they must be known even
/// when the formula cannot be read.
///
/// ```
/// use entail_kernel::expression::placeholders;
///
/// assert_eq!(placeholders("{b} ^ {a} + {b} + {not a key}"), ["b", "a"]);
/// ```
#[must_use]
pub fn placeholders(text: &str) -> Vec<&str> {
    let mut seen = BTreeSet::new();
    let mut keys = Vec::new();
    let mut open = None;
    for at in memchr::memchr2_iter(b'{', b'}', text.as_bytes()) {
        if text.as_bytes().get(at) == Some(&b'{') {
            open = Some(at + 1);
        } else if let Some(content) = open.take().and_then(|start| text.get(start..at))
            && check_key(content).is_ok()
            && seen.insert(content)
        {
            keys.push(content);
        }
    }
    keys
}

/// What to write instead of a character that starts nothing in a formula.
fn way_out(character: char) -> &'static str {
    match character {
        '^' => "write `**` for a power",
        '×' | '·' | '⋅' | '∗' | '＊' => "write `*` to multiply",
        '÷' | '∕' | '⁄' | '／' => "write `/` to divide",
        '−' | '–' | '—' | '‐' | '‑' | '－' => "write the minus sign as `-`",
        '＋' => "write `+` to add",
        '％' => "write `%` for a remainder",
        '（' | '[' => "write `(`",
        '）' | ']' => "write `)`",
        '}' => "it closes no placeholder",
        '$' | '€' | '£' | '¥' => "leave currency signs out",
        '"' | '\'' | '“' | '”' | '‘' | '’' => "there are numbers only, no text",
        '=' | '<' | '>' | '!' | '&' | '|' | '~' | '≠' | '≤' | '≥' => {
            "there is arithmetic only, no comparison, logic or bits"
        }
        '.' => "a number has a digit beside its point, and values have no attributes",
        '√' => "write `sqrt(…)`",
        digit if digit.is_numeric() => "write numbers with the digits 0 to 9",
        _ => "use numbers, `{key}` placeholders, `+ - * / // % **`, parentheses and functions",
    }
}
