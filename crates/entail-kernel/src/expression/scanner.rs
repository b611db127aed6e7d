//! Walking over the text of an expression.

use super::error::{ExpressionError, ExpressionFault, quoted};
use crate::limits::EXPRESSION_CHARACTERS;

/// A place in a text, with what stands there.
#[derive(Clone)]
pub(super) struct Scanner<'t> {
    text: &'t str,
    rest: &'t str,
}

impl<'t> Scanner<'t> {
    /// A scanner at the start of a text that is short enough to be an expression.
    pub(super) fn new(text: &'t str) -> Result<Self, ExpressionError> {
        let may_be_long = text.len() > EXPRESSION_CHARACTERS;
        let beyond = may_be_long.then(|| text.char_indices().nth(EXPRESSION_CHARACTERS));
        match beyond.flatten() {
            Some((offset, _)) => Err(ExpressionError::new(text, offset, ExpressionFault::TooLong)),
            None => Ok(Self { text, rest: text }),
        }
    }

    pub(super) fn text(&self) -> &'t str {
        self.text
    }

    /// The byte offset of this place.
    pub(super) fn offset(&self) -> usize {
        self.text.len() - self.rest.len()
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    pub(super) fn skip_space(&mut self) {
        if !self
            .rest
            .starts_with(|first: char| first.is_ascii_graphic())
        {
            self.rest = self.rest.trim_start();
        }
    }

    /// Steps over one character.
    pub(super) fn step(&mut self) {
        let mut characters = self.rest.chars();
        characters.next();
        self.rest = characters.as_str();
    }

    /// Steps over the pattern if it stands here.
    pub(super) fn eat(&mut self, pattern: &str) -> bool {
        match self.rest.strip_prefix(pattern) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// Steps over all characters that fit and returns them.
    pub(super) fn take_while(&mut self, fits: impl Fn(char) -> bool) -> &'t str {
        let end = self
            .rest
            .find(|character| !fits(character))
            .unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest;
        taken
    }

    /// Steps over everything before the next `{` or `}` and returns it.
    pub(super) fn take_until_brace(&mut self) -> &'t str {
        let end = memchr::memchr2(b'{', b'}', self.rest.as_bytes()).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest;
        taken
    }

    /// A name: a letter or `_`, then letters, digits and `_`.
    pub(super) fn name(&mut self) -> Option<&'t str> {
        self.peek().filter(|first| is_name_start(*first))?;
        Some(self.take_while(is_name_part))
    }

    /// Whether a decimal number starts here: a digit, or a point before a digit.
    pub(super) fn at_number(&self) -> bool {
        matches!(
            self.rest.as_bytes(),
            [b'0'..=b'9', ..] | [b'.', b'0'..=b'9', ..]
        )
    }

    /// The decimal number that starts here.
    pub(super) fn number(&mut self) -> Result<f64, ExpressionError> {
        let offset = self.offset();
        let start = self.rest;
        let whole = self.digits();
        if self.eat(".") {
            self.digits();
        }
        let mut well_formed = whole.len() < 2 || !whole.starts_with('0');
        if self.eat("e") || self.eat("E") {
            let _ = self.eat("+") || self.eat("-");
            well_formed &= !self.digits().is_empty();
        }
        let tail = self.take_while(|part| is_name_part(part) || part == '.');
        let (written, _) = start.split_at(start.len() - self.rest.len());
        let fault = match written.parse::<f64>() {
            Ok(value) if well_formed && tail.is_empty() && value.is_finite() => return Ok(value),
            Ok(_) if well_formed && tail.is_empty() => {
                ExpressionFault::NumberTooLarge(quoted(written))
            }
            _ => ExpressionFault::MalformedNumber(quoted(written)),
        };
        Err(ExpressionError::new(self.text, offset, fault))
    }

    fn digits(&mut self) -> &'t str {
        let count = self.rest.bytes().take_while(u8::is_ascii_digit).count();
        let (digits, rest) = self.rest.split_at(count);
        self.rest = rest;
        digits
    }
}

fn is_name_start(character: char) -> bool {
    character == '_' || character.is_alphabetic()
}

fn is_name_part(character: char) -> bool {
    character == '_' || character.is_alphanumeric()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Result<f64, ExpressionFault> {
        Scanner::new(text)
            .unwrap()
            .number()
            .map_err(|error| error.fault)
    }

    #[test]
    fn decimal_numbers_read_as_the_nearest_float() {
        for (text, value) in [
            ("0", 0.0),
            ("5.", 5.0),
            (".5", 0.5),
            ("0.1", 0.1),
            ("1E5", 1e5),
            ("5.e-3", 0.005),
            ("1e-400", 0.0),
            ("5e-324", 5e-324),
            ("123456789012345678901234567890", 1.234_567_890_123_456_8e29),
        ] {
            assert_eq!(number(text), Ok(value), "{text}");
        }
    }

    #[test]
    fn other_ways_of_writing_numbers_are_refused_whole() {
        for text in [
            "1e", "1e+", "0x10", "0b1", "1_000", "007", "00", "01.5", "1.2.3", "1..2", "5.real",
            "1j", "3²",
        ] {
            assert_eq!(
                number(text),
                Err(ExpressionFault::MalformedNumber(text.to_owned())),
                "{text}"
            );
        }
        assert_eq!(
            number("1e400"),
            Err(ExpressionFault::NumberTooLarge("1e400".to_owned()))
        );
    }

    #[test]
    fn a_text_of_the_longest_length_is_counted_in_characters() {
        assert!(Scanner::new(&"é".repeat(EXPRESSION_CHARACTERS)).is_ok());
        let error = Scanner::new(&"é".repeat(EXPRESSION_CHARACTERS + 1))
            .err()
            .unwrap();
        assert_eq!(error.fault, ExpressionFault::TooLong);
        assert_eq!(error.offset, 2 * EXPRESSION_CHARACTERS);
    }
}
