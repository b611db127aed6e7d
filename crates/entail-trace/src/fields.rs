//! Reading the fields of a record: every name known, every value of its type.

use entail_json::{Digest, Object, Value};

use crate::fault::{At, Faults};
use crate::id::Id;

/// Reads one value; `None` means that a fault was recorded.
pub(crate) type Parse<T> = fn(Value, &At<'_>, &mut Faults) -> Option<T>;

/// The fields of an object that are still to be read.
pub(crate) struct Fields<'a> {
    object: Object,
    at: &'a At<'a>,
    faults: &'a mut Faults,
}

impl<'a> Fields<'a> {
    pub(crate) fn open(value: Value, at: &'a At<'a>, faults: &'a mut Faults) -> Option<Self> {
        match value {
            Value::Object(object) => Some(Self { object, at, faults }),
            other => {
                mismatch(&other, "an object", at, faults);
                None
            }
        }
    }

    /// Takes a field out, under its name or one of its aliases, but never under two at once.
    fn take<'n>(&mut self, names: &[&'n str]) -> Option<(&'n str, Value)> {
        let mut found: Option<(&str, Value)> = None;
        for name in names {
            let Some(value) = self.object.remove(name) else {
                continue;
            };
            match &found {
                None => found = Some((name, value)),
                Some((first, _)) => self.faults.push(
                    &self.at.member(name),
                    format!("is another name for `{first}`, which is also given: keep one of them"),
                ),
            }
        }
        found
    }

    /// A field that must be there. The first name is the field's own, the others are aliases.
    pub(crate) fn required<T>(&mut self, names: &[&str], parse: Parse<T>) -> Option<T> {
        match self.take(names) {
            Some((name, value)) => parse(value, &self.at.member(name), self.faults),
            None => {
                let name = names.first().copied().unwrap_or_default();
                self.faults
                    .push(&self.at.member(name), "is missing: give it a value");
                None
            }
        }
    }

    /// A field with a default.
    pub(crate) fn defaulted<T>(
        &mut self,
        names: &[&str],
        parse: Parse<T>,
        default: impl FnOnce() -> T,
    ) -> Option<T> {
        match self.take(names) {
            Some((name, value)) => parse(value, &self.at.member(name), self.faults),
            None => Some(default()),
        }
    }

    /// A field that may be absent or `null`.
    #[expect(
        clippy::option_option,
        reason = "the outer one says whether the field could be read"
    )]
    pub(crate) fn nullable<T>(&mut self, name: &str, parse: Parse<T>) -> Option<Option<T>> {
        match self.take(&[name]) {
            Some((_, Value::Null)) | None => Some(None),
            Some((name, value)) => parse(value, &self.at.member(name), self.faults).map(Some),
        }
    }

    /// The record's own id; absent or empty means that it follows from the content.
    #[expect(
        clippy::option_option,
        reason = "the outer one says whether the field could be read"
    )]
    pub(crate) fn own_id(&mut self) -> Option<Option<Id>> {
        match self.take(&["id"]) {
            None => Some(None),
            Some((_, Value::String(text))) if text.is_empty() => Some(None),
            Some((name, value)) => id(value, &self.at.member(name), self.faults).map(Some),
        }
    }

    /// Records a fault of one field.
    pub(crate) fn fault(&mut self, name: &str, message: impl Into<String>) {
        self.faults.push(&self.at.member(name), message);
    }

    /// Refuses every field that was not read.
    pub(crate) fn close(self) {
        for (name, _) in &self.object {
            self.faults.push(
                &self.at.member(name),
                "is no field of this record: remove it",
            );
        }
    }
}

fn mismatch(value: &Value, wanted: &str, at: &At<'_>, faults: &mut Faults) {
    faults.push(at, format!("must be {wanted}, not `{}`", value.type_name()));
}

pub(crate) fn any(value: Value, _: &At<'_>, _: &mut Faults) -> Option<Value> {
    Some(value)
}

pub(crate) fn text(value: Value, at: &At<'_>, faults: &mut Faults) -> Option<String> {
    if let Value::String(text) = value {
        return Some(text);
    }
    mismatch(&value, "a string", at, faults);
    None
}

pub(crate) fn truth(value: Value, at: &At<'_>, faults: &mut Faults) -> Option<bool> {
    if let Value::Bool(truth) = value {
        return Some(truth);
    }
    mismatch(&value, "true or false", at, faults);
    None
}

pub(crate) fn integer(value: Value, at: &At<'_>, faults: &mut Faults) -> Option<i64> {
    if let Some(integer) = value.as_i64() {
        return Some(integer);
    }
    match value.as_number() {
        Some(number) if number.is_integer() => {
            faults.push(
                at,
                "is too large: the largest integer here is 9223372036854775807",
            );
        }
        _ => mismatch(&value, "an integer", at, faults),
    }
    None
}

pub(crate) fn natural(value: Value, at: &At<'_>, faults: &mut Faults) -> Option<u64> {
    let integer = integer(value, at, faults)?;
    let natural = u64::try_from(integer).ok();
    if natural.is_none() {
        faults.push(at, format!("`{integer}` is negative: count from 0"));
    }
    natural
}

pub(crate) fn object(value: Value, at: &At<'_>, faults: &mut Faults) -> Option<Object> {
    if let Value::Object(object) = value {
        return Some(object);
    }
    mismatch(&value, "an object", at, faults);
    None
}

pub(crate) fn id(value: Value, at: &At<'_>, faults: &mut Faults) -> Option<Id> {
    match Id::new(text(value, at, faults)?) {
        Ok(id) => Some(id),
        Err(error) => {
            faults.push(at, error.to_string());
            None
        }
    }
}

pub(crate) fn digest(value: Value, at: &At<'_>, faults: &mut Faults) -> Option<Digest> {
    let parsed = text(value, at, faults)?.parse();
    if parsed.is_err() {
        faults.push(
            at,
            "must be a sha-256 digest: 64 lower-case hexadecimal digits",
        );
    }
    parsed.ok()
}

/// A list whose items are all read, so that every fault is reported.
pub(crate) fn list<T>(
    value: Value,
    at: &At<'_>,
    faults: &mut Faults,
    parse: Parse<T>,
) -> Option<Vec<T>> {
    let Value::Array(items) = value else {
        mismatch(&value, "a list", at, faults);
        return None;
    };
    let mut complete = true;
    let mut read = Vec::with_capacity(items.len());
    for (index, item) in items.into_iter().enumerate() {
        match parse(item, &at.item(index), faults) {
            Some(item) => read.push(item),
            None => complete = false,
        }
    }
    complete.then_some(read)
}

pub(crate) fn ids(value: Value, at: &At<'_>, faults: &mut Faults) -> Option<Vec<Id>> {
    list(value, at, faults, id)
}

pub(crate) fn texts(value: Value, at: &At<'_>, faults: &mut Faults) -> Option<Vec<String>> {
    list(value, at, faults, text)
}
