//! Strings: where one ends, what is wrong with it, and what it says.

use std::borrow::Cow;

use crate::{
    python,
    scan::{Broken, Dialect, Token},
};

/// What is to be known of a string before it is decoded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Quoted {
    /// It holds a backslash.
    pub(crate) escaped: bool,
    /// It cannot be kept: it holds U+0000 or an unpaired surrogate.
    pub(crate) fault: Option<StringFault>,
}

/// Why a string cannot be kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StringFault {
    Nul,
    Surrogate,
}

/// An escape, decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Escape {
    Char(char),
    /// Nothing at all: a line that goes on in the next.
    Nothing,
    /// Half of a surrogate pair.
    Surrogate(u16),
}

/// The string whose opening quote stands at `at`; the token is what stands between the quotes.
pub(crate) fn token(bytes: &[u8], at: usize, dialect: Dialect) -> Result<(Token, Quoted), Broken> {
    let quote = bytes.get(at).copied().unwrap_or(b'"');
    let start = at + 1;
    let mut quoted = Quoted::default();
    let mut end = start;
    loop {
        end = plain_end(bytes, end, quote);
        match bytes.get(end) {
            Some(&found) if found == quote => break,
            Some(b'\\') => {
                quoted.escaped = true;
                let (escape, next) = escape(bytes, end, dialect)?;
                end = match escape {
                    Escape::Char('\0') => {
                        quoted.fault.get_or_insert(StringFault::Nul);
                        next
                    }
                    Escape::Surrogate(unit) => match low_half(bytes, unit, next, dialect) {
                        Some((_, after)) => after,
                        None => {
                            quoted.fault.get_or_insert(StringFault::Surrogate);
                            next
                        }
                    },
                    Escape::Char(_) | Escape::Nothing => next,
                };
            }
            Some(_) => {
                quoted.fault.get_or_insert(StringFault::Nul);
                end += 1;
            }
            None => return Err(Broken::unfinished(end, "the closing quote of a string")),
        }
    }
    let token = Token { start, end };
    if dialect == Dialect::Strict {
        refuse_controls(bytes, token)?;
    }
    Ok((token, quoted))
}

fn refuse_controls(bytes: &[u8], token: Token) -> Result<(), Broken> {
    let inside = bytes.get(token.start..token.end).unwrap_or_default();
    match inside.iter().position(|byte| *byte < 0x20) {
        Some(place) => Err(Broken::expected(
            token.start + place,
            "an escape instead of a control character",
        )),
        None => Ok(()),
    }
}

/// What the string says. U+FFFD stands for an unpaired surrogate.
#[inline]
pub(crate) fn decode(text: &str, token: Token, quoted: Quoted, dialect: Dialect) -> Cow<'_, str> {
    let inside = text.get(token.start..token.end).unwrap_or_default();
    if quoted.escaped {
        Cow::Owned(unescape(inside, dialect))
    } else {
        Cow::Borrowed(inside)
    }
}

fn unescape(inside: &str, dialect: Dialect) -> String {
    let bytes = inside.as_bytes();
    let mut out = String::with_capacity(inside.len());
    let mut at = 0;
    while let Some(plain) = bytes.get(at..).map(|rest| memchr::memchr(b'\\', rest)) {
        let end = plain.map_or(bytes.len(), |length| at + length);
        out.push_str(inside.get(at..end).unwrap_or_default());
        let Ok((escape, next)) = escape(bytes, end, dialect) else {
            break;
        };
        at = match escape {
            Escape::Char(char) => {
                out.push(char);
                next
            }
            Escape::Nothing => next,
            Escape::Surrogate(unit) => match low_half(bytes, unit, next, dialect) {
                Some((char, after)) => {
                    out.push(char);
                    after
                }
                None => {
                    out.push(char::REPLACEMENT_CHARACTER);
                    next
                }
            },
        };
    }
    out
}

/// The escape whose backslash stands at `at`, and where it ends.
fn escape(bytes: &[u8], at: usize, dialect: Dialect) -> Result<(Escape, usize), Broken> {
    let Some(&letter) = bytes.get(at + 1) else {
        return Err(Broken::unfinished(
            bytes.len(),
            "the closing quote of a string",
        ));
    };
    if dialect == Dialect::Python {
        return python::escape(bytes, at, letter);
    }
    let char = match letter {
        b'"' | b'\\' | b'/' => char::from(letter),
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'u' => return hexadecimal(bytes, at, 4),
        _ => {
            return Err(Broken::expected(
                at,
                "one of JSON's escapes (a backslash is `\\\\`)",
            ));
        }
    };
    Ok((Escape::Char(char), at + 2))
}

/// An escape of a letter and `digits` hexadecimal digits.
pub(crate) fn hexadecimal(
    bytes: &[u8],
    at: usize,
    digits: usize,
) -> Result<(Escape, usize), Broken> {
    let mut code = 0_u32;
    for place in at + 2..at + 2 + digits {
        let digit = bytes
            .get(place)
            .and_then(|byte| char::from(*byte).to_digit(16))
            .ok_or_else(|| {
                if place < bytes.len() {
                    Broken::expected(place, "a hexadecimal digit of an escape")
                } else {
                    Broken::unfinished(bytes.len(), "a hexadecimal digit of an escape")
                }
            })?;
        code = (code << 4) | digit;
    }
    let escape = match (char::from_u32(code), u16::try_from(code)) {
        (Some(char), _) => Escape::Char(char),
        (None, Ok(unit)) => Escape::Surrogate(unit),
        (None, Err(_)) => return Err(Broken::expected(at, "an escape of a character that exists")),
    };
    Ok((escape, at + 2 + digits))
}

/// The character that a high half and an escape right after it make.
fn low_half(bytes: &[u8], high: u16, at: usize, dialect: Dialect) -> Option<(char, usize)> {
    if bytes.get(at) != Some(&b'\\') {
        return None;
    }
    let (Escape::Surrogate(low), end) = escape(bytes, at, dialect).ok()? else {
        return None;
    };
    let char = char::decode_utf16([high, low]).next()?.ok()?;
    Some((char, end))
}

/// The first byte from `at` on that is the quote, a backslash or zero; else the end.
fn plain_end(bytes: &[u8], mut at: usize, quote: u8) -> usize {
    /// Strings longer than this many words are worth a vectorised search.
    const WORDS: usize = 4;
    for _ in 0..WORDS {
        let Some(word) = bytes.get(at..at + 8).and_then(|word| word.try_into().ok()) else {
            break;
        };
        let word = u64::from_le_bytes(word);
        let found = zeros(word) | zeros(word ^ repeat(quote)) | zeros(word ^ repeat(b'\\'));
        if found != 0 {
            return at + (found.trailing_zeros() / 8) as usize;
        }
        at += 8;
    }
    let rest = bytes.get(at..).unwrap_or_default();
    if rest.len() < 8 {
        let stops = |byte: &u8| *byte == quote || *byte == b'\\' || *byte == 0;
        return at + rest.iter().position(stops).unwrap_or(rest.len());
    }
    at + memchr::memchr3(quote, b'\\', 0, rest).unwrap_or(rest.len())
}

const fn repeat(byte: u8) -> u64 {
    u64::from_le_bytes([byte; 8])
}

/// The high bit of every byte that is zero; bytes above the lowest such byte may be marked too.
const fn zeros(word: u64) -> u64 {
    word.wrapping_sub(repeat(1)) & !word & repeat(0x80)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, dialect: Dialect) -> Result<(String, Option<StringFault>), usize> {
        let (token, quoted) = token(text.as_bytes(), 0, dialect).map_err(|broken| broken.at)?;
        assert_eq!(token.end + 1, text.len(), "{text}");
        Ok((
            decode(text, token, quoted, dialect).into_owned(),
            quoted.fault,
        ))
    }

    #[test]
    fn the_end_of_a_string_is_found_at_every_length_and_place() {
        for length in 0..100 {
            for stop in ["\"", "\\\"", "\0"] {
                let text = format!("\"{}{stop}\"", "é".repeat(length));
                let plain = plain_end(text.as_bytes(), 1, b'"');
                assert_eq!(plain, 1 + 2 * length, "{text:?}");
            }
        }
        assert_eq!(plain_end("aÿ\u{7f}\u{80}".as_bytes(), 0, b'"'), 6);
    }

    #[test]
    fn escapes_say_what_json_says() {
        let text = r#""\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00\u0041""#;
        let said = "\"\\/\u{8}\u{c}\n\r\té😀A";
        assert_eq!(read(text, Dialect::Json), Ok((said.to_owned(), None)));
        assert_eq!(read(text, Dialect::Strict), Ok((said.to_owned(), None)));
    }

    #[test]
    fn what_cannot_be_kept_is_a_fault_and_no_failure() {
        use StringFault::{Nul, Surrogate};
        for (text, said, fault) in [
            (r#""\ud83d""#, "\u{fffd}", Surrogate),
            (r#""\ud83dx""#, "\u{fffd}x", Surrogate),
            (r#""\ud83d\n""#, "\u{fffd}\n", Surrogate),
            (r#""\ude00\ud83d""#, "\u{fffd}\u{fffd}", Surrogate),
            (r#""\ud83d\ud83d\ude00""#, "\u{fffd}😀", Surrogate),
            (r#""a\u0000b""#, "a\0b", Nul),
            ("\"a\0b\"", "a\0b", Nul),
        ] {
            assert_eq!(
                read(text, Dialect::Json),
                Ok((said.to_owned(), Some(fault))),
                "{text}"
            );
        }
    }

    #[test]
    fn a_bad_escape_is_told_at_its_place() {
        for (text, at) in [
            (r#""\d""#, 1),
            (r#""ab\u12g4""#, 7),
            (r#""ab\u12"#, 7),
            (r#""ab\"#, 4),
            (r#""abc"#, 4),
            (r#""\'""#, 1),
        ] {
            assert_eq!(read(text, Dialect::Json), Err(at), "{text}");
        }
        assert_eq!(read("\"a\nb\"", Dialect::Strict), Err(2));
        assert_eq!(
            read("\"a\nb\"", Dialect::Json),
            Ok(("a\nb".to_owned(), None))
        );
    }

    #[test]
    fn python_strings_say_what_python_says() {
        for (text, said) in [
            (r"'it\'s'", "it's"),
            (r#"'say "x"'"#, "say \"x\""),
            (r#""it's""#, "it's"),
            (
                r"'\a\b\f\n\r\t\v\\\x41\101\7\u00e9\U0001F600'",
                "\u{7}\u{8}\u{c}\n\r\t\u{b}\\AA\u{7}é😀",
            ),
            ("'a\\\nb'", "ab"),
            (r"'\ud83d\ude00'", "😀"),
        ] {
            assert_eq!(
                read(text, Dialect::Python),
                Ok((said.to_owned(), None)),
                "{text}"
            );
        }
        for text in [r"'\d'", r"'\N{DASH}'", r"'\U00110000'", r"'\x4'", r"'\777'"] {
            assert_eq!(
                read(text, Dialect::Python).err(),
                read(text, Dialect::Python).err()
            );
            assert!(
                read(text, Dialect::Python).is_err() || text == r"'\777'",
                "{text}"
            );
        }
    }
}
