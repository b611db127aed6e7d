//! What the operations of rules do with values.

use std::borrow::Cow;
use std::cmp::Ordering;

use entail_json::{Number, Object, Value};

use crate::expression::arithmetic::Operator;
use crate::expression::error::{ExpressionFault, kind, quoted};
use crate::limits::{EXACT_INTEGER, RULE_STEP_BYTES, RULE_STEPS};

/// A value on the stack: of an input, as far as it could be left where it is, or computed.
pub(super) type Operand<'v> = Cow<'v, Value>;

/// A comparison of two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Comparison {
    Equal,
    Unequal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl Comparison {
    fn symbol(self) -> &'static str {
        match self {
            Self::Equal => "==",
            Self::Unequal => "!=",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
        }
    }
}

/// What can be asked of a value by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Method {
    Contains,
    StartsWith,
    EndsWith,
    Size,
}

impl Method {
    pub(super) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "contains" => Self::Contains,
            "startsWith" => Self::StartsWith,
            "endsWith" => Self::EndsWith,
            "size" => Self::Size,
            _ => return None,
        })
    }

    fn name(self) -> &'static str {
        match self {
            Self::Contains => "contains",
            Self::StartsWith => "startsWith",
            Self::EndsWith => "endsWith",
            Self::Size => "size",
        }
    }

    /// Whether it can be called with so many arguments, its receiver included.
    pub(super) fn check_arguments(self, given: usize) -> Result<(), ExpressionFault> {
        let wanted = if self == Self::Size { 1 } else { 2 };
        if given == wanted {
            return Ok(());
        }
        let takes = match self {
            Self::Size => "one value",
            _ => "one argument",
        };
        let given = if self == Self::Size {
            given
        } else {
            given.saturating_sub(1)
        };
        Err(ExpressionFault::WrongArguments {
            function: self.name(),
            takes,
            given,
        })
    }
}

/// What an evaluation may still spend.
pub(super) struct Budget(usize);

impl Budget {
    pub(super) fn new() -> Self {
        Self(RULE_STEPS)
    }

    pub(super) fn spend(&mut self, steps: usize) -> Result<(), ExpressionFault> {
        self.0 = self
            .0
            .checked_sub(steps)
            .ok_or(ExpressionFault::TooManySteps)?;
        Ok(())
    }

    pub(super) fn spend_text(&mut self, text: &str) -> Result<(), ExpressionFault> {
        self.spend(text.len() / RULE_STEP_BYTES)
    }

    /// Spends what handling a whole value costs.
    fn spend_value(&mut self, value: &Value) -> Result<(), ExpressionFault> {
        self.walk(value, |_| Ok(()))
    }

    /// Visits a value with everything in it.
    fn walk(
        &mut self,
        value: &Value,
        mut visit: impl FnMut(&Value) -> Result<(), ExpressionFault>,
    ) -> Result<(), ExpressionFault> {
        let mut open = vec![value];
        while let Some(value) = open.pop() {
            visit(value)?;
            match value {
                Value::Array(items) => {
                    self.spend(items.len())?;
                    open.extend(items);
                }
                Value::Object(members) => {
                    self.spend(members.len())?;
                    for (name, member) in members.iter() {
                        self.spend_text(name)?;
                        open.push(member);
                    }
                }
                Value::String(text) => self.spend_text(text)?,
                Value::Null | Value::Bool(_) | Value::Number(_) => {}
            }
        }
        Ok(())
    }
}

/// Checks that floats hold every integer in the value of an input exactly.
pub(super) fn check_input(
    name: &str,
    value: &Value,
    budget: &mut Budget,
) -> Result<(), ExpressionFault> {
    budget.walk(value, |part| match part {
        Value::Number(number) if number.is_integer() => {
            match number.as_i64().map(i64::unsigned_abs) {
                Some(size) if size <= EXACT_INTEGER.unsigned_abs() => Ok(()),
                _ => Err(ExpressionFault::InexactInteger(name.to_owned())),
            }
        }
        _ => Ok(()),
    })
}

/// A number as a value; every result was checked to be finite.
pub(super) fn from_number(value: f64) -> Value {
    Number::from_f64(value).map_or(Value::Null, Value::Number)
}

/// A part of an input as an operand: a number becomes a float.
pub(super) fn borrowed(value: &Value) -> Operand<'_> {
    match value {
        Value::Number(number) if number.is_integer() => Cow::Owned(from_number(number.as_f64())),
        _ => Cow::Borrowed(value),
    }
}

/// A value to keep.
pub(super) fn owned(operand: Operand<'_>, budget: &mut Budget) -> Result<Value, ExpressionFault> {
    if let Cow::Borrowed(value) = operand {
        budget.spend_value(value)?;
    }
    Ok(operand.into_owned())
}

fn wrong<T>(
    operation: &'static str,
    takes: &'static str,
    found: &Value,
) -> Result<T, ExpressionFault> {
    Err(ExpressionFault::WrongOperand {
        operation,
        takes,
        found: kind(found),
    })
}

pub(super) fn number(
    operation: &'static str,
    takes: &'static str,
    operand: &Value,
) -> Result<f64, ExpressionFault> {
    match operand {
        Value::Number(number) => Ok(number.as_f64()),
        other => wrong(operation, takes, other),
    }
}

pub(super) fn boolean(
    operation: &'static str,
    takes: &'static str,
    operand: &Value,
) -> Result<bool, ExpressionFault> {
    match operand {
        Value::Bool(value) => Ok(*value),
        other => wrong(operation, takes, other),
    }
}

pub(super) fn arithmetic(
    operator: Operator,
    left: &Value,
    right: &Value,
    budget: &mut Budget,
) -> Result<Value, ExpressionFault> {
    match (operator, left, right) {
        (Operator::Add, Value::String(first), Value::String(second)) => {
            budget.spend_text(first)?;
            budget.spend_text(second)?;
            Ok(Value::String([first.as_str(), second].concat()))
        }
        (Operator::Add, Value::Array(first), Value::Array(second)) => {
            budget.spend_value(left)?;
            budget.spend_value(right)?;
            Ok(Value::Array(first.iter().chain(second).cloned().collect()))
        }
        (Operator::Add, Value::Number(_), Value::Number(_)) | (_, Value::Number(_), _) => {
            let (symbol, takes) = (operator.symbol(), "two numbers");
            let left = number(symbol, takes, left)?;
            Ok(from_number(
                operator.apply(left, number(symbol, takes, right)?)?,
            ))
        }
        (Operator::Add, Value::String(_), other) => wrong("+", "two strings", other),
        (Operator::Add, Value::Array(_), other) => wrong("+", "two lists", other),
        (Operator::Add, other, _) => wrong("+", "two numbers, two strings or two lists", other),
        (_, other, _) => wrong(operator.symbol(), "two numbers", other),
    }
}

pub(super) fn compare(
    comparison: Comparison,
    left: &Value,
    right: &Value,
    budget: &mut Budget,
) -> Result<bool, ExpressionFault> {
    match comparison {
        Comparison::Equal => same(left, right, budget),
        Comparison::Unequal => same(left, right, budget).map(|same| !same),
        Comparison::Less => Ok(order(comparison, left, right, budget)?.is_lt()),
        Comparison::LessOrEqual => Ok(order(comparison, left, right, budget)?.is_le()),
        Comparison::Greater => Ok(order(comparison, left, right, budget)?.is_gt()),
        Comparison::GreaterOrEqual => Ok(order(comparison, left, right, budget)?.is_ge()),
    }
}

fn order(
    comparison: Comparison,
    left: &Value,
    right: &Value,
    budget: &mut Budget,
) -> Result<Ordering, ExpressionFault> {
    let takes = "two numbers, two strings or two booleans";
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => Ok(left
            .as_f64()
            .partial_cmp(&right.as_f64())
            .unwrap_or(Ordering::Equal)),
        (Value::String(left), Value::String(right)) => {
            budget.spend_text(left)?;
            Ok(left.cmp(right))
        }
        (Value::Bool(left), Value::Bool(right)) => Ok(left.cmp(right)),
        (Value::Number(_) | Value::String(_) | Value::Bool(_), other) | (other, _) => {
            wrong(comparison.symbol(), takes, other)
        }
    }
}

/// Whether two values are the same, numbers as floats and without any tolerance.
fn same(left: &Value, right: &Value, budget: &mut Budget) -> Result<bool, ExpressionFault> {
    let mut pairs = vec![(left, right)];
    while let Some(pair) = pairs.pop() {
        let same = match pair {
            (Value::Number(left), Value::Number(right)) => left.as_f64() == right.as_f64(),
            (Value::Array(left), Value::Array(right)) if left.len() == right.len() => {
                budget.spend(left.len())?;
                pairs.extend(left.iter().zip(right));
                true
            }
            (Value::Object(left), Value::Object(right)) if left.len() == right.len() => {
                budget.spend(left.len())?;
                let others = left
                    .iter()
                    .map(|(name, value)| Some((value, right.get(name)?)));
                match others.collect::<Option<Vec<_>>>() {
                    Some(others) => {
                        pairs.extend(others);
                        true
                    }
                    None => false,
                }
            }
            (Value::String(left), Value::String(right)) => {
                budget.spend_text(left)?;
                left == right
            }
            (Value::Bool(left), Value::Bool(right)) => left == right,
            (Value::Null, Value::Null) => true,
            _ => false,
        };
        if !same {
            return Ok(false);
        }
    }
    Ok(true)
}

pub(super) fn is_in(
    element: &Value,
    collection: &Value,
    budget: &mut Budget,
) -> Result<bool, ExpressionFault> {
    match (element, collection) {
        (_, Value::Array(items)) => {
            for item in items {
                budget.spend(1)?;
                if same(element, item, budget)? {
                    return Ok(true);
                }
            }
            Ok(false)
        }
        (Value::String(name), Value::Object(members)) => Ok(members.contains(name)),
        (_, Value::Object(_)) => Ok(false),
        (_, other) => wrong("in", "a list or an object on its right", other),
    }
}

pub(super) fn index<'v>(
    collection: Operand<'v>,
    index: &Value,
) -> Result<Operand<'v>, ExpressionFault> {
    match (collection.as_ref(), index) {
        (Value::Array(items), Value::Number(index)) => {
            let index = index.as_f64();
            let length = items.len();
            let place = place(index, length).ok_or(ExpressionFault::NoElement { index, length })?;
            let element = match collection {
                Cow::Borrowed(Value::Array(items)) => items.get(place).map(borrowed),
                Cow::Owned(Value::Array(mut items)) => Some(Cow::Owned(items.swap_remove(place))),
                _ => None,
            };
            element.ok_or(ExpressionFault::NoElement { index, length })
        }
        (Value::Object(_), Value::String(name)) => member(collection, name),
        (Value::Array(_), other) => wrong("[]", "a number for a list", other),
        (Value::Object(_), other) => wrong("[]", "a string for an object", other),
        (other, _) => wrong("[]", "a list or an object", other),
    }
}

/// The index as a place in a list of that length.
fn place(index: f64, length: usize) -> Option<usize> {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a cast to an integer saturates, and the comparison below tells"
    )]
    let place = index as usize;
    #[expect(
        clippy::cast_precision_loss,
        reason = "an inexact place equals no given index but its own"
    )]
    let exact = place as f64;
    (exact == index && place < length).then_some(place)
}

pub(super) fn member<'v>(object: Operand<'v>, name: &str) -> Result<Operand<'v>, ExpressionFault> {
    let found = match object {
        Cow::Borrowed(Value::Object(members)) => members.get(name).map(borrowed),
        Cow::Owned(Value::Object(mut members)) => members.remove(name).map(Cow::Owned),
        other => return wrong(".", "an object", &other),
    };
    found.ok_or_else(|| ExpressionFault::NoMember(quoted(name)))
}

pub(super) fn call(
    method: Method,
    receiver: &Value,
    argument: Option<&Value>,
    budget: &mut Budget,
) -> Result<Value, ExpressionFault> {
    if method == Method::Size {
        return size(receiver, budget);
    }
    let (Value::String(text), Some(Value::String(part))) = (receiver, argument) else {
        let not_text = |value: &&Value| !matches!(value, Value::String(_));
        let found = [Some(receiver), argument]
            .into_iter()
            .flatten()
            .find(not_text);
        return wrong(method.name(), "two strings", found.unwrap_or(&Value::Null));
    };
    budget.spend_text(text)?;
    budget.spend_text(part)?;
    Ok(Value::Bool(match method {
        Method::StartsWith => text.starts_with(part.as_str()),
        Method::EndsWith => text.ends_with(part.as_str()),
        Method::Contains | Method::Size => text.contains(part.as_str()),
    }))
}

/// The number of characters, elements or members.
fn size(value: &Value, budget: &mut Budget) -> Result<Value, ExpressionFault> {
    let size = match value {
        Value::String(text) => {
            budget.spend_text(text)?;
            text.chars().count()
        }
        Value::Array(items) => items.len(),
        Value::Object(members) => members.len(),
        other => return wrong("size", "a string, a list or an object", other),
    };
    #[expect(
        clippy::cast_precision_loss,
        reason = "no value in memory has 2^53 parts"
    )]
    let size = size as f64;
    Ok(from_number(size))
}

/// An object of these names and values, one after the other.
pub(super) fn object(
    parts: Vec<Operand<'_>>,
    budget: &mut Budget,
) -> Result<Value, ExpressionFault> {
    let mut members = Object::new();
    let mut parts = parts.into_iter();
    while let (Some(name), Some(value)) = (parts.next(), parts.next()) {
        let name = match owned(name, budget)? {
            Value::String(name) => name,
            other => return wrong("{}", "strings as the names of members", &other),
        };
        if members.contains(&name) {
            return Err(ExpressionFault::RepeatedMember(quoted(&name)));
        }
        members.insert(name, owned(value, budget)?);
    }
    Ok(Value::Object(members))
}
