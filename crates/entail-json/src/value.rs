//! JSON values.

use crate::{Number, Object};

/// A JSON value that keeps what was written: exact numbers, and members in their order.
///
/// `==` is strict: an integer never equals a float, and objects are equal when they hold equal
/// members in whatever order.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Value {
    /// `null`
    #[default]
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number.
    Number(Number),
    /// A string. It never holds an unpaired surrogate; what was read strictly never holds U+0000.
    String(String),
    /// A list.
    Array(Vec<Value>),
    /// An object.
    Object(Object),
}

impl Value {
    /// Whether this is `null`.
    #[must_use]
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// The boolean, if this is one.
    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        if let Self::Bool(value) = self {
            Some(*value)
        } else {
            None
        }
    }

    /// The number, if this is one.
    #[must_use]
    pub fn as_number(&self) -> Option<&Number> {
        if let Self::Number(value) = self {
            Some(value)
        } else {
            None
        }
    }

    /// The integer, if this is one that fits.
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        self.as_number().and_then(Number::as_i64)
    }

    /// The integer, if this is one that fits.
    #[must_use]
    pub fn as_u64(&self) -> Option<u64> {
        self.as_number().and_then(Number::as_u64)
    }

    /// The nearest float, if this is a number.
    #[must_use]
    pub fn as_f64(&self) -> Option<f64> {
        self.as_number().map(Number::as_f64)
    }

    /// The string, if this is one.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        if let Self::String(value) = self {
            Some(value)
        } else {
            None
        }
    }

    /// The elements, if this is a list.
    #[must_use]
    pub fn as_array(&self) -> Option<&[Value]> {
        if let Self::Array(items) = self {
            Some(items)
        } else {
            None
        }
    }

    /// The object, if this is one.
    #[must_use]
    pub fn as_object(&self) -> Option<&Object> {
        if let Self::Object(object) = self {
            Some(object)
        } else {
            None
        }
    }

    /// The member of that name, if this is an object that has it.
    ///
    /// ```
    /// let value = entail_json::read_str(r#"{"a": true}"#)?;
    /// assert_eq!(value.get("a").and_then(|a| a.as_bool()), Some(true));
    /// # Ok::<(), entail_json::ReadError>(())
    /// ```
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.as_object().and_then(|object| object.get(name))
    }

    /// What kind of value this is, for messages: `null`, `boolean`, `integer`, `number`,
    /// `string`, `list` or `object`.
    #[must_use]
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "boolean",
            Self::Number(number) if number.is_integer() => "integer",
            Self::Number(_) => "number",
            Self::String(_) => "string",
            Self::Array(_) => "list",
            Self::Object(_) => "object",
        }
    }
}

/// The canonical text.
impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&crate::to_canonical(self))
    }
}
