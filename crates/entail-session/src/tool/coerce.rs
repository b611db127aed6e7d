//! Arguments that can be read in one way only, and defaults.
//!
//! `"3"` or `3.0` is an integer where one is asked for, `"true"`, `"false"`, 0 and 1 are
//! booleans, a number is its own text where a string is asked for, and `null` leaves an optional
//! property out. Whatever could mean two things stays as it is, for the schema to refuse.

use entail_json::{Number, Object, Value, read_str};

use crate::limits::SCHEMA_STEPS;

/// The arguments, coerced, with the defaults of properties that are not there.
pub(super) fn coerce(parameters: &Object, given: &Object) -> Object {
    let mut reader = Coercion {
        root: parameters,
        steps: SCHEMA_STEPS,
    };
    reader.object(parameters, given)
}

struct Coercion<'s> {
    root: &'s Object,
    /// Schemas that may still be looked into; what is beyond stays as it was given.
    steps: usize,
}

impl<'s> Coercion<'s> {
    /// As deep as the arguments are, which their reader has bounded.
    fn object(&mut self, schema: &'s Object, given: &Object) -> Object {
        let properties = schema.get("properties").and_then(Value::as_object);
        let required = |name: &str| {
            let list = schema
                .get("required")
                .and_then(Value::as_array)
                .unwrap_or_default();
            list.iter().any(|item| item.as_str() == Some(name))
        };
        let mut read = Object::new();
        for (name, value) in given {
            match properties.and_then(|properties| properties.get(name)) {
                Some(schema) => {
                    let schema = self.resolve(schema);
                    let left_out = value.is_null()
                        && !required(name)
                        && schema.is_some_and(|schema| !accepts_null(schema));
                    if !left_out {
                        read.insert(name, self.value(schema, value));
                    }
                }
                None => {
                    read.insert(name, value.clone());
                }
            }
        }
        for (name, schema) in properties.into_iter().flatten() {
            if !read.contains(name)
                && let Some(default) = self
                    .resolve(schema)
                    .and_then(|schema| schema.get("default"))
            {
                read.insert(name, default.clone());
            }
        }
        read
    }

    fn value(&mut self, schema: Option<&'s Object>, value: &Value) -> Value {
        let Some(schema) = schema else {
            return value.clone();
        };
        match value {
            Value::Object(object) => Value::Object(self.object(schema, object)),
            Value::Array(items) => {
                let schema = schema.get("items");
                let items = items.iter().map(|item| {
                    let schema = schema.and_then(|schema| self.resolve(schema));
                    self.value(schema, item)
                });
                Value::Array(items.collect())
            }
            scalar => single_type(schema)
                .and_then(|wanted| as_type(wanted, scalar))
                .unwrap_or_else(|| scalar.clone()),
        }
    }

    /// The schema itself, or the one it refers to within the same document.
    fn resolve(&mut self, schema: &'s Value) -> Option<&'s Object> {
        let mut schema = schema.as_object()?;
        loop {
            self.steps = self.steps.checked_sub(1)?;
            let Some(target) = schema.get("$ref") else {
                return Some(schema);
            };
            let pointer = target.as_str()?.strip_prefix('#')?;
            schema = self.find(pointer)?;
        }
    }

    fn find(&self, pointer: &str) -> Option<&'s Object> {
        let mut place = self.root;
        let mut steps = pointer.split('/');
        if steps.next() != Some("") {
            return None;
        }
        for step in steps {
            place = place
                .get(&step.replace("~1", "/").replace("~0", "~"))?
                .as_object()?;
        }
        Some(place)
    }
}

fn types(schema: &Object) -> Vec<&str> {
    match schema.get("type") {
        Some(Value::String(word)) => vec![word],
        Some(Value::Array(words)) => words.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

fn accepts_null(schema: &Object) -> bool {
    let types = types(schema);
    types.is_empty() || types.contains(&"null")
}

/// The one type asked for, `null` aside.
fn single_type(schema: &Object) -> Option<&str> {
    let mut types = types(schema).into_iter().filter(|word| *word != "null");
    let only = types.next()?;
    types.next().is_none().then_some(only)
}

fn as_type(wanted: &str, value: &Value) -> Option<Value> {
    match (wanted, value) {
        ("integer", Value::Number(number)) => whole(number).map(Value::Number),
        ("integer", Value::String(text)) => {
            number(text).as_ref().and_then(whole).map(Value::Number)
        }
        ("number", Value::String(text)) => number(text).map(Value::Number),
        ("boolean", Value::String(text)) if text.eq_ignore_ascii_case("true") => Some(true.into()),
        ("boolean", Value::String(text)) if text.eq_ignore_ascii_case("false") => {
            Some(false.into())
        }
        ("boolean", Value::Number(number)) => match number.as_f64() {
            0.0 => Some(false.into()),
            1.0 => Some(true.into()),
            _ => None,
        },
        ("string", Value::Number(number)) => Some(number.to_string().into()),
        _ => None,
    }
}

fn number(text: &str) -> Option<Number> {
    match read_str(text.trim()) {
        Ok(Value::Number(number)) => Some(number),
        _ => None,
    }
}

/// The number as an integer, if it is a whole one that floats hold exactly.
fn whole(number: &Number) -> Option<Number> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if number.is_integer() {
        return Some(number.clone());
    }
    let float = number.as_f64();
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a whole number within 2^53"
    )]
    (float.fract() == 0.0 && float.abs() <= EXACT).then(|| Number::from(float as i64))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(json: &str) -> Object {
        read_str(json).unwrap().as_object().unwrap().clone()
    }

    fn read(schema: &str, given: &str) -> String {
        Value::Object(coerce(&object(schema), &object(given))).to_string()
    }

    fn one(schema: &str, given: &str) -> String {
        let schema = format!(r#"{{"properties":{{"a":{schema}}}}}"#);
        let read = coerce(&object(&schema), &object(&format!(r#"{{"a":{given}}}"#)));
        read.get("a")
            .map_or("absent".to_owned(), ToString::to_string)
    }

    #[test]
    fn what_can_be_read_in_one_way_is_read_that_way() {
        for (kind, given, expected) in [
            ("integer", r#""3""#, "3"),
            ("integer", "3.0", "3"),
            (
                "integer",
                r#""12345678901234567890123""#,
                "12345678901234567890123",
            ),
            ("number", r#"" 3.5 ""#, "3.5"),
            ("number", "3", "3"),
            ("boolean", r#""true""#, "true"),
            ("boolean", r#""False""#, "false"),
            ("boolean", "0", "false"),
            ("boolean", "1.0", "true"),
            ("string", "5", r#""5""#),
            ("string", "4300000000.0", r#""4300000000.0""#),
        ] {
            assert_eq!(
                one(&format!(r#"{{"type":"{kind}"}}"#), given),
                expected,
                "{kind} {given}"
            );
        }
    }

    #[test]
    fn what_could_mean_two_things_stays_as_it_is() {
        for (kind, given) in [
            (r#""integer""#, "3.5"),
            (r#""integer""#, "true"),
            (r#""integer""#, r#""x""#),
            (r#""integer""#, r#""""#),
            (r#""boolean""#, "2"),
            (r#""boolean""#, r#""yes""#),
            (r#""string""#, "true"),
            (r#"["string","integer"]"#, r#""3""#),
            (r#""array""#, r#""[1]""#),
        ] {
            assert_eq!(
                one(&format!(r#"{{"type":{kind}}}"#), given),
                given,
                "{kind} {given}"
            );
        }
    }

    #[test]
    fn defaults_fill_what_is_absent_and_null_leaves_an_optional_property_out() {
        let schema = r#"{"properties":{"a":{"type":"integer","default":7},"b":{"type":"string"},
            "c":{"type":["string","null"]}},"required":["b"]}"#;
        assert_eq!(read(schema, "{}"), r#"{"a":7}"#);
        assert_eq!(
            read(schema, r#"{"a":null,"b":null,"c":null}"#),
            r#"{"a":7,"b":null,"c":null}"#
        );
    }

    #[test]
    fn nested_schemas_and_references_are_followed_and_loops_of_them_end() {
        let schema = r##"{"$defs":{"n":{"type":"integer"},"loop":{"$ref":"#/$defs/loop"}},
            "properties":{"list":{"items":{"$ref":"#/$defs/n"}},"l":{"$ref":"#/$defs/loop"},
            "o":{"properties":{"deep":{"type":"boolean","default":true}}}}}"##;
        assert_eq!(
            read(schema, r#"{"list":["1",2.0,"x"],"o":{},"l":"1"}"#),
            r#"{"l":"1","list":[1,2,"x"],"o":{"deep":true}}"#
        );
    }
}
