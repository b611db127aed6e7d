//! Taking members out of an event.

use std::str::FromStr;

use entail_json::{Object, Value};
use entail_kernel::Span;

/// The members of an event. A fault names the member; the journal says where the event is.
pub(super) struct Members<'a>(&'a Object);

impl<'a> Members<'a> {
    pub(super) fn of(value: &'a Value) -> Result<Self, String> {
        value
            .as_object()
            .map(Self)
            .ok_or_else(|| "it is no object".to_owned())
    }

    /// A member that may be `null`.
    pub(super) fn value(&self, name: &str) -> Result<&'a Value, String> {
        self.0
            .get(name)
            .ok_or_else(|| format!("`{name}` is missing"))
    }

    /// A member that is there and not `null`.
    pub(super) fn optional(&self, name: &str) -> Option<&'a Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    fn typed<T>(&self, name: &str, read: impl FnOnce(&'a Value) -> Option<T>) -> Result<T, String> {
        read(self.value(name)?).ok_or_else(|| format!("`{name}` is malformed"))
    }

    fn optional_typed<T>(
        &self,
        name: &str,
        read: impl FnOnce(&'a Value) -> Option<T>,
    ) -> Result<Option<T>, String> {
        match self.optional(name) {
            None => Ok(None),
            Some(value) => read(value)
                .map(Some)
                .ok_or_else(|| format!("`{name}` is malformed")),
        }
    }

    pub(super) fn text(&self, name: &str) -> Result<&'a str, String> {
        self.typed(name, Value::as_str)
    }

    pub(super) fn owned(&self, name: &str) -> Result<String, String> {
        self.text(name).map(str::to_owned)
    }

    pub(super) fn optional_text(&self, name: &str) -> Result<Option<&'a str>, String> {
        self.optional_typed(name, Value::as_str)
    }

    pub(super) fn count(&self, name: &str) -> Result<u64, String> {
        self.typed(name, Value::as_u64)
    }

    pub(super) fn size(&self, name: &str) -> Result<usize, String> {
        self.typed(name, |value| usize::try_from(value.as_u64()?).ok())
    }

    pub(super) fn small(&self, name: &str) -> Result<u32, String> {
        self.typed(name, small)
    }

    pub(super) fn optional_small(&self, name: &str) -> Result<Option<u32>, String> {
        self.optional_typed(name, small)
    }

    pub(super) fn float(&self, name: &str) -> Result<f64, String> {
        self.typed(name, Value::as_f64)
    }

    pub(super) fn optional_span(&self, name: &str) -> Result<Option<Span>, String> {
        self.optional_typed(name, |value| value.as_i64().map(Span::from_micros))
    }

    pub(super) fn object(&self, name: &str) -> Result<&'a Object, String> {
        self.typed(name, Value::as_object)
    }

    pub(super) fn list(&self, name: &str) -> Result<&'a [Value], String> {
        self.typed(name, Value::as_array)
    }

    pub(super) fn texts(&self, name: &str) -> Result<Vec<String>, String> {
        self.typed(name, |value| {
            value
                .as_array()?
                .iter()
                .map(|item| item.as_str().map(str::to_owned))
                .collect()
        })
    }

    pub(super) fn parsed<T: FromStr>(&self, name: &str) -> Result<T, String> {
        self.typed(name, |value| value.as_str()?.parse().ok())
    }

    pub(super) fn optional_parsed<T: FromStr>(&self, name: &str) -> Result<Option<T>, String> {
        self.optional_typed(name, |value| value.as_str()?.parse().ok())
    }
}

fn small(value: &Value) -> Option<u32> {
    u32::try_from(value.as_u64()?).ok()
}
