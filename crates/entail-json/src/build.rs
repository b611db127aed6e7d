//! Values from Rust's own types.

use crate::{Number, Object, Value};

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Self {
        Self::String(value.to_owned())
    }
}

impl From<String> for Value {
    fn from(value: String) -> Self {
        Self::String(value)
    }
}

impl From<Number> for Value {
    fn from(value: Number) -> Self {
        Self::Number(value)
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Self::Number(value.into())
    }
}

impl From<u64> for Value {
    fn from(value: u64) -> Self {
        Self::Number(value.into())
    }
}

impl From<u32> for Value {
    fn from(value: u32) -> Self {
        Self::Number(i64::from(value).into())
    }
}

impl From<usize> for Value {
    fn from(value: usize) -> Self {
        Self::Number(u64::try_from(value).unwrap_or(u64::MAX).into())
    }
}

impl From<Object> for Value {
    fn from(value: Object) -> Self {
        Self::Object(value)
    }
}

impl From<crate::Digest> for Value {
    fn from(value: crate::Digest) -> Self {
        Self::String(value.to_string())
    }
}

impl<T: Into<Self>> From<Vec<T>> for Value {
    fn from(items: Vec<T>) -> Self {
        items.into_iter().collect()
    }
}

/// Nothing is `null`.
impl<T: Into<Self>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

impl<T: Into<Self>> FromIterator<T> for Value {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        Self::Array(items.into_iter().map(Into::into).collect())
    }
}

impl<const N: usize> From<[(&str, Value); N]> for Object {
    fn from(members: [(&str, Value); N]) -> Self {
        members
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value))
            .collect()
    }
}

/// An object of these members.
///
/// ```
/// use entail_json::Value;
///
/// let value = Value::from([("n", Value::from(1_i64)), ("list", Value::from(vec!["a"]))]);
/// assert_eq!(value.to_string(), r#"{"list":["a"],"n":1}"#);
/// ```
impl<const N: usize> From<[(&str, Value); N]> for Value {
    fn from(members: [(&str, Value); N]) -> Self {
        Self::Object(members.into())
    }
}
