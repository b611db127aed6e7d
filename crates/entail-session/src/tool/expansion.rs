//! Schemas that would be looked through without end.
//!
//! A validator follows references as it goes, so a chain of them that never reaches a schema of
//! its own would be followed for ever, and doubling references would take as long. Only what
//! applies to the same value counts here: what goes into properties or items ends with the
//! arguments.

use entail_json::{Object, Value};
use rustc_hash::FxHashMap;

use crate::limits::SCHEMA_EXPANSION;

/// Words whose values are data, not schemas.
const DATA: [&str; 4] = ["const", "enum", "default", "examples"];

/// How far a schema has been looked through: still at it, or how many schemas it comes to.
#[derive(Clone, Copy)]
enum Mark {
    Open,
    Done(usize),
}

enum Task {
    Enter(String),
    Leave(String, Vec<String>),
}

/// Checks every schema of a document. The fault is a pointer and what is wrong there.
pub(super) fn check(root: &Object) -> Result<(), (String, String)> {
    let schemas = all(root);
    let mut marks: FxHashMap<String, Mark> = FxHashMap::default();
    let mut starts: Vec<&String> = schemas.keys().collect();
    starts.sort_unstable();
    for start in starts {
        let mut tasks = vec![Task::Enter(start.clone())];
        while let Some(task) = tasks.pop() {
            match task {
                Task::Leave(pointer, targets) => {
                    let of = |target| match marks.get(target) {
                        Some(Mark::Done(count)) => *count,
                        _ => 1,
                    };
                    let count = targets.iter().map(of).fold(1, usize::saturating_add);
                    if count > SCHEMA_EXPANSION {
                        let reason = format!(
                            "`{pointer}` asks more than {SCHEMA_EXPANSION} schemas of one value: \
                             refer to fewer"
                        );
                        return Err((pointer, reason));
                    }
                    marks.insert(pointer, Mark::Done(count));
                }
                Task::Enter(pointer) => match marks.get(&pointer) {
                    Some(Mark::Done(_)) => {}
                    Some(Mark::Open) => {
                        let reason = format!(
                            "`{pointer}` refers to itself without end: refer to a schema that \
                             does not"
                        );
                        return Err((pointer, reason));
                    }
                    None => {
                        let Some(schema) = schemas.get(&pointer) else {
                            continue;
                        };
                        let targets = same_value(&pointer, schema, &schemas)?;
                        marks.insert(pointer.clone(), Mark::Open);
                        tasks.push(Task::Leave(pointer, targets.clone()));
                        tasks.extend(targets.into_iter().map(Task::Enter));
                    }
                },
            }
        }
    }
    Ok(())
}

/// Every object of the document that may be a schema, by its pointer.
fn all(root: &Object) -> FxHashMap<String, &Object> {
    let mut found = FxHashMap::default();
    let mut open: Vec<(String, &Value)> = Vec::new();
    let enter = |pointer: &str, object, open: &mut Vec<_>| {
        for (name, value) in object {
            if !DATA.contains(&name) {
                open.push((member(pointer, name), value));
            }
        }
    };
    enter("", root, &mut open);
    found.insert(String::new(), root);
    while let Some((pointer, value)) = open.pop() {
        match value {
            Value::Object(object) => {
                enter(&pointer, object, &mut open);
                found.insert(pointer, object);
            }
            Value::Array(items) => {
                let places = items.iter().enumerate();
                open.extend(places.map(|(at, item)| (format!("{pointer}/{at}"), item)));
            }
            _ => {}
        }
    }
    found
}

fn member(pointer: &str, name: &str) -> String {
    format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1"))
}

/// The pointers of the schemas that a schema asks of the same value.
fn same_value(
    pointer: &str,
    schema: &Object,
    schemas: &FxHashMap<String, &Object>,
) -> Result<Vec<String>, (String, String)> {
    let mut targets = Vec::new();
    for word in ["$ref", "$dynamicRef", "$recursiveRef"] {
        let Some(target) = schema.get(word).and_then(Value::as_str) else {
            continue;
        };
        let inside = target.strip_prefix('#').and_then(decoded);
        match inside.filter(|inside| schemas.contains_key(inside)) {
            Some(inside) => targets.push(inside),
            None => {
                return Err((
                    member(pointer, word),
                    format!(
                        "`{target}` is no schema of this document: refer to one by its JSON \
                         pointer, such as `#/$defs/name`"
                    ),
                ));
            }
        }
    }
    for word in ["allOf", "anyOf", "oneOf"] {
        let list = schema
            .get(word)
            .and_then(Value::as_array)
            .unwrap_or_default();
        targets.extend((0..list.len()).map(|at| format!("{pointer}/{word}/{at}")));
    }
    for word in ["not", "if", "then", "else"] {
        if schema.contains(word) {
            targets.push(member(pointer, word));
        }
    }
    if let Some(Value::Object(dependent)) = schema.get("dependentSchemas") {
        let place = member(pointer, "dependentSchemas");
        targets.extend(dependent.iter().map(|(name, _)| member(&place, name)));
    }
    Ok(targets)
}

/// A fragment with its percent-escapes undone.
fn decoded(fragment: &str) -> Option<String> {
    let mut bytes = fragment.bytes();
    let mut text = Vec::with_capacity(fragment.len());
    while let Some(byte) = bytes.next() {
        if byte == b'%' {
            let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
            let (high, low) = (digit(bytes.next())?, digit(bytes.next())?);
            text.push(u8::try_from(high * 16 + low).ok()?);
        } else {
            text.push(byte);
        }
    }
    String::from_utf8(text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use entail_json::read_str;

    fn fault(json: &str) -> Option<String> {
        let value = read_str(json).unwrap();
        check(value.as_object().unwrap())
            .err()
            .map(|(pointer, _)| pointer)
    }

    #[test]
    fn loops_of_references_are_found_however_they_are_closed() {
        for json in [
            r##"{"$ref":"#"}"##,
            r##"{"$defs":{"a b":{"allOf":[{"$ref":"#/$defs/a%20b"}]}}}"##,
            r##"{"$defs":{"a":{"if":{"$ref":"#/$defs/b"}},"b":{"not":{"$ref":"#/$defs/a"}}}}"##,
        ] {
            assert!(fault(json).is_some(), "{json}");
        }
    }

    #[test]
    fn recursion_that_ends_with_the_value_is_no_loop() {
        let tree = r##"{"properties":{"children":{"items":{"$ref":"#"}},"next":{"$ref":"#"}}}"##;
        assert_eq!(fault(tree), None);
    }

    #[test]
    fn references_that_lead_out_or_nowhere_are_refused() {
        for target in [
            "https://x.test/s",
            "other.json",
            "#anchor",
            "#/$defs/no",
            "#/%zz",
        ] {
            let json = format!(r#"{{"properties":{{"a":{{"$ref":"{target}"}}}}}}"#);
            assert_eq!(
                fault(&json).as_deref(),
                Some("/properties/a/$ref"),
                "{target}"
            );
        }
        let data = r#"{"properties":{"a":{"const":{"$ref":"x"},"enum":[{"$ref":"y"}]}}}"#;
        assert_eq!(fault(data), None, "data is no schema");
    }

    #[test]
    fn doubling_references_are_refused_before_anything_follows_them() {
        let doubled = (0..40).map(|n| {
            let next = n + 1;
            format!(r##""d{n}":{{"allOf":[{{"$ref":"#/$defs/d{next}"}},{{"$ref":"#/$defs/d{next}"}}]}}"##)
        });
        let defs: Vec<_> = doubled.chain([r#""d40":{}"#.to_owned()]).collect();
        let json = format!(r#"{{"$defs":{{{}}}}}"#, defs.join(","));
        assert!(fault(&json).is_some());
    }
}
