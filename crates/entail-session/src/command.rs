//! What a session can be asked to do.

use std::sync::Arc;

use entail_json::Value;
use entail_kernel::Time;
use entail_kernel::base::{Derivation, Fault, Premise, Settlement, Step};
use entail_kernel::confidence::Totals;
use entail_kernel::text::Document;

use crate::context::Context;
use crate::options::{Labels, Policy};
use crate::tool::ToolDefinition;

/// What a new session starts with.
#[derive(Clone, Debug)]
pub struct Opening {
    /// The task, in words.
    pub task: String,
    /// How to go about it, for the model.
    pub instructions: Option<String>,
    /// The policy.
    pub policy: Policy,
    /// Documents, in order, by name.
    pub documents: Vec<(String, Arc<Document>)>,
    /// Tools, in order, by name.
    pub tools: Vec<(String, ToolDefinition)>,
    /// Rules, in order, by name.
    pub rules: Vec<(String, RuleDefinition)>,
    /// Constraints, in order, by name.
    pub constraints: Vec<(String, ConstraintDefinition)>,
    /// Premises, in order.
    pub premises: Vec<Premise>,
    /// A plan of the caller's own: `{nodes, edges?, problem?, spec_id?}`.
    pub plan: Option<Value>,
    /// The owner's labels.
    pub labels: Labels,
    /// When the session is given up if it still is open.
    pub expires_at: Option<Time>,
    /// What is known of sources (`kind:name`) from the tenant's ledger.
    pub ledger: Vec<(String, Totals)>,
}

impl Opening {
    /// An opening with a task and nothing else.
    #[must_use]
    pub fn new(task: impl Into<String>) -> Self {
        Self {
            task: task.into(),
            instructions: None,
            policy: Policy::default(),
            documents: Vec::new(),
            tools: Vec::new(),
            rules: Vec::new(),
            constraints: Vec::new(),
            premises: Vec::new(),
            plan: None,
            labels: Labels::new(),
            expires_at: None,
            ledger: Vec::new(),
        }
    }
}

/// What a session is asked to do. Each is one commit, all or nothing.
#[derive(Clone, Debug)]
pub enum Command {
    /// A model's response.
    Turn(Turn),
    /// Results of open calls, in order.
    ToolResults(Vec<ToolResult>),
    /// Premises, in order.
    Premises(Vec<Premise>),
    /// Takes beliefs back.
    Retract(Retraction),
    /// Undoes a retraction.
    Restore {
        /// A key (its latest retracted revision) or a ref.
        target: String,
    },
    /// Registers a document, or its next version.
    PutDocument {
        /// Its name.
        name: String,
        /// Its text.
        document: Arc<Document>,
    },
    /// Registers a tool, or changes it.
    PutTool {
        /// Its name.
        name: String,
        /// What it is.
        definition: Box<ToolDefinition>,
    },
    /// Withdraws a tool. Its open calls stay open.
    DeleteTool {
        /// Its name.
        name: String,
    },
    /// Gives up on an open call.
    GiveUpCall {
        /// Its id.
        call_id: String,
    },
    /// Closes the session.
    Close(Closing),
    /// Opens a closed session again.
    Reopen,
    /// Changes labels, policy or expiry.
    Patch(Patch),
    /// Expires evidence whose time is up.
    Refresh,
    /// A step of the orchestrator's own: a value that follows from other beliefs.
    Justify(Box<Step>),
    /// Runs a rule over current values.
    Derive(Derivation),
    /// Registers a rule, or its next version.
    PutRule {
        /// Its name.
        name: String,
        /// What it is.
        rule: RuleDefinition,
    },
    /// Withdraws a rule. What it derived stands.
    DeleteRule {
        /// Its name.
        name: String,
    },
    /// Registers a constraint, or its next version.
    PutConstraint {
        /// Its name.
        name: String,
        /// What it is.
        constraint: ConstraintDefinition,
    },
    /// Withdraws a constraint.
    DeleteConstraint {
        /// Its name.
        name: String,
    },
    /// Settles a conflict by hand.
    Resolve {
        /// The disputed key, or `constraint:NAME`.
        conflict: String,
        /// How.
        settlement: Settlement,
    },
    /// Tells that sources were right or wrong.
    Outcomes(Vec<Told>),
    /// Runs rules again for what lost its support, and tells what waits.
    Propagate,
    /// Opens the calls behind stale and faded tool premises again.
    Reverify(Reverification),
    /// A model's response that derives a belief again; its context is one for that key.
    Rederive {
        /// The key.
        key: String,
        /// The response.
        turn: Turn,
    },
}

/// A rule: a deterministic expression over named inputs.
#[derive(Clone, Debug, PartialEq)]
pub struct RuleDefinition {
    /// What its inputs are called in the expression.
    pub parameters: Vec<String>,
    /// The expression, in the syntax of CEL without macros and comprehensions.
    pub expression: String,
    /// How certain a step by it is, from 0 to 1; the policy's prior for rules when absent.
    pub confidence: Option<f64>,
}

/// A constraint: an expression over the current values of keys that must be true.
#[derive(Clone, Debug, PartialEq)]
pub struct ConstraintDefinition {
    /// What each key is called in the expression, and the key.
    pub inputs: Vec<(String, String)>,
    /// The expression, in the syntax of CEL without macros and comprehensions.
    pub expression: String,
}

/// Somebody outside says that a source was right or wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// `kind:name`
    pub source: String,
    /// Whether it was right.
    pub correct: bool,
}

/// Which tool premises to check again.
#[derive(Clone, Debug, PartialEq)]
pub struct Reverification {
    /// Keys to look at; all of them when empty.
    pub keys: Vec<String>,
    /// The share of its weight that a believed premise must have lost, from 0 to 1.
    pub faded: f64,
}

impl Default for Reverification {
    fn default() -> Self {
        Self {
            keys: Vec::new(),
            faded: 0.5,
        }
    }
}

impl Command {
    /// The word for it: the `kind` of its journal entry.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Turn(_) => "turn",
            Self::ToolResults(_) => "tool_results",
            Self::Premises(_) => "premises",
            Self::Retract(_) => "retract",
            Self::Restore { .. } => "restore",
            Self::PutDocument { .. } => "put_document",
            Self::PutTool { .. } => "put_tool",
            Self::DeleteTool { .. } => "delete_tool",
            Self::GiveUpCall { .. } => "give_up_call",
            Self::Close(_) => "close",
            Self::Reopen => "reopen",
            Self::Patch(_) => "patch",
            Self::Refresh => "refresh",
            Self::Justify(_) => "justify",
            Self::Derive(_) => "derive",
            Self::PutRule { .. } => "put_rule",
            Self::DeleteRule { .. } => "delete_rule",
            Self::PutConstraint { .. } => "put_constraint",
            Self::DeleteConstraint { .. } => "delete_constraint",
            Self::Resolve { .. } => "resolve",
            Self::Outcomes(_) => "outcomes",
            Self::Propagate => "propagate",
            Self::Reverify(_) => "reverify",
            Self::Rederive { .. } => "rederive",
        }
    }

    /// Whether a closed session still takes it: facts can be corrected after the end.
    #[must_use]
    pub const fn is_taken_when_closed(&self) -> bool {
        matches!(
            self,
            Self::Premises(_)
                | Self::Retract(_)
                | Self::Restore { .. }
                | Self::Reopen
                | Self::Patch(_)
                | Self::Refresh
                | Self::Resolve { .. }
                | Self::Outcomes(_)
        )
    }
}

/// A model's response, to be validated against the context it was given.
#[derive(Clone, Debug)]
pub struct Turn {
    /// What the model said.
    pub response: String,
    /// The context it answers.
    pub context: TurnContext,
    /// The model's name; `default` when absent.
    pub model: Option<String>,
    /// The node of the plan that this turn works on.
    pub step_id: Option<String>,
}

/// The context a response answers.
#[derive(Clone, Debug)]
pub enum TurnContext {
    /// One that was handed out.
    Given(Arc<Context>),
    /// None was handed out: one of the present state is taken, under this id.
    Present {
        /// Its id.
        id: String,
    },
}

/// What came of an open call.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolResult {
    /// The call's id.
    pub call_id: String,
    /// The tool's value, or its error.
    pub result: Result<Value, String>,
}

/// Beliefs to take back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Retraction {
    /// A key (all its believed revisions) or a ref.
    pub target: String,
    /// Why.
    pub reason: Option<String>,
    /// Who is to blame.
    pub fault: Fault,
}

/// How a session ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Closing {
    /// Its task is answered.
    Answered,
    /// There is not enough evidence for an answer.
    InsufficientEvidence {
        /// Why.
        reason: String,
    },
    /// It is given up.
    Abandoned {
        /// Why.
        reason: Option<String>,
    },
}

impl Closing {
    /// The word for it.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Answered => "answered",
            Self::InsufficientEvidence { .. } => "insufficient_evidence",
            Self::Abandoned { .. } => "abandoned",
        }
    }

    /// The reason given.
    #[must_use]
    pub fn reason(&self) -> Option<&str> {
        match self {
            Self::Answered => None,
            Self::InsufficientEvidence { reason } => Some(reason),
            Self::Abandoned { reason } => reason.as_deref(),
        }
    }
}

/// Changes to what a session goes by; what is `None` stays as it is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Patch {
    /// All labels.
    pub labels: Option<Labels>,
    /// The policy, whole.
    pub policy: Option<Policy>,
    /// When the session is given up; `Some(None)`: never.
    pub expires_at: Option<Option<Time>>,
}
