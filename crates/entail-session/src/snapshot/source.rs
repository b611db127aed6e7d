//! Sources: `{kind, name, detail: {args?, quote?, origin?}}`.

use entail_json::{Object, Value};
use entail_kernel::base::Source;

use crate::commands::check_name;
use crate::fields::{Faults, Fields};

/// Reads a source.
pub(super) fn read(value: &Value, pointer: &str, faults: &mut Faults) -> Option<Source> {
    let before = faults.0.len();
    let mut fields = Fields::open(value, pointer, faults)?;
    let kind = fields.text("kind", faults);
    let kind = fields.required("kind", kind, faults);
    let kind = kind.and_then(|word| match word.parse() {
        Ok(kind) => Some(kind),
        Err(_) => {
            faults.push(fields.at("kind"), format!("`{word}` is no kind of source"));
            None
        }
    });
    let name = fields.text("name", faults);
    let name = fields.required("name", name, faults);
    if let Some(name) = name {
        named(name, "source", &fields.at("name"), faults);
    }
    let mut source = Source::new(kind?, name?);
    if let Some(detail) = fields.value("detail")
        && let Some(mut detail) = Fields::open(detail, &fields.at("detail"), faults)
    {
        source.arguments = detail
            .object("args", faults)
            .map(|arguments| arguments.clone().into());
        source.quote = detail.text("quote", faults).map(str::to_owned);
        source.origin = detail.text("origin", faults).map(str::to_owned);
        if let Some(origin) = &source.origin {
            named(origin, "origin", &detail.at("origin"), faults);
        }
        detail.close(faults);
    }
    fields.close(faults);
    (faults.0.len() == before).then_some(source)
}

/// The source as the library has it.
pub(super) fn value(source: &Source, pointer: &str, faults: &mut Faults) -> Value {
    let mut detail = Object::new();
    if let Some(arguments) = &source.arguments {
        if arguments.as_object().is_none() {
            faults.push(
                format!("{pointer}/detail/args"),
                format!("of `{source}` are no object, which the library takes for granted"),
            );
        }
        detail.insert("args", arguments.clone());
    }
    if let Some(quote) = &source.quote {
        detail.insert("quote", quote.as_str().into());
    }
    if let Some(origin) = &source.origin {
        detail.insert("origin", origin.as_str().into());
    }
    Value::from([
        ("kind", source.kind.word().into()),
        ("name", source.name.as_str().into()),
        ("detail", detail.into()),
    ])
}

/// Whether a name can be kept here.
pub(super) fn named(name: &str, what: &str, pointer: &str, faults: &mut Faults) {
    if let Err(crate::CommandError::InvalidName { reason, .. }) = check_name(name, what, pointer) {
        faults.push(pointer, reason);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_comes_back_as_it_was_and_an_unknown_detail_is_named() {
        let text = r#"{"kind":"tool","name":"t","detail":{"args":{"q":1},"origin":"erp"}}"#;
        let given = entail_json::read_str(text).unwrap();
        let mut faults = Faults::default();
        let source = read(&given, "", &mut faults).unwrap();
        assert_eq!(value(&source, "", &mut faults), given);
        assert_eq!(faults, Faults::default());

        let odd = text.replace("origin", "shade");
        let odd = entail_json::read_str(&odd).unwrap();
        assert_eq!(read(&odd, "/s", &mut faults), None);
        assert_eq!(faults.0.first().unwrap().pointer, "/s/detail/shade");
    }
}
