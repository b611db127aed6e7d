//! One session of Entail as a pure state machine: a command or a model's response in, a journal
//! entry out.
//!
//! A [`Session`] holds a belief base and everything around it: documents, tools, open calls,
//! turns, the plan and the trace. [`Session::execute`] carries out a [`Command`] and gives the
//! sealed journal entry; whoever keeps the journal then calls [`Session::confirm`], or
//! [`Session::undo`] when the entry could not be appended. [`Session::apply`] takes in entries
//! of the same history without deciding anything again: the same journal gives the same session
//! and the same trace, byte for byte.
//!
//! Nothing here reads a clock, makes an id, or does input or output: times and ids are
//! parameters, and calls that the service has to make are handed back as [`HttpCall`]s.
//!
//! ```
//! use entail_kernel::Time;
//! use entail_session::{Command, ContextOptions, Limits, Opening, Outcome, Session, Turn, TurnContext, Verdict};
//!
//! let mut opening = Opening::new("How much was revenue in Q2?");
//! let text = "Total revenue for Q2 was $4.3 billion.";
//! opening.documents.push(("10-K".to_owned(), std::sync::Arc::new(entail_session::Document::new(text)?)));
//! let id = "0190a6f0-0000-7000-8000-000000000000";
//! let (mut session, opened) = Session::open(id, opening, Limits::default(), Time::EPOCH)?;
//! assert_eq!(opened.entry.map(|entry| entry.seq), Some(1));
//! session.confirm();
//!
//! let shown = session.context("c1", Time::EPOCH, &ContextOptions::default())?;
//! assert!(shown.prompt.contains("Total revenue for Q2"));
//!
//! let response = r#"{"actions": [{"type": "cite", "document": "10-K", "key": "revenue:Q2",
//!     "quote": "revenue for Q2 was $4.3 billion", "value": 4300000000}]}"#;
//! let turn = Turn {
//!     response: response.to_owned(),
//!     context: TurnContext::Given(std::sync::Arc::new(shown.context)),
//!     model: None,
//!     step_id: None,
//! };
//! let done = session.execute(Command::Turn(turn), session.commit_time(Time::EPOCH))?;
//! let Outcome::Turn(turn) = done.outcome else { unreachable!() };
//! assert_eq!(turn.verdict, Verdict::Accepted);
//! assert_eq!(turn.accepted[0].reference.as_deref(), Some("revenue:Q2@1"));
//! session.confirm();
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | module | subject |
//! |---|---|
//! | `session` | the state machine: execute, confirm, undo, apply |
//! | `commands` | what each command does |
//! | `turn` | validating a response, action by action |
//! | `prompt` | what a model is shown |
//! | `tool`, `call` | tools, their arguments, and what became of their calls |
//! | `event` | outcomes, as they stand in the journal |
//! | `trace` | the journal seen as a run: plan, trace, evidence |
//! | `changed` | what a journal entry changed, for copies of the session |
//! | `report` | the trace and the proof checked |
//! | `image` | the whole session as bytes, to be loaded in place of its journal |
//! | `heap` | what it takes of memory |
//! | `snapshot` | snapshots of the Python library `corollary`, in and out |
//! | `state` | everything beside the belief base, and how changes are taken back |

mod call;
mod changed;
mod command;
mod commands;
mod commit;
mod context;
mod document;
mod error;
mod event;
mod feedback;
mod fields;
mod heap;
mod image;
pub mod limits;
mod options;
mod outcome;
mod payload;
mod prompt;
mod proof;
mod read;
mod rejection;
mod replay;
mod report;
mod session;
mod snapshot;
mod state;
mod text;
mod tool;
mod trace;
mod turn;
mod turn_view;
mod waiting;

pub use entail_contract::{ActionKind, Code};
pub use entail_kernel::base::{Derivation, Fault as Blame, Premise, Settlement, Step};
pub use entail_kernel::text::Document;

pub use call::{Call, CallState};
pub use changed::{EntryChanges, EntryTurn};
pub use command::{
    Closing, Command, ConstraintDefinition, Opening, Patch, Retraction, Reverification,
    RuleDefinition, Told, ToolResult, Turn, TurnContext,
};
pub use context::{Context, ContextOptions, ContextView, Visible};
pub use document::DocumentVersion;
pub use error::{CommandError, ReplayError};
pub use fields::{Fault, Faults};
pub use image::{IMAGE_FORMAT, Image, ImageError};
pub use limits::Limits;
pub use options::{Dependencies, Labels, Options, Policy, read_labels};
pub use outcome::{
    Accepted, Answer, Changed, Changing, DocumentOutcome, Executed, HttpCall, Ignored,
    LedgerLesson, Outcome, PendingCall, Propagated, Reverified, TurnOutcome, Verdict, Waiting,
};
pub use rejection::Rejection;
pub use report::{Compared, Report};
pub use session::{Counts, Session, Summary};
pub use snapshot::{Snapshot, SnapshotError, Written, write as write_snapshot};
pub use state::TurnRecord;
pub use tool::{
    Executor, HttpExecutor, InvalidArguments, InvalidDefinition, InvalidSchema, Tool,
    ToolDefinition,
};
pub use trace::{EvidenceContent, EvidenceFile};
