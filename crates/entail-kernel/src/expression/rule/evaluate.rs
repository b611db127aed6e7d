//! The stack machine that computes a rule's value.

use std::borrow::Cow;

use entail_json::Value;

use super::operand::{
    Budget, Operand, arithmetic, boolean, borrowed, call, check_input, compare, from_number, index,
    is_in, member, number, object, owned,
};
use super::{Action, RuleExpression};
use crate::expression::error::{ExpressionError, ExpressionFault, kind};

pub(super) fn evaluate<'v>(
    rule: &RuleExpression,
    value_of: impl FnMut(&str) -> Option<&'v Value>,
) -> Result<Value, ExpressionError> {
    let mut machine = Machine {
        rule,
        value_of,
        known: vec![None; rule.inputs.len()],
        stack: Vec::with_capacity(8),
        budget: Budget::new(),
        at: 0,
    };
    while let Some(step) = rule.steps.get(machine.at) {
        machine.at += 1;
        machine
            .step(step.action)
            .map_err(|fault| ExpressionError::new(&rule.text, step.offset, fault))?;
    }
    let value = machine.pop();
    owned(value, &mut machine.budget).map_err(|fault| ExpressionError::new(&rule.text, 0, fault))
}

pub(super) fn holds<'v>(
    rule: &RuleExpression,
    value_of: impl FnMut(&str) -> Option<&'v Value>,
) -> Result<bool, ExpressionError> {
    match evaluate(rule, value_of)? {
        Value::Bool(holds) => Ok(holds),
        other => {
            let fault = ExpressionFault::NotACondition(kind(&other));
            Err(ExpressionError::new(&rule.text, 0, fault))
        }
    }
}

struct Machine<'r, 'v, F> {
    rule: &'r RuleExpression,
    value_of: F,
    /// Inputs that were asked for and checked.
    known: Vec<Option<&'v Value>>,
    stack: Vec<Operand<'v>>,
    budget: Budget,
    /// The step to come.
    at: usize,
}

impl<'r, 'v, F: FnMut(&str) -> Option<&'v Value>> Machine<'r, 'v, F> {
    fn step(&mut self, action: Action) -> Result<(), ExpressionFault> {
        self.budget.spend(1)?;
        let value = match action {
            Action::Null => Cow::Owned(Value::Null),
            Action::Bool(value) => Cow::Owned(Value::Bool(value)),
            Action::Number(value) => Cow::Owned(from_number(value)),
            Action::Text(index) => {
                let text = self.text(index);
                self.budget.spend_text(text)?;
                Cow::Owned(Value::from(text))
            }
            Action::Input(index) => self.input(index)?,
            Action::Negate => {
                let operand = self.pop();
                Cow::Owned(from_number(-number("-", "a number", &operand)?))
            }
            Action::Not => {
                let operand = self.pop();
                Cow::Owned(Value::Bool(!boolean("!", "a boolean", &operand)?))
            }
            Action::Arithmetic(operator) => {
                let (left, right) = self.pop_two();
                Cow::Owned(arithmetic(operator, &left, &right, &mut self.budget)?)
            }
            Action::Compare(comparison) => {
                let (left, right) = self.pop_two();
                Cow::Owned(Value::Bool(compare(
                    comparison,
                    &left,
                    &right,
                    &mut self.budget,
                )?))
            }
            Action::In => {
                let (element, collection) = self.pop_two();
                Cow::Owned(Value::Bool(is_in(&element, &collection, &mut self.budget)?))
            }
            Action::Index => {
                let (collection, place) = self.pop_two();
                index(collection, &place)?
            }
            Action::Member(name) => {
                let object = self.pop();
                member(object, self.text(name))?
            }
            Action::Call(function, arguments) => {
                let operands = self.pop_last(arguments);
                let numbers: Result<Vec<f64>, _> = operands
                    .iter()
                    .map(|operand| number(function.name(), "numbers", operand))
                    .collect();
                Cow::Owned(from_number(function.apply(&numbers?)?))
            }
            Action::Method(method, arguments) => {
                let argument = (arguments > 1).then(|| self.pop());
                let receiver = self.pop();
                Cow::Owned(call(
                    method,
                    &receiver,
                    argument.as_deref(),
                    &mut self.budget,
                )?)
            }
            Action::List(count) => {
                let elements = self.pop_last(count).into_iter();
                let elements: Result<Vec<Value>, _> = elements
                    .map(|element| owned(element, &mut self.budget))
                    .collect();
                Cow::Owned(Value::Array(elements?))
            }
            Action::Object(count) => {
                let parts = self.pop_last(2 * count);
                Cow::Owned(object(parts, &mut self.budget)?)
            }
            Action::Decide { decides, target } => {
                let left = self.pop();
                if boolean(sign(decides), "booleans", &left)? != decides {
                    return Ok(());
                }
                self.at = target;
                left
            }
            Action::Decided { decides } => {
                let right = self.pop();
                boolean(sign(decides), "booleans", &right)?;
                right
            }
            Action::Unless(target) => {
                let condition = self.pop();
                if !boolean("?", "a boolean on its left", &condition)? {
                    self.at = target;
                }
                return Ok(());
            }
            Action::Jump(target) => {
                self.at = target;
                return Ok(());
            }
        };
        self.stack.push(value);
        Ok(())
    }

    fn input(&mut self, index: usize) -> Result<Operand<'v>, ExpressionFault> {
        if let Some(Some(value)) = self.known.get(index) {
            return Ok(borrowed(value));
        }
        let name = self.rule.inputs.get(index).map_or("", String::as_str);
        let value =
            (self.value_of)(name).ok_or_else(|| ExpressionFault::NoValue(name.to_owned()))?;
        check_input(name, value, &mut self.budget)?;
        if let Some(known) = self.known.get_mut(index) {
            *known = Some(value);
        }
        Ok(borrowed(value))
    }

    fn text(&self, index: usize) -> &'r str {
        self.rule.texts.get(index).map_or("", String::as_str)
    }

    #[expect(
        clippy::expect_used,
        reason = "the parser emits every operand before the step that takes it"
    )]
    fn pop(&mut self) -> Operand<'v> {
        self.stack.pop().expect("an operand for every step")
    }

    fn pop_two(&mut self) -> (Operand<'v>, Operand<'v>) {
        let right = self.pop();
        (self.pop(), right)
    }

    fn pop_last(&mut self, count: usize) -> Vec<Operand<'v>> {
        self.stack.split_off(self.stack.len().saturating_sub(count))
    }
}

fn sign(decides: bool) -> &'static str {
    if decides { "||" } else { "&&" }
}
