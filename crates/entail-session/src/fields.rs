//! Reading the members of an object: every name known, every value of its type.

use std::fmt;

use entail_json::{Object, Value};
use entail_kernel::Span;

use crate::limits::SPAN_SECONDS;

/// One thing that is wrong with a value, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Where, as a JSON pointer (RFC 6901); empty for the value itself.
    pub pointer: String,
    /// What is wrong and what would be right.
    pub message: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.pointer.is_empty() {
            f.write_str(&self.message)
        } else {
            write!(f, "`{}` {}", self.pointer, self.message)
        }
    }
}

/// Everything that is wrong with a value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Faults(pub Vec<Fault>);

impl Faults {
    /// Adds a fault.
    pub fn push(&mut self, pointer: impl Into<String>, message: impl Into<String>) {
        self.0.push(Fault {
            pointer: pointer.into(),
            message: message.into(),
        });
    }

    /// The value that was read, if nothing was wrong.
    ///
    /// # Errors
    /// The faults, if there are any.
    pub fn settle<T>(self, read: Option<T>) -> Result<T, Self> {
        match read {
            Some(read) if self.0.is_empty() => Ok(read),
            _ => Err(self),
        }
    }
}

impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, fault) in self.0.iter().enumerate() {
            if n > 0 {
                f.write_str("; ")?;
            }
            fault.fmt(f)?;
        }
        Ok(())
    }
}

impl std::error::Error for Faults {}

/// An object whose members are taken one by one. `null` counts as absent.
pub(crate) struct Fields<'a> {
    object: &'a Object,
    pointer: String,
    known: Vec<&'static str>,
}

impl<'a> Fields<'a> {
    pub(crate) fn open(value: &'a Value, pointer: &str, faults: &mut Faults) -> Option<Self> {
        match value {
            Value::Object(object) => Some(Self::of(object, pointer)),
            other => {
                faults.push(
                    pointer,
                    format!("must be an object, not {}", article(other)),
                );
                None
            }
        }
    }

    pub(crate) fn of(object: &'a Object, pointer: &str) -> Self {
        Self {
            object,
            pointer: pointer.to_owned(),
            known: Vec::new(),
        }
    }

    pub(crate) fn at(&self, name: &str) -> String {
        member(&self.pointer, name)
    }

    /// A member that is there and not `null`.
    pub(crate) fn value(&mut self, name: &'static str) -> Option<&'a Value> {
        self.known.push(name);
        self.object.get(name).filter(|value| !value.is_null())
    }

    /// A member that is there, `null` included.
    pub(crate) fn any(&mut self, name: &'static str) -> Option<&'a Value> {
        self.known.push(name);
        self.object.get(name)
    }

    pub(crate) fn required<T>(
        &self,
        name: &'static str,
        read: Option<T>,
        faults: &mut Faults,
    ) -> Option<T> {
        let absent = self.object.get(name).is_none_or(Value::is_null);
        if read.is_none() && absent {
            faults.push(self.at(name), "is missing: give it a value");
        }
        read
    }

    pub(crate) fn text(&mut self, name: &'static str, faults: &mut Faults) -> Option<&'a str> {
        let value = self.value(name)?;
        self.typed(name, value, value.as_str(), "a string", faults)
    }

    pub(crate) fn flag(&mut self, name: &'static str, faults: &mut Faults) -> Option<bool> {
        let value = self.value(name)?;
        self.typed(name, value, value.as_bool(), "true or false", faults)
    }

    pub(crate) fn number(&mut self, name: &'static str, faults: &mut Faults) -> Option<f64> {
        let value = self.value(name)?;
        self.typed(name, value, value.as_f64(), "a number", faults)
    }

    /// A number from 0 to 1.
    pub(crate) fn share(&mut self, name: &'static str, faults: &mut Faults) -> Option<f64> {
        let share = self.number(name, faults)?;
        if (0.0..=1.0).contains(&share) {
            return Some(share);
        }
        faults.push(self.at(name), format!("is {share}: it lies from 0 to 1"));
        None
    }

    pub(crate) fn count(&mut self, name: &'static str, faults: &mut Faults) -> Option<u64> {
        let value = self.value(name)?;
        // `7.0` is an integer to JSON Schema.
        let whole = value.as_u64().or_else(|| {
            const EXACT: f64 = 9_007_199_254_740_992.0;
            let number = value.as_f64()?;
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "whole, not negative, and within 2^53"
            )]
            (number.fract() == 0.0 && (0.0..=EXACT).contains(&number)).then_some(number as u64)
        });
        self.typed(name, value, whole, "an integer from 0", faults)
    }

    pub(crate) fn object(&mut self, name: &'static str, faults: &mut Faults) -> Option<&'a Object> {
        let value = self.value(name)?;
        self.typed(name, value, value.as_object(), "an object", faults)
    }

    pub(crate) fn list(&mut self, name: &'static str, faults: &mut Faults) -> Option<&'a [Value]> {
        let value = self.value(name)?;
        self.typed(name, value, value.as_array(), "a list", faults)
    }

    pub(crate) fn texts(&mut self, name: &'static str, faults: &mut Faults) -> Option<Vec<String>> {
        let items = self.list(name, faults)?;
        let mut texts = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            match item.as_str() {
                Some(text) => texts.push(text.to_owned()),
                None => faults.push(
                    format!("{}/{index}", self.at(name)),
                    format!("must be a string, not {}", article(item)),
                ),
            }
        }
        (texts.len() == items.len()).then_some(texts)
    }

    /// A positive span of time, given in seconds.
    pub(crate) fn seconds(&mut self, name: &'static str, faults: &mut Faults) -> Option<Span> {
        let seconds = self.number(name, faults)?;
        let range = SPAN_SECONDS;
        let span = range
            .contains(&seconds)
            .then(|| Span::from_seconds(seconds))
            .flatten();
        if span.is_none() {
            let (least, most) = (range.start(), range.end());
            faults.push(
                self.at(name),
                format!("is {seconds}: give a positive number of seconds, from {least} to {most}"),
            );
        }
        span
    }

    fn typed<T>(
        &self,
        name: &str,
        value: &Value,
        read: Option<T>,
        wanted: &str,
        faults: &mut Faults,
    ) -> Option<T> {
        if read.is_none() {
            faults.push(
                self.at(name),
                format!("must be {wanted}, not {}", article(value)),
            );
        }
        read
    }

    /// Refuses every member that was not asked for.
    pub(crate) fn close(self, faults: &mut Faults) {
        for (name, _) in self.object {
            if !self.known.contains(&name) {
                let known = self.known.join("`, `");
                faults.push(self.at(name), format!("is not known here: use `{known}`"));
            }
        }
    }
}

/// The pointer of a member of what a pointer names.
pub(crate) fn member(pointer: &str, name: &str) -> String {
    format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1"))
}

fn article(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Object(_) => "an object".to_owned(),
        other if other.type_name() == "integer" => "an integer".to_owned(),
        other => format!("a {}", other.type_name()),
    }
}
