//! Figures: the numbers a text states, read exactly or not at all.
//!
//! A figure keeps what the comparison with a value needs: the precision it is written to, its
//! sign if it has one, and the unit that scales it. What cannot be read for certain (`4.300,50`,
//! `1.2.3`, `4½/5`) is a figure without a value; digits inside a name (`Q2`, `x86`) are none.

mod calendar;
mod cursor;
mod left;
mod number;
mod right;
mod scan;
mod units;

use std::ops::Range;

pub use scan::Figures;

use super::decimal::Decimal;
use crate::limits::QUOTED_CHARACTERS;
use number::Reading;

/// The powers of ten that a table's header may stand for.
const HEADER_SCALES: [i64; 6] = [0, 3, 6, 9, 12, -2];

/// A number in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Figure {
    /// Everything that belongs to it: sign, sign of money, digits, unit. The parts of a date or a
    /// time share the span of the whole.
    pub span: Range<usize>,
    /// The digits with what groups them.
    pub digits: Range<usize>,
    /// What kind of number it is.
    pub kind: Kind,
    /// Its sign.
    pub sign: Sign,
    /// What scales it.
    pub unit: Unit,
    reading: Option<Reading>,
}

/// What kind of number a figure is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// An amount.
    Number,
    /// The year, month or day of a date: `2025-06-30`, `June 30, 2025`, `6/30/25`.
    Date,
    /// The hour, minute or second of a time: `10:45`, `5 pm`.
    Time,
    /// A rank: `3rd`.
    Ordinal,
}

/// The sign of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sign {
    /// A minus stands on it.
    Minus,
    /// A plus stands on it, or it is the second end of a range or compound (`4-5%`, `1997-98`).
    Plus,
    /// Neither, or parentheses, which may mean a negative: the text states either sign.
    Open,
}

/// What scales a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unit {
    /// Nothing stands after it; a table's header may scale it.
    Bare,
    /// Thousand, million, billion or trillion: the power of ten.
    Scale(u8),
    /// `%`, percent, percentage points.
    Percent,
    /// A word or sign that scales nothing.
    Other,
}

/// The figures of `text`, from left to right, in one pass and little memory.
///
/// ```
/// use entail_kernel::text::figures::{Kind, Unit, figures};
///
/// let text = "Q3 sales rose 4–5% to $4.3bn by 30 June 2025";
/// let found: Vec<_> = figures(text).map(|f| (&text[f.digits], f.unit, f.kind)).collect();
/// assert_eq!(found, [
///     ("4", Unit::Percent, Kind::Number),
///     ("5", Unit::Percent, Kind::Number),
///     ("4.3", Unit::Scale(9), Kind::Number),
///     ("30", Unit::Other, Kind::Date),
///     ("2025", Unit::Other, Kind::Date),
/// ]);
/// ```
#[must_use]
pub fn figures(text: &str) -> Figures<'_> {
    Figures::new(text)
}

impl Figure {
    /// The number written, without sign and unit; `None` if it cannot be read for certain.
    #[must_use]
    pub fn value(&self) -> Option<&Decimal> {
        Some(&self.reading.as_ref()?.value)
    }

    /// The number at the scale of its unit, with its minus if it has one: 4300000000 for
    /// `$4.3 billion`. A percentage is given as it is written.
    #[must_use]
    pub fn amount(&self) -> Option<Decimal> {
        let power = match self.unit {
            Unit::Scale(power) => i64::from(power),
            Unit::Bare | Unit::Percent | Unit::Other => 0,
        };
        Some(self.value()?.scaled(power, self.sign == Sign::Minus))
    }

    /// The power of ten of the last digit written: -2 for `4.30`, 0 for `4,300`.
    #[must_use]
    pub fn precision(&self) -> Option<i64> {
        Some(self.reading.as_ref()?.last)
    }

    /// Whether the figure states `value`: rounded to the precision written, at the scale of its
    /// unit or counted in a larger unit, with its sign.
    ///
    /// ```
    /// use entail_kernel::text::{Decimal, figures};
    ///
    /// let figure = figures("$4.3 billion").next().ok_or("no figure")?;
    /// let states = |value| Decimal::parse(value).is_some_and(|value| figure.states(&value));
    /// assert!(states("4300000000") && states("4350000000") && states("4300") && states("4.3"));
    /// assert!(!states("4360000000") && !states("4300000000000"));
    /// # Ok::<(), &str>(())
    /// ```
    #[must_use]
    pub fn states(&self, value: &Decimal) -> bool {
        let Some(reading) = &self.reading else {
            return false;
        };
        let sign_agrees = match self.sign {
            Sign::Open => true,
            Sign::Minus => value.is_negative() || value.is_zero(),
            Sign::Plus => !value.is_negative(),
        };
        if !sign_agrees {
            return false;
        }
        let at = |scale: i64| reading.value.rounds_from(value, reading.last, scale);
        match (self.kind, self.unit) {
            (Kind::Date | Kind::Time | Kind::Ordinal, _) => reading.value.has_size_of(value),
            (Kind::Number, Unit::Other) => at(0),
            (Kind::Number, Unit::Percent) => at(0) || at(-2),
            (Kind::Number, Unit::Scale(power)) => (0..=i64::from(power)).step_by(3).any(at),
            // A header's unit is a guess, and zero of something large would state anything small.
            (Kind::Number, Unit::Bare) if reading.value.is_zero() => at(0),
            (Kind::Number, Unit::Bare) => HEADER_SCALES.into_iter().any(at),
        }
    }

    /// The figure in a few words for a message, such as `4.3 billion`; `text` is the text it was
    /// read from.
    #[must_use]
    pub fn describe(&self, text: &str) -> String {
        let range = match self.kind {
            Kind::Date | Kind::Time => &self.span,
            Kind::Number | Kind::Ordinal => &self.digits,
        };
        let written = text.get(range.clone()).unwrap_or_default();
        let mut out = String::new();
        if self.sign == Sign::Minus {
            out.push('-');
        }
        for (count, c) in written.chars().enumerate() {
            if count == QUOTED_CHARACTERS {
                out.push('…');
                break;
            }
            out.push(if c.is_whitespace() {
                ' '
            } else {
                super::characters::narrow(c)
            });
        }
        out.push_str(match (self.kind, self.unit) {
            (Kind::Number, Unit::Percent) => "%",
            (Kind::Number, Unit::Scale(power)) => units::name(power),
            (Kind::Ordinal, _) => "th",
            _ => "",
        });
        out
    }
}
