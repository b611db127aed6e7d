//! What came of a command.

use std::fmt;

use entail_json::{Number, Object, Value};
use entail_kernel::Time;
use entail_kernel::base::{Lesson, Status};
use entail_trace::journal::Entry;

use crate::rejection::Rejection;
use crate::tool::HttpExecutor;

/// A command that was carried out.
///
/// Until [`confirm`](crate::Session::confirm) or [`undo`](crate::Session::undo) the session
/// holds its effects and takes no other command.
#[derive(Clone, Debug, PartialEq)]
pub struct Executed {
    /// What to append to the journal; `None` when nothing changed, so that nothing is to be
    /// confirmed either.
    pub entry: Option<Entry>,
    /// What to answer.
    pub outcome: Outcome,
    /// What the sources taught by this commit did, for the tenant's ledger.
    pub lessons: Vec<LedgerLesson>,
    /// Calls that the service itself has to make from now on.
    pub http_calls: Vec<HttpCall>,
    /// Ids of calls that are no longer to be made: answered or given up.
    pub closed_calls: Vec<String>,
    /// SHA-256 digests of document texts that the entry names.
    pub documents: Vec<entail_json::Digest>,
}

impl Executed {
    /// What a command comes to that changes nothing.
    pub(crate) const fn nothing(outcome: Outcome) -> Self {
        Self {
            entry: None,
            outcome,
            lessons: Vec::new(),
            http_calls: Vec::new(),
            closed_calls: Vec::new(),
            documents: Vec::new(),
        }
    }
}

/// One outcome for the trust ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerLesson {
    /// `kind:name`
    pub source: String,
    /// Whether it was right.
    pub correct: bool,
    /// What taught it.
    pub lesson: Lesson,
    /// When.
    pub at: Time,
}

/// A call for the service to make.
#[derive(Clone, Debug, PartialEq)]
pub struct HttpCall {
    /// Its id, to be sent as `Idempotency-Key`.
    pub call_id: String,
    /// The tool.
    pub tool: String,
    /// The arguments.
    pub arguments: Object,
    /// How to call it.
    pub executor: HttpExecutor,
}

/// What to answer to a command.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// To a turn.
    Turn(Box<TurnOutcome>),
    /// To results, premises, retractions, restorations, refreshes, closings and the like.
    Changed(Changed),
    /// To a document.
    Document(DocumentOutcome),
    /// To a rule or a constraint.
    Rule {
        /// Its name.
        name: String,
        /// The version that it now has, counted from 1.
        version: u32,
    },
    /// To a propagation.
    Propagated(Propagated),
    /// To a reverification.
    Reverified(Reverified),
    /// To a tool.
    Tool {
        /// Its name.
        name: String,
        /// Whether there was none of that name before.
        created: bool,
    },
}

impl Outcome {
    /// The answer as the body of a reply; version and chain head are those of the entry.
    #[must_use]
    pub fn to_value(&self) -> Value {
        match self {
            Self::Turn(turn) => turn.to_value(),
            Self::Changed(changed) => changed.to_value(),
            Self::Document(document) => document.to_value(),
            Self::Rule { name, version } => Value::from([
                ("name", name.as_str().into()),
                ("version", (*version).into()),
            ]),
            Self::Propagated(propagated) => propagated.to_value(),
            Self::Reverified(reverified) => reverified.to_value(),
            Self::Tool { name, created } => Value::from([
                ("name", name.as_str().into()),
                ("created", (*created).into()),
            ]),
        }
    }
}

/// What a turn came to, in the order in which the first that holds decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing could be read.
    Unusable,
    /// It ran into a disputed key.
    ConflictingEvidence,
    /// Something was rejected.
    NeedsRepair,
    /// Calls are open.
    AwaitingTools,
    /// It answered.
    Answered,
    /// Everything was accepted.
    Accepted,
}

impl Verdict {
    /// Every verdict, first that holds first.
    pub const ALL: [Self; 6] = [
        Self::Unusable,
        Self::ConflictingEvidence,
        Self::NeedsRepair,
        Self::AwaitingTools,
        Self::Answered,
        Self::Accepted,
    ];

    /// The word for it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Unusable => "unusable",
            Self::ConflictingEvidence => "conflicting_evidence",
            Self::NeedsRepair => "needs_repair",
            Self::AwaitingTools => "awaiting_tools",
            Self::Answered => "answered",
            Self::Accepted => "accepted",
        }
    }

    pub(crate) fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|verdict| verdict.word() == word)
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// What came of a turn.
#[derive(Clone, Debug, PartialEq)]
pub struct TurnOutcome {
    /// The turn's number: the version its commit makes.
    pub turn: u64,
    /// The context it was validated against.
    pub context_id: String,
    /// What to do next.
    pub verdict: Verdict,
    /// What was accepted, in order.
    pub accepted: Vec<Accepted>,
    /// What was not, in order.
    pub rejected: Vec<Rejection>,
    /// Actions after an accepted answer.
    pub ignored: Vec<Ignored>,
    /// Calls this turn opened.
    pub pending_calls: Vec<PendingCall>,
    /// The answer, if one was accepted.
    pub answer: Option<Answer>,
    /// Beliefs whose status changed.
    pub changes: Vec<Changing>,
    /// The text to show the model; empty when there is nothing to tell.
    pub feedback: String,
}

/// An action that was accepted.
#[derive(Clone, Debug, PartialEq)]
pub struct Accepted {
    /// Which action, counted from 1.
    pub action: usize,
    /// What kind of action.
    pub kind: String,
    /// The belief that now carries it; `None` for a call.
    pub reference: Option<String>,
    /// Its key.
    pub key: String,
    /// The belief's value; `None` for a call.
    pub value: Option<Value>,
    /// The call's id.
    pub call_id: Option<String>,
}

/// An action that was not looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ignored {
    /// Which action, counted from 1.
    pub action: usize,
    /// What kind of action.
    pub kind: String,
}

/// A call that waits for its result.
#[derive(Clone, Debug, PartialEq)]
pub struct PendingCall {
    /// Its id.
    pub call_id: String,
    /// The tool.
    pub tool: String,
    /// The arguments, coerced, defaults filled.
    pub arguments: Object,
    /// The key its result will stand under.
    pub key: String,
}

/// An accepted answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// Its ref.
    pub reference: String,
    /// Its text.
    pub text: String,
    /// Its confidence.
    pub confidence: f64,
    /// Whether everything it rests on ends in a tool, a document or a person.
    pub is_grounded: bool,
}

/// A belief whose status changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changing {
    /// Its ref.
    pub reference: String,
    /// What it is now.
    pub status: Status,
    /// Why.
    pub reason: String,
}

/// What came of a command that is no turn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Changed {
    /// Refs that the command touched, in order: asserted, retracted or restored.
    pub refs: Vec<String>,
    /// Beliefs whose status changed.
    pub changes: Vec<Changing>,
    /// Results that were errors or could not be taken in, each as a rejection.
    pub rejected: Vec<Rejection>,
    /// Keys that are disputed or part of a conflict after it, sorted.
    pub conflicts: Vec<String>,
    /// What the caller ought to know besides.
    pub notes: Vec<String>,
}

/// What came of running rules again.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Propagated {
    /// Refs that rules derived again, in that order.
    pub derived: Vec<String>,
    /// What still waits.
    pub pending: Vec<Waiting>,
    /// Beliefs whose status changed.
    pub changes: Vec<Changing>,
    /// Keys that are disputed or part of a conflict, sorted.
    pub conflicts: Vec<String>,
}

/// A belief that lost its support and waits to be derived again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// Its latest revision.
    pub reference: String,
    /// Its key.
    pub key: String,
    /// Its inputs, each with the ref that is believed of it.
    pub inputs: Vec<(String, Option<String>)>,
    /// Whether only the model has to be asked.
    pub is_ready: bool,
    /// Why it waits.
    pub reason: String,
}

/// What came of a reverification.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reverified {
    /// The calls opened.
    pub pending_calls: Vec<PendingCall>,
    /// Premises that cannot be checked again, and why.
    pub notes: Vec<String>,
}

/// What came of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentOutcome {
    /// Its name.
    pub name: String,
    /// The version that the text now is, counted from 1.
    pub version: u32,
    /// The SHA-256 of its bytes.
    pub sha256: entail_json::Digest,
    /// How many bytes there are.
    pub bytes: usize,
    /// Whether this is a new version.
    pub created: bool,
}

fn float(number: f64) -> Value {
    Number::from_f64(number).into()
}

impl TurnOutcome {
    /// `{turn, context_id, verdict, accepted, rejected, ignored, pending_calls, answer, changes,
    /// feedback}`
    #[must_use]
    pub fn to_value(&self) -> Value {
        Value::from([
            ("turn", self.turn.into()),
            ("context_id", self.context_id.as_str().into()),
            ("verdict", self.verdict.word().into()),
            (
                "accepted",
                self.accepted.iter().map(Accepted::to_value).collect(),
            ),
            (
                "rejected",
                self.rejected.iter().map(Rejection::to_value).collect(),
            ),
            (
                "ignored",
                self.ignored.iter().map(Ignored::to_value).collect(),
            ),
            (
                "pending_calls",
                self.pending_calls
                    .iter()
                    .map(PendingCall::to_value)
                    .collect(),
            ),
            ("answer", self.answer.as_ref().map(Answer::to_value).into()),
            (
                "changes",
                self.changes.iter().map(Changing::to_value).collect(),
            ),
            ("feedback", self.feedback.as_str().into()),
        ])
    }
}

impl Accepted {
    /// `{action, type, ref?, key, value?, call_id?}`
    #[must_use]
    pub fn to_value(&self) -> Value {
        let mut object = Object::from([
            ("action", self.action.into()),
            ("type", self.kind.as_str().into()),
            ("key", self.key.as_str().into()),
        ]);
        if let Some(reference) = &self.reference {
            object.insert("ref", reference.as_str().into());
        }
        if let Some(value) = &self.value {
            object.insert("value", value.clone());
        }
        if let Some(call_id) = &self.call_id {
            object.insert("call_id", call_id.as_str().into());
        }
        object.into()
    }
}

impl Ignored {
    /// `{action, type}`
    #[must_use]
    pub fn to_value(&self) -> Value {
        Value::from([
            ("action", self.action.into()),
            ("type", self.kind.as_str().into()),
        ])
    }
}

impl PendingCall {
    /// `{call_id, tool, args, key}`
    #[must_use]
    pub fn to_value(&self) -> Value {
        Value::from([
            ("call_id", self.call_id.as_str().into()),
            ("tool", self.tool.as_str().into()),
            ("args", self.arguments.clone().into()),
            ("key", self.key.as_str().into()),
        ])
    }
}

impl Answer {
    /// `{ref, text, confidence, grounded}`
    #[must_use]
    pub fn to_value(&self) -> Value {
        Value::from([
            ("ref", self.reference.as_str().into()),
            ("text", self.text.as_str().into()),
            ("confidence", float(self.confidence)),
            ("grounded", self.is_grounded.into()),
        ])
    }
}

impl Changing {
    /// `{ref, status, reason}`
    #[must_use]
    pub fn to_value(&self) -> Value {
        Value::from([
            ("ref", self.reference.as_str().into()),
            ("status", self.status.to_string().into()),
            ("reason", self.reason.as_str().into()),
        ])
    }
}

impl Changed {
    /// `{refs, changes, rejected, conflicts, notes}`
    #[must_use]
    pub fn to_value(&self) -> Value {
        Value::from([
            ("refs", self.refs.iter().map(String::as_str).collect()),
            (
                "changes",
                self.changes.iter().map(Changing::to_value).collect(),
            ),
            (
                "rejected",
                self.rejected.iter().map(Rejection::to_value).collect(),
            ),
            (
                "conflicts",
                self.conflicts.iter().map(String::as_str).collect(),
            ),
            ("notes", self.notes.iter().map(String::as_str).collect()),
        ])
    }
}

impl Propagated {
    /// `{derived, pending, changes, conflicts}`
    #[must_use]
    pub fn to_value(&self) -> Value {
        Value::from([
            ("derived", self.derived.iter().map(String::as_str).collect()),
            (
                "pending",
                self.pending.iter().map(Waiting::to_value).collect(),
            ),
            (
                "changes",
                self.changes.iter().map(Changing::to_value).collect(),
            ),
            (
                "conflicts",
                self.conflicts.iter().map(String::as_str).collect(),
            ),
        ])
    }
}

impl Waiting {
    /// `{ref, key, inputs: [{key, ref}], ready, reason}`
    #[must_use]
    pub fn to_value(&self) -> Value {
        let inputs = self.inputs.iter().map(|(key, reference)| {
            Value::from([
                ("key", key.as_str().into()),
                ("ref", reference.clone().into()),
            ])
        });
        Value::from([
            ("ref", self.reference.as_str().into()),
            ("key", self.key.as_str().into()),
            ("inputs", inputs.collect()),
            ("ready", self.is_ready.into()),
            ("reason", self.reason.as_str().into()),
        ])
    }
}

impl Reverified {
    /// `{pending_calls, notes}`
    #[must_use]
    pub fn to_value(&self) -> Value {
        Value::from([
            (
                "pending_calls",
                self.pending_calls
                    .iter()
                    .map(PendingCall::to_value)
                    .collect(),
            ),
            ("notes", self.notes.iter().map(String::as_str).collect()),
        ])
    }
}

impl DocumentOutcome {
    /// `{name, version, sha256, bytes, created}`
    #[must_use]
    pub fn to_value(&self) -> Value {
        Value::from([
            ("name", self.name.as_str().into()),
            ("version", self.version.into()),
            ("sha256", self.sha256.into()),
            ("bytes", self.bytes.into()),
            ("created", self.created.into()),
        ])
    }
}
