//! Points in time and spans of time, in whole microseconds.

use std::fmt;
use std::str::FromStr;

const MICROS_PER_SECOND: i64 = 1_000_000;
const SECONDS_PER_DAY: i64 = 86_400;

/// A point in time: whole microseconds since 1970-01-01T00:00:00Z, in the years 0 to 9999.
///
/// It is written as RFC 3339 in UTC with six decimals, and read from any RFC 3339 text whose
/// fraction has at most six significant decimals.
///
/// ```
/// use entail_kernel::{Span, Time};
///
/// let start: Time = "2026-01-01T01:00:00+01:00".parse()?;
/// assert_eq!(start.to_string(), "2026-01-01T00:00:00.000000Z");
/// let later = start.checked_add(Span::from_micros(1_500_000)).ok_or("out of range")?;
/// assert_eq!(later.since(start).seconds(), 1.5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(i64);

/// A span of time in whole microseconds; negative when it points backwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span(i64);

/// Text that is not a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a time is written as RFC 3339 with at most six decimals, such as `2026-01-01T00:00:00.000000Z`"
)]
pub struct InvalidTime;

impl Time {
    /// The first time there is: 0000-01-01T00:00:00Z.
    pub const MIN: Self = Self(-62_167_219_200 * MICROS_PER_SECOND);
    /// The last time there is: 9999-12-31T23:59:59.999999Z.
    pub const MAX: Self = Self(253_402_300_800 * MICROS_PER_SECOND - 1);
    /// 1970-01-01T00:00:00Z.
    pub const EPOCH: Self = Self(0);

    /// The time so many microseconds after the epoch, unless it lies outside the years 0 to 9999.
    #[must_use]
    pub const fn from_micros(micros: i64) -> Option<Self> {
        if micros < Self::MIN.0 || micros > Self::MAX.0 {
            None
        } else {
            Some(Self(micros))
        }
    }

    /// Microseconds since the epoch.
    #[must_use]
    pub const fn micros(self) -> i64 {
        self.0
    }

    /// The time that much later, unless it lies outside the years 0 to 9999.
    #[must_use]
    pub const fn checked_add(self, span: Span) -> Option<Self> {
        match self.0.checked_add(span.0) {
            Some(micros) => Self::from_micros(micros),
            None => None,
        }
    }

    /// The time that much later, or the first or last time there is.
    #[must_use]
    pub fn saturating_add(self, span: Span) -> Self {
        Self(self.0.saturating_add(span.0)).clamp(Self::MIN, Self::MAX)
    }

    /// How much later this is than another time.
    #[must_use]
    pub const fn since(self, earlier: Self) -> Span {
        Span(self.0.saturating_sub(earlier.0))
    }
}

impl Span {
    /// No time at all.
    pub const ZERO: Self = Self(0);

    /// So many microseconds.
    #[must_use]
    pub const fn from_micros(micros: i64) -> Self {
        Self(micros)
    }

    /// So many seconds, rounded to the microsecond, or `None` if that is not finite or longer
    /// than the range of [`Time`].
    #[must_use]
    pub fn from_seconds(seconds: f64) -> Option<Self> {
        let micros = (seconds * 1e6).round();
        #[expect(
            clippy::cast_precision_loss,
            reason = "a bound may be off by less than a second"
        )]
        let longest = Time::MAX.since(Time::MIN).0 as f64;
        if micros.is_finite() && micros.abs() <= longest {
            #[expect(
                clippy::cast_possible_truncation,
                reason = "rounded and within the range of i64"
            )]
            Some(Self(micros as i64))
        } else {
            None
        }
    }

    /// Microseconds.
    #[must_use]
    pub const fn micros(self) -> i64 {
        self.0
    }

    /// Seconds, to the nearest float.
    #[must_use]
    #[expect(
        clippy::cast_precision_loss,
        reason = "the nearest float is what is asked for"
    )]
    pub fn seconds(self) -> f64 {
        self.0 as f64 / 1e6
    }

    /// The ratio of two spans, as half-lives need it; infinite or NaN when `other` is zero.
    #[must_use]
    #[expect(
        clippy::cast_precision_loss,
        reason = "the nearest float is what is asked for"
    )]
    pub fn ratio(self, other: Self) -> f64 {
        self.0 as f64 / other.0 as f64
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.0.div_euclid(MICROS_PER_SECOND);
        let micros = self.0.rem_euclid(MICROS_PER_SECOND);
        let (year, month, day) = civil(seconds.div_euclid(SECONDS_PER_DAY));
        let second = seconds.rem_euclid(SECONDS_PER_DAY);
        write!(
            f,
            "{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}.{micros:06}Z",
            second / 3600,
            second / 60 % 60,
            second % 60
        )
    }
}

impl fmt::Debug for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Time({self})")
    }
}

impl FromStr for Time {
    type Err = InvalidTime;

    fn from_str(text: &str) -> Result<Self, InvalidTime> {
        parse(text.as_bytes()).ok_or(InvalidTime)
    }
}

/// The civil date of a day counted from the epoch: Howard Hinnant's `civil_from_days`.
fn civil(day: i64) -> (i64, i64, i64) {
    let shifted = day + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_index = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_index + 2) / 5 + 1;
    let month = if month_index < 10 {
        month_index + 3
    } else {
        month_index - 9
    };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

/// The day counted from the epoch of a civil date: Howard Hinnant's `days_from_civil`.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let month_index = (month + 9) % 12;
    let day_of_year = (153 * month_index + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

fn parse(text: &[u8]) -> Option<Time> {
    let mut at = Scan(text);
    let year = at.digits(4)?;
    at.one_of(b"-")?;
    let month = at.digits(2).filter(|month| (1..=12).contains(month))?;
    at.one_of(b"-")?;
    let day = at.digits(2)?;
    let date = days(year, month, day);
    if civil(date) != (year, month, day) {
        return None;
    }
    at.one_of(b"Tt ")?;
    let hour = at.digits(2).filter(|hour| *hour < 24)?;
    at.one_of(b":")?;
    let minute = at.digits(2).filter(|minute| *minute < 60)?;
    at.one_of(b":")?;
    // A leap second has no place of its own on this scale; it counts as the second before it.
    let second = at.digits(2).filter(|second| *second <= 60)?.min(59);
    let micros = at.fraction()?;
    let offset = at.offset()?;
    let seconds = date * SECONDS_PER_DAY + hour * 3600 + minute * 60 + second - offset;
    at.0.is_empty()
        .then(|| Time::from_micros(seconds * MICROS_PER_SECOND + micros))
        .flatten()
}

/// What is left to read.
struct Scan<'a>(&'a [u8]);

impl Scan<'_> {
    fn digits(&mut self, count: usize) -> Option<i64> {
        let (digits, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        digits.iter().try_fold(0, |sum, digit| {
            digit
                .is_ascii_digit()
                .then(|| sum * 10 + i64::from(digit - b'0'))
        })
    }

    fn one_of(&mut self, accepted: &[u8]) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        accepted.contains(first).then_some(*first)
    }

    fn fraction(&mut self) -> Option<i64> {
        let Some(rest) = self.0.strip_prefix(b".") else {
            return Some(0);
        };
        let end = rest
            .iter()
            .position(|byte| !byte.is_ascii_digit())
            .unwrap_or(rest.len());
        let (digits, rest) = rest.split_at_checked(end)?;
        self.0 = rest;
        let (micros, finer) = digits.split_at(digits.len().min(6));
        if digits.is_empty() || finer.iter().any(|digit| *digit != b'0') {
            return None;
        }
        let scale = [100_000, 10_000, 1_000, 100, 10, 1];
        Some(
            micros
                .iter()
                .zip(scale)
                .map(|(digit, weight)| i64::from(digit - b'0') * weight)
                .sum(),
        )
    }

    /// Seconds east of UTC.
    fn offset(&mut self) -> Option<i64> {
        let sign = match self.one_of(b"Zz+-")? {
            b'+' => 1,
            b'-' => -1,
            _ => return Some(0),
        };
        let hours = self.digits(2).filter(|hours| *hours < 24)?;
        self.one_of(b":")?;
        let minutes = self.digits(2).filter(|minutes| *minutes < 60)?;
        Some(sign * (hours * 3600 + minutes * 60))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_day_of_ten_thousand_years_is_written_and_read_back() {
        let mut time = Time::MIN;
        while let Some(next) = time.checked_add(Span(SECONDS_PER_DAY * MICROS_PER_SECOND)) {
            assert_eq!(time.to_string().parse(), Ok(time));
            time = next;
        }
        assert_eq!(Time::MAX.to_string(), "9999-12-31T23:59:59.999999Z");
        assert_eq!(Time::MIN.to_string(), "0000-01-01T00:00:00.000000Z");
        assert_eq!(Time::MAX.to_string().parse(), Ok(Time::MAX));
    }

    #[test]
    fn offsets_and_fractions_are_read() {
        let time = |text: &str| text.parse::<Time>().map(Time::micros);
        assert_eq!(time("1970-01-01T00:00:00Z"), Ok(0));
        assert_eq!(time("1970-01-01t01:30:00.000001+01:30"), Ok(1));
        assert_eq!(time("1969-12-31T23:59:59.5z"), Ok(-500_000));
        assert_eq!(time("1970-01-01T00:00:00.1234560000Z"), Ok(123_456));
        assert_eq!(time("1972-06-30T23:59:60Z"), time("1972-06-30T23:59:59Z"));
    }

    #[test]
    fn what_is_no_time_is_refused() {
        for text in [
            "",
            "2026-01-01",
            "2026-01-01T00:00:00",
            "2026-02-29T00:00:00Z",
            "2026-13-01T00:00:00Z",
            "2026-01-01T24:00:00Z",
            "2026-01-01T00:00:00.Z",
            "2026-01-01T00:00:00.0000001Z",
            "2026-01-01T00:00:00Z ",
            "2026-01-01T00:00:00+1:00",
            "0000-01-01T00:00:00+00:01",
            "٢026-01-01T00:00:00Z",
        ] {
            assert_eq!(text.parse::<Time>(), Err(InvalidTime), "{text}");
        }
    }

    #[test]
    fn arithmetic_never_leaves_the_range() {
        assert_eq!(Time::MAX.checked_add(Span(1)), None);
        assert_eq!(Time::MAX.checked_add(Span(i64::MAX)), None);
        assert_eq!(Time::MAX.saturating_add(Span(i64::MAX)), Time::MAX);
        assert_eq!(Time::MIN.saturating_add(Span(i64::MIN)), Time::MIN);
        assert_eq!(Span::from_seconds(f64::NAN), None);
        assert_eq!(Span::from_seconds(1e300), None);
        assert_eq!(Span::from_seconds(0.000_000_4), Some(Span::ZERO));
    }
}
