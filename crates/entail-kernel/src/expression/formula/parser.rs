//! From the words of a formula to a program, by the shunting-yard method: operators that wait
//! for their right operand stand on a stack of their own, so that no input makes this recurse.

use rustc_hash::FxHashMap;

use super::lexer::{Token, token};
use super::{Action, Formula, Step};
use crate::expression::arithmetic::Operator;
use crate::expression::error::{ExpressionError, ExpressionFault, Found, quoted};
use crate::expression::function::Function;
use crate::expression::scanner::Scanner;
use crate::limits::EXPRESSION_LEVELS;

/// About how many characters of a usual formula make a step.
const CHARACTERS_A_STEP: usize = 4;

/// So many keys are searched from end to end; more by an index.
const LINEAR_KEYS: usize = 8;

pub(super) fn parse(text: &str) -> Result<Formula, ExpressionError> {
    let mut parser = Parser {
        scanner: Scanner::new(text)?,
        offset: 0,
        steps: Vec::with_capacity(text.len() / CHARACTERS_A_STEP + 1),
        waiting: Vec::with_capacity(8),
        levels: 0,
        placeholders: Vec::new(),
        indices: FxHashMap::default(),
    };
    parser.run()?;
    Ok(Formula {
        text: text.into(),
        placeholders: parser.placeholders.into_iter().map(str::to_owned).collect(),
        steps: parser.steps,
    })
}

struct Parser<'t> {
    scanner: Scanner<'t>,
    /// Where the word at hand starts.
    offset: usize,
    steps: Vec<Step>,
    waiting: Vec<Waiting>,
    /// How many of those waiting are levels of nesting.
    levels: usize,
    placeholders: Vec<&'t str>,
    /// The places of the placeholders, once they are many.
    indices: FxHashMap<&'t str, usize>,
}

/// What waits for an operand or a closing parenthesis, and where it stands.
#[derive(Clone, Copy)]
struct Waiting {
    offset: usize,
    what: Pending,
}

#[derive(Clone, Copy)]
enum Pending {
    Operator(Operator),
    /// A sign, and whether it is a minus.
    Sign(bool),
    Group,
    /// A call and how many commas it had so far.
    Call(Function, usize),
}

/// How tightly the sign binds, among the strengths of operators.
const SIGN: u8 = 3;

fn strength(operator: Operator) -> u8 {
    match operator {
        Operator::Add | Operator::Subtract => 1,
        Operator::Multiply | Operator::Divide | Operator::FloorDivide | Operator::Remainder => 2,
        Operator::Power => 4,
    }
}

impl<'t> Parser<'t> {
    fn run(&mut self) -> Result<(), ExpressionError> {
        let mut operand_due = true;
        while let Some(token) = self.next()? {
            operand_due = match (token, operand_due) {
                (Token::Number(value), true) => self.operand(Action::Number(value)),
                (Token::Placeholder(key), true) => {
                    let index = self.placeholder(key);
                    self.operand(Action::Placeholder(index))
                }
                (Token::Name(name), true) => self.call(name)?,
                (Token::Open, true) => self.wait(Pending::Group)?,
                (Token::Minus, true) => self.wait(Pending::Sign(true))?,
                (Token::Plus, true) => self.wait(Pending::Sign(false))?,
                (Token::Plus, false) => self.operator(Operator::Add),
                (Token::Minus, false) => self.operator(Operator::Subtract),
                (Token::Star, false) => self.operator(Operator::Multiply),
                (Token::Slash, false) => self.operator(Operator::Divide),
                (Token::SlashSlash, false) => self.operator(Operator::FloorDivide),
                (Token::Percent, false) => self.operator(Operator::Remainder),
                (Token::StarStar, false) => self.operator(Operator::Power),
                (Token::Comma, false) => self.comma()?,
                (Token::Close, false) => self.close()?,
                (Token::Close, true) => self.close_without_operand()?,
                (_, true) => {
                    return Err(self.fault(ExpressionFault::ExpectedOperand(self.found())));
                }
                (_, false) => {
                    return Err(self.fault(ExpressionFault::ExpectedOperator(self.found())));
                }
            };
        }
        self.finish(operand_due)
    }

    fn next(&mut self) -> Result<Option<Token<'t>>, ExpressionError> {
        self.scanner.skip_space();
        self.offset = self.scanner.offset();
        token(&mut self.scanner)
    }

    fn operand(&mut self, action: Action) -> bool {
        self.steps.push(Step {
            offset: self.offset,
            action,
        });
        false
    }

    fn placeholder(&mut self, key: &'t str) -> usize {
        let count = self.placeholders.len();
        let known = if count <= LINEAR_KEYS {
            self.placeholders.iter().position(|known| *known == key)
        } else {
            self.indices.get(key).copied()
        };
        known.unwrap_or_else(|| {
            self.placeholders.push(key);
            if count == LINEAR_KEYS {
                self.indices
                    .extend(self.placeholders.iter().copied().zip(0..));
            } else if count > LINEAR_KEYS {
                self.indices.insert(key, count);
            }
            count
        })
    }

    /// A function's name and the parenthesis that must follow it.
    fn call(&mut self, name: &str) -> Result<bool, ExpressionError> {
        self.scanner.skip_space();
        let called = self.scanner.eat("(");
        match Function::named(name) {
            Some(function) if called => self.wait(Pending::Call(function, 0)),
            Some(function) => {
                Err(self.fault(ExpressionFault::FunctionWithoutArguments(function.name())))
            }
            None if called => Err(self.fault(ExpressionFault::UnknownFunction {
                name: quoted(name),
                known: Function::ALL,
            })),
            None => Err(self.fault(ExpressionFault::UnknownName(quoted(name)))),
        }
    }

    /// Opens a level.
    fn wait(&mut self, what: Pending) -> Result<bool, ExpressionError> {
        self.levels += 1;
        if self.levels > EXPRESSION_LEVELS {
            return Err(self.fault(ExpressionFault::TooDeep));
        }
        self.waiting.push(Waiting {
            offset: self.offset,
            what,
        });
        Ok(true)
    }

    fn operator(&mut self, operator: Operator) -> bool {
        // Only `**` groups to the right: an equal one before it goes on waiting.
        let right = u8::from(operator == Operator::Power);
        self.release(strength(operator) + right);
        self.waiting.push(Waiting {
            offset: self.offset,
            what: Pending::Operator(operator),
        });
        true
    }

    /// Emits the waiting operators and signs that bind at least so tightly, back to the nearest
    /// opening parenthesis.
    fn release(&mut self, least: u8) {
        while let Some(&Waiting { offset, what }) = self.waiting.last() {
            let action = match what {
                Pending::Operator(operator) if strength(operator) >= least => {
                    Some(Action::Operate(operator))
                }
                Pending::Sign(minus) if SIGN >= least => {
                    self.levels -= 1;
                    minus.then_some(Action::Negate)
                }
                _ => return,
            };
            self.steps
                .extend(action.map(|action| Step { offset, action }));
            self.waiting.pop();
        }
    }

    fn comma(&mut self) -> Result<bool, ExpressionError> {
        self.release(0);
        match self.waiting.last_mut() {
            Some(Waiting {
                what: Pending::Call(_, commas),
                ..
            }) => {
                *commas += 1;
                Ok(true)
            }
            _ => Err(self.fault(ExpressionFault::StrayComma)),
        }
    }

    fn close(&mut self) -> Result<bool, ExpressionError> {
        self.release(0);
        match self.waiting.pop() {
            Some(Waiting {
                what: Pending::Group,
                ..
            }) => self.levels -= 1,
            Some(Waiting {
                offset,
                what: Pending::Call(function, commas),
            }) => {
                let arguments = commas + 1;
                self.check_arguments(offset, function, arguments)?;
                self.levels -= 1;
                self.steps.push(Step {
                    offset,
                    action: Action::Call(function, arguments),
                });
            }
            _ => return Err(self.fault(ExpressionFault::StrayClosing(')'))),
        }
        Ok(false)
    }

    /// A `)` where an operand is due: it may close a call that has no arguments, which no
    /// function allows.
    fn close_without_operand(&self) -> Result<bool, ExpressionError> {
        match self.waiting.last() {
            None => Err(self.fault(ExpressionFault::StrayClosing(')'))),
            Some(&Waiting {
                offset,
                what: Pending::Call(function, 0),
            }) => self.check_arguments(offset, function, 0).map(|()| true),
            Some(_) => Err(self.fault(ExpressionFault::ExpectedOperand(self.found()))),
        }
    }

    fn check_arguments(
        &self,
        offset: usize,
        function: Function,
        given: usize,
    ) -> Result<(), ExpressionError> {
        function
            .check_arguments(given)
            .map_err(|fault| self.fault_at(offset, fault))
    }

    fn finish(&mut self, operand_due: bool) -> Result<(), ExpressionError> {
        if operand_due && self.steps.is_empty() && self.waiting.is_empty() {
            return Err(self.fault(ExpressionFault::Empty));
        }
        if operand_due {
            return Err(self.fault(ExpressionFault::ExpectedOperand(Found::End)));
        }
        self.release(0);
        match self.waiting.last() {
            Some(open) => Err(self.fault_at(open.offset, ExpressionFault::UnclosedParenthesis)),
            None => Ok(()),
        }
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
