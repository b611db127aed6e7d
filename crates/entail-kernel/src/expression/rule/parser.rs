//! From the words of a rule to a program, by the shunting-yard method: what waits for an operand
//! or a closing bracket stands on a stack of its own, so that no input makes this recurse.

use rustc_hash::FxHashMap;

use super::lexer::{Token, is_input_name, skip_space, token};
use super::operand::{Comparison, Method};
use super::{Action, RuleExpression, Step};
use crate::expression::arithmetic::Operator;
use crate::expression::error::{ExpressionError, ExpressionFault, Found, quoted};
use crate::expression::function::Function;
use crate::expression::scanner::Scanner;
use crate::limits::EXPRESSION_LEVELS;

pub(super) fn parse(text: &str, inputs: Vec<String>) -> Result<RuleExpression, ExpressionError> {
    let mut indices = FxHashMap::default();
    for (index, input) in inputs.iter().enumerate() {
        let fault = if !is_input_name(input) {
            ExpressionFault::InvalidInput(quoted(input))
        } else if indices.insert(input.as_str(), index).is_some() {
            ExpressionFault::RepeatedInput(quoted(input))
        } else {
            continue;
        };
        return Err(ExpressionError::new(text, 0, fault));
    }
    let mut parser = Parser {
        scanner: Scanner::new(text)?,
        offset: 0,
        inputs: indices,
        texts: Vec::new(),
        steps: Vec::new(),
        waiting: Vec::new(),
        levels: 0,
    };
    parser.run()?;
    let Parser { texts, steps, .. } = parser;
    Ok(RuleExpression {
        text: text.into(),
        texts,
        steps,
        inputs,
    })
}

struct Parser<'t> {
    scanner: Scanner<'t>,
    /// Where the word at hand starts.
    offset: usize,
    inputs: FxHashMap<&'t str, usize>,
    texts: Vec<String>,
    steps: Vec<Step>,
    waiting: Vec<Waiting>,
    /// How many of those waiting are levels of nesting.
    levels: usize,
}

/// What waits for an operand or a closing bracket, and where it stands.
#[derive(Clone, Copy)]
struct Waiting {
    offset: usize,
    what: Pending,
}

#[derive(Clone, Copy)]
enum Pending {
    /// An operator and its strength.
    Binary(Action, u8),
    Sign(Action),
    /// `&&` or `||` with its strength and the step that jumps behind its right side.
    Logic {
        decides: bool,
        strength: u8,
        jump: usize,
    },
    /// `?` before its `:`, with the step that jumps behind it.
    Choice {
        jump: usize,
    },
    /// `:` of a choice, with the step that jumps over the other side.
    Otherwise {
        jump: usize,
    },
    Group,
    /// An index in brackets.
    Index,
    /// What takes a list of things, and how many are complete.
    Call(Function, usize),
    Method(Method, usize),
    List(usize),
    /// Members so far, and whether the value of the next one is at hand.
    Object {
        members: usize,
        in_value: bool,
    },
}

/// What may stand next.
#[derive(Clone, Copy, PartialEq)]
enum Due {
    Operand,
    /// An operand, or the end of a list that has no further one.
    OperandOrEnd,
    Operator,
}

const OR: u8 = 1;
const AND: u8 = 2;
const RELATION: u8 = 3;
const SUM: u8 = 4;
const PRODUCT: u8 = 5;
const SIGN: u8 = 6;

/// The operator between two operands that a symbol stands for.
fn binary(symbol: &str) -> Option<(Action, u8)> {
    Some(match symbol {
        "==" => (Action::Compare(Comparison::Equal), RELATION),
        "!=" => (Action::Compare(Comparison::Unequal), RELATION),
        "<" => (Action::Compare(Comparison::Less), RELATION),
        "<=" => (Action::Compare(Comparison::LessOrEqual), RELATION),
        ">" => (Action::Compare(Comparison::Greater), RELATION),
        ">=" => (Action::Compare(Comparison::GreaterOrEqual), RELATION),
        "in" => (Action::In, RELATION),
        "+" => (Action::Arithmetic(Operator::Add), SUM),
        "-" => (Action::Arithmetic(Operator::Subtract), SUM),
        "*" => (Action::Arithmetic(Operator::Multiply), PRODUCT),
        "/" => (Action::Arithmetic(Operator::Divide), PRODUCT),
        "%" => (Action::Arithmetic(Operator::Remainder), PRODUCT),
        _ => return None,
    })
}

impl<'t> Parser<'t> {
    fn run(&mut self) -> Result<(), ExpressionError> {
        let mut due = Due::Operand;
        loop {
            skip_space(&mut self.scanner);
            self.offset = self.scanner.offset();
            let Some(token) = token(&mut self.scanner)? else {
                return self.finish(due);
            };
            due = match (token, due) {
                (Token::Symbol(symbol), Due::Operator) => self.after_operand(symbol)?,
                (Token::Symbol(symbol), _) => self.before_operand(symbol, due)?,
                (_, Due::Operator) => {
                    return Err(self.fault(ExpressionFault::ExpectedOperator(self.found())));
                }
                (Token::Number(value), _) => self.operand(Action::Number(value)),
                (Token::Text(text), _) => {
                    let index = self.keep(text);
                    self.operand(Action::Text(index))
                }
                (Token::Name(name), _) => self.name(name)?,
            };
        }
    }

    fn operand(&mut self, action: Action) -> Due {
        self.emit(self.offset, action);
        Due::Operator
    }

    fn emit(&mut self, offset: usize, action: Action) {
        self.steps.push(Step { offset, action });
    }

    fn keep(&mut self, text: String) -> usize {
        self.texts.push(text);
        self.texts.len() - 1
    }

    fn name(&mut self, name: &str) -> Result<Due, ExpressionError> {
        skip_space(&mut self.scanner);
        if self.scanner.eat("(") {
            return match (Function::named(name), name) {
                (Some(function), _) => self.open(Pending::Call(function, 0), Due::OperandOrEnd),
                (None, "size") => self.open(Pending::Method(Method::Size, 0), Due::OperandOrEnd),
                _ => Err(self.fault(ExpressionFault::UnknownFunction {
                    name: quoted(name),
                    known: "`size`, `abs`, `min`, `max`, `round`, `sqrt`, `log` and `exp`",
                })),
            };
        }
        let action = match (name, self.inputs.get(name)) {
            (_, Some(index)) => Action::Input(*index),
            ("true", _) => Action::Bool(true),
            ("false", _) => Action::Bool(false),
            ("null", _) => Action::Null,
            _ => return Err(self.fault(ExpressionFault::UnknownInput(quoted(name)))),
        };
        Ok(self.operand(action))
    }

    /// A symbol where an operand is due.
    fn before_operand(&mut self, symbol: &str, due: Due) -> Result<Due, ExpressionError> {
        match symbol {
            "-" => self.open(Pending::Sign(Action::Negate), Due::Operand),
            "!" => self.open(Pending::Sign(Action::Not), Due::Operand),
            "(" => self.open(Pending::Group, Due::Operand),
            "[" => self.open(Pending::List(0), Due::OperandOrEnd),
            "{" => self.open(
                Pending::Object {
                    members: 0,
                    in_value: false,
                },
                Due::OperandOrEnd,
            ),
            ")" | "]" | "}" if due == Due::OperandOrEnd => self.close(symbol, false),
            _ => Err(self.fault(ExpressionFault::ExpectedOperand(self.found()))),
        }
    }

    /// A symbol after an operand.
    fn after_operand(&mut self, symbol: &'static str) -> Result<Due, ExpressionError> {
        if let Some((action, strength)) = binary(symbol) {
            self.release(strength);
            return Ok(self.wait(Pending::Binary(action, strength)));
        }
        match symbol {
            "&&" => Ok(self.logic(false, AND)),
            "||" => Ok(self.logic(true, OR)),
            "?" => self.choice(),
            ":" => self.colon(),
            "." => self.member(),
            "[" => self.open(Pending::Index, Due::Operand),
            "," => self.comma(),
            ")" | "]" | "}" => self.close(symbol, true),
            _ => Err(self.fault(ExpressionFault::ExpectedOperator(self.found()))),
        }
    }

    fn wait(&mut self, what: Pending) -> Due {
        self.waiting.push(Waiting {
            offset: self.offset,
            what,
        });
        Due::Operand
    }

    /// Opens a level.
    fn open(&mut self, what: Pending, due: Due) -> Result<Due, ExpressionError> {
        self.levels += 1;
        if self.levels > EXPRESSION_LEVELS {
            return Err(self.fault(ExpressionFault::TooDeep));
        }
        self.wait(what);
        Ok(due)
    }

    fn logic(&mut self, decides: bool, strength: u8) -> Due {
        self.release(strength);
        let jump = self.steps.len();
        self.emit(self.offset, Action::Decide { decides, target: 0 });
        self.wait(Pending::Logic {
            decides,
            strength,
            jump,
        })
    }

    fn choice(&mut self) -> Result<Due, ExpressionError> {
        self.release(OR);
        if let Some(Waiting {
            offset,
            what: Pending::Choice { .. },
        }) = self.waiting.last()
        {
            return Err(self.fault_at(*offset, ExpressionFault::UnfinishedChoice));
        }
        let jump = self.steps.len();
        self.emit(self.offset, Action::Unless(0));
        Ok(self.wait(Pending::Choice { jump }))
    }

    fn colon(&mut self) -> Result<Due, ExpressionError> {
        self.release(0);
        match self.waiting.last_mut() {
            Some(Waiting {
                what:
                    Pending::Object {
                        in_value: in_value @ false,
                        ..
                    },
                ..
            }) => {
                *in_value = true;
                Ok(Due::Operand)
            }
            Some(&mut Waiting {
                what: Pending::Choice { jump },
                ..
            }) => {
                self.waiting.pop();
                let over = self.steps.len();
                self.emit(self.offset, Action::Jump(0));
                self.land(jump);
                Ok(self.wait(Pending::Otherwise { jump: over }))
            }
            _ => Err(self.fault(ExpressionFault::StrayColon)),
        }
    }

    /// Makes the jump of that step lead to the step to come.
    fn land(&mut self, jump: usize) {
        let here = self.steps.len();
        if let Some(Step {
            action: Action::Decide { target, .. } | Action::Unless(target) | Action::Jump(target),
            ..
        }) = self.steps.get_mut(jump)
        {
            *target = here;
        }
    }

    fn member(&mut self) -> Result<Due, ExpressionError> {
        skip_space(&mut self.scanner);
        self.offset = self.scanner.offset();
        let Some(name) = self.scanner.name() else {
            let what = self
                .scanner
                .peek()
                .map_or(Found::End, |at| Found::text(&at.to_string()));
            return Err(self.fault(ExpressionFault::ExpectedOperand(what)));
        };
        skip_space(&mut self.scanner);
        if !self.scanner.eat("(") {
            let index = self.keep(name.to_owned());
            return Ok(self.operand(Action::Member(index)));
        }
        match Method::named(name) {
            // The receiver is the first argument, and complete.
            Some(method) => self.open(Pending::Method(method, 1), Due::OperandOrEnd),
            None => Err(self.fault(ExpressionFault::UnknownMethod(quoted(name)))),
        }
    }

    /// Emits what waits and binds at least so tightly, back to the nearest opening bracket.
    fn release(&mut self, least: u8) {
        while let Some(&Waiting { offset, what }) = self.waiting.last() {
            match what {
                Pending::Binary(action, strength) if strength >= least => self.emit(offset, action),
                Pending::Sign(action) if SIGN >= least => {
                    self.levels -= 1;
                    self.emit(offset, action);
                }
                Pending::Logic {
                    decides,
                    strength,
                    jump,
                } if strength >= least => {
                    self.emit(offset, Action::Decided { decides });
                    self.land(jump);
                }
                Pending::Otherwise { jump } if least == 0 => self.land(jump),
                _ => return,
            }
            self.waiting.pop();
        }
    }

    fn comma(&mut self) -> Result<Due, ExpressionError> {
        self.release(0);
        let fault = match self.waiting.last_mut().map(|waiting| &mut waiting.what) {
            Some(Pending::Call(_, complete) | Pending::Method(_, complete)) => {
                *complete += 1;
                return Ok(Due::Operand);
            }
            Some(Pending::List(complete)) => {
                *complete += 1;
                return Ok(Due::OperandOrEnd);
            }
            Some(Pending::Object {
                members,
                in_value: in_value @ true,
            }) => {
                *members += 1;
                *in_value = false;
                return Ok(Due::OperandOrEnd);
            }
            Some(Pending::Object { .. }) => ExpressionFault::MissingColon,
            Some(Pending::Choice { .. }) => return Err(self.unfinished()),
            _ => ExpressionFault::StrayComma,
        };
        Err(self.fault(fault))
    }

    /// A closing bracket, and whether an operand stands right before it.
    fn close(&mut self, symbol: &str, operand: bool) -> Result<Due, ExpressionError> {
        if operand {
            self.release(0);
        }
        let last = usize::from(operand);
        let Some(Waiting { offset, what }) = self.waiting.pop() else {
            return Err(self.stray(symbol));
        };
        let action = match (what, symbol) {
            (Pending::Group, ")") if operand => None,
            (Pending::Index, "]") if operand => Some(Action::Index),
            (Pending::Call(function, complete), ")") => {
                let arguments = complete + last;
                function
                    .check_arguments(arguments)
                    .map_err(|fault| self.fault_at(offset, fault))?;
                Some(Action::Call(function, arguments))
            }
            (Pending::Method(method, complete), ")") => {
                let arguments = complete + last;
                method
                    .check_arguments(arguments)
                    .map_err(|fault| self.fault_at(offset, fault))?;
                Some(Action::Method(method, arguments))
            }
            (Pending::List(complete), "]") => Some(Action::List(complete + last)),
            (Pending::Object { members, in_value }, "}") if in_value == operand => {
                Some(Action::Object(members + last))
            }
            (Pending::Object { .. }, "}") => {
                return Err(self.fault(ExpressionFault::MissingColon));
            }
            (Pending::Choice { .. }, _) => {
                return Err(self.fault_at(offset, ExpressionFault::UnfinishedChoice));
            }
            _ if operand => return Err(self.stray(symbol)),
            _ => return Err(self.fault(ExpressionFault::ExpectedOperand(self.found()))),
        };
        self.levels -= 1;
        if let Some(action) = action {
            self.emit(offset, action);
        }
        Ok(Due::Operator)
    }

    fn finish(&mut self, due: Due) -> Result<(), ExpressionError> {
        if due != Due::Operator && self.steps.is_empty() && self.waiting.is_empty() {
            return Err(self.fault(ExpressionFault::Empty));
        }
        if due != Due::Operator {
            return Err(self.fault(ExpressionFault::ExpectedOperand(Found::End)));
        }
        self.release(0);
        let Some(Waiting { offset, what }) = self.waiting.last() else {
            return Ok(());
        };
        let fault = match what {
            Pending::Index | Pending::List(_) => ExpressionFault::UnclosedBracket(']'),
            Pending::Object { .. } => ExpressionFault::UnclosedBracket('}'),
            Pending::Choice { .. } => ExpressionFault::UnfinishedChoice,
            _ => ExpressionFault::UnclosedParenthesis,
        };
        Err(self.fault_at(*offset, fault))
    }

    /// A `?` before which its `:` should stand.
    fn unfinished(&self) -> ExpressionError {
        let offset = self
            .waiting
            .last()
            .map_or(self.offset, |waiting| waiting.offset);
        self.fault_at(offset, ExpressionFault::UnfinishedChoice)
    }

    fn stray(&self, symbol: &str) -> ExpressionError {
        self.fault(ExpressionFault::StrayClosing(
            symbol.chars().next().unwrap_or(')'),
        ))
    }

    /// The word at hand, for a message.
    fn found(&self) -> Found {
        let (before, _) = self.scanner.text().split_at(self.scanner.offset());
        Found::text(
            before
                .split_at_checked(self.offset)
                .map_or("", |(_, word)| word),
        )
    }

    fn fault(&self, fault: ExpressionFault) -> ExpressionError {
        self.fault_at(self.offset, fault)
    }

    fn fault_at(&self, offset: usize, fault: ExpressionFault) -> ExpressionError {
        ExpressionError::new(self.scanner.text(), offset, fault)
    }
}
