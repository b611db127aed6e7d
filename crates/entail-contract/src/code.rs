//! The stable codes of rejections.

/// Why something in a response was not taken. The names are stable: callers route by them.
///
/// The parser itself gives those down to [`InvalidConfidence`](Self::InvalidConfidence), and
/// [`UnsupportedValue`](Self::UnsupportedValue) and [`LimitExceeded`](Self::LimitExceeded); the
/// rest is for those who apply the actions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Code {
    /// The response holds nothing that reads as JSON.
    ResponseNotJson,
    /// The response is JSON, but no response.
    NotAResponse,
    /// `actions` is there and is no list.
    ActionsNotAList,
    /// An element of `actions` is no object.
    NotAnObject,
    /// `type` is missing or none of the four.
    UnknownActionType,
    /// A required field is missing or null.
    MissingField,
    /// A field has a value of the wrong type.
    WrongType,
    /// A member name is given twice.
    DuplicateField,
    /// `args` is no object and no JSON text of one.
    InvalidArgs,
    /// `confidence` is no number from 0 to 1.
    InvalidConfidence,
    /// A key breaks the rules for keys.
    InvalidKey,
    /// A key that only answers have.
    ReservedKey,
    /// A dependency that nobody has heard of.
    UnknownKey,
    /// A dependency that was not shown in this turn.
    NotVisible,
    /// A claim rests on a tool called in the same response.
    SameResponseToolResult,
    /// What the turn's context showed no longer holds.
    ContextChanged,
    /// The formula gives another value than the one claimed.
    FormulaMismatch,
    /// The formula cannot be evaluated.
    InvalidFormula,
    /// Neither a value nor a formula.
    MissingValue,
    /// The key already holds another value.
    KeyHoldsOtherValue,
    /// The key is disputed.
    KeyInConflict,
    /// No tool of that name.
    UnknownTool,
    /// The tool does not take these arguments.
    InvalidArguments,
    /// The tool failed.
    ToolError,
    /// No document of that name.
    UnknownDocument,
    /// The document does not hold the quote.
    QuoteNotFound,
    /// The quote does not state the value.
    ValueNotStated,
    /// An answer lists nothing it rests on.
    AnswerWithoutSupport,
    /// A value that cannot be stored.
    UnsupportedValue,
    /// A limit of the session.
    LimitExceeded,
}

impl Code {
    /// Every code, in the order of the contract's table.
    pub const ALL: [Self; 30] = [
        Self::ResponseNotJson,
        Self::NotAResponse,
        Self::ActionsNotAList,
        Self::NotAnObject,
        Self::UnknownActionType,
        Self::MissingField,
        Self::WrongType,
        Self::DuplicateField,
        Self::InvalidArgs,
        Self::InvalidConfidence,
        Self::InvalidKey,
        Self::ReservedKey,
        Self::UnknownKey,
        Self::NotVisible,
        Self::SameResponseToolResult,
        Self::ContextChanged,
        Self::FormulaMismatch,
        Self::InvalidFormula,
        Self::MissingValue,
        Self::KeyHoldsOtherValue,
        Self::KeyInConflict,
        Self::UnknownTool,
        Self::InvalidArguments,
        Self::ToolError,
        Self::UnknownDocument,
        Self::QuoteNotFound,
        Self::ValueNotStated,
        Self::AnswerWithoutSupport,
        Self::UnsupportedValue,
        Self::LimitExceeded,
    ];

    /// The code as it is written.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ResponseNotJson => "response_not_json",
            Self::NotAResponse => "not_a_response",
            Self::ActionsNotAList => "actions_not_a_list",
            Self::NotAnObject => "not_an_object",
            Self::UnknownActionType => "unknown_action_type",
            Self::MissingField => "missing_field",
            Self::WrongType => "wrong_type",
            Self::DuplicateField => "duplicate_field",
            Self::InvalidArgs => "invalid_args",
            Self::InvalidConfidence => "invalid_confidence",
            Self::InvalidKey => "invalid_key",
            Self::ReservedKey => "reserved_key",
            Self::UnknownKey => "unknown_key",
            Self::NotVisible => "not_visible",
            Self::SameResponseToolResult => "same_response_tool_result",
            Self::ContextChanged => "context_changed",
            Self::FormulaMismatch => "formula_mismatch",
            Self::InvalidFormula => "invalid_formula",
            Self::MissingValue => "missing_value",
            Self::KeyHoldsOtherValue => "key_holds_other_value",
            Self::KeyInConflict => "key_in_conflict",
            Self::UnknownTool => "unknown_tool",
            Self::InvalidArguments => "invalid_arguments",
            Self::ToolError => "tool_error",
            Self::UnknownDocument => "unknown_document",
            Self::QuoteNotFound => "quote_not_found",
            Self::ValueNotStated => "value_not_stated",
            Self::AnswerWithoutSupport => "answer_without_support",
            Self::UnsupportedValue => "unsupported_value",
            Self::LimitExceeded => "limit_exceeded",
        }
    }

    /// The code of that name.
    ///
    /// ```
    /// use entail_contract::Code;
    ///
    /// assert_eq!(Code::from_name("invalid_key"), Some(Code::InvalidKey));
    /// ```
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|code| code.as_str() == name)
    }
}

/// The code as it is written.
impl std::fmt::Display for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}
