//! What operators compute: finite floats in, a finite float or a fault out.
//!
//! `//`, `%` and `**` follow the arithmetic of Python's floats, which models write formulas for.

use super::error::ExpressionFault;
use crate::limits::EXPONENT;

/// An operator between two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    FloorDivide,
    Remainder,
    Power,
}

impl Operator {
    pub(super) fn symbol(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
            Self::FloorDivide => "//",
            Self::Remainder => "%",
            Self::Power => "**",
        }
    }

    pub(super) fn apply(self, left: f64, right: f64) -> Result<f64, ExpressionFault> {
        finite(match self {
            Self::Add => left + right,
            Self::Subtract => left - right,
            Self::Multiply => left * right,
            Self::Divide => left / divisor(right)?,
            Self::FloorDivide => floor_divide(left, divisor(right)?),
            Self::Remainder => remainder(left, divisor(right)?),
            Self::Power => power(left, right)?,
        })
    }
}

/// The value, unless it is infinite or not a number.
pub(super) fn finite(value: f64) -> Result<f64, ExpressionFault> {
    if value.is_finite() {
        Ok(value)
    } else {
        Err(ExpressionFault::Overflow)
    }
}

fn divisor(value: f64) -> Result<f64, ExpressionFault> {
    if value == 0.0 {
        Err(ExpressionFault::DivisionByZero)
    } else {
        Ok(value)
    }
}

/// The remainder with the sign of the divisor, zero included.
fn remainder(left: f64, right: f64) -> f64 {
    let rest = left % right;
    if rest == 0.0 {
        0.0_f64.copysign(right)
    } else if (right < 0.0) == (rest < 0.0) {
        rest
    } else {
        rest + right
    }
}

/// The quotient rounded down: of the exact quotient, not of the rounded one, so that
/// `1 // 0.1` is 9.
fn floor_divide(left: f64, right: f64) -> f64 {
    let rest = left % right;
    let mut quotient = (left - rest) / right;
    if rest != 0.0 && (right < 0.0) != (rest < 0.0) {
        quotient -= 1.0;
    }
    if quotient == 0.0 {
        return 0.0_f64.copysign(left / right);
    }
    let whole = quotient.floor();
    if quotient - whole > 0.5 {
        whole + 1.0
    } else {
        whole
    }
}

fn power(base: f64, exponent: f64) -> Result<f64, ExpressionFault> {
    if exponent.abs() > EXPONENT {
        Err(ExpressionFault::ExponentOutOfRange)
    } else if base == 0.0 && exponent < 0.0 {
        Err(ExpressionFault::DivisionByZero)
    } else if base < 0.0 && exponent.fract() != 0.0 {
        Err(ExpressionFault::NotReal)
    } else {
        Ok(base.powf(exponent))
    }
}

/// Rounds half to even at so many decimal digits, negative ones left of the point, by the exact
/// decimal expansion of the float: 2.675 lies below the middle and rounds to 2.67.
pub(super) fn round(value: f64, digits: f64) -> Result<f64, ExpressionFault> {
    if digits.fract() != 0.0 {
        return Err(ExpressionFault::FractionalDigits);
    }
    // A float has no digit past the 1,074th and none left of the 309th; rounding further right
    // than `PLACES` changes no float.
    const PLACES: f64 = 323.0;
    const LEFT: f64 = -309.0;
    if digits > PLACES {
        return Ok(value);
    }
    if digits < LEFT {
        return Ok(0.0_f64.copysign(value));
    }
    #[expect(
        clippy::cast_possible_truncation,
        reason = "whole, and within the bounds checked above"
    )]
    let digits = digits as i32;
    let text = match usize::try_from(digits) {
        Ok(places) => format!("{value:.places$}"),
        Err(_) => round_left_of_the_point(value, digits.unsigned_abs() as usize),
    };
    finite(text.parse().unwrap_or(f64::NAN))
}

/// The decimal text of a value rounded to a multiple of a power of ten.
fn round_left_of_the_point(value: f64, zeros: usize) -> String {
    let whole = value.abs().trunc();
    let exact = format!("{whole:.0}");
    let padded = format!("{exact:0>width$}", width = zeros + 1);
    let (kept, dropped) = padded.split_at(padded.len() - zeros);
    let (first, others) = dropped.split_at(1);
    let beyond = others.bytes().any(|digit| digit != b'0') || whole != value.abs();
    let odd = kept.bytes().next_back().is_some_and(|digit| digit % 2 == 1);
    let up = match first.cmp("5") {
        std::cmp::Ordering::Less => false,
        std::cmp::Ordering::Equal => beyond || odd,
        std::cmp::Ordering::Greater => true,
    };
    let mut digits: Vec<u8> = kept.bytes().collect();
    if up {
        increment(&mut digits);
    }
    let sign = if value.is_sign_negative() { "-" } else { "" };
    format!("{sign}{}e{zeros}", String::from_utf8_lossy(&digits))
}

/// Adds one to a number in decimal digits.
fn increment(digits: &mut Vec<u8>) {
    for digit in digits.iter_mut().rev() {
        if *digit < b'9' {
            *digit += 1;
            return;
        }
        *digit = b'0';
    }
    digits.insert(0, b'1');
}

#[cfg(test)]
mod tests {
    use super::*;
    use Operator::{FloorDivide, Power, Remainder};

    #[test]
    fn floor_division_and_remainder_take_the_sign_of_the_divisor() {
        for (left, right, quotient, rest) in [
            (7.0, 3.0, 2.0, 1.0),
            (-7.0, 3.0, -3.0, 2.0),
            (7.0, -3.0, -3.0, -2.0),
            (-7.0, -3.0, 2.0, -1.0),
            (-7.5, 2.0, -4.0, 0.5),
            (1.0, 0.1, 9.0, 0.099_999_999_999_999_95),
            (6.0, 0.1, 59.0, 0.099_999_999_999_999_67),
            (1e300, 7.0, 1.428_571_428_571_428_6e299, 1.0),
        ] {
            assert_eq!(
                FloorDivide.apply(left, right),
                Ok(quotient),
                "{left} // {right}"
            );
            assert_eq!(Remainder.apply(left, right), Ok(rest), "{left} % {right}");
        }
    }

    #[test]
    fn zeros_keep_the_sign_that_python_gives_them() {
        let negative = |value: Result<f64, _>| value.unwrap().is_sign_negative();
        assert!(negative(Remainder.apply(6.0, -3.0)));
        assert!(!negative(Remainder.apply(-6.0, 3.0)));
        assert!(negative(FloorDivide.apply(-0.0, 3.0)));
        assert!(!negative(FloorDivide.apply(1.0, 3.0)));
    }

    #[test]
    fn powers_outside_the_reals_and_the_limits_are_faults() {
        assert_eq!(Power.apply(0.0, 0.0), Ok(1.0));
        assert_eq!(Power.apply(-8.0, 3.0), Ok(-512.0));
        assert_eq!(Power.apply(2.0, -64.0), Ok(2_f64.powi(-64)));
        assert_eq!(
            Power.apply(2.0, 64.5),
            Err(ExpressionFault::ExponentOutOfRange)
        );
        assert_eq!(Power.apply(-8.0, 1.0 / 3.0), Err(ExpressionFault::NotReal));
        assert_eq!(
            Power.apply(-0.0, -1.0),
            Err(ExpressionFault::DivisionByZero)
        );
        assert_eq!(Power.apply(1e10, 64.0), Err(ExpressionFault::Overflow));
    }

    #[test]
    fn rounding_goes_by_the_exact_decimal_expansion_and_halves_to_even() {
        for (value, digits, rounded) in [
            (2.675, 2.0, 2.67),
            (0.125, 2.0, 0.12),
            (0.375, 2.0, 0.38),
            (2.5, 0.0, 2.0),
            (1.005, 2.0, 1.0),
            (5e-324, 323.0, 0.0),
            (1.5, 324.0, 1.5),
            (1.5, 1e300, 1.5),
            (25.0, -1.0, 20.0),
            (35.0, -1.0, 40.0),
            (25.000_000_000_000_004, -1.0, 30.0),
            (-15.0, -1.0, -20.0),
            (4.9, -1.0, 0.0),
            (5.0, -1.0, 0.0),
            (5.1, -1.0, 10.0),
            (99.5, -1.0, 100.0),
            (4_349_999_999.0, -8.0, 4.3e9),
            (4_350_000_000.0, -8.0, 4.4e9),
            (1e23, -22.0, 1e23),
            (6e307, -308.0, 1e308),
            (1e308, -309.0, 0.0),
            (f64::MAX, -310.0, 0.0),
        ] {
            assert_eq!(
                round(value, digits),
                Ok(rounded),
                "round({value}, {digits})"
            );
        }
        assert_eq!(round(1.5, 0.5), Err(ExpressionFault::FractionalDigits));
        assert_eq!(round(1.5e308, -308.0), Err(ExpressionFault::Overflow));
    }
}
