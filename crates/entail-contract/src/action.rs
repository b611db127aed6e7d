//! What a model may ask for.

use entail_json::{Number, Object, Value};

/// The four kinds of action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ActionKind {
    /// Run a registered tool.
    CallTool,
    /// Quote a registered document.
    Cite,
    /// State a belief that rests on others.
    Claim,
    /// Answer the task.
    Answer,
}

impl ActionKind {
    /// The value of `type`.
    ///
    /// ```
    /// use entail_contract::ActionKind;
    ///
    /// assert_eq!(ActionKind::CallTool.as_str(), "call_tool");
    /// assert_eq!(ActionKind::from_name("cite"), Some(ActionKind::Cite));
    /// ```
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::CallTool => "call_tool",
            Self::Cite => "cite",
            Self::Claim => "claim",
            Self::Answer => "answer",
        }
    }

    /// The kind that a `type` names.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "call_tool" => Some(Self::CallTool),
            "cite" => Some(Self::Cite),
            "claim" => Some(Self::Claim),
            "answer" => Some(Self::Answer),
            _ => None,
        }
    }
}

/// The name that `type` has.
impl std::fmt::Display for ActionKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One action whose shape is right. Whether it may be applied is for the session to say.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Run a registered tool.
    CallTool(ToolCall),
    /// Quote a registered document.
    Cite(Cite),
    /// State a belief that rests on others.
    Claim(Claim),
    /// Answer the task.
    Answer(Answer),
}

/// `call_tool`: run a registered tool; its result becomes a premise.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolCall {
    /// The tool's name.
    pub tool: String,
    /// The arguments as they were given; empty when none were.
    pub args: Object,
    /// The key that the result shall have; `None` for the default, `tool:arg1,arg2`.
    pub key: Option<String>,
    /// What the result says, in words; empty when not given.
    pub claim: String,
}

/// `cite`: quote a registered document for a value.
#[derive(Clone, Debug, PartialEq)]
pub struct Cite {
    /// The document's name.
    pub document: String,
    /// The text copied from it; it may be blank, which no document holds.
    pub quote: String,
    /// The key of the belief; it may break the rules for keys.
    pub key: String,
    /// The value the quote states.
    pub value: Value,
    /// What the quote says, in words; empty when not given.
    pub claim: String,
}

/// `claim`: state a belief.
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    /// The key of the belief; it may break the rules for keys.
    pub key: String,
    /// The value claimed; `null` stands for none, and then the formula's value is taken.
    pub value: Value,
    /// The belief in one sentence; empty when not given.
    pub claim: String,
    /// The keys it rests on, as they were listed.
    pub follows_from: Vec<String>,
    /// Arithmetic over `{key}` placeholders that gives the value.
    pub formula: Option<String>,
    /// The model's own confidence, from 0 to 1.
    pub confidence: Option<f64>,
}

/// `answer`: answer the task.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The answer; a bare number is given as its canonical text.
    pub text: String,
    /// The keys it rests on, as they were listed.
    pub follows_from: Vec<String>,
    /// The model's own confidence, from 0 to 1.
    pub confidence: Option<f64>,
}

impl Action {
    /// Which of the four this is.
    #[must_use]
    pub fn kind(&self) -> ActionKind {
        match self {
            Self::CallTool(_) => ActionKind::CallTool,
            Self::Cite(_) => ActionKind::Cite,
            Self::Claim(_) => ActionKind::Claim,
            Self::Answer(_) => ActionKind::Answer,
        }
    }

    /// The key it names, if it names one. An answer's key is given by the session.
    #[must_use]
    pub fn key(&self) -> Option<&str> {
        match self {
            Self::CallTool(call) => call.key.as_deref(),
            Self::Cite(cite) => Some(&cite.key),
            Self::Claim(claim) => Some(&claim.key),
            Self::Answer(_) => None,
        }
    }

    /// The action as JSON with every field, defaults filled in.
    ///
    /// ```
    /// let response = entail_contract::parse(r#"{"type": "answer", "text": 42}"#);
    /// let (index, action) = &response.actions[0];
    /// assert_eq!(*index, 1);
    /// assert_eq!(
    ///     action.to_value().to_string(),
    ///     r#"{"confidence":null,"follows_from":[],"text":"42","type":"answer"}"#,
    /// );
    /// ```
    #[must_use]
    pub fn to_value(&self) -> Value {
        let kind = ("type", Value::from(self.kind().as_str()));
        Value::Object(match self {
            Self::CallTool(call) => Object::from([
                kind,
                ("tool", Value::from(call.tool.as_str())),
                ("args", Value::Object(call.args.clone())),
                ("key", optional_text(call.key.as_deref())),
                ("claim", Value::from(call.claim.as_str())),
            ]),
            Self::Cite(cite) => Object::from([
                kind,
                ("document", Value::from(cite.document.as_str())),
                ("quote", Value::from(cite.quote.as_str())),
                ("key", Value::from(cite.key.as_str())),
                ("value", cite.value.clone()),
                ("claim", Value::from(cite.claim.as_str())),
            ]),
            Self::Claim(claim) => Object::from([
                kind,
                ("key", Value::from(claim.key.as_str())),
                ("value", claim.value.clone()),
                ("claim", Value::from(claim.claim.as_str())),
                ("follows_from", texts(&claim.follows_from)),
                ("formula", optional_text(claim.formula.as_deref())),
                ("confidence", optional_float(claim.confidence)),
            ]),
            Self::Answer(answer) => Object::from([
                kind,
                ("text", Value::from(answer.text.as_str())),
                ("follows_from", texts(&answer.follows_from)),
                ("confidence", optional_float(answer.confidence)),
            ]),
        })
    }
}

fn texts(texts: &[String]) -> Value {
    Value::Array(
        texts
            .iter()
            .map(|text| Value::from(text.as_str()))
            .collect(),
    )
}

fn optional_text(text: Option<&str>) -> Value {
    text.map_or(Value::Null, Value::from)
}

fn optional_float(float: Option<f64>) -> Value {
    float
        .and_then(Number::from_f64)
        .map_or(Value::Null, Value::Number)
}
