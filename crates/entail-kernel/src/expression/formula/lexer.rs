//! The words of a formula.

use std::collections::BTreeSet;

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

/// Longer symbols stand before their beginnings.
const SYMBOLS: [(&str, Token<'static>); 10] = [
    ("**", Token::StarStar),
    ("//", Token::SlashSlash),
    ("+", Token::Plus),
    ("-", Token::Minus),
    ("*", Token::Star),
    ("/", Token::Slash),
    ("%", Token::Percent),
    ("(", Token::Open),
    (")", Token::Close),
    (",", Token::Comma),
];

/// The next word, or `None` at the end. White space before it must have been skipped.
pub(super) fn token<'t>(scanner: &mut Scanner<'t>) -> Result<Option<Token<'t>>, ExpressionError> {
    let offset = scanner.offset();
    let Some(first) = scanner.peek() else {
        return Ok(None);
    };
    if scanner.at_number() {
        return scanner.number().map(|value| Some(Token::Number(value)));
    }
    if let Some(name) = scanner.name() {
        return Ok(Some(Token::Name(name)));
    }
    if let Some((_, token)) = SYMBOLS.iter().find(|(symbol, _)| scanner.eat(symbol)) {
        return Ok(Some(*token));
    }
    if !scanner.eat("{") {
        let fault = ExpressionFault::UnexpectedCharacter(first);
        return Err(ExpressionError::new(scanner.text(), offset, fault));
    }
    let content = scanner.take_while(|part| part != '}' && part != '{');
    let fault = if !scanner.eat("}") {
        ExpressionFault::UnclosedPlaceholder
    } else if is_key(content) {
        return Ok(Some(Token::Placeholder(content)));
    } else {
        ExpressionFault::InvalidPlaceholder(quoted(content))
    };
    Err(ExpressionError::new(scanner.text(), offset, fault))
}

/// Whether the content of a pair of braces, which holds no brace, is a key.
fn is_key(content: &str) -> bool {
    !content.is_empty() && !content.contains(|part: char| part.is_whitespace() || part == '@')
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
    for (open, _) in text.match_indices('{') {
        let (_, after) = text.split_at(open + 1);
        let inside = after
            .find(['{', '}'])
            .and_then(|end| after.split_at_checked(end));
        if let Some((content, closing)) = inside
            && closing.starts_with('}')
            && is_key(content)
            && seen.insert(content)
        {
            keys.push(content);
        }
    }
    keys
}
