//! The words of a rule.

use super::text;
use crate::expression::error::{ExpressionError, ExpressionFault, quoted};
use crate::expression::scanner::Scanner;
use crate::limits::EXACT_INTEGER;

/// A word of a rule.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token<'t> {
    Number(f64),
    Text(String),
    /// A name that is no operator; `true`, `false` and `null` too.
    Name(&'t str),
    /// An operator, a bracket or a mark.
    Symbol(&'static str),
}

/// Longer symbols stand before their beginnings.
const SYMBOLS: [&str; 24] = [
    "&&", "||", "==", "!=", "<=", ">=", "<", ">", "+", "-", "*", "/", "%", "!", "?", ":", ".", ",",
    "(", ")", "[", "]", "{", "}",
];

/// Names that no input can have.
const RESERVED: [&str; 21] = [
    "as",
    "break",
    "const",
    "continue",
    "else",
    "false",
    "for",
    "function",
    "if",
    "import",
    "in",
    "let",
    "loop",
    "namespace",
    "null",
    "package",
    "return",
    "true",
    "var",
    "void",
    "while",
];

/// Whether an input can have this name.
pub(super) fn is_input_name(name: &str) -> bool {
    let mut parts = name.bytes();
    parts
        .next()
        .is_some_and(|first| first == b'_' || first.is_ascii_alphabetic())
        && parts.all(|part| part == b'_' || part.is_ascii_alphanumeric())
        && !RESERVED.contains(&name)
}

/// Steps over white space and comments, which go from `//` to the end of the line.
pub(super) fn skip_space(scanner: &mut Scanner<'_>) {
    scanner.skip_space();
    while scanner.eat("//") {
        scanner.take_while(|part| part != '\n');
        scanner.skip_space();
    }
}

/// The next word, or `None` at the end. White space before it must have been skipped.
pub(super) fn token<'t>(scanner: &mut Scanner<'t>) -> Result<Option<Token<'t>>, ExpressionError> {
    let offset = scanner.offset();
    let Some(first) = scanner.peek() else {
        return Ok(None);
    };
    if scanner.at_number() {
        return number(scanner).map(Some);
    }
    if matches!(first, '"' | '\'') {
        return text::text(scanner, false).map(|text| Some(Token::Text(text)));
    }
    if let Some(name) = scanner.name() {
        return match (name, scanner.peek()) {
            ("r" | "R", Some('"' | '\'')) => {
                text::text(scanner, true).map(|text| Some(Token::Text(text)))
            }
            ("in", _) => Ok(Some(Token::Symbol("in"))),
            _ => Ok(Some(Token::Name(name))),
        };
    }
    match SYMBOLS.iter().find(|symbol| scanner.eat(symbol)) {
        Some(symbol) => Ok(Some(Token::Symbol(symbol))),
        None => {
            let fault = ExpressionFault::UnexpectedCharacter {
                found: first,
                way_out: way_out(first),
            };
            Err(ExpressionError::new(scanner.text(), offset, fault))
        }
    }
}

/// A decimal number. An integer that no float is exactly would be another number than the one
/// written; and a point without digits on its right is for members.
fn number<'t>(scanner: &mut Scanner<'t>) -> Result<Token<'t>, ExpressionError> {
    let offset = scanner.offset();
    let value = scanner.number()?;
    let (before, _) = scanner.text().split_at(scanner.offset());
    let written = before
        .split_at_checked(offset)
        .map_or("", |(_, written)| written);
    let whole = written.bytes().all(|digit| digit.is_ascii_digit());
    let fault = if whole
        && written
            .parse::<i64>()
            .map_or(true, |exact| exact > EXACT_INTEGER)
    {
        ExpressionFault::InexactInteger(quoted(written))
    } else if written
        .split_once('.')
        .is_some_and(|(_, after)| !after.starts_with(|digit: char| digit.is_ascii_digit()))
    {
        ExpressionFault::MalformedNumber(quoted(written))
    } else {
        return Ok(Token::Number(value));
    };
    Err(ExpressionError::new(scanner.text(), offset, fault))
}

/// What to write instead of a character that starts nothing in a rule.
fn way_out(character: char) -> &'static str {
    match character {
        '=' => "write `==` to compare",
        '&' => "write `&&` for and",
        '|' => "write `||` for or",
        '“' | '”' | '‘' | '’' | '`' => "write strings in straight quotes",
        '×' | '÷' | '−' | '–' => "write `*`, `/` or `-`",
        '^' => "there is no power; multiply, or use `exp` and `log`",
        _ => "use inputs, numbers, strings, lists, objects, operators and functions",
    }
}
