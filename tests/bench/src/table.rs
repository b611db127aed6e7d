//! The table that is printed.

use std::{
    fmt,
    io::{self, Write as _},
};

/// Prints each row as soon as it is measured.
pub(crate) struct Table(Box<dyn io::Write>);

impl Table {
    /// A table on standard output.
    pub(crate) fn start() -> Self {
        let mut table = Self(Box::new(io::stdout()));
        table.print(&format!(
            "{:<58} {:>11}  {:>24}  {:>9}",
            "work", "ours", "orientation", "as fast"
        ));
        table
    }

    pub(crate) fn heading(&mut self, heading: impl Into<String>) {
        let heading = heading.into();
        self.print(&format!("\n{heading}"));
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
        self.print(&format!(
            "  {work:<56} {ours:>11}  {orientation:>24}  {ratio:>9}"
        ));
    }

    fn print(&mut self, line: &str) {
        // Nobody reads a table that cannot be written.
        let _ = writeln!(self.0, "{line}").and_then(|()| self.0.flush());
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
        let (mut reader, writer) = io::pipe().unwrap();
        let mut table = Table(Box::new(writer));
        table.compared("a formula", 1e-7, 10.4e-6, "Python");
        drop(table);
        let mut printed = String::new();
        io::Read::read_to_string(&mut reader, &mut printed).unwrap();
        assert!(printed.contains("100.0 ns"), "{printed}");
        assert!(printed.contains("10.4 µs Python"), "{printed}");
        assert!(printed.contains("104×"), "{printed}");
    }
}
