//! Strict decoders from exact JSON to a request's types, with a pointer to every fault.

use entail_json::{Object, Value};

use crate::{
    limits::BODY_FAULTS,
    problem::{Fault, Place, quoted},
};

/// The faults of a body, in the order in which they were found.
pub(crate) type Faults = Vec<Fault>;

/// What a decoder gives.
pub(crate) type Decoded<T> = Result<T, Faults>;

/// The place of a value in the body: a JSON pointer.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pointer(String);

impl Pointer {
    /// The pointer's text.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// The place of a member of the object that is here.
    pub(crate) fn member(&self, name: &str) -> Self {
        let mut pointer = self.0.clone();
        pointer.push('/');
        for character in name.chars().take(crate::limits::QUOTED_CHARS) {
            match character {
                '~' => pointer.push_str("~0"),
                '/' => pointer.push_str("~1"),
                other => pointer.push(other),
            }
        }
        Self(pointer)
    }

    /// The place of an element of the list that is here.
    pub(crate) fn element(&self, index: usize) -> Self {
        Self(format!("{}/{index}", self.0))
    }

    /// A fault that stands here.
    pub(crate) fn fault(&self, detail: impl Into<String>) -> Faults {
        vec![Fault {
            place: Place::Body(self.0.clone()),
            detail: detail.into(),
        }]
    }
}

/// The members of an object, taken out one by one.
///
/// ```text
/// let mut fields = Fields::open(value, place)?;
/// let target = fields.required("target", text);
/// let reason = fields.optional("reason", text);
/// fields.close(|| Some(Retraction { target: target?, reason: reason? }))
/// ```
/// `required` and `optional` give `None` where there was a fault, so that every fault of an
/// object is found; `close` also reports members that nobody asked for.
pub(crate) struct Fields {
    object: Object,
    place: Pointer,
    faults: Faults,
    known: Vec<&'static str>,
}

impl Fields {
    /// The members of a value that has to be an object.
    pub(crate) fn open(value: Value, place: &Pointer) -> Decoded<Self> {
        match value {
            Value::Object(object) => Ok(Self {
                object,
                place: place.clone(),
                faults: Vec::new(),
                known: Vec::new(),
            }),
            other => Err(expected("an object", &other, place)),
        }
    }

    /// A member that has to be there and not `null`.
    pub(crate) fn required<T>(
        &mut self,
        name: &'static str,
        decode: impl FnOnce(Value, &Pointer) -> Decoded<T>,
    ) -> Option<T> {
        self.known.push(name);
        let place = self.place.member(name);
        match self.take(name) {
            None | Some(Value::Null) => {
                self.fail(place.fault(format!("`{name}` is missing")));
                None
            }
            Some(value) => self.keep(decode(value, &place)),
        }
    }

    /// A member that has to be there and may be `null`.
    pub(crate) fn required_or_null<T>(
        &mut self,
        name: &'static str,
        decode: impl FnOnce(Value, &Pointer) -> Decoded<T>,
    ) -> Option<T> {
        self.known.push(name);
        let place = self.place.member(name);
        match self.take(name) {
            None => {
                self.fail(place.fault(format!("`{name}` is missing")));
                None
            }
            Some(value) => self.keep(decode(value, &place)),
        }
    }

    /// A member that may be missing; `null` counts as missing.
    pub(crate) fn optional<T>(
        &mut self,
        name: &'static str,
        decode: impl FnOnce(Value, &Pointer) -> Decoded<T>,
    ) -> Option<Option<T>> {
        self.known.push(name);
        let place = self.place.member(name);
        match self.take(name) {
            None | Some(Value::Null) => Some(None),
            Some(value) => self.keep(decode(value, &place)).map(Some),
        }
    }

    /// A member that may be missing, and where `null` says something.
    pub(crate) fn nullable<T>(
        &mut self,
        name: &'static str,
        decode: impl FnOnce(Value, &Pointer) -> Decoded<T>,
    ) -> Option<Option<Option<T>>> {
        self.known.push(name);
        let place = self.place.member(name);
        match self.take(name) {
            None => Some(None),
            Some(Value::Null) => Some(Some(None)),
            Some(value) => self
                .keep(decode(value, &place))
                .map(|value| Some(Some(value))),
        }
    }

    /// Whether the object has that member.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.object.contains(name)
    }

    /// Members that are right each by itself, but not together.
    pub(crate) fn fault(&mut self, detail: impl Into<String>) {
        self.fail(vec![Fault {
            place: Place::Members(self.place.0.clone()),
            detail: detail.into(),
        }]);
    }

    /// Ends the object: what was built, unless there were faults or members left over.
    pub(crate) fn close<T>(mut self, build: impl FnOnce() -> Option<T>) -> Decoded<T> {
        let known = match self.known.as_slice() {
            [] => "none".to_owned(),
            known => format!("`{}`", known.join("`, `")),
        };
        let left: Vec<_> = self
            .object
            .iter()
            .map(|(name, _)| name.to_owned())
            .take(BODY_FAULTS)
            .collect();
        for name in left {
            let fault = self.place.member(&name).fault(format!(
                "{} is no member of this object; it has {known}",
                quoted(&name)
            ));
            self.fail(fault);
        }
        match build() {
            Some(built) if self.faults.is_empty() => Ok(built),
            _ => Err(self.faults),
        }
    }

    fn take(&mut self, name: &str) -> Option<Value> {
        self.object.remove(name)
    }

    fn keep<T>(&mut self, decoded: Decoded<T>) -> Option<T> {
        match decoded {
            Ok(value) => Some(value),
            Err(faults) => {
                self.fail(faults);
                None
            }
        }
    }

    fn fail(&mut self, faults: Faults) {
        let room = BODY_FAULTS.saturating_sub(self.faults.len());
        self.faults.extend(faults.into_iter().take(room));
    }
}

fn expected(what: &str, found: &Value, place: &Pointer) -> Faults {
    let name = place.0.rsplit('/').next().unwrap_or_default();
    let subject = if place.0.is_empty() {
        "the body".to_owned()
    } else {
        format!("`{name}`")
    };
    place.fault(format!(
        "{subject} has to be {what}, found {}",
        found.type_name()
    ))
}

/// Any value, as it is.
pub(crate) fn any(value: Value, _: &Pointer) -> Decoded<Value> {
    Ok(value)
}

/// An object without members.
pub(crate) fn nothing(value: Value, place: &Pointer) -> Decoded<()> {
    Fields::open(value, place)?.close(|| Some(()))
}

/// A string.
pub(crate) fn text(value: Value, place: &Pointer) -> Decoded<String> {
    match value {
        Value::String(text) => Ok(text),
        other => Err(expected("a string", &other, place)),
    }
}

/// A boolean.
pub(crate) fn boolean(value: Value, place: &Pointer) -> Decoded<bool> {
    value
        .as_bool()
        .ok_or_else(|| expected("a boolean", &value, place))
}

/// A number from 0 to 1.
pub(crate) fn share(value: Value, place: &Pointer) -> Decoded<f64> {
    match value.as_f64() {
        Some(number) if (0.0..=1.0).contains(&number) => Ok(number),
        _ => Err(expected("a number from 0 to 1", &value, place)),
    }
}

/// A finite number above 0.
pub(crate) fn positive(value: Value, place: &Pointer) -> Decoded<f64> {
    match value.as_f64() {
        Some(number) if number > 0.0 && number.is_finite() => Ok(number),
        _ => Err(expected("a number above 0", &value, place)),
    }
}

/// A float that is a whole number, exactly: `7.0` is an integer to JSON Schema.
fn whole(number: f64) -> Option<i64> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    #[expect(clippy::cast_possible_truncation, reason = "whole, and within 2^53")]
    (number.fract() == 0.0 && number.abs() <= EXACT).then_some(number as i64)
}

/// A whole number that is not negative and that 64 bits with a sign can hold, as the document
/// says.
pub(crate) fn count(value: Value, place: &Pointer) -> Decoded<u64> {
    value
        .as_i64()
        .or_else(|| whole(value.as_f64()?))
        .and_then(|number| u64::try_from(number).ok())
        .ok_or_else(|| expected("a whole number, not negative", &value, place))
}

/// An object of strings, numbers, whatever: its members as they are.
pub(crate) fn object(value: Value, place: &Pointer) -> Decoded<Object> {
    match value {
        Value::Object(object) => Ok(object),
        other => Err(expected("an object", &other, place)),
    }
}

/// A list, element by element.
pub(crate) fn list<T>(
    decode: impl Fn(Value, &Pointer) -> Decoded<T>,
) -> impl FnOnce(Value, &Pointer) -> Decoded<Vec<T>> {
    move |value, place| match value {
        Value::Array(items) => {
            let mut faults = Vec::new();
            let mut decoded = Vec::with_capacity(items.len().min(1 << 10));
            for (index, item) in items.into_iter().enumerate() {
                match decode(item, &place.element(index)) {
                    Ok(item) => decoded.push(item),
                    Err(found) => faults.extend(found),
                }
                if faults.len() >= BODY_FAULTS {
                    faults.truncate(BODY_FAULTS);
                    break;
                }
            }
            if faults.is_empty() {
                Ok(decoded)
            } else {
                Err(faults)
            }
        }
        other => Err(expected("a list", &other, place)),
    }
}

/// A list, or one element of it alone.
pub(crate) fn one_or_list<T>(
    decode: impl Fn(Value, &Pointer) -> Decoded<T>,
) -> impl FnOnce(Value, &Pointer) -> Decoded<Vec<T>> {
    move |value, place| match value {
        Value::Array(_) => list(decode)(value, place),
        one => decode(one, place).map(|one| vec![one]),
    }
}

/// An object, its members' names kept and each value decoded.
pub(crate) fn map<T>(
    decode: impl Fn(Value, &Pointer) -> Decoded<T>,
) -> impl FnOnce(Value, &Pointer) -> Decoded<Vec<(String, T)>> {
    move |value, place| match value {
        Value::Object(members) => {
            let mut faults = Vec::new();
            let mut decoded = Vec::with_capacity(members.len());
            for (name, value) in members.iter() {
                match decode(value.clone(), &place.member(name)) {
                    Ok(value) => decoded.push((name.to_owned(), value)),
                    Err(found) => faults.extend(found),
                }
                if faults.len() >= BODY_FAULTS {
                    break;
                }
            }
            faults.truncate(BODY_FAULTS);
            if faults.is_empty() {
                Ok(decoded)
            } else {
                Err(faults)
            }
        }
        other => Err(expected("an object", &other, place)),
    }
}

/// One of a few names.
pub(crate) fn choice<T: Copy>(
    choices: &'static [(&'static str, T)],
) -> impl Fn(Value, &Pointer) -> Decoded<T> {
    move |value, place| {
        let found = value
            .as_str()
            .and_then(|text| choices.iter().find(|(name, _)| *name == text));
        match found {
            Some((_, choice)) => Ok(*choice),
            None => {
                let names: Vec<_> = choices.iter().map(|(name, _)| *name).collect();
                let what = format!("one of `{}`", names.join("`, `"));
                Err(match value.as_str() {
                    Some(text) => place.fault(format!("{} is not {what}", quoted(text))),
                    None => expected(&what, &value, place),
                })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use entail_json::read_str;

    use super::*;

    struct Pair {
        a: String,
        b: Option<u64>,
    }

    fn pair(value: Value, place: &Pointer) -> Decoded<Pair> {
        let mut fields = Fields::open(value, place)?;
        let a = fields.required("a", text);
        let b = fields.optional("b", count);
        fields.close(|| Some(Pair { a: a?, b: b? }))
    }

    fn places(faults: Faults) -> Vec<String> {
        let place = |fault: Fault| match fault.place {
            Place::Body(pointer) => pointer,
            other => panic!("{other:?}"),
        };
        faults.into_iter().map(place).collect()
    }

    #[test]
    fn an_object_is_read_field_by_field() {
        let value = read_str(r#"{"b": null, "a": "x"}"#).unwrap();
        let pair = pair(value, &Pointer::default()).unwrap();
        assert_eq!((pair.a.as_str(), pair.b), ("x", None));
    }

    #[test]
    fn every_fault_of_a_list_of_objects_is_reported_with_its_pointer() {
        let value = read_str(r#"[{"a": 1, "b": -1}, {"c/~d": 0}, 7]"#).unwrap();
        let Err(faults) = list(pair)(value, &Pointer::default()) else {
            panic!("accepted");
        };
        assert_eq!(places(faults), ["/0/a", "/0/b", "/1/a", "/1/c~1~0d", "/2"]);
    }

    #[test]
    fn no_more_faults_are_told_than_a_caller_can_use() {
        let value: Value = (0..10_000_i64).collect();
        let Err(faults) = list(text)(value, &Pointer::default()) else {
            panic!("accepted");
        };
        assert_eq!(faults.len(), BODY_FAULTS);
    }

    #[test]
    fn a_choice_names_what_there_is_to_choose_from() {
        let decode = choice(&[("keep", 1), ("retract", 2)]);
        assert_eq!(decode(Value::from("retract"), &Pointer::default()), Ok(2));
        let faults = decode(Value::from("drop"), &Pointer::default()).unwrap_err();
        assert_eq!(faults[0].detail, "`drop` is not one of `keep`, `retract`");
    }

    #[test]
    fn a_count_is_whole_and_a_large_one_exact() {
        let place = Pointer::default();
        let counted = |text: &str| count(read_str(text).unwrap(), &place).ok();
        assert_eq!(counted("1.0"), Some(1));
        assert_eq!(counted("9223372036854775807"), Some((1 << 63) - 1));
        for none in ["1.5", "-1", "-1.0", "1e300", "9223372036854775808", "true"] {
            assert_eq!(counted(none), None, "{none}");
        }
        assert!(share(read_str(&"9".repeat(300)).unwrap(), &place).is_err());
    }
}
