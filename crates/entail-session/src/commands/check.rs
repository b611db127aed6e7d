//! What is refused at the door: names, keys and values that cannot be kept.

use entail_json::{Value, to_canonical};
use entail_kernel::base::{Source, check_key};

use crate::commit::Commit;
use crate::error::CommandError;
use crate::limits::{KEY_BYTES, NAME_BYTES, REASON_BYTES, VALUE_DEPTH};
use crate::text::shorten;

/// Whether a key is one that only answers have: `answer`, or `answer:` and a number.
pub(crate) fn is_reserved(key: &str) -> bool {
    match key.strip_prefix("answer") {
        Some("") => true,
        Some(rest) => rest
            .strip_prefix(':')
            .is_some_and(|n| !n.is_empty() && n.bytes().all(|byte| byte.is_ascii_digit())),
        None => false,
    }
}

/// What is wrong with a key, in words that follow its name.
pub(crate) fn key_fault(key: &str) -> Option<String> {
    if key.len() > KEY_BYTES {
        return Some(format!("is longer than {KEY_BYTES} bytes"));
    }
    if key.chars().any(char::is_control) {
        return Some("holds a control character".to_owned());
    }
    check_key(key)
        .err()
        .map(|fault| match fault.to_string().strip_prefix("it ") {
            Some(rest) => rest.to_owned(),
            None => fault.to_string(),
        })
}

pub(super) fn key(key: &str, pointer: &str) -> Result<(), CommandError> {
    if is_reserved(key) {
        let (key, pointer) = (key.to_owned(), pointer.to_owned());
        return Err(CommandError::ReservedKey { key, pointer });
    }
    match key_fault(key) {
        None => Ok(()),
        Some(reason) => Err(CommandError::InvalidKey {
            key: shorten(key, 80),
            reason,
            pointer: pointer.to_owned(),
        }),
    }
}

/// A name of a tool, a document or a model: one line of text.
pub(crate) fn name(name: &str, what: &str, pointer: &str) -> Result<(), CommandError> {
    let fault = if name.trim().is_empty() {
        "is empty".to_owned()
    } else if name.len() > NAME_BYTES {
        format!("is longer than {NAME_BYTES} bytes")
    } else if name
        .chars()
        .any(|c| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}'))
    {
        "holds a control character".to_owned()
    } else {
        return Ok(());
    };
    Err(CommandError::InvalidName {
        pointer: pointer.to_owned(),
        reason: format!("{fault}: a {what}'s name is one line of 1 to {NAME_BYTES} bytes"),
    })
}

pub(super) fn source(source: &Source, pointer: &str) -> Result<(), CommandError> {
    name(&source.name, "source", pointer)?;
    match &source.origin {
        Some(origin) => name(origin, "origin", pointer),
        None => Ok(()),
    }
}

pub(super) fn reason(text: Option<&str>, pointer: &str) -> Result<(), CommandError> {
    match text {
        Some(text) if text.len() > REASON_BYTES => Err(invalid(
            pointer,
            format!("is longer than {REASON_BYTES} bytes: shorten it"),
        )),
        Some(text) => plain(text, pointer),
        None => Ok(()),
    }
}

/// Text that every store can keep.
pub(super) fn plain(text: &str, pointer: &str) -> Result<(), CommandError> {
    if text.contains('\0') {
        return Err(CommandError::UnsupportedValue {
            pointer: pointer.to_owned(),
            reason: "it holds U+0000".to_owned(),
        });
    }
    Ok(())
}

/// Room for one more belief.
pub(super) fn room(commit: &Commit<'_>) -> Result<(), CommandError> {
    let limit = commit.session.limits.beliefs;
    if commit.session.base.len() >= limit {
        return Err(CommandError::LimitExceeded {
            what: "too many beliefs".to_owned(),
            limit,
        });
    }
    Ok(())
}

/// A value, a claim or metadata that every store can keep.
pub(super) fn value(commit: &Commit<'_>, value: &Value, pointer: &str) -> Result<(), CommandError> {
    let limit = commit.session.limits.value_bytes;
    value_fault(value, limit).map_or(Ok(()), |reason| {
        Err(CommandError::UnsupportedValue {
            pointer: pointer.to_owned(),
            reason,
        })
    })
}

/// Why a value cannot be kept, if it cannot.
pub(crate) fn value_fault(value: &Value, limit: usize) -> Option<String> {
    let mut open: Vec<(&Value, usize)> = vec![(value, 1)];
    while let Some((value, depth)) = open.pop() {
        if depth > VALUE_DEPTH {
            return Some(format!("it is nested deeper than {VALUE_DEPTH} levels"));
        }
        match value {
            Value::String(text) if text.contains('\0') => {
                return Some("it holds U+0000".to_owned());
            }
            Value::Array(items) => open.extend(items.iter().map(|item| (item, depth + 1))),
            Value::Object(object) => {
                if object.iter().any(|(name, _)| name.contains('\0')) {
                    return Some("it holds U+0000".to_owned());
                }
                open.extend(object.iter().map(|(_, item)| (item, depth + 1)));
            }
            _ => {}
        }
    }
    let bytes = to_canonical(value).len();
    (bytes > limit).then(|| format!("it has {bytes} bytes, the limit is {limit}"))
}

pub(super) fn invalid(pointer: &str, reason: impl Into<String>) -> CommandError {
    CommandError::InvalidArgument {
        pointer: pointer.to_owned(),
        reason: reason.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_answer_and_numbered_answers_are_reserved() {
        for reserved in ["answer", "answer:2", "answer:007"] {
            assert!(is_reserved(reserved), "{reserved}");
        }
        for free in [
            "answers",
            "answer:",
            "answer:x",
            "answer:2b",
            "my:answer",
            "Answer",
        ] {
            assert!(!is_reserved(free), "{free}");
        }
    }

    #[test]
    fn a_value_that_no_store_keeps_is_told_why() {
        let nul = Value::from([("a", Value::from(vec!["\0"]))]);
        assert_eq!(value_fault(&nul, 100).as_deref(), Some("it holds U+0000"));
        assert_eq!(
            value_fault(&"x".repeat(99).into(), 100).as_deref(),
            Some("it has 101 bytes, the limit is 100")
        );
        let mut deep = Value::Null;
        for _ in 0..VALUE_DEPTH {
            deep = Value::Array(vec![deep]);
        }
        assert!(value_fault(&deep, 10_000).unwrap().contains("nested"));
    }
}
