//! Strings as they are written in rules.

use crate::expression::error::{ExpressionError, ExpressionFault};
use crate::expression::scanner::Scanner;

/// The string that starts here, in one or three quotes of either kind. A raw one has no escape
/// sequences; only one in three quotes holds line breaks.
pub(super) fn text(scanner: &mut Scanner<'_>, raw: bool) -> Result<String, ExpressionError> {
    let start = scanner.offset();
    let Some(quote) = ["\"\"\"", "'''", "\"", "'"]
        .into_iter()
        .find(|quote| scanner.eat(quote))
    else {
        return Err(ExpressionError::new(
            scanner.text(),
            start,
            ExpressionFault::UnclosedText,
        ));
    };
    let mut out = String::new();
    while !scanner.eat(quote) {
        let offset = scanner.offset();
        let fault = match scanner.peek() {
            None => ExpressionFault::UnclosedText,
            Some('\n' | '\r') if quote.len() == 1 => ExpressionFault::UnclosedText,
            Some('\0') => ExpressionFault::NulCharacter,
            Some('\\') if !raw => {
                scanner.step();
                match escaped(scanner) {
                    Some('\0') => ExpressionFault::NulCharacter,
                    Some(character) => {
                        out.push(character);
                        continue;
                    }
                    None => ExpressionFault::InvalidEscape,
                }
            }
            Some(character) => {
                scanner.step();
                out.push(character);
                continue;
            }
        };
        let place = if fault == ExpressionFault::UnclosedText {
            start
        } else {
            offset
        };
        return Err(ExpressionError::new(scanner.text(), place, fault));
    }
    Ok(out)
}

/// The character that the escape sequence after a backslash stands for.
fn escaped(scanner: &mut Scanner<'_>) -> Option<char> {
    let letter = scanner.peek()?;
    if matches!(letter, '0'..='3') {
        return code(scanner, 3, 8);
    }
    scanner.step();
    Some(match letter {
        'a' => '\u{7}',
        'b' => '\u{8}',
        'f' => '\u{c}',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'v' => '\u{b}',
        '\\' | '?' | '"' | '\'' | '`' => letter,
        'x' | 'X' => return code(scanner, 2, 16),
        'u' => return code(scanner, 4, 16),
        'U' => return code(scanner, 8, 16),
        _ => return None,
    })
}

/// The character whose number is written in so many digits to this base.
fn code(scanner: &mut Scanner<'_>, digits: usize, base: u32) -> Option<char> {
    let mut code = 0_u32;
    for _ in 0..digits {
        let digit = scanner.peek()?.to_digit(base)?;
        scanner.step();
        code = code.checked_mul(base)?.checked_add(digit)?;
    }
    char::from_u32(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(written: &str) -> Result<String, ExpressionFault> {
        let raw = written.starts_with('r');
        let mut scanner = Scanner::new(written).unwrap();
        if raw {
            scanner.step();
        }
        let read = text(&mut scanner, raw).map_err(|error| error.fault)?;
        assert_eq!(scanner.offset(), written.len());
        Ok(read)
    }

    #[test]
    fn strings_are_read_in_every_way_of_quoting() {
        for (written, meant) in [
            (r#""""#, ""),
            (r#""it's""#, "it's"),
            (r#"'say "é"'"#, "say \"é\""),
            ("'''a'b''c\n'''", "a'b''c\n"),
            (r#""""one "two" three""""#, "one \"two\" three"),
            (r#"r"\d+\""#, r"\d+\"),
            (
                r#""\a\b\f\n\r\t\v\\\?\"\'\`""#,
                "\u{7}\u{8}\u{c}\n\r\t\u{b}\\?\"'`",
            ),
            (r#""\x41\u00e9\U0001F600\101""#, "Aé😀A"),
        ] {
            assert_eq!(read(written).as_deref(), Ok(meant), "{written}");
        }
    }

    #[test]
    fn strings_that_stand_for_nothing_storable_are_refused() {
        for (written, fault) in [
            ("\"abc", ExpressionFault::UnclosedText),
            ("\"a\nb\"", ExpressionFault::UnclosedText),
            ("'''abc''", ExpressionFault::UnclosedText),
            (r#""\q""#, ExpressionFault::InvalidEscape),
            (r#""\x4""#, ExpressionFault::InvalidEscape),
            (r#""\ud800""#, ExpressionFault::InvalidEscape),
            (r#""\UFFFFFFFF""#, ExpressionFault::InvalidEscape),
            (r#""\400""#, ExpressionFault::InvalidEscape),
            (r#""\u0000""#, ExpressionFault::NulCharacter),
            ("\"\0\"", ExpressionFault::NulCharacter),
        ] {
            assert_eq!(read(written), Err(fault), "{written:?}");
        }
    }
}
