//! Formulas: arithmetic over `{key}` placeholders, re-executed by whoever checks a claim.
//!
//! ```text
//! ({revenue:Q3} - {revenue:Q2}) / {revenue:Q2} * 100
//! ```
//!
//! The language, loosest binding first:
//!
//! | syntax | meaning |
//! |---|---|
//! | `a + b`, `a - b` | left to right |
//! | `a * b`, `a / b`, `a // b`, `a % b` | left to right; `//` rounds down, `%` has the sign of `b` |
//! | `-a`, `+a` | |
//! | `a ** b` | right to left, `b` within ±64; `-2 ** 2` is -4 |
//! | `1`, `1.5`, `.5`, `5.`, `1e3`, `{key}`, `(a)` | |
//! | `abs(a)`, `sqrt(a)`, `exp(a)` | |
//! | `log(a)`, `log(a, base)` | the natural logarithm, or that to a base |
//! | `round(a)`, `round(a, digits)` | half to even; negative digits round left of the point |
//! | `min(a, b, …)`, `max(a, b, …)` | |
//!
//! White space is free, except inside numbers, names and placeholders. Every number is a float,
//! and every intermediate result is finite.

mod evaluate;
mod lexer;
mod parser;

use entail_json::Value;

use super::arithmetic::Operator;
use super::error::ExpressionError;
use super::function::Function;

pub use lexer::placeholders;

/// A formula that was read and can be evaluated any number of times.
///
/// ```
/// use entail_json::Value;
/// use entail_kernel::expression::Formula;
///
/// let growth = Formula::parse("({q3} - {q2}) / {q2} * 100")?;
/// assert_eq!(growth.placeholders(), ["q3", "q2"]);
///
/// let (q2, q3) = (Value::from(4_300_000_000_i64), Value::from(4_500_000_000_i64));
/// let value = growth.evaluate(|key| Some(if key == "q2" { &q2 } else { &q3 }))?;
/// assert_eq!(value, 4.651162790697675);
/// # Ok::<(), entail_kernel::expression::ExpressionError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Formula {
    text: Box<str>,
    placeholders: Vec<String>,
    steps: Vec<Step>,
}

/// One step of the program for a stack machine, and the byte offset it stands for.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Step {
    offset: usize,
    action: Action,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Action {
    /// Pushes a number.
    Number(f64),
    /// Pushes the value of the placeholder with that index.
    Placeholder(usize),
    /// Replaces the top by its negative.
    Negate,
    /// Replaces the two topmost numbers.
    Operate(Operator),
    /// Replaces so many topmost numbers.
    Call(Function, usize),
}

impl Formula {
    /// Reads a formula.
    ///
    /// # Errors
    /// The first place where the text is not a formula, or a limit it exceeds. Nothing is
    /// computed, so a fault of the numbers, such as a division by zero, shows in
    /// [`evaluate`](Self::evaluate) only.
    pub fn parse(text: &str) -> Result<Self, ExpressionError> {
        parser::parse(text)
    }

    /// The text that was read.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The distinct keys it reads, in the order of their first appearance.
    #[must_use]
    pub fn placeholders(&self) -> &[String] {
        &self.placeholders
    }

    /// The number of steps an evaluation takes at most: at most one for each character.
    #[must_use]
    pub fn steps(&self) -> usize {
        self.steps.len()
    }

    /// The value of the formula, always finite. `value_of` gives the value of a key.
    ///
    /// Integers become the nearest float.
    ///
    /// # Errors
    /// The first step, from left to right, that has no finite real value: an unknown key, a
    /// value that is no number, a division by zero, an overflow and the like.
    pub fn evaluate<'v>(
        &self,
        value_of: impl FnMut(&str) -> Option<&'v Value>,
    ) -> Result<f64, ExpressionError> {
        evaluate::evaluate(self, value_of)
    }
}
