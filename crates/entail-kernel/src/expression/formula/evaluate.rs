//! The stack machine that computes a formula's value.

use entail_json::Value;

use super::{Action, Formula};
use crate::expression::arithmetic::finite;
use crate::expression::error::{ExpressionError, ExpressionFault, kind};

pub(super) fn evaluate<'v>(
    formula: &Formula,
    mut value_of: impl FnMut(&str) -> Option<&'v Value>,
) -> Result<f64, ExpressionError> {
    let mut stack = Stack(Vec::with_capacity(8));
    for step in &formula.steps {
        let pushed = match step.action {
            Action::Number(value) => Ok(value),
            Action::Placeholder(index) => {
                let key = formula.placeholders.get(index).map_or("", String::as_str);
                number(key, value_of(key))
            }
            Action::Negate => Ok(-stack.pop()),
            Action::Operate(operator) => {
                let right = stack.pop();
                operator.apply(stack.pop(), right)
            }
            Action::Call(function, arguments) => {
                let result = function.apply(stack.last(arguments));
                stack.drop_last(arguments);
                result
            }
        };
        let value =
            pushed.map_err(|fault| ExpressionError::new(&formula.text, step.offset, fault))?;
        stack.0.push(value);
    }
    Ok(stack.pop())
}

fn number(key: &str, value: Option<&Value>) -> Result<f64, ExpressionFault> {
    match value {
        Some(Value::Number(number)) => {
            finite(number.as_f64()).map_err(|_| ExpressionFault::ValueTooLarge(key.to_owned()))
        }
        Some(other) => Err(ExpressionFault::NotANumber {
            key: key.to_owned(),
            found: kind(other),
        }),
        None => Err(ExpressionFault::NoValue(key.to_owned())),
    }
}

struct Stack(Vec<f64>);

impl Stack {
    #[expect(
        clippy::expect_used,
        reason = "the parser emits every operand before the step that takes it"
    )]
    fn pop(&mut self) -> f64 {
        self.0.pop().expect("an operand for every step")
    }

    fn last(&self, count: usize) -> &[f64] {
        let (_, last) = self.0.split_at(self.0.len().saturating_sub(count));
        last
    }

    fn drop_last(&mut self, count: usize) {
        self.0.truncate(self.0.len().saturating_sub(count));
    }
}
