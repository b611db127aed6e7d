//! What Python literals have that JSON has not. Only what Python itself reads in one way and
//! without a warning: no names but three, no operators, no prefixes, no unknown escapes.

use crate::{
    numbers::digits_end,
    scan::{Broken, Scalar},
    strings::{Escape, hexadecimal},
};

const EXPECTED: &str = "a value";

/// `True`, `False`, `None` or a number.
pub(crate) fn scalar(bytes: &[u8], at: usize) -> Result<(Scalar, usize), Broken> {
    let (scalar, end) = match bytes.get(at) {
        Some(b'T') => (Scalar::True, keyword(bytes, at, b"True")?),
        Some(b'F') => (Scalar::False, keyword(bytes, at, b"False")?),
        Some(b'N') => (Scalar::Null, keyword(bytes, at, b"None")?),
        _ => (Scalar::Number, number(bytes, at)?),
    };
    match bytes.get(end) {
        Some(byte) if byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | 0x80..) => {
            Err(Broken::expected(at, EXPECTED))
        }
        _ => Ok((scalar, end)),
    }
}

fn keyword(bytes: &[u8], at: usize, word: &[u8]) -> Result<usize, Broken> {
    let rest = bytes.get(at..).unwrap_or_default();
    if rest.starts_with(word) {
        Ok(at + word.len())
    } else if word.starts_with(rest) {
        Err(Broken::unfinished(bytes.len(), EXPECTED))
    } else {
        Err(Broken::expected(at, EXPECTED))
    }
}

/// A decimal number with an optional sign: `7`, `-1.5e3`, `+5`, `.5`, `5.`.
fn number(bytes: &[u8], start: usize) -> Result<usize, Broken> {
    let mut at = start;
    if let Some(b'+' | b'-') = bytes.get(at) {
        at += 1;
    }
    let whole = digits_end(bytes, at);
    let mut end = whole;
    if bytes.get(whole) == Some(&b'.') {
        end = digits_end(bytes, whole + 1);
        if end == whole + 1 && whole == at {
            return Err(Broken::expected(start, EXPECTED));
        }
    } else if whole == at {
        return Err(if at < bytes.len() {
            Broken::expected(start, EXPECTED)
        } else {
            Broken::unfinished(at, EXPECTED)
        });
    }
    let mut float = end > whole;
    if let Some(b'e' | b'E') = bytes.get(end) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let exponent = digits_end(bytes, end + 1 + sign);
        if exponent == end + 1 + sign {
            return Err(Broken::expected(exponent, "digits of an exponent"));
        }
        end = exponent;
        float = true;
    }
    let zero_first = whole > at + 1 && bytes.get(at) == Some(&b'0');
    if zero_first && !float {
        return Err(Broken::expected(at, "a number without leading zeros"));
    }
    Ok(end)
}

/// The escape whose backslash stands at `at`, before `letter`.
pub(crate) fn escape(bytes: &[u8], at: usize, letter: u8) -> Result<(Escape, usize), Broken> {
    let char = match letter {
        b'\'' | b'"' | b'\\' => char::from(letter),
        b'\n' => return Ok((Escape::Nothing, at + 2)),
        b'\r' => {
            let feed = usize::from(bytes.get(at + 2) == Some(&b'\n'));
            return Ok((Escape::Nothing, at + 2 + feed));
        }
        b'a' => '\u{7}',
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'v' => '\u{b}',
        b'0'..=b'7' => return octal(bytes, at),
        b'x' => return hexadecimal(bytes, at, 2),
        b'u' => return hexadecimal(bytes, at, 4),
        b'U' => return hexadecimal(bytes, at, 8),
        _ => return Err(Broken::expected(at, "one of Python's escapes")),
    };
    Ok((Escape::Char(char), at + 2))
}

/// Up to three octal digits, to 377.
fn octal(bytes: &[u8], at: usize) -> Result<(Escape, usize), Broken> {
    let mut code = 0_u32;
    let mut end = at + 1;
    while let Some(digit @ b'0'..=b'7') = bytes.get(end) {
        if end == at + 4 {
            break;
        }
        code = code * 8 + u32::from(digit - b'0');
        end += 1;
    }
    match u8::try_from(code) {
        Ok(byte) => Ok((Escape::Char(char::from(byte)), end)),
        Err(_) => Err(Broken::expected(at, "an octal escape up to `\\377`")),
    }
}
