//! What is wrong with a record, and where.

use std::fmt::{self, Write as _};

use crate::limits::MAX_FAULTS;

/// One fault of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Where, as a JSON pointer (RFC 6901); empty for the record itself.
    pub pointer: String,
    /// What is wrong and what would be right.
    pub message: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.pointer.is_empty() {
            f.write_str(&self.message)
        } else {
            write!(f, "`{}`: {}", self.pointer, self.message)
        }
    }
}

/// A value that is not the record it should be, with every fault found.
///
/// ```
/// use entail_trace::{Claim, Record};
///
/// let value = entail_json::read_str(r#"{"statement": "s", "claim_type": "guess", "x": 1}"#)?;
/// let error = Claim::read(value).unwrap_err();
/// let pointers: Vec<_> = error.faults().iter().map(|fault| fault.pointer.as_str()).collect();
/// assert_eq!(pointers, ["/claim_type", "/x"]);
/// # Ok::<(), entail_json::ReadError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordError {
    record: &'static str,
    faults: Vec<Fault>,
    dropped: usize,
}

impl RecordError {
    /// The name of the record that was expected, such as `Claim`.
    #[must_use]
    pub fn record(&self) -> &'static str {
        self.record
    }

    /// The faults in the order of the record's fields, at most [`MAX_FAULTS`].
    #[must_use]
    pub fn faults(&self) -> &[Fault] {
        &self.faults
    }

    /// How many faults were found beyond those listed.
    #[must_use]
    pub fn dropped(&self) -> usize {
        self.dropped
    }
}

impl fmt::Display for RecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not a valid `{}`: ", self.record)?;
        for (n, fault) in self.faults.iter().enumerate() {
            if n > 0 {
                f.write_str("; ")?;
            }
            fault.fmt(f)?;
        }
        if self.dropped > 0 {
            write!(f, "; and {} more", self.dropped)?;
        }
        Ok(())
    }
}

impl std::error::Error for RecordError {}

/// The faults found so far.
#[derive(Debug, Default)]
pub struct Faults {
    list: Vec<Fault>,
    dropped: usize,
}

impl Faults {
    pub(crate) fn push(&mut self, at: &At<'_>, message: impl Into<String>) {
        if self.list.len() < MAX_FAULTS {
            self.list.push(Fault {
                pointer: at.pointer(),
                message: message.into(),
            });
        } else {
            self.dropped = self.dropped.saturating_add(1);
        }
    }

    /// The record, or every fault that was found while reading it.
    pub(crate) fn settle<T>(self, record: &'static str, read: Option<T>) -> Result<T, RecordError> {
        match read {
            Some(record) if self.list.is_empty() => Ok(record),
            _ => Err(RecordError {
                record,
                faults: self.list,
                dropped: self.dropped,
            }),
        }
    }
}

/// A place in a record; the pointer is only written out when a fault needs it.
#[derive(Clone, Copy, Debug)]
pub struct At<'a> {
    outer: Option<&'a At<'a>>,
    step: Step<'a>,
}

#[derive(Clone, Copy, Debug)]
enum Step<'a> {
    Root,
    Member(&'a str),
    Item(usize),
}

impl<'a> At<'a> {
    pub(crate) const ROOT: At<'static> = At {
        outer: None,
        step: Step::Root,
    };

    pub(crate) fn member(&'a self, name: &'a str) -> Self {
        Self {
            outer: Some(self),
            step: Step::Member(name),
        }
    }

    pub(crate) fn item(&'a self, index: usize) -> Self {
        Self {
            outer: Some(self),
            step: Step::Item(index),
        }
    }

    fn pointer(&self) -> String {
        let mut steps = Vec::new();
        let mut place = Some(self);
        while let Some(at) = place {
            steps.push(at.step);
            place = at.outer;
        }
        let mut pointer = String::new();
        for step in steps.into_iter().rev() {
            match step {
                Step::Root => {}
                Step::Member(name) => {
                    pointer.push('/');
                    pointer.push_str(&name.replace('~', "~0").replace('/', "~1"));
                }
                Step::Item(index) => {
                    let _ = write!(pointer, "/{index}");
                }
            }
        }
        pointer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pointer_escapes_what_json_pointers_escape() {
        let root = At::ROOT;
        let list = root.member("a/b~c");
        assert_eq!(list.item(3).pointer(), "/a~1b~0c/3");
        assert_eq!(root.pointer(), "");
    }

    #[test]
    fn faults_beyond_the_limit_are_counted_and_not_kept() {
        let mut faults = Faults::default();
        for _ in 0..MAX_FAULTS + 5 {
            faults.push(&At::ROOT, "wrong");
        }
        let error = faults.settle::<()>("Claim", None).unwrap_err();
        assert_eq!((error.faults().len(), error.dropped()), (MAX_FAULTS, 5));
        assert!(error.to_string().ends_with("; and 5 more"));
    }
}
