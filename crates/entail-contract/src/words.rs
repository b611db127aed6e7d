//! What a model wrote, as a message says it.

use crate::{
    limits::QUOTED_CHARACTERS,
    scan::Scalar,
    tape::{At, Part, Tape},
};

/// What a part is, for a message: `the number 5`, `a list`.
pub(crate) fn describe(tape: &Tape<'_>, at: At) -> String {
    match tape.part(at) {
        Part::Object => "an object".to_owned(),
        Part::List | Part::Grouping => "a list".to_owned(),
        Part::Scalar(Scalar::Null) => "null".to_owned(),
        Part::Scalar(Scalar::True) => "the boolean true".to_owned(),
        Part::Scalar(Scalar::False) => "the boolean false".to_owned(),
        Part::Scalar(Scalar::Number | Scalar::NotFinite) => {
            format!("the number {}", excerpt(tape.written(at)))
        }
        Part::Scalar(Scalar::String(_)) => {
            format!(
                "the string `{}`",
                excerpt(&tape.said(at).unwrap_or_default())
            )
        }
    }
}

/// The beginning of what a model wrote, on one line.
pub(crate) fn excerpt(text: &str) -> String {
    let mut out = String::new();
    for (count, char) in text.chars().enumerate() {
        if count == QUOTED_CHARACTERS {
            out.push('…');
            break;
        }
        if char.is_control() || char == '`' {
            out.extend(char.escape_default());
        } else {
            out.push(char);
        }
    }
    out
}
