//! Exact decimal numbers, as far as comparing with a rounded one needs them.

use std::fmt;

use entail_json::Number;

use crate::limits::DECIMAL_EXPONENT;

/// A decimal number of any length: a sign, digits, and the power of ten of the first digit.
///
/// ```
/// use entail_kernel::text::Decimal;
///
/// let written = Decimal::parse("4.3").ok_or("no number")?;
/// let claimed = Decimal::parse("4349999999.99").ok_or("no number")?;
/// assert!(written.rounds_from(&claimed, -1, 9)); // to one place, in billions
/// assert!(!written.rounds_from(&claimed, -2, 9));
/// # Ok::<(), &str>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Decimal {
    negative: bool,
    /// Values 0 to 9 without zeros at either end; empty for zero.
    digits: Box<[u8]>,
    /// The power of ten of the first digit; 0 for zero.
    top: i64,
}

impl Decimal {
    /// The number `digits` with its last digit standing for 10 to the `last`.
    pub(super) fn new(negative: bool, digits: &[u8], last: i64) -> Self {
        let leading = digits.iter().take_while(|digit| **digit == 0).count();
        let trailing = digits.iter().rev().take_while(|digit| **digit == 0).count();
        let kept = digits
            .get(leading..digits.len().saturating_sub(trailing))
            .unwrap_or_default();
        if kept.is_empty() {
            return Self {
                negative: false,
                digits: Box::default(),
                top: 0,
            };
        }
        Self {
            negative,
            top: last.saturating_add(to_i64(digits.len() - leading) - 1),
            digits: kept.into(),
        }
    }

    /// Reads an optional sign, digits with an optional point, and an optional exponent; anything
    /// else, and an exponent beyond ±[`DECIMAL_EXPONENT`], is `None`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (negative, unsigned) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text.strip_prefix('+').unwrap_or(text)),
        };
        let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, parse_exponent(exponent)?),
            None => (unsigned, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits: Vec<u8> = whole
            .bytes()
            .chain(fraction.bytes())
            .map(|byte| byte.is_ascii_digit().then(|| byte - b'0'))
            .collect::<Option<_>>()?;
        if digits.is_empty() {
            return None;
        }
        Some(Self::new(
            negative,
            &digits,
            exponent - to_i64(fraction.len()),
        ))
    }

    /// This, without its sign, times 10 to the `power`.
    pub(super) fn scaled(&self, power: i64, negative: bool) -> Self {
        Self {
            negative: negative && !self.is_zero(),
            digits: self.digits.clone(),
            top: if self.is_zero() {
                0
            } else {
                self.top.saturating_add(power)
            },
        }
    }

    /// The integer this is, if it is one and fits.
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        const LONGEST: i64 = 18;
        if self.top < 0 || self.top > LONGEST {
            return self.is_zero().then_some(0);
        }
        let places = usize::try_from(self.top + 1).ok()?;
        if self.digits.len() > places {
            return None;
        }
        let zeros = std::iter::repeat_n(0, places - self.digits.len());
        let size = self
            .digits
            .iter()
            .copied()
            .chain(zeros)
            .try_fold(0_i64, |size, digit| {
                size.checked_mul(10)?.checked_add(digit.into())
            })?;
        Some(if self.negative { -size } else { size })
    }

    /// Whether this is below zero.
    #[must_use]
    pub fn is_negative(&self) -> bool {
        self.negative
    }

    /// Whether this is zero.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        self.digits.is_empty()
    }

    /// Whether `other` is this number, signs apart.
    #[must_use]
    pub fn has_size_of(&self, other: &Self) -> bool {
        (&self.digits, self.top) == (&other.digits, other.top)
    }

    /// Whether `other`, divided by 10 to the `scale` and rounded to the place 10 to the `last`,
    /// is this number, signs apart. A tie rounds both ways. This number must have no digit below
    /// that place.
    #[must_use]
    pub fn rounds_from(&self, other: &Self, last: i64, scale: i64) -> bool {
        let top = other.top.saturating_sub(scale);
        let kept = usize::try_from(top.saturating_sub(last).saturating_add(1)).unwrap_or(0);
        if top < last.saturating_sub(1) || other.is_zero() {
            return self.is_zero();
        }
        let half = half(other, if top < last { 0 } else { kept });
        let down = Truncated {
            digits: other
                .digits
                .get(..kept.min(other.digits.len()))
                .unwrap_or_default(),
            top,
            places: kept,
        };
        half != Half::Above && down.equals(self) || half != Half::Below && self.follows(&down, last)
    }

    /// Whether this is one unit of 10 to the `last` above `down`.
    fn follows(&self, down: &Truncated<'_>, last: i64) -> bool {
        if self.is_zero() || self.top < last || self.top > down.top.max(last - 1).saturating_add(1)
        {
            return false;
        }
        let Ok(places) = usize::try_from(self.top - last + 1) else {
            return false;
        };
        let mut less: Vec<u8> = self.digits.to_vec();
        less.resize(places.max(less.len()), 0);
        for digit in less.iter_mut().rev() {
            if *digit > 0 {
                *digit -= 1;
                break;
            }
            *digit = 9;
        }
        down.equals(&Self::new(false, &less, last))
    }
}

/// The first `places` digits of a number whose first digit stands for 10 to the `top`; digits
/// that are not there are zeros.
struct Truncated<'d> {
    digits: &'d [u8],
    top: i64,
    places: usize,
}

impl Truncated<'_> {
    fn equals(&self, number: &Decimal) -> bool {
        if self.places == 0 {
            return number.is_zero();
        }
        !number.is_zero()
            && number.top == self.top
            && self.digits.get(..number.digits.len()) == Some(&*number.digits)
            && self
                .digits
                .iter()
                .skip(number.digits.len())
                .all(|digit| *digit == 0)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Half {
    Below,
    Exactly,
    Above,
}

/// How what follows the first `kept` digits compares with half a unit of the last of them.
fn half(number: &Decimal, kept: usize) -> Half {
    match number.digits.get(kept) {
        None | Some(0..=4) => Half::Below,
        Some(5) if number.digits.len() == kept + 1 => Half::Exactly,
        Some(_) => Half::Above,
    }
}

pub(super) fn parse_exponent(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let significant = digits.trim_start_matches('0');
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let value: i64 = match significant.len() {
        0 => 0,
        1..=6 => significant.parse().ok()?,
        _ => return None,
    };
    (value <= DECIMAL_EXPONENT).then_some(if text.starts_with('-') { -value } else { value })
}

/// Lengths fit.
fn to_i64(length: usize) -> i64 {
    i64::try_from(length).unwrap_or(i64::MAX)
}

/// The number as its canonical text writes it: for a float the shortest digits that read back as
/// it, so that 0.1 is a tenth.
impl From<&Number> for Decimal {
    fn from(number: &Number) -> Self {
        Self::parse(&number.to_string()).unwrap_or_else(|| Self::new(false, &[], 0))
    }
}

/// Without an exponent if that takes at most [`DECIMAL_EXPONENT`] zeros.
impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        if self.negative {
            text.push('-');
        }
        if self.top < 0 {
            text.push_str("0.");
            text.extend(std::iter::repeat_n(
                '0',
                usize::try_from(-1 - self.top).unwrap_or(0),
            ));
        }
        let whole = usize::try_from(self.top).map_or(0, |top| top + 1);
        for (at, digit) in self.digits.iter().enumerate() {
            if at == whole && at > 0 {
                text.push('.');
            }
            text.push(char::from(b'0' + digit));
        }
        text.extend(std::iter::repeat_n(
            '0',
            whole.saturating_sub(self.digits.len()),
        ));
        f.write_str(&text)
    }
}
