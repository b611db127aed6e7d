//! What is wrong with a response, told to the model.

use entail_json::{Object, Value};

use crate::{ActionKind, Code};

/// A rejection: one thing that was not taken, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The action's index in the response, from 1; `None` when it is about the whole response.
    pub action: Option<usize>,
    /// The action's type, where it is known.
    pub kind: Option<ActionKind>,
    /// The action's key, where it is known.
    pub key: Option<String>,
    /// The stable code.
    pub code: Code,
    /// For the model: what is wrong and what to do, in one sentence.
    pub message: String,
}

impl Problem {
    /// A problem of the whole response.
    #[must_use]
    pub fn of_response(code: Code, message: impl Into<String>) -> Self {
        Self {
            action: None,
            kind: None,
            key: None,
            code,
            message: message.into(),
        }
    }

    /// The problem as JSON: `action` always, `type` and `key` where they are known.
    ///
    /// ```
    /// let response = entail_contract::parse(r#"[{"type": "claim", "key": "k"}]"#);
    /// let problem = response.problems[0].to_value();
    /// assert_eq!(problem.get("code").and_then(|code| code.as_str()), Some("missing_field"));
    /// assert_eq!(problem.get("action").and_then(|action| action.as_i64()), Some(1));
    /// assert_eq!(problem.get("key").and_then(|key| key.as_str()), Some("k"));
    /// ```
    #[must_use]
    pub fn to_value(&self) -> Value {
        let mut object = Object::new();
        let action = self.action.and_then(|action| i64::try_from(action).ok());
        object.insert("action", action.map_or(Value::Null, Value::from));
        if let Some(kind) = self.kind {
            object.insert("type", Value::from(kind.as_str()));
        }
        if let Some(key) = &self.key {
            object.insert("key", Value::from(key.as_str()));
        }
        object.insert("code", Value::from(self.code.as_str()));
        object.insert("message", Value::from(self.message.as_str()));
        Value::Object(object)
    }
}

/// As one line of feedback: ``action 2 (claim `growth`): … [missing_field]``.
impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.action {
            Some(action) => write!(f, "action {action}")?,
            None => f.write_str("response")?,
        }
        match (self.kind, &self.key) {
            (Some(kind), Some(key)) => write!(f, " ({kind} `{key}`)")?,
            (Some(kind), None) => write!(f, " ({kind})")?,
            (None, _) => {}
        }
        write!(f, ": {} [{}]", self.message, self.code)
    }
}
