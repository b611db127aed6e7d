//! Rules beside another implementation of the language they are taken from.
//!
//! The other one knows integers apart from doubles, has no limits and divides by zero; so the
//! expressions are generated well typed, shallow and with doubles only, and the two differ in
//! their text only where a size, which is an integer there, is used as a number.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use cel::{Context, Program};
use entail_json::{Number, Object, Value, read_str};
use entail_kernel::expression::RuleExpression;
use proptest::prelude::*;

const INPUTS: &str = r#"{
    "x": 3.0, "y": -0.25, "s": "naïve text", "yes": true, "none": null,
    "list": [1.0, 2.5, 3.0], "words": ["a", "text", "é"], "object": {"a": 7.5, "b": {"c": "end"}}
}"#;

/// The deepest nesting generated.
const DEPTH: u8 = 4;

/// Decides, choice by choice, which expression is made.
struct Choices<'a>(std::slice::Iter<'a, u8>);

/// An expression in our text and in theirs.
struct Both(String, String);

impl Both {
    fn same(text: &str) -> Self {
        Self(text.to_owned(), text.to_owned())
    }

    /// Puts expressions into the gaps of a text.
    fn put(pattern: &str, parts: &[Self]) -> Self {
        let fill = |part: fn(&Self) -> &str| {
            let mut pieces = pattern.split('_');
            let mut text = pieces.next().unwrap_or_default().to_owned();
            for (piece, filling) in pieces.zip(parts) {
                text += part(filling);
                text += piece;
            }
            text
        };
        Self(fill(|both| &both.0), fill(|both| &both.1))
    }
}

impl Choices<'_> {
    fn pick<'t>(&mut self, of: &[&'t str]) -> &'t str {
        of[usize::from(self.0.next().copied().unwrap_or(0)) % of.len()]
    }

    fn number(&mut self, depth: u8) -> Both {
        if depth >= DEPTH {
            let leaf = [
                "x",
                "y",
                "1.0",
                "2.5",
                "0.0",
                "list[1]",
                "object.a",
                "object['a']",
            ];
            return Both::same(self.pick(&leaf));
        }
        let pattern = self.pick(&[
            "_ + _",
            "_ - _",
            "_ * _",
            "_ - _ - _",
            "_ + _ * _",
            "_ / 4.0",
            "_ / 2.0 / 0.5",
            "-(_)",
            "(_ - _) * _",
            "[_, _][1]",
            "{'k': _}.k",
            "? number",
            "size",
            "leaf",
        ]);
        match pattern {
            "? number" => {
                let parts = [
                    self.boolean(depth + 1),
                    self.number(depth + 1),
                    self.number(depth + 1),
                ];
                Both::put("(_ ? _ : _)", &parts)
            }
            "size" => {
                let sized = match self.pick(&["text", "list"]) {
                    "text" => self.text(depth + 1),
                    _ => self.list(depth + 1),
                };
                let Both(ours, theirs) = Both::put("size(_)", &[sized]);
                Both(ours, format!("double({theirs})"))
            }
            "leaf" => self.number(DEPTH),
            pattern => {
                let parts = [
                    self.number(depth + 1),
                    self.number(depth + 1),
                    self.number(depth + 1),
                ];
                Both::put(pattern, &parts)
            }
        }
    }

    fn text(&mut self, depth: u8) -> Both {
        let leaf = [
            "s",
            "'a'",
            "\"te\\u0078t\"",
            "''",
            "words[2]",
            "object.b.c",
            "r'\\d'",
        ];
        match self.pick(&["+", "? :", "leaf", "leaf"]) {
            "+" if depth < DEPTH => {
                Both::put("_ + _", &[self.text(depth + 1), self.text(depth + 1)])
            }
            "? :" if depth < DEPTH => {
                let parts = [
                    self.boolean(depth + 1),
                    self.text(depth + 1),
                    self.text(depth + 1),
                ];
                Both::put("(_ ? _ : _)", &parts)
            }
            _ => Both::same(self.pick(&leaf)),
        }
    }

    fn list(&mut self, depth: u8) -> Both {
        match self.pick(&["list", "words", "[]", "[_, _]", "_ + _"]) {
            "[_, _]" if depth < DEPTH => {
                Both::put("[_, _]", &[self.number(depth + 1), self.text(depth + 1)])
            }
            "_ + _" if depth < DEPTH => {
                Both::put("(_ + _)", &[self.list(depth + 1), self.list(depth + 1)])
            }
            leaf @ ("list" | "words" | "[]") => Both::same(leaf),
            _ => Both::same("list"),
        }
    }

    fn boolean(&mut self, depth: u8) -> Both {
        if depth >= DEPTH {
            return Both::same(self.pick(&["yes", "true", "false", "!yes"]));
        }
        let pattern = self.pick(&[
            "_ && _",
            "_ || _",
            "_ || _ && _",
            "(_ || _) && _",
            "!(_)",
            "(_) == (_)",
            "numbers",
            "texts",
            "mixed",
            "in list",
            "in object",
            "method",
        ]);
        match pattern {
            "numbers" => {
                let pattern =
                    self.pick(&["_ < _", "_ <= _", "_ > _", "_ >= _", "_ == _", "_ != _"]);
                Both::put(pattern, &[self.number(depth + 1), self.number(depth + 1)])
            }
            "texts" => {
                let pattern = self.pick(&["_ < _", "_ >= _", "_ == _", "_ != _"]);
                Both::put(pattern, &[self.text(depth + 1), self.text(depth + 1)])
            }
            "mixed" => {
                let any = [self.any(depth + 1), self.any(depth + 1)];
                Both::put(self.pick(&["(_) == (_)", "(_) != (_)"]), &any)
            }
            "in list" => {
                let element = match self.pick(&["number", "text"]) {
                    "number" => self.number(depth + 1),
                    _ => self.text(depth + 1),
                };
                Both::put("_ in _", &[element, self.list(depth + 1)])
            }
            "in object" => Both::put("(_ in object)", &[self.text(depth + 1)]),
            "method" => {
                let pattern =
                    self.pick(&["(_).contains(_)", "(_).startsWith(_)", "(_).endsWith(_)"]);
                Both::put(pattern, &[self.text(depth + 1), self.text(depth + 1)])
            }
            pattern => {
                let parts = [
                    self.boolean(depth + 1),
                    self.boolean(depth + 1),
                    self.boolean(depth + 1),
                ];
                Both::put(pattern, &parts)
            }
        }
    }

    fn any(&mut self, depth: u8) -> Both {
        match self.pick(&["number", "text", "list", "boolean", "null", "object"]) {
            "number" => self.number(depth),
            "text" => self.text(depth),
            "list" => self.list(depth),
            "boolean" => self.boolean(depth),
            "object" => Both::put(
                "{'a': _, \"b\": _}",
                &[self.number(depth + 1), self.list(depth + 1)],
            ),
            _ => Both::same("none"),
        }
    }
}

fn to_theirs(value: &Value) -> cel::Value {
    match value {
        Value::Null => cel::Value::Null,
        Value::Bool(value) => cel::Value::Bool(*value),
        Value::Number(number) => cel::Value::Float(number.as_f64()),
        Value::String(text) => cel::Value::String(text.clone().into()),
        Value::Array(items) => {
            cel::Value::List(items.iter().map(to_theirs).collect::<Vec<_>>().into())
        }
        Value::Object(members) => {
            let members = members
                .iter()
                .map(|(name, value)| (name.to_owned().into(), to_theirs(value)));
            let members: std::collections::HashMap<cel::objects::Key, _> = members.collect();
            cel::Value::Map(members.into())
        }
    }
}

fn from_theirs(value: &cel::Value) -> Value {
    match value {
        cel::Value::Null => Value::Null,
        cel::Value::Bool(value) => Value::Bool(*value),
        cel::Value::Float(number) => Value::Number(Number::from_f64(*number).unwrap()),
        cel::Value::String(text) => Value::from(text.as_str()),
        cel::Value::List(items) => Value::Array(items.iter().map(from_theirs).collect()),
        cel::Value::Map(members) => {
            let members = members
                .map
                .iter()
                .map(|(name, value)| (name.to_string(), from_theirs(value)));
            Value::Object(members.collect::<Object>())
        }
        other => panic!("{other:?} is no value of ours"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, ..ProptestConfig::default() })]

    #[test]
    fn rules_have_the_values_that_another_implementation_finds(
        choices in proptest::collection::vec(any::<u8>(), 0..120)
    ) {
        let Both(ours, theirs) = Choices(choices.iter()).any(0);
        prop_assume!(ours.len() <= 2_000);
        let inputs = read_str(INPUTS).unwrap();
        let names: Vec<&str> = inputs.as_object().unwrap().iter().map(|(name, _)| name).collect();
        let rule = RuleExpression::parse(&ours, &names).unwrap();
        let found = rule.evaluate(|name| inputs.get(name));

        let mut context = Context::default();
        for (name, value) in inputs.as_object().unwrap().iter() {
            context.add_variable_from_value(name, to_theirs(value));
        }
        let expected = Program::compile(&theirs).unwrap().execute(&context).unwrap();
        prop_assert_eq!(found, Ok(from_theirs(&expected)), "{}", ours);
    }
}
