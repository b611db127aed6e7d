//! Validating a model's response, action by action.
//!
//! | module | subject |
//! |---|---|
//! | `shown` | what the turn may rest on: its context, its own claims, its own calls |
//! | `claim` | claims and answers |
//! | `cite` | citations |
//! | `call` | tool calls |
//! | `ending` | verdict, feedback, the turn's own events |

mod call;
mod cite;
mod claim;
mod ending;
mod refusal;
mod shown;

use std::sync::Arc;

use entail_contract::{Action, ActionKind, Code, Parser, Problem};
use entail_json::Value;
use entail_kernel::base::{BeliefId, Lesson};

use crate::command::{Turn, TurnContext};
use crate::commands::is_reserved;
use crate::commit::Commit;
use crate::context::Context;
use crate::error::CommandError;
use crate::limits::{NAME_BYTES, REJECTED_STATEMENT_CHARACTERS};
use crate::options::Dependencies;
use crate::outcome::TurnOutcome;
use crate::text::shorten;

use call::NewCall;
use refusal::Refusal;
use shown::Shown;

/// The model's name where none is given.
const DEFAULT_MODEL: &str = "default";

/// A response under validation.
struct Turning<'c, 's> {
    commit: &'c mut Commit<'s>,
    context: Arc<Context>,
    shown: Shown,
    /// `model:NAME`
    model: String,
    dependencies: Dependencies,
    calls: Vec<NewCall>,
    accepted: Vec<Taken>,
    refused: Vec<(Problem, Option<String>)>,
    ignored: Vec<(usize, ActionKind)>,
    answer: Option<BeliefId>,
    /// Whether a refusal had to do with a disputed key.
    ran_into_conflict: bool,
}

/// An action that was accepted.
struct Taken {
    action: usize,
    kind: ActionKind,
    what: What,
}

enum What {
    Belief(BeliefId),
    /// The place of a call among this turn's.
    Call(usize),
}

/// Validates a response and applies what passes.
pub(crate) fn take(commit: &mut Commit<'_>, turn: Turn) -> Result<TurnOutcome, CommandError> {
    let model = turn.model.as_deref().unwrap_or(DEFAULT_MODEL);
    check_model(model)?;
    if let Some(step_id) = &turn.step_id {
        commit.session.trace.check_step(step_id)?;
    }
    let (context, beliefs) = match turn.context {
        TurnContext::Given(context) => {
            let beliefs = shown::beliefs(commit, &context)?;
            (context, beliefs)
        }
        TurnContext::Present { id } => {
            let (context, beliefs) = commit.session.present(&id, commit.at);
            (Arc::new(context), beliefs)
        }
    };
    let limits = commit.session.limits;
    let parser = Parser::new(entail_contract::Limits {
        actions: limits.actions,
        value_bytes: limits.value_bytes,
        bytes: usize::MAX,
        ..entail_contract::Limits::default()
    });
    let response = parser.parse(&turn.response);
    let is_unusable = response.is_unusable();
    let shown = Shown::new(commit, beliefs)?;
    let dependencies = match context.scope {
        // What is derived again depends on exactly what its context shows.
        Some(_) => Dependencies::Conservative,
        None => commit.session.state.options.policy.dependencies,
    };
    let mut turning = Turning {
        commit,
        context,
        shown,
        model: format!("model:{model}"),
        dependencies,
        calls: Vec::new(),
        accepted: Vec::new(),
        refused: response
            .problems
            .into_iter()
            .map(|problem| (problem, None))
            .collect(),
        ignored: Vec::new(),
        answer: None,
        ran_into_conflict: false,
    };
    for (index, action) in response.actions {
        turning.action(index, action);
    }
    turning.finish(model, turn.step_id, is_unusable)
}

/// Validates a response that derives a key again.
pub(crate) fn rederive(
    commit: &mut Commit<'_>,
    key: &str,
    turn: Turn,
) -> Result<TurnOutcome, CommandError> {
    let TurnContext::Given(context) = &turn.context else {
        return Err(CommandError::InvalidArgument {
            pointer: "/context_id".to_owned(),
            reason: "is missing: name the context that was handed out for this key".to_owned(),
        });
    };
    if context.scope.as_deref() != Some(key) {
        return Err(CommandError::InvalidArgument {
            pointer: "/context_id".to_owned(),
            reason: format!("names no context for `{key}`: take one from the rederivations"),
        });
    }
    take(commit, turn)
}

fn check_model(model: &str) -> Result<(), CommandError> {
    if model.is_empty() || model.len() > NAME_BYTES || model.chars().any(char::is_control) {
        return Err(CommandError::InvalidArgument {
            pointer: "/model".to_owned(),
            reason: format!("must be one line of 1 to {NAME_BYTES} bytes"),
        });
    }
    Ok(())
}

impl Turning<'_, '_> {
    fn action(&mut self, index: usize, action: Action) {
        let kind = action.kind();
        if self.answer.is_some() {
            self.ignored.push((index, kind));
            return;
        }
        let key = action.key().map(str::to_owned);
        let statement = statement_of(&action);
        let done = match action {
            Action::CallTool(call) => self.call(index, call).map(What::Call),
            Action::Cite(cite) => self.cite(cite).map(What::Belief),
            // An answer derived again may be stated as a claim of its key, and is an answer still.
            Action::Claim(claim) => {
                let is_answer = is_reserved(&claim.key);
                self.claim(claim).map(|belief| {
                    self.answer = is_answer.then_some(belief);
                    What::Belief(belief)
                })
            }
            Action::Answer(answer) => self.answer(answer).map(|belief| {
                self.answer = Some(belief);
                What::Belief(belief)
            }),
        };
        match done {
            Ok(what) => self.accepted.push(Taken {
                action: index,
                kind,
                what,
            }),
            Err(refusal) => {
                self.ran_into_conflict |= refusal.is_conflict;
                let problem = Problem {
                    action: Some(index),
                    kind: Some(kind),
                    key,
                    code: refusal.code,
                    message: refusal.message,
                };
                self.refused.push((problem, statement));
            }
        }
    }

    /// Tells the trust ledger about the model, where the session learns.
    fn teach(&mut self, correct: bool, lesson: Lesson) {
        if !self.commit.session.state.options.policy.learn {
            return;
        }
        let (model, now) = (self.model.clone(), self.commit.at);
        // The model's name was checked, so the ledger knows it for a source.
        let _ = self
            .commit
            .base(|base| base.outcome(&model, correct, lesson, now));
    }

    /// What the rules for keys say of a key that an action other than an answer gives.
    fn check_key(key: &str) -> Result<(), Refusal> {
        if is_reserved(key) {
            return Err(Refusal::reserved_key(key));
        }
        Self::check_key_form(key)
    }

    fn check_key_form(key: &str) -> Result<(), Refusal> {
        match crate::commands::key_fault(key) {
            Some(fault) => Err(Refusal::invalid_key(key, &fault)),
            None => Ok(()),
        }
    }

    /// A claim's words have the room that a value has.
    fn check_words(&self, words: &str) -> Result<(), Refusal> {
        let (bytes, limit) = (words.len(), self.commit.session.limits.value_bytes);
        if bytes > limit {
            return Err(Refusal::new(
                Code::UnsupportedValue,
                format!("`claim` has {bytes} bytes, the limit is {limit}; say it in fewer words"),
            ));
        }
        Ok(())
    }

    fn check_room(&self) -> Result<(), Refusal> {
        let limit = self.commit.session.limits.beliefs;
        if self.commit.session.base.len() >= limit {
            return Err(Refusal::limit(
                "this session holds as many beliefs as it may",
                limit,
            ));
        }
        Ok(())
    }
}

/// What a refused action would have stated, for the trace; nothing for a call.
fn statement_of(action: &Action) -> Option<String> {
    let stated = |key: &str, value: &Value, claim: &str| {
        if claim.trim().is_empty() {
            format!("{key} = {value}")
        } else {
            claim.to_owned()
        }
    };
    let statement = match action {
        Action::CallTool(_) => return None,
        Action::Cite(cite) => stated(&cite.key, &cite.value, &cite.claim),
        Action::Claim(claim) => match &claim.formula {
            Some(formula) if claim.value.is_null() && claim.claim.trim().is_empty() => {
                format!("{} = {formula}", claim.key)
            }
            _ => stated(&claim.key, &claim.value, &claim.claim),
        },
        Action::Answer(answer) => answer.text.clone(),
    };
    let statement = if statement.is_empty() {
        "(nothing stated)".to_owned()
    } else {
        statement
    };
    Some(shorten(&statement, REJECTED_STATEMENT_CHARACTERS))
}

fn non_blank(text: String) -> Option<String> {
    (!text.trim().is_empty()).then_some(text)
}
