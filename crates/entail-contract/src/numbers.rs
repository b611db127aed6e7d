//! Numbers and the other bare words of JSON.

use entail_json::Number;

use crate::scan::{Broken, Scalar};

const EXPECTED: &str = "a value";

/// A number, `true`, `false` or `null`; with `slips` also `NaN`, `Infinity` and `-Infinity`.
pub(crate) fn scalar(bytes: &[u8], at: usize, slips: bool) -> Result<(Scalar, usize), Broken> {
    match bytes.get(at) {
        Some(b'0'..=b'9') => number(bytes, at, at),
        Some(b'-') if slips && bytes.get(at + 1) == Some(&b'I') => {
            Ok((Scalar::NotFinite, word(bytes, at, b"-Infinity")?))
        }
        Some(b'-') => number(bytes, at, at + 1),
        Some(b't') => Ok((Scalar::True, word(bytes, at, b"true")?)),
        Some(b'f') => Ok((Scalar::False, word(bytes, at, b"false")?)),
        Some(b'n') => Ok((Scalar::Null, word(bytes, at, b"null")?)),
        Some(b'N') if slips => Ok((Scalar::NotFinite, word(bytes, at, b"NaN")?)),
        Some(b'I') if slips => Ok((Scalar::NotFinite, word(bytes, at, b"Infinity")?)),
        _ => Err(Broken::expected(at, EXPECTED)),
    }
}

fn word(bytes: &[u8], at: usize, word: &[u8]) -> Result<usize, Broken> {
    let rest = bytes.get(at..).unwrap_or_default();
    if rest.starts_with(word) {
        Ok(at + word.len())
    } else if word.starts_with(rest) {
        Err(Broken::unfinished(bytes.len(), EXPECTED))
    } else {
        Err(Broken::expected(at, EXPECTED))
    }
}

fn number(bytes: &[u8], start: usize, digits: usize) -> Result<(Scalar, usize), Broken> {
    let missing = |at: usize| {
        if at < bytes.len() {
            Broken::expected(at, "a digit")
        } else {
            Broken::unfinished(at, "a digit")
        }
    };
    let mut end = digits_end(bytes, digits);
    if end == digits {
        return Err(missing(end));
    }
    if end > digits + 1 && bytes.get(digits) == Some(&b'0') {
        return Err(Broken::expected(start, "a number without leading zeros"));
    }
    if bytes.get(end) == Some(&b'.') {
        let fraction = end + 1;
        end = digits_end(bytes, fraction);
        if end == fraction {
            return Err(missing(end));
        }
    }
    if let Some(b'e' | b'E') = bytes.get(end) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let exponent = end + 1 + sign;
        end = digits_end(bytes, exponent);
        if end == exponent {
            return Err(missing(end));
        }
    }
    Ok((Scalar::Number, end))
}

/// The first byte from `at` on that is no decimal digit.
pub(crate) fn digits_end(bytes: &[u8], mut at: usize) -> usize {
    while let Some(b'0'..=b'9') = bytes.get(at) {
        at += 1;
    }
    at
}

/// The number that a token of JSON or Python writes; `None` past the range of floats.
pub(crate) fn decode(token: &str) -> Option<Number> {
    let text = token.strip_prefix('+').unwrap_or(token);
    if text.bytes().any(|byte| matches!(byte, b'.' | b'e' | b'E')) {
        Number::from_f64(text.parse().ok()?)
    } else {
        Number::from_integer_text(text)
    }
}

/// A number as people and programs write it, alone in a text: a confidence in a string.
pub(crate) fn decode_text(text: &str) -> Option<f64> {
    let plain = text
        .bytes()
        .all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-'));
    if plain { text.parse().ok() } else { None }
}
