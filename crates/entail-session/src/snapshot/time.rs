//! Times as Python's `datetime.isoformat` has them.

use entail_json::Value;
use entail_kernel::Time;

use crate::fields::{Faults, Fields};

/// The first time that Python's `datetime` has: 0001-01-01T00:00:00Z, in microseconds.
const PYTHON_MIN: i64 = -62_135_596_800_000_000;

/// A time that has to be there.
pub(super) fn required(
    fields: &mut Fields<'_>,
    name: &'static str,
    faults: &mut Faults,
) -> Option<Time> {
    let time = optional(fields, name, faults);
    fields.required(name, time, faults)
}

/// A time, if one is given.
pub(super) fn optional(
    fields: &mut Fields<'_>,
    name: &'static str,
    faults: &mut Faults,
) -> Option<Time> {
    let text = fields.text(name, faults)?;
    parse(text, &fields.at(name), faults)
}

/// Reads a time; one without an offset is no point in time.
pub(super) fn parse(text: &str, pointer: &str, faults: &mut Faults) -> Option<Time> {
    let time = text.parse().ok();
    if time.is_none() {
        let text = crate::text::shorten(text, 40);
        faults.push(
            pointer,
            format!("is `{text}`: write a time with its offset, such as 2026-01-01T00:00:00+00:00"),
        );
    }
    time
}

/// The time as every Python from 3.7 on reads it.
pub(super) fn value(time: Time, pointer: &str, faults: &mut Faults) -> Value {
    if time.micros() < PYTHON_MIN {
        faults.push(
            pointer,
            format!("is {time}, before the first year of Python"),
        );
    }
    let text = time.to_string();
    format!("{}+00:00", text.strip_suffix('Z').unwrap_or(&text)).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_read_with_any_offset_and_written_in_utc() {
        let mut faults = Faults::default();
        let time = parse("2026-01-01T02:00:00.500000+02:00", "/at", &mut faults).unwrap();
        assert_eq!(
            value(time, "/at", &mut faults),
            "2026-01-01T00:00:00.500000+00:00".into()
        );
        assert_eq!(faults, Faults::default());
    }

    #[test]
    fn a_time_without_an_offset_or_before_year_1_is_a_fault_that_names_it() {
        let mut faults = Faults::default();
        assert_eq!(parse("2026-01-01T00:00:00", "/at", &mut faults), None);
        let _ = value(Time::MIN, "/min", &mut faults);
        let pointers: Vec<_> = faults
            .0
            .iter()
            .map(|fault| fault.pointer.as_str())
            .collect();
        assert_eq!(pointers, ["/at", "/min"]);
    }
}
