//! Expressions that a model or an owner writes: formulas, and the pieces other expression
//! languages of this crate share with them.
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
//! | `arithmetic` | what each operator computes, on finite floats |
//! | `function` | the named functions |
//! | `error` | faults with their place |

mod arithmetic;
mod error;
pub mod formula;
mod function;
mod scanner;

pub use error::{ExpressionError, ExpressionFault};
pub use formula::{Formula, placeholders};
