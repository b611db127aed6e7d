//! Actions made up at random, and the ways in which models write them down.

use entail_contract::{Action, Answer, Cite, Claim, ToolCall};
use entail_json::{Number, Object, Value};
use proptest::prelude::*;

/// Text of any kind, with much of what delimits something somewhere.
pub(crate) fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("```".to_owned()),
        Just("```json\n".to_owned()),
        Just("<think>".to_owned()),
        Just("</think>".to_owned()),
        Just("{\"actions\": []}".to_owned()),
        Just("{'type': 'answer', 'text': 'x'}".to_owned()),
        "[\"'\\\\{}\\[\\](),:\n\t\r ]",
        "[a-z]{1,6}",
        "[^\u{0}]{1,3}",
    ];
    proptest::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
}

/// A text that stands as it is in every way of writing.
pub(crate) fn word() -> impl Strategy<Value = String> {
    "[a-z]{3,12}"
}

pub(crate) fn value(text: BoxedStrategy<String>) -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "[1-9][0-9]{18,40}".prop_map(|digits| {
            Value::Number(Number::from_integer_text(&digits).expect("digits"))
        }),
        any::<f64>()
            .prop_filter_map("finite", Number::from_f64)
            .prop_map(Value::Number),
        text.clone().prop_map(Value::String),
    ];
    leaf.prop_recursive(3, 12, 4, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            object(text.clone(), inner.boxed()).prop_map(Value::Object),
        ]
    })
}

fn object(
    text: BoxedStrategy<String>,
    value: BoxedStrategy<Value>,
) -> impl Strategy<Value = Object> {
    proptest::collection::vec((text, value), 0..4).prop_map(|members| members.into_iter().collect())
}

/// An action of any kind, whose texts are made by `text`.
pub(crate) fn action(text: BoxedStrategy<String>) -> impl Strategy<Value = Action> {
    let t = || text.clone();
    let filled = || {
        text.clone()
            .prop_filter("not empty", |text| !text.is_empty())
    };
    let keys = || proptest::collection::vec(text.clone(), 0..3);
    let confidence = || proptest::option::of(0.0..=1.0);
    let optional = || proptest::option::of(filled());
    let call = (t(), object(t(), value(t()).boxed()), optional(), t()).prop_map(
        |(tool, args, key, claim)| {
            Action::CallTool(ToolCall {
                tool,
                args,
                key,
                claim,
            })
        },
    );
    let cite = (t(), t(), t(), value(t()), t()).prop_map(|(document, quote, key, value, claim)| {
        Action::Cite(Cite {
            document,
            quote,
            key,
            value,
            claim,
        })
    });
    let claim = (t(), value(t()), t(), keys(), optional(), confidence()).prop_map(
        |(key, value, claim, follows_from, formula, confidence)| {
            Action::Claim(Claim {
                key,
                value,
                claim,
                follows_from,
                formula,
                confidence,
            })
        },
    );
    let answer = (t(), keys(), confidence()).prop_map(|(text, follows_from, confidence)| {
        Action::Answer(Answer {
            text,
            follows_from,
            confidence,
        })
    });
    prop_oneof![call, cite, claim, answer]
}

/// How values are written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Style {
    /// As Python literals, in single quotes where they do.
    pub(crate) python: bool,
    /// With commas after the last member or element.
    pub(crate) trailing_commas: bool,
    /// With line breaks, tabs and returns standing in strings as they are.
    pub(crate) literal_controls: bool,
    /// Non-ASCII as escapes.
    pub(crate) ascii: bool,
    /// With spaces and line breaks between things.
    pub(crate) spaced: bool,
}

pub(crate) fn style() -> impl Strategy<Value = Style> {
    any::<(bool, bool, bool, bool, bool)>().prop_map(
        |(python, trailing_commas, literal_controls, ascii, spaced)| Style {
            python,
            trailing_commas,
            literal_controls,
            ascii,
            spaced,
        },
    )
}

impl Style {
    pub(crate) fn write(self, value: &Value) -> String {
        let mut out = String::new();
        self.append(value, &mut out);
        out
    }

    fn append(self, value: &Value, out: &mut String) {
        let comma = if self.spaced { ",\n  " } else { "," };
        match value {
            Value::Null => out.push_str(if self.python { "None" } else { "null" }),
            Value::Bool(true) => out.push_str(if self.python { "True" } else { "true" }),
            Value::Bool(false) => out.push_str(if self.python { "False" } else { "false" }),
            Value::Number(number) => out.push_str(&number.to_string()),
            Value::String(text) => self.append_text(text, out),
            Value::Array(items) => {
                let tuple = self.python && items.len() % 2 == 1;
                out.push(if tuple { '(' } else { '[' });
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        out.push_str(comma);
                    }
                    self.append(item, out);
                }
                if !items.is_empty() && (self.trailing_commas || tuple) {
                    out.push(',');
                }
                out.push(if tuple { ')' } else { ']' });
            }
            Value::Object(object) => {
                out.push('{');
                for (index, (name, member)) in object.iter().enumerate() {
                    if index > 0 {
                        out.push_str(comma);
                    }
                    self.append_text(name, out);
                    out.push_str(if self.spaced { " : " } else { ":" });
                    self.append(member, out);
                }
                if !object.is_empty() && self.trailing_commas {
                    out.push_str(", ");
                }
                out.push('}');
            }
        }
    }

    fn append_text(self, text: &str, out: &mut String) {
        let quote = if self.python && !text.contains('\'') {
            '\''
        } else {
            '"'
        };
        out.push(quote);
        for char in text.chars() {
            match char {
                '\\' => out.push_str("\\\\"),
                _ if char == quote => {
                    out.push('\\');
                    out.push(char);
                }
                '\n' | '\r' | '\t' if self.literal_controls => out.push(char),
                '\n' => out.push_str("\\n"),
                _ if char < ' ' || (self.ascii && !char.is_ascii()) => {
                    let mut units = [0; 2];
                    for unit in char.encode_utf16(&mut units) {
                        out.push_str(&format!("\\u{unit:04x}"));
                    }
                }
                _ => out.push(char),
            }
        }
        out.push(quote);
    }
}
