//! Numbers that keep what was written.

use std::fmt::{self, Write as _};

use crate::write::write_float;

/// A JSON number: an exact integer of any size, or a finite float. `1` and `1.0` differ.
///
/// ```
/// use entail_json::Number;
///
/// let big: Number = Number::from_integer_text("12345678901234567890123").ok_or("digits")?;
/// assert_eq!(big.to_string(), "12345678901234567890123");
/// assert_eq!(big.as_f64(), 1.2345678901234568e22);
/// assert_ne!(Some(Number::from(1_i64)), Number::from_f64(1.0));
/// # Ok::<(), &str>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Number(Repr);

#[derive(Clone, Debug, PartialEq)]
enum Repr {
    Small(i64),
    /// Canonical digits of an integer that does not fit in an `i64`.
    Large(Box<str>),
    /// Finite, and never `-0.0`.
    Float(f64),
}

impl Number {
    /// The float, or `None` if it is infinite or not a number. `-0.0` becomes `0.0`, as the
    /// canonical form has it.
    #[must_use]
    pub fn from_f64(value: f64) -> Option<Self> {
        value.is_finite().then_some(Self(Repr::Float(value + 0.0)))
    }

    /// Appends the canonical text.
    pub(crate) fn write(&self, out: &mut String) {
        match &self.0 {
            Repr::Small(value) => {
                let _ = write!(out, "{value}");
            }
            Repr::Large(digits) => out.push_str(digits),
            Repr::Float(value) => write_float(*value, out),
        }
    }

    /// The integer written as digits with an optional leading `-`, or `None` if the text is
    /// anything else. Leading zeros are dropped and `-0` is `0`. Linear in the digits.
    #[must_use]
    pub fn from_integer_text(text: &str) -> Option<Self> {
        let digits = text.strip_prefix('-').unwrap_or(text);
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        if let Ok(small) = text.parse::<i64>() {
            return Some(Self(Repr::Small(small)));
        }
        let significant = digits.trim_start_matches('0');
        let canonical = if digits.len() < text.len() {
            format!("-{significant}")
        } else {
            significant.to_owned()
        };
        Some(match canonical.parse::<i64>() {
            Ok(small) => Self(Repr::Small(small)),
            Err(_) if significant.is_empty() => Self(Repr::Small(0)),
            Err(_) => Self(Repr::Large(canonical.into())),
        })
    }

    /// Whether this was written as an integer.
    #[must_use]
    pub fn is_integer(&self) -> bool {
        !matches!(self.0, Repr::Float(_))
    }

    /// The integer, if it is one and fits. A float never is, whatever its value.
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        match self.0 {
            Repr::Small(value) => Some(value),
            Repr::Large(_) | Repr::Float(_) => None,
        }
    }

    /// The integer, if it is one and fits. A float never is, whatever its value.
    #[must_use]
    pub fn as_u64(&self) -> Option<u64> {
        match &self.0 {
            Repr::Small(value) => u64::try_from(*value).ok(),
            Repr::Large(digits) => digits.parse().ok(),
            Repr::Float(_) => None,
        }
    }

    /// The nearest float; an integer beyond the range of floats is infinite.
    #[must_use]
    pub fn as_f64(&self) -> f64 {
        match &self.0 {
            #[expect(
                clippy::cast_precision_loss,
                reason = "the nearest float is what is asked for"
            )]
            Repr::Small(value) => *value as f64,
            Repr::Large(digits) => digits.parse().unwrap_or(f64::NAN),
            Repr::Float(value) => *value,
        }
    }
}

impl From<i64> for Number {
    fn from(value: i64) -> Self {
        Self(Repr::Small(value))
    }
}

impl From<u64> for Number {
    fn from(value: u64) -> Self {
        i64::try_from(value).map_or_else(
            |_| Self(Repr::Large(value.to_string().into())),
            |small| Self(Repr::Small(small)),
        )
    }
}

/// The canonical text.
impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        self.write(&mut text);
        f.write_str(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_around_the_word_size_are_exact() {
        for text in [
            "9223372036854775807",
            "-9223372036854775808",
            "9223372036854775808",
            "-9223372036854775809",
        ] {
            let number = Number::from_integer_text(text).unwrap();
            assert_eq!(number.to_string(), text);
            assert!(number.is_integer());
        }
        assert_eq!(Number::from(u64::MAX).as_u64(), Some(u64::MAX));
        assert_eq!(
            Number::from(u64::MAX),
            Number::from_integer_text("18446744073709551615").unwrap()
        );
    }

    #[test]
    fn minus_zero_and_leading_zeros_have_one_form() {
        assert_eq!(Number::from_integer_text("-0"), Some(Number::from(0_i64)));
        assert_eq!(Number::from_integer_text("-000"), Some(Number::from(0_i64)));
        assert_eq!(
            Number::from_integer_text("00000000000000000000000000012"),
            Some(Number::from(12_i64))
        );
        assert_eq!(Number::from_f64(-0.0).unwrap().to_string(), "0.0");
    }

    #[test]
    fn text_that_is_no_integer_is_refused() {
        for text in ["", "-", "+1", "1.0", "1e3", " 1", "١", "0x1"] {
            assert_eq!(Number::from_integer_text(text), None, "{text}");
        }
        assert_eq!(Number::from_f64(f64::NAN), None);
        assert_eq!(Number::from_f64(f64::INFINITY), None);
    }
}
