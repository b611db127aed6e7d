//! What can be wrong with an expression, and where.

use std::fmt;

use entail_json::{Position, Value};

use crate::limits::{
    EXPONENT, EXPRESSION_CHARACTERS, EXPRESSION_LEVELS, QUOTED_CHARACTERS, RULE_STEPS,
};

/// A fault in an expression with the place it was found at.
///
/// Its text says where, what and the way out, in one line:
///
/// ```
/// use entail_kernel::expression::Formula;
///
/// let error = Formula::parse("{a} ^ 2").unwrap_err();
/// assert_eq!(error.offset, 4);
/// assert_eq!(
///     error.to_string(),
///     "at column 5: `^` is not part of the language; write `**` for a power"
/// );
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ExpressionError {
    /// The byte offset of the place in the expression's text.
    pub offset: usize,
    /// The line and column of the place, both from 1, columns in characters.
    pub position: Position,
    /// What is wrong.
    pub fault: ExpressionFault,
}

impl ExpressionError {
    pub(crate) fn new(text: &str, offset: usize, fault: ExpressionFault) -> Self {
        Self {
            offset,
            position: entail_json::position(text.as_bytes(), offset),
            fault,
        }
    }
}

impl fmt::Display for ExpressionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("at ")?;
        if self.position.line > 1 {
            write!(f, "line {}, ", self.position.line)?;
        }
        write!(f, "column {}: {}", self.position.column, self.fault)
    }
}

impl std::error::Error for ExpressionError {}

/// What is wrong with an expression.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ExpressionFault {
    /// Nothing but white space.
    #[error("the expression is empty; write arithmetic such as `1 + 2`")]
    Empty,
    /// More than [`EXPRESSION_CHARACTERS`] characters.
    #[error("an expression has at most {EXPRESSION_CHARACTERS} characters; split it up")]
    TooLong,
    /// More than [`EXPRESSION_LEVELS`] levels of nesting.
    #[error("an expression has at most {EXPRESSION_LEVELS} levels of nesting; split it up")]
    TooDeep,
    /// A character that starts nothing.
    #[error("`{}` is not part of the language; {way_out}", .found.escape_debug())]
    UnexpectedCharacter {
        /// The character.
        found: char,
        /// What to write instead.
        way_out: &'static str,
    },
    /// A number that is not written as a decimal.
    #[error("`{0}` is not a decimal number; write it like `1000`, `1.5` or `1e3`")]
    MalformedNumber(String),
    /// A number too large for a float.
    #[error("`{0}` is too large for a floating-point number")]
    NumberTooLarge(String),
    /// A name that is no function.
    #[error("`{0}` is not known; write a belief's key in braces, as in `{{{0}}}`")]
    UnknownName(String),
    /// A call of what is no function.
    #[error("`{name}` is not a function; there are {known}")]
    UnknownFunction {
        /// The name.
        name: String,
        /// What there is.
        known: &'static str,
    },
    /// A function's name without its arguments.
    #[error("`{0}` is a function; write its arguments in parentheses, as in `{0}(…)`")]
    FunctionWithoutArguments(&'static str),
    /// A `{` whose `}` is missing.
    #[error("this placeholder is never closed; add `}}` after its key")]
    UnclosedPlaceholder,
    /// A placeholder whose content is no key.
    #[error("`{{{0}}}` does not hold a key; keys have no white space, `@`, `{{` or `}}`")]
    InvalidPlaceholder(String),
    /// Something stands where a value should.
    #[error("a value should stand here, not {0}")]
    ExpectedOperand(Found),
    /// Something stands where an operator should.
    #[error("an operator should stand before {0}")]
    ExpectedOperator(Found),
    /// A `(` whose `)` is missing.
    #[error("this `(` is never closed; add `)`")]
    UnclosedParenthesis,
    /// A `[` or `{` whose other half is missing.
    #[error("this bracket is never closed; add `{0}`")]
    UnclosedBracket(char),
    /// A closing bracket without the opening one.
    #[error("this `{0}` closes nothing; remove it or open it")]
    StrayClosing(char),
    /// A `,` that separates no arguments.
    #[error(
        "a `,` only separates arguments and elements; write `1.5`, and `1000` without group marks"
    )]
    StrayComma,
    /// A function with the wrong number of arguments.
    #[error("`{function}` takes {takes}, not {given}")]
    WrongArguments {
        /// The function's name.
        function: &'static str,
        /// How many it takes, in words.
        takes: &'static str,
        /// How many were given.
        given: usize,
    },
    /// No value is known for a key.
    #[error("`{0}` has no value; use a key that is believed")]
    NoValue(String),
    /// A value that is no number.
    #[error("`{key}` holds {found}, not a number; use a key that holds a number")]
    NotANumber {
        /// The key.
        key: String,
        /// What kind of value it holds.
        found: &'static str,
    },
    /// An integer beyond the range of floats.
    #[error("the value of `{0}` is too large for a floating-point number")]
    ValueTooLarge(String),
    /// A divisor of zero, in a division, a remainder, a negative power of zero, or a logarithm
    /// to base 1.
    #[error("division by zero; check the divisor")]
    DivisionByZero,
    /// A result beyond the range of floats.
    #[error("the result is too large for a floating-point number")]
    Overflow,
    /// An exponent outside ±[`EXPONENT`].
    #[error("an exponent lies within ±{EXPONENT}")]
    ExponentOutOfRange,
    /// A fractional power of a negative number.
    #[error("a fractional power of a negative number is not real")]
    NotReal,
    /// A square root of a negative number.
    #[error("`sqrt` takes a number that is not negative")]
    NegativeRoot,
    /// A logarithm, or its base, of a number that is not positive.
    #[error("`log` takes positive numbers")]
    LogarithmOfNothing,
    /// Digits to round to that are no whole number.
    #[error("`round` takes a whole number of digits, as in `round({{key}}, 2)`")]
    FractionalDigits,
    /// A name that is no input of a rule.
    #[error("`{0}` is not an input; declare it as one or correct the name")]
    UnknownInput(String),
    /// A name that no input can have.
    #[error("an input cannot be called `{0}`; use letters, digits and `_`, and no reserved word")]
    InvalidInput(String),
    /// Two inputs of one name.
    #[error("the input `{0}` is declared twice; remove one")]
    RepeatedInput(String),
    /// A macro or a method that there is not.
    #[error("there is no method `{0}`; there are `contains`, `startsWith`, `endsWith` and `size`")]
    UnknownMethod(String),
    /// A string that does not end.
    #[error("this string is never closed; add its quote")]
    UnclosedText,
    /// An escape sequence that stands for no character that can be stored.
    #[error("this is no escape sequence; write `\\\\` for a backslash")]
    InvalidEscape,
    /// U+0000, which no database stores in text.
    #[error("the string holds U+0000, which cannot be stored")]
    NulCharacter,
    /// A `:` that belongs to no `?` and no member.
    #[error("this `:` belongs to no `?` and no member; remove it")]
    StrayColon,
    /// A `?` without its `:`.
    #[error(
        "this `?` has no `:`; write `condition ? one : other`, a choice within it in parentheses"
    )]
    UnfinishedChoice,
    /// A member whose value is missing.
    #[error("a member is written `name: value`")]
    MissingColon,
    /// An integer that a float cannot hold exactly.
    #[error("`{0}` holds an integer past 2^53, which a rule cannot compute with exactly")]
    InexactInteger(String),
    /// An operation on values it is not for.
    #[error("`{operation}` takes {takes}, not {found}")]
    WrongOperand {
        /// The operator or function.
        operation: &'static str,
        /// What it takes.
        takes: &'static str,
        /// What it got.
        found: &'static str,
    },
    /// An index that is no place in the list.
    #[error("a list of {length} has no element {index}")]
    NoElement {
        /// The index.
        index: f64,
        /// The list's length.
        length: usize,
    },
    /// A member that the object does not have.
    #[error("the object has no member `{0}`; check for it with `in`")]
    NoMember(String),
    /// A member name given twice.
    #[error("the member `{0}` is given twice; remove one")]
    RepeatedMember(String),
    /// A condition that is neither true nor false.
    #[error("a constraint is true or false, not {0}")]
    NotACondition(&'static str),
    /// More work than an evaluation may take.
    #[error("the evaluation takes more than {RULE_STEPS} steps; use smaller values")]
    TooManySteps,
}

/// What was found in a place where something else should stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// The end of the text.
    End,
    /// This piece of the text.
    Text(String),
}

impl Found {
    pub(crate) fn text(text: &str) -> Self {
        Self::Text(quoted(text))
    }
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::End => f.write_str("the end"),
            Self::Text(text) => write!(f, "`{text}`"),
        }
    }
}

/// A text for a message: on one line, and cut if it is long.
pub(crate) fn quoted(text: &str) -> String {
    let mut quoted: String = text
        .chars()
        .take(QUOTED_CHARACTERS)
        .flat_map(char::escape_debug)
        .collect();
    if text.chars().nth(QUOTED_CHARACTERS).is_some() {
        quoted.push('…');
    }
    quoted
}

/// What kind of value this is, with its article.
pub(crate) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
