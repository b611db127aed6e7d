//! Points in time, to the microsecond, in the one written form the journal hashes.

use std::fmt;
use std::str::FromStr;

const MICROS_PER_SECOND: i64 = 1_000_000;
const SECONDS_PER_DAY: i64 = 86_400;
/// 0000-01-01T00:00:00Z.
const FIRST: i64 = -62_167_219_200 * MICROS_PER_SECOND;
/// 9999-12-31T23:59:59.999999Z.
const LAST: i64 = 253_402_300_800 * MICROS_PER_SECOND - 1;

/// A point in time: microseconds since 1970-01-01T00:00:00Z, in the years 0000 to 9999.
///
/// It is written as RFC 3339 in UTC with exactly six decimals, and read from any RFC 3339 text
/// (digits past the sixth are cut off).
///
/// ```
/// use entail_trace::journal::Timestamp;
///
/// let time: Timestamp = "2026-02-28T23:30:00.5-01:00".parse()?;
/// assert_eq!(time.to_string(), "2026-03-01T00:30:00.500000Z");
/// # Ok::<(), entail_trace::journal::InvalidTimestamp>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

/// Text or a number that is no point in time this crate can write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a time is rfc 3339 in the years 0000 to 9999, like `2026-01-31T09:30:00.000000Z`")]
pub struct InvalidTimestamp;

impl Timestamp {
    /// 1970-01-01T00:00:00Z.
    pub const EPOCH: Self = Self(0);

    /// The time so many microseconds after 1970 began.
    ///
    /// # Errors
    /// [`InvalidTimestamp`] outside the years 0000 to 9999.
    pub const fn from_micros(micros: i64) -> Result<Self, InvalidTimestamp> {
        if micros < FIRST || micros > LAST {
            Err(InvalidTimestamp)
        } else {
            Ok(Self(micros))
        }
    }

    /// Microseconds since 1970 began.
    #[must_use]
    pub const fn as_micros(self) -> i64 {
        self.0
    }

    /// Seconds since 1970 began.
    #[must_use]
    #[expect(
        clippy::cast_precision_loss,
        reason = "every microsecond up to 2255 is below 2^53"
    )]
    pub fn as_seconds(self) -> f64 {
        self.0 as f64 / 1e6
    }

    /// This time moved by so many microseconds, held within the years 0000 to 9999.
    #[must_use]
    pub fn saturating_add_micros(self, micros: i64) -> Self {
        Self(self.0.saturating_add(micros).clamp(FIRST, LAST))
    }

    /// Reads only the form [`Display`](fmt::Display) writes, so that one time has one text.
    ///
    /// # Errors
    /// [`InvalidTimestamp`] for any other text, other forms of RFC 3339 included.
    pub fn parse_exact(text: &str) -> Result<Self, InvalidTimestamp> {
        let time: Self = text.parse()?;
        if time.to_string() == text {
            Ok(time)
        } else {
            Err(InvalidTimestamp)
        }
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.0.div_euclid(MICROS_PER_SECOND);
        let micros = self.0.rem_euclid(MICROS_PER_SECOND);
        let (year, month, day) = civil(seconds.div_euclid(SECONDS_PER_DAY));
        let second = seconds.rem_euclid(SECONDS_PER_DAY);
        let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
        write!(
            f,
            "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{micros:06}Z"
        )
    }
}

impl FromStr for Timestamp {
    type Err = InvalidTimestamp;

    fn from_str(text: &str) -> Result<Self, InvalidTimestamp> {
        let mut scan = Scan(text.as_bytes());
        let year = scan.digits(4)?;
        scan.one_of(b"-")?;
        let month = scan.digits(2)?;
        scan.one_of(b"-")?;
        let day = scan.digits(2)?;
        scan.one_of(b"Tt ")?;
        let hour = scan.digits(2)?;
        scan.one_of(b":")?;
        let minute = scan.digits(2)?;
        scan.one_of(b":")?;
        let second = scan.digits(2)?;
        let micros = scan.fraction()?;
        let offset = scan.offset()?;
        let known = (1..=12).contains(&month)
            && (1..=days_in(year, month)).contains(&day)
            && hour < 24
            && minute < 60
            && second < 60
            && scan.0.is_empty();
        if !known {
            return Err(InvalidTimestamp);
        }
        let time = (hour * 60 + minute - offset) * 60 + second;
        let seconds = days(year, month, day) * SECONDS_PER_DAY + time;
        Self::from_micros(seconds * MICROS_PER_SECOND + micros)
    }
}

/// What is left of a text.
struct Scan<'a>(&'a [u8]);

impl Scan<'_> {
    fn one_of(&mut self, bytes: &[u8]) -> Result<u8, InvalidTimestamp> {
        match self.0.split_first() {
            Some((byte, rest)) if bytes.contains(byte) => {
                self.0 = rest;
                Ok(*byte)
            }
            _ => Err(InvalidTimestamp),
        }
    }

    fn digits(&mut self, count: usize) -> Result<i64, InvalidTimestamp> {
        (0..count).try_fold(0, |number, _| {
            let digit = self.one_of(b"0123456789")?;
            Ok(number * 10 + i64::from(digit - b'0'))
        })
    }

    fn fraction(&mut self) -> Result<i64, InvalidTimestamp> {
        if self.one_of(b".").is_err() {
            return Ok(0);
        }
        let mut micros = self.digits(1)? * 100_000;
        let mut place = 10_000;
        while let Ok(digit) = self.digits(1) {
            micros += digit * place;
            place /= 10;
        }
        Ok(micros)
    }

    /// Minutes ahead of UTC.
    fn offset(&mut self) -> Result<i64, InvalidTimestamp> {
        let sign = match self.one_of(b"Zz+-")? {
            b'+' => 1,
            b'-' => -1,
            _ => return Ok(0),
        };
        let hours = self.digits(2)?;
        self.one_of(b":")?;
        let minutes = self.digits(2)?;
        if hours > 23 || minutes > 59 {
            return Err(InvalidTimestamp);
        }
        Ok(sign * (hours * 60 + minutes))
    }
}

fn days_in(year: i64, month: i64) -> i64 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        _ => 31,
    }
}

// Days since 1970-01-01 and back in the proleptic Gregorian calendar, counted in years that
// begin on 1 March so that the leap day comes last: H. Hinnant, "chrono-compatible low-level
// date algorithms", days_from_civil and civil_from_days.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

fn civil(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 {
        shifted + 3
    } else {
        shifted - 9
    };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_day_of_four_centuries_reads_back_and_counts_on_by_one() {
        let first = days(1999, 12, 31);
        let mut last = first;
        for year in 2000..=2400 {
            for month in 1..=12 {
                for day in 1..=days_in(year, month) {
                    last += 1;
                    assert_eq!(days(year, month, day), last);
                    assert_eq!(civil(last), (year, month, day));
                }
            }
        }
        assert_eq!(days(1970, 1, 1), 0);
    }

    #[test]
    fn the_ends_of_the_range_are_written_and_read() {
        for (micros, text) in [
            (FIRST, "0000-01-01T00:00:00.000000Z"),
            (LAST, "9999-12-31T23:59:59.999999Z"),
        ] {
            let time = Timestamp::from_micros(micros).unwrap();
            assert_eq!(time.to_string(), text);
            assert_eq!(Timestamp::parse_exact(text), Ok(time));
        }
        assert!(Timestamp::from_micros(FIRST - 1).is_err());
        assert!(Timestamp::from_micros(LAST + 1).is_err());
        assert!("0000-01-01T00:00:00+00:01".parse::<Timestamp>().is_err());
    }

    #[test]
    fn any_rfc_3339_text_is_read_and_only_our_own_form_exactly() {
        for (text, written) in [
            ("2026-01-31T09:30:00Z", "2026-01-31T09:30:00.000000Z"),
            (
                "2026-01-31t09:30:00.1234567z",
                "2026-01-31T09:30:00.123456Z",
            ),
            ("2026-01-31 09:30:00.5+05:30", "2026-01-31T04:00:00.500000Z"),
            ("1969-12-31T23:59:59.999999Z", "1969-12-31T23:59:59.999999Z"),
        ] {
            let time: Timestamp = text.parse().unwrap();
            assert_eq!(time.to_string(), written);
            assert_eq!(Timestamp::parse_exact(text).is_ok(), text == written);
        }
    }

    #[test]
    fn text_that_is_no_time_is_refused() {
        for text in [
            "",
            "2026",
            "2026-13-01T00:00:00Z",
            "2026-02-29T00:00:00Z",
            "2026-01-01T24:00:00Z",
            "2026-01-01T00:60:00Z",
            "2026-01-01T00:00:60Z",
            "2026-01-01T00:00:00",
            "2026-01-01T00:00:00.Z",
            "2026-01-01T00:00:00Z ",
            "2026-01-01T00:00:00+24:00",
            "+2026-01-01T00:00:00Z",
            "2026-01-01T00:00:00.000000é",
        ] {
            assert_eq!(text.parse::<Timestamp>(), Err(InvalidTimestamp), "{text}");
        }
    }
}
