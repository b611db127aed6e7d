//! What happened to a session, as outcomes that need no deciding again.
//!
//! A journal entry holds a list of them in the order in which they happened: those of the belief
//! base, and those of everything around it. Applying them in order to an empty session gives the
//! session.
//!
//! | module | subject |
//! |---|---|
//! | `read` | taking members out of an event |

mod read;

use entail_contract::Problem;
use entail_json::{Digest, Object, Value};
use entail_kernel::base::Event as BaseEvent;
use entail_kernel::{Span, Time};

use crate::command::Closing;
use crate::options::{Options, Policy, read_labels};
use crate::outcome::Verdict;
use crate::rejection;
use crate::tool::{Executor, ToolDefinition};

use read::Members;

/// One outcome.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Event {
    /// The belief base's own.
    Base(BaseEvent),
    /// The session was opened.
    Opened {
        options: Box<Options>,
        plan: Option<Value>,
    },
    /// Labels, policy or expiry were changed: all of what the session goes by.
    Patched { options: Box<Options> },
    /// A document, or its next version, was registered.
    DocumentPut {
        name: String,
        version: u32,
        sha256: Digest,
        bytes: u64,
    },
    /// A tool was registered or changed.
    ToolPut {
        name: String,
        definition: Box<ToolDefinition>,
        order: Vec<String>,
    },
    /// A tool was withdrawn.
    ToolDeleted { name: String },
    /// A call was accepted.
    CallOpened(Box<CallOpened>),
    /// A call was answered. A result's premise follows.
    CallReturned {
        call_id: String,
        result: Result<Value, String>,
    },
    /// A call was given up.
    CallAbandoned { call_id: String },
    /// An action was refused; of one that would have been a belief, with its statement.
    Refused {
        problem: Problem,
        statement: Option<String>,
    },
    /// An action was accepted, in the order of the response.
    Accepted(Box<Accepted>),
    /// A response was validated.
    TurnTaken(Box<TurnTaken>),
    /// The session was closed.
    Closed(Closing),
    /// The session was opened again.
    Reopened,
    /// Labels that changed, as refs. They follow from the rest: this list is for those who read
    /// the journal without a belief base.
    Relabelled {
        /// Beliefs that are now believed.
        ins: Vec<String>,
        /// Beliefs that no longer are.
        outs: Vec<String>,
    },
}

/// An accepted call, with all that its result needs, whatever becomes of the tool.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CallOpened {
    pub call_id: String,
    pub tool: String,
    pub arguments: Object,
    pub key: String,
    pub claim: Option<String>,
    pub step_id: String,
    pub call_idx: u64,
    pub trust: f64,
    pub ttl: Option<Span>,
    pub half_life: Option<Span>,
    pub origin: Option<String>,
    pub executor: Executor,
}

/// An accepted action.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Accepted {
    pub action: usize,
    pub kind: String,
    pub key: String,
    pub reference: Option<String>,
    pub call_id: Option<String>,
}

/// A validated response.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TurnTaken {
    pub context_id: String,
    pub context_version: u64,
    pub as_of: Time,
    /// The number of the antecedent set that holds what the context showed.
    pub shown: Option<u32>,
    /// The same with the claims of the response.
    pub chain: Option<u32>,
    pub documents: Vec<(String, u32)>,
    pub scope: Option<String>,
    pub model: String,
    pub step_id: Option<String>,
    pub verdict: Verdict,
    pub ignored: Vec<(usize, String)>,
}

impl Event {
    pub(crate) fn to_value(&self) -> Value {
        match self {
            Self::Base(event) => event.to_json(),
            Self::Opened { options, plan } => tagged("opened", options.members(), |object| {
                object.insert("plan", plan.clone().into());
            }),
            Self::Patched { options } => tagged("patched", options.members(), |_| {}),
            Self::DocumentPut {
                name,
                version,
                sha256,
                bytes,
            } => tagged(
                "document_put",
                [
                    ("name", name.as_str().into()),
                    ("version", (*version).into()),
                    ("sha256", (*sha256).into()),
                    ("bytes", (*bytes).into()),
                ],
                |_| {},
            ),
            Self::ToolPut {
                name,
                definition,
                order,
            } => tagged(
                "tool_put",
                [
                    ("name", name.as_str().into()),
                    ("definition", definition.to_value()),
                    ("order", order.iter().map(String::as_str).collect()),
                ],
                |_| {},
            ),
            Self::ToolDeleted { name } => {
                tagged("tool_deleted", [("name", name.as_str().into())], |_| {})
            }
            Self::CallOpened(call) => call.to_value(),
            Self::CallReturned { call_id, result } => {
                let outcome = match result {
                    Ok(value) => ("value", value.clone()),
                    Err(error) => ("error", error.as_str().into()),
                };
                tagged(
                    "call_returned",
                    [("call_id", call_id.as_str().into()), outcome],
                    |_| {},
                )
            }
            Self::CallAbandoned { call_id } => tagged(
                "call_abandoned",
                [("call_id", call_id.as_str().into())],
                |_| {},
            ),
            Self::Refused { problem, statement } => {
                tagged("refused", [("rejection", problem.to_value())], |object| {
                    insert_text(object, "statement", statement.as_deref())
                })
            }
            Self::Accepted(accepted) => tagged(
                "accepted",
                [
                    ("action", accepted.action.into()),
                    ("type", accepted.kind.as_str().into()),
                    ("key", accepted.key.as_str().into()),
                ],
                |object| {
                    insert_text(object, "ref", accepted.reference.as_deref());
                    insert_text(object, "call_id", accepted.call_id.as_deref());
                },
            ),
            Self::TurnTaken(turn) => turn.to_value(),
            Self::Closed(closing) => tagged("closed", [("how", closing.word().into())], |object| {
                insert_text(object, "reason", closing.reason());
            }),
            Self::Reopened => tagged("reopened", [], |_| {}),
            Self::Relabelled { ins, outs } => tagged(
                "relabelled",
                [
                    ("in", ins.iter().map(String::as_str).collect()),
                    ("out", outs.iter().map(String::as_str).collect()),
                ],
                |_| {},
            ),
        }
    }

    /// Reads what [`to_value`](Self::to_value) wrote.
    pub(crate) fn read(value: &Value) -> Result<Self, String> {
        let members = Members::of(value)?;
        let word = members.text("event")?;
        Ok(match word {
            "opened" => Self::Opened {
                options: Box::new(read_options(&members)?),
                plan: members.optional("plan").cloned(),
            },
            "patched" => Self::Patched {
                options: Box::new(read_options(&members)?),
            },
            "document_put" => Self::DocumentPut {
                name: members.owned("name")?,
                version: members.small("version")?,
                sha256: members.parsed("sha256")?,
                bytes: members.count("bytes")?,
            },
            "tool_put" => Self::ToolPut {
                name: members.owned("name")?,
                definition: Box::new(
                    ToolDefinition::read(members.value("definition")?, "/definition")
                        .map_err(|faults| faults.to_string())?,
                ),
                order: members.texts("order")?,
            },
            "tool_deleted" => Self::ToolDeleted {
                name: members.owned("name")?,
            },
            "call_opened" => Self::CallOpened(Box::new(CallOpened::read(&members)?)),
            "call_returned" => Self::CallReturned {
                call_id: members.owned("call_id")?,
                result: match members.optional_text("error")? {
                    Some(error) => Err(error.to_owned()),
                    None => Ok(members.value("value")?.clone()),
                },
            },
            "call_abandoned" => Self::CallAbandoned {
                call_id: members.owned("call_id")?,
            },
            "refused" => Self::Refused {
                problem: rejection::read(members.value("rejection")?)
                    .ok_or("`rejection` is no rejection")?,
                statement: members.optional_text("statement")?.map(str::to_owned),
            },
            "accepted" => Self::Accepted(Box::new(Accepted {
                action: members.size("action")?,
                kind: members.owned("type")?,
                key: members.owned("key")?,
                reference: members.optional_text("ref")?.map(str::to_owned),
                call_id: members.optional_text("call_id")?.map(str::to_owned),
            })),
            "turn_taken" => Self::TurnTaken(Box::new(TurnTaken::read(&members)?)),
            "closed" => {
                let reason = members.optional_text("reason")?.map(str::to_owned);
                Self::Closed(match members.text("how")? {
                    "answered" => Closing::Answered,
                    "insufficient_evidence" => Closing::InsufficientEvidence {
                        reason: reason.unwrap_or_default(),
                    },
                    "abandoned" => Closing::Abandoned { reason },
                    other => return Err(format!("`how` is `{other}`")),
                })
            }
            "reopened" => Self::Reopened,
            "relabelled" => Self::Relabelled {
                ins: members.texts("in")?,
                outs: members.texts("out")?,
            },
            _ => Self::Base(BaseEvent::from_json(value).map_err(|error| error.to_string())?),
        })
    }
}

/// All events of an entry as one value.
pub(crate) fn list_value(events: &[Event]) -> Value {
    events.iter().map(Event::to_value).collect()
}

/// The digests of the document texts that an entry's events name.
pub(crate) fn documents_named(events: &Value) -> Vec<Digest> {
    events
        .as_array()
        .unwrap_or_default()
        .iter()
        .filter(|event| event.get("event").and_then(Value::as_str) == Some("document_put"))
        .filter_map(|event| event.get("sha256")?.as_str()?.parse().ok())
        .collect()
}

fn tagged<const N: usize>(
    word: &str,
    members: [(&str, Value); N],
    more: impl FnOnce(&mut Object),
) -> Value {
    let mut object = Object::from(members);
    object.insert("event", word.into());
    more(&mut object);
    object.into()
}

fn insert_text(object: &mut Object, name: &str, text: Option<&str>) {
    if let Some(text) = text {
        object.insert(name, text.into());
    }
}

fn read_options(members: &Members<'_>) -> Result<Options, String> {
    Ok(Options {
        task: members.owned("task")?,
        instructions: members.optional_text("instructions")?.map(str::to_owned),
        policy: Policy::read(members.value("policy")?, "/policy").map_err(|e| e.to_string())?,
        labels: read_labels(members.value("labels")?, "/labels").map_err(|e| e.to_string())?,
        expires_at: members.optional_parsed("expires_at")?,
    })
}

impl CallOpened {
    pub(crate) fn to_value(&self) -> Value {
        let executor = ToolDefinition {
            executor: self.executor.clone(),
            ..Default::default()
        };
        let executor = executor.to_value().get("executor").cloned();
        let micros = |span: Option<Span>| Value::from(span.map(Span::micros));
        tagged(
            "call_opened",
            [
                ("call_id", self.call_id.as_str().into()),
                ("tool", self.tool.as_str().into()),
                ("args", self.arguments.clone().into()),
                ("key", self.key.as_str().into()),
                ("claim", self.claim.clone().into()),
                ("step_id", self.step_id.as_str().into()),
                ("call_idx", self.call_idx.into()),
                ("trust", entail_json::Number::from_f64(self.trust).into()),
                ("ttl_us", micros(self.ttl)),
                ("half_life_us", micros(self.half_life)),
                ("origin", self.origin.clone().into()),
                ("executor", executor.into()),
            ],
            |_| {},
        )
    }

    fn read(members: &Members<'_>) -> Result<Self, String> {
        let definition = Object::from([("executor", members.value("executor")?.clone())]);
        let definition = ToolDefinition::read(&definition.into(), "").map_err(|e| e.to_string())?;
        Ok(Self {
            call_id: members.owned("call_id")?,
            tool: members.owned("tool")?,
            arguments: members.object("args")?.clone(),
            key: members.owned("key")?,
            claim: members.optional_text("claim")?.map(str::to_owned),
            step_id: members.owned("step_id")?,
            call_idx: members.count("call_idx")?,
            trust: members.float("trust")?,
            ttl: members.optional_span("ttl_us")?,
            half_life: members.optional_span("half_life_us")?,
            origin: members.optional_text("origin")?.map(str::to_owned),
            executor: definition.executor,
        })
    }
}

impl TurnTaken {
    fn to_value(&self) -> Value {
        let documents: Object = self
            .documents
            .iter()
            .map(|(name, version)| (name.clone(), (*version).into()))
            .collect();
        let ignored: Value = self
            .ignored
            .iter()
            .map(|(action, kind)| {
                Value::from([("action", (*action).into()), ("type", kind.as_str().into())])
            })
            .collect();
        tagged(
            "turn_taken",
            [
                ("context_id", self.context_id.as_str().into()),
                ("context_version", self.context_version.into()),
                ("as_of", self.as_of.to_string().into()),
                ("shown", self.shown.into()),
                ("chain", self.chain.into()),
                ("documents", documents.into()),
                ("scope", self.scope.clone().into()),
                ("model", self.model.as_str().into()),
                ("step_id", self.step_id.clone().into()),
                ("verdict", self.verdict.word().into()),
                ("ignored", ignored),
            ],
            |_| {},
        )
    }

    fn read(members: &Members<'_>) -> Result<Self, String> {
        let mut faults = crate::fields::Faults::default();
        let documents = crate::context::read_documents(members.value("documents")?, &mut faults)
            .filter(|_| faults.0.is_empty())
            .ok_or("`documents` are no versions")?;
        let mut ignored = Vec::new();
        for item in members.list("ignored")? {
            let item = Members::of(item)?;
            ignored.push((item.size("action")?, item.owned("type")?));
        }
        Ok(Self {
            context_id: members.owned("context_id")?,
            context_version: members.count("context_version")?,
            as_of: members.parsed("as_of")?,
            shown: members.optional_small("shown")?,
            chain: members.optional_small("chain")?,
            documents,
            scope: members.optional_text("scope")?.map(str::to_owned),
            model: members.owned("model")?,
            step_id: members.optional_text("step_id")?.map(str::to_owned),
            verdict: Verdict::from_word(members.text("verdict")?).ok_or("`verdict` is unknown")?,
            ignored,
        })
    }
}
