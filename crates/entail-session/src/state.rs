//! Everything of a session beside its belief base and its trace, and how to take changes back.

use std::collections::BTreeMap;
use std::sync::Arc;

use entail_contract::{Code, Problem};
use entail_json::Value;
use entail_kernel::Time;
use entail_kernel::base::SetId;
use entail_kernel::text::Document;

use crate::call::{CallState, Calls};
use crate::command::Closing;
use crate::document::Documents;
use crate::event::{Accepted, CallOpened, TurnTaken};
use crate::feedback::Feedback;
use crate::options::{Options, Policy};
use crate::outcome::Verdict;
use crate::tool::Tool;

/// What came of a turn, as far as it is kept in memory; the rest is in the journal.
#[derive(Clone, Debug, PartialEq)]
pub struct TurnRecord {
    /// The turn's number: the version of its commit.
    pub turn: u64,
    /// When.
    pub at: Time,
    /// The model's name.
    pub model: String,
    /// The context it was validated against.
    pub context_id: String,
    /// What it came to.
    pub verdict: Verdict,
    /// Actions accepted.
    pub accepted: usize,
    /// Rejections.
    pub rejected: usize,
}

/// An accepted answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AnswerRecord {
    pub turn: u64,
    pub reference: String,
}

/// How to take one change back.
#[derive(Debug)]
enum Undo {
    Options(Arc<Options>),
    Plan(Option<Arc<Value>>),
    Closed(Option<Closing>),
    Document(String),
    Tool(String, Option<Arc<Tool>>),
    CallPushed,
    CallSettled(usize),
    Feedback(Feedback),
    ToolError,
    Answer,
    AnswerAgain(usize, AnswerRecord),
    Turn,
    Shown(Option<SetId>),
    Rejections(usize),
}

#[derive(Clone, Debug)]
pub(crate) struct State {
    pub options: Arc<Options>,
    pub plan: Option<Arc<Value>>,
    pub closed: Option<Closing>,
    pub documents: Documents,
    pub tools: BTreeMap<String, Arc<Tool>>,
    pub calls: Calls,
    pub feedback: Feedback,
    pub answers: Vec<AnswerRecord>,
    pub turns: Vec<TurnRecord>,
    /// Rejected actions and failed calls.
    pub rejections: usize,
    /// The antecedent set of what the last turn was shown, with its claims.
    pub shown: Option<SetId>,
    /// What the present entry has refused and accepted so far.
    refused: Vec<Problem>,
    accepted: usize,
    undo: Log,
}

/// The undo log. It is no part of what a session is, so a copy starts with an empty one.
#[derive(Debug, Default)]
struct Log(Vec<Undo>);

impl Clone for Log {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl State {
    pub(crate) fn new() -> Self {
        Self {
            options: Arc::new(Options {
                task: String::new(),
                instructions: None,
                policy: Policy::default(),
                labels: BTreeMap::new(),
                expires_at: None,
            }),
            plan: None,
            closed: None,
            documents: Documents::default(),
            tools: BTreeMap::new(),
            calls: Calls::default(),
            feedback: Feedback::default(),
            answers: Vec::new(),
            turns: Vec::new(),
            rejections: 0,
            shown: None,
            refused: Vec::new(),
            accepted: 0,
            undo: Log::default(),
        }
    }

    /// Takes back everything since the last [`settle`](Self::settle).
    pub(crate) fn rollback(&mut self) {
        while let Some(undo) = self.undo.0.pop() {
            match undo {
                Undo::Options(options) => self.options = options,
                Undo::Plan(plan) => self.plan = plan,
                Undo::Closed(closed) => self.closed = closed,
                Undo::Document(name) => self.documents.pop(&name),
                Undo::Tool(name, Some(tool)) => {
                    self.tools.insert(name, tool);
                }
                Undo::Tool(name, None) => {
                    self.tools.remove(&name);
                }
                Undo::CallPushed => self.calls.pop(),
                Undo::CallSettled(at) => self.calls.unsettle(at),
                Undo::Feedback(feedback) => self.feedback = feedback,
                Undo::ToolError => {
                    self.feedback.errors.pop();
                }
                Undo::Answer => {
                    self.answers.pop();
                }
                Undo::AnswerAgain(at, before) => {
                    if let Some(answer) = self.answers.get_mut(at) {
                        *answer = before;
                    }
                }
                Undo::Turn => {
                    self.turns.pop();
                }
                Undo::Shown(shown) => self.shown = shown,
                Undo::Rejections(rejections) => self.rejections = rejections,
            }
        }
        self.settle();
    }

    /// Lets everything so far stand.
    pub(crate) fn settle(&mut self) {
        self.undo.0.clear();
        self.refused.clear();
        self.accepted = 0;
    }

    fn note(&mut self, undo: Undo) {
        self.undo.0.push(undo);
    }

    pub(crate) fn set_options(&mut self, options: Options) {
        let before = std::mem::replace(&mut self.options, Arc::new(options));
        self.note(Undo::Options(before));
    }

    pub(crate) fn set_plan(&mut self, plan: Option<Value>) {
        let before = std::mem::replace(&mut self.plan, plan.map(Arc::new));
        self.note(Undo::Plan(before));
    }

    pub(crate) fn set_closed(&mut self, closed: Option<Closing>) {
        let before = std::mem::replace(&mut self.closed, closed);
        self.note(Undo::Closed(before));
    }

    pub(crate) fn put_document(&mut self, name: &str, document: Arc<Document>) -> u32 {
        self.note(Undo::Document(name.to_owned()));
        self.documents.push(name, document)
    }

    pub(crate) fn put_tool(&mut self, tool: Arc<Tool>) {
        let name = tool.name().to_owned();
        let before = self.tools.insert(name.clone(), tool);
        self.note(Undo::Tool(name, before));
    }

    pub(crate) fn delete_tool(&mut self, name: &str) {
        if let Some(before) = self.tools.remove(name) {
            self.note(Undo::Tool(name.to_owned(), Some(before)));
        }
    }

    pub(crate) fn open_call(&mut self, opened: Arc<CallOpened>, version: u64) {
        self.calls.push(opened, version);
        self.note(Undo::CallPushed);
    }

    pub(crate) fn settle_call(&mut self, id: &str, state: CallState) {
        if let Some(at) = self.calls.settle(id, state) {
            self.note(Undo::CallSettled(at));
        }
    }

    /// Remembers a refusal: of an action until its turn is taken, of a call's error at once.
    pub(crate) fn refuse(&mut self, problem: &Problem) {
        self.note(Undo::Rejections(self.rejections));
        self.rejections = self.rejections.saturating_add(1);
        if problem.code == Code::ToolError {
            self.feedback.errors.push(problem.clone());
            self.note(Undo::ToolError);
        } else {
            self.refused.push(problem.clone());
        }
    }

    pub(crate) fn accept(&mut self, accepted: &Accepted, version: u64) {
        self.accepted = self.accepted.saturating_add(1);
        if let Some(reference) = &accepted.reference
            && crate::commands::is_reserved(&accepted.key)
        {
            let key = accepted.key.as_str();
            let same = |answer: &AnswerRecord| {
                answer
                    .reference
                    .rsplit_once('@')
                    .is_some_and(|(there, _)| there == key)
            };
            let record = AnswerRecord {
                turn: version,
                reference: reference.clone(),
            };
            if let Some(at) = self.answers.iter().rposition(same) {
                let before = self
                    .answers
                    .get_mut(at)
                    .map(|there| std::mem::replace(there, record));
                self.undo
                    .0
                    .extend(before.map(|before| Undo::AnswerAgain(at, before)));
            } else {
                self.answers.push(record);
                self.note(Undo::Answer);
            }
        }
    }

    pub(crate) fn take_turn(&mut self, taken: &TurnTaken, version: u64, at: Time) {
        let rejections = std::mem::take(&mut self.refused);
        self.turns.push(TurnRecord {
            turn: version,
            at,
            model: taken.model.clone(),
            context_id: taken.context_id.clone(),
            verdict: taken.verdict,
            accepted: self.accepted,
            rejected: rejections.len(),
        });
        self.note(Undo::Turn);
        let shown = taken.chain.map(SetId::from_number);
        let before = std::mem::replace(&mut self.shown, shown);
        self.note(Undo::Shown(before));
        let feedback = Feedback {
            rejections,
            errors: Vec::new(),
        };
        let before = std::mem::replace(&mut self.feedback, feedback);
        self.note(Undo::Feedback(before));
    }
}
