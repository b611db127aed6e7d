//! The table that is printed.

use std::fmt;

/// The rows measured so far, in their groups.
#[derive(Default)]
pub(crate) struct Table {
    rows: Vec<Row>,
}

enum Row {
    Heading(String),
    Work {
        work: String,
        ours: String,
        orientation: String,
        ratio: String,
    },
}

impl Table {
    pub(crate) fn heading(&mut self, heading: impl Into<String>) {
        self.rows.push(Row::Heading(heading.into()));
    }

    /// A time without anything to compare it with, and what else is to be said of it.
    pub(crate) fn time(&mut self, work: impl Into<String>, ours: f64, remark: impl Into<String>) {
        self.row(work, seconds(ours), remark, String::new());
    }

    /// A time beside what it takes someone else.
    pub(crate) fn compared(&mut self, work: impl Into<String>, ours: f64, theirs: f64, who: &str) {
        let ratio = theirs / ours;
        let places = if ratio < 10.0 { 2 } else { 0 };
        let ratio = format!("{ratio:.places$}×");
        self.row(
            work,
            seconds(ours),
            format!("{} {who}", seconds(theirs)),
            ratio,
        );
    }

    /// Anything but a time.
    pub(crate) fn count(
        &mut self,
        work: impl Into<String>,
        ours: impl fmt::Display,
        remark: impl Into<String>,
    ) {
        self.row(work, ours.to_string(), remark, String::new());
    }

    fn row(
        &mut self,
        work: impl Into<String>,
        ours: String,
        orientation: impl Into<String>,
        ratio: String,
    ) {
        let (work, orientation) = (work.into(), orientation.into());
        self.rows.push(Row::Work {
            work,
            ours,
            orientation,
            ratio,
        });
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{:<58} {:>11}  {:>24}  {:>9}",
            "work", "ours", "orientation", "as fast"
        )?;
        for row in &self.rows {
            match row {
                Row::Heading(heading) => writeln!(f, "\n{heading}")?,
                Row::Work {
                    work,
                    ours,
                    orientation,
                    ratio,
                } => {
                    writeln!(f, "  {work:<56} {ours:>11}  {orientation:>24}  {ratio:>9}")?;
                }
            }
        }
        Ok(())
    }
}

/// A time with a unit that leaves one to three digits before the point.
pub(crate) fn seconds(time: f64) -> String {
    let (scale, unit) = match time {
        _ if time < 1e-6 => (1e9, "ns"),
        _ if time < 1e-3 => (1e6, "µs"),
        _ if time < 1.0 => (1e3, "ms"),
        _ => (1.0, "s"),
    };
    format!("{:.1} {unit}", time * scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_printed_in_the_unit_that_fits() {
        assert_eq!(seconds(0.000_000_012_34), "12.3 ns");
        assert_eq!(seconds(0.000_123_4), "123.4 µs");
        assert_eq!(seconds(0.220), "220.0 ms");
        assert_eq!(seconds(12.0), "12.0 s");
    }

    #[test]
    fn a_row_says_how_many_times_as_fast_ours_is() {
        let mut table = Table::default();
        table.compared("a formula", 1e-7, 10.4e-6, "Python");
        let printed = table.to_string();
        assert!(printed.contains("100.0 ns"), "{printed}");
        assert!(printed.contains("10.4 µs Python"), "{printed}");
        assert!(printed.contains("104×"), "{printed}");
    }
}
