//! Rules: expressions over named inputs, which an owner registers.
//!
//! ```text
//! (cur - prev) / prev * 100.0
//! status in ["final", "audited"] && size(findings) == 0 ? "clean" : "open"
//! ```
//!
//! The syntax is that of the Common Expression Language (CEL) without macros, comprehensions,
//! bytes, hexadecimal numbers and the construction of messages. Loosest binding first:
//!
//! | syntax | meaning |
//! |---|---|
//! | `c ? a : b` | only the chosen side is evaluated |
//! | `a \|\| b`, `a && b` | left to right; the right side is evaluated only if it decides |
//! | `==`, `!=`, `<`, `<=`, `>`, `>=`, `in` | values of different kinds are unequal and have no order |
//! | `a + b`, `a - b` | `+` also joins strings and lists |
//! | `a * b`, `a / b`, `a % b` | as in formulas: `7 / 2` is 3.5, `%` has the sign of `b` |
//! | `-a`, `!a` | |
//! | `list[0]`, `object["name"]`, `object.name` | |
//! | `text.contains(t)`, `text.startsWith(t)`, `text.endsWith(t)`, `size(a)`, `a.size()` | |
//! | `abs min max round sqrt log exp` | as in [formulas](super::formula) |
//! | `1.5`, `"text"`, `r"raw"`, `true`, `null`, `[a, b]`, `{"name": a}`, inputs, `(a)` | |
//!
//! Every number is a float and every result finite; an integer past 2^53 is a fault, never
//! rounded. An evaluation is a walk over a flat program without loops, whose every step has a
//! cost that grows with what it handles, up to [`RULE_STEPS`](crate::limits::RULE_STEPS).

mod evaluate;
mod lexer;
mod operand;
mod parser;
mod text;

use entail_json::Value;

use super::arithmetic::Operator;
use super::error::ExpressionError;
use super::function::Function;
use operand::{Comparison, Method};

/// An expression of a rule or a constraint that was read and can be evaluated any number of
/// times.
///
/// ```
/// use entail_json::Value;
/// use entail_kernel::expression::RuleExpression;
///
/// let growth = RuleExpression::parse("(cur - prev) / prev * 100.0", &["prev", "cur"])?;
/// let (prev, cur) = (Value::from(200_i64), Value::from(250_i64));
/// let value = growth.evaluate(|input| Some(if input == "prev" { &prev } else { &cur }))?;
/// assert_eq!(value.as_f64(), Some(25.0));
///
/// let error = growth.evaluate(|_| Some(&Value::Null)).unwrap_err();
/// assert_eq!(error.to_string(), "at column 6: `-` takes two numbers, not null");
/// # Ok::<(), entail_kernel::expression::ExpressionError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct RuleExpression {
    text: Box<str>,
    inputs: Vec<String>,
    /// Strings that the steps name.
    texts: Vec<String>,
    steps: Vec<Step>,
}

/// One step of the program for a stack machine, and the byte offset it stands for.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Step {
    offset: usize,
    action: Action,
}

/// Jumps lead forwards only.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Action {
    Null,
    Bool(bool),
    Number(f64),
    /// Pushes the string with that index.
    Text(usize),
    /// Pushes the input with that index.
    Input(usize),
    Negate,
    Not,
    Arithmetic(Operator),
    Compare(Comparison),
    In,
    Index,
    /// The member named by the string with that index.
    Member(usize),
    /// A function of so many arguments.
    Call(Function, usize),
    /// A method of so many arguments, its receiver included.
    Method(Method, usize),
    /// A list of so many elements.
    List(usize),
    /// An object of so many members, each a name and a value.
    Object(usize),
    /// The left side of `&&` or `||`: leaves a boolean that equals `decides` and jumps, drops the
    /// other.
    Decide {
        decides: bool,
        target: usize,
    },
    /// The right side of `&&` or `||`: must be a boolean.
    Decided {
        decides: bool,
    },
    /// Drops the condition, and jumps if it is false.
    Unless(usize),
    Jump(usize),
}

impl RuleExpression {
    /// Reads an expression over the inputs of these names.
    ///
    /// # Errors
    /// The first place where the text is not an expression over these inputs, or a limit it
    /// exceeds; an input's name that is no name or is given twice (placed at the start).
    pub fn parse<S: AsRef<str>>(text: &str, inputs: &[S]) -> Result<Self, ExpressionError> {
        let inputs = inputs
            .iter()
            .map(|input| input.as_ref().to_owned())
            .collect();
        parser::parse(text, inputs)
    }

    /// The text that was read.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The names of the inputs, as declared.
    #[must_use]
    pub fn inputs(&self) -> &[String] {
        &self.inputs
    }

    /// The value of the expression. `value_of` gives the value of an input, and is asked only
    /// for those that the evaluation reaches.
    ///
    /// # Errors
    /// The first step that has no value: a division by zero, an operation on values it is not
    /// for, an index outside a list, more work than the limit, and the like.
    pub fn evaluate<'v>(
        &self,
        value_of: impl FnMut(&str) -> Option<&'v Value>,
    ) -> Result<Value, ExpressionError> {
        evaluate::evaluate(self, value_of)
    }

    /// Whether the expression is true, as a constraint must be.
    ///
    /// # Errors
    /// As [`evaluate`](Self::evaluate); also when its value is no boolean.
    ///
    /// ```
    /// use entail_json::Value;
    /// use entail_kernel::expression::RuleExpression;
    ///
    /// let positive = RuleExpression::parse("cash >= 0", &["cash"])?;
    /// let cash = Value::from(-1_i64);
    /// assert!(!positive.holds(|_| Some(&cash))?);
    /// # Ok::<(), entail_kernel::expression::ExpressionError>(())
    /// ```
    pub fn holds<'v>(
        &self,
        value_of: impl FnMut(&str) -> Option<&'v Value>,
    ) -> Result<bool, ExpressionError> {
        evaluate::holds(self, value_of)
    }
}
