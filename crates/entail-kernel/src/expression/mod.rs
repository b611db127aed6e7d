//! Expressions: formulas, which a model writes, and rules, which an owner writes.
//!
//! Everything here is read and evaluated without recursion: a parser turns text into a flat
//! program for a stack machine, so neither a long chain nor deep nesting can use up the stack,
//! and the work is linear in the text. Text has at most
//! [`EXPRESSION_CHARACTERS`](crate::limits::EXPRESSION_CHARACTERS) characters and
//! [`EXPRESSION_LEVELS`](crate::limits::EXPRESSION_LEVELS) levels.
//!
//! | module | subject |
//! |---|---|
//! | `scanner` | walking over text; numbers and names |
//! | [`formula`] | arithmetic over `{key}` placeholders |
//! | [`rule`] | a part of the Common Expression Language over named inputs |
//! | `arithmetic` | what each operator computes, on finite floats |
//! | `function` | the named functions |
//! | `error` | faults with their place |

mod arithmetic;
mod error;
pub mod formula;
mod function;
pub mod rule;
mod scanner;

pub use error::{ExpressionError, ExpressionFault};
pub use formula::{Formula, placeholders};
pub use rule::RuleExpression;
