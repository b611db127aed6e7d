//! Refusals, in words for the model: what is wrong and what to do, in one sentence.

use entail_contract::Code;
use entail_json::Value;

use crate::limits::QUOTED_CHARACTERS;
use crate::text::{listed, one_line, shorten};

/// Why an action is refused.
#[derive(Debug)]
pub(super) struct Refusal {
    pub code: Code,
    pub message: String,
    /// Whether it has to do with a disputed key.
    pub is_conflict: bool,
}

/// What a model wrote, to be quoted within one line.
pub(super) fn quoted(text: &str) -> String {
    one_line(&shorten(text, QUOTED_CHARACTERS))
}

/// A value, to be quoted within one line.
pub(super) fn value(value: &Value) -> String {
    quoted(&value.to_string())
}

impl Refusal {
    pub(super) fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            is_conflict: false,
        }
    }

    pub(super) fn in_conflict(mut self) -> Self {
        self.is_conflict = true;
        self
    }

    pub(super) fn reserved_key(key: &str) -> Self {
        Self::new(
            Code::ReservedKey,
            format!("`{}` is reserved for answers; use another key", quoted(key)),
        )
    }

    pub(super) fn invalid_key(key: &str, fault: &str) -> Self {
        Self::new(
            Code::InvalidKey,
            format!(
                "the key `{}` {fault}; use a key without white space, `@`, `{{` and `}}`, such \
                 as `revenue:Q2`",
                quoted(key)
            ),
        )
    }

    pub(super) fn limit(what: &str, limit: usize) -> Self {
        Self::new(
            Code::LimitExceeded,
            format!("{what} ({limit}); answer with what is there, or wait for room"),
        )
    }

    pub(super) fn unknown_key(key: &str) -> Self {
        Self::new(
            Code::UnknownKey,
            format!(
                "nothing is known under `{}`; rest only on keys that this context lists or that \
                 an earlier claim of this response made",
                quoted(key)
            ),
        )
    }

    pub(super) fn same_response(key: &str) -> Self {
        Self::new(
            Code::SameResponseToolResult,
            format!(
                "`{}` is the result of a tool called in this same response, which you have not \
                 seen yet; make this claim once the next context shows it",
                quoted(key)
            ),
        )
    }

    pub(super) fn not_visible(key: &str, why: &str) -> Self {
        Self::new(
            Code::NotVisible,
            format!("`{}` is not in this turn's context: {why}", quoted(key)),
        )
    }

    pub(super) fn context_changed(keys: &[String], is_whole: bool) -> Self {
        let list = listed(keys.iter().map(String::as_str), 5);
        Self::new(
            Code::ContextChanged,
            if is_whole {
                format!(
                    "beliefs that this turn's context showed no longer hold ({list}); look at \
                     the next context and say it again if it still follows"
                )
            } else {
                format!(
                    "what this rests on no longer holds ({list}); look at the next context and \
                     say it again if it still follows"
                )
            },
        )
    }
}
