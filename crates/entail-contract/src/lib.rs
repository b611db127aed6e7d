//! The claim contract: the only thing that a model may say, and how it is read.
//!
//! [`parse`] takes a model's response as it came (prose, fences, reasoning and slips included)
//! and gives its [actions](Action) and its [problems](Problem). It never fails and never panics,
//! and takes time linear in the length of the text, whatever the text. Where accepting would mean
//! guessing, it refuses and says what to do instead.
//!
//! ```
//! let response = entail_contract::parse(
//!     "<think>Two quarters.</think>\n```json\n{\"actions\": [\n  {\"type\": \"claim\", \"key\": \"growth\", \
//!      \"formula\": \"{q3} / {q2}\"},\n  {\"type\": \"claim\"},\n]}\n```",
//! );
//! assert_eq!(response.actions.len(), 1);
//! assert_eq!(response.problems[0].action, Some(2));
//! ```

mod action;
mod actions;
mod code;
mod fences;
mod field;
mod fields;
pub mod limits;
mod numbers;
mod problem;
mod prompt;
mod python;
mod reading;
mod reasoning;
mod response;
mod scan;
mod schema;
mod search;
mod shape;
mod strings;
mod tape;
mod words;

pub use action::{Action, ActionKind, Answer, Cite, Claim, ToolCall};
pub use code::Code;
pub use limits::Limits;
pub use problem::Problem;
pub use prompt::{CONTRACT_VERSION, SYSTEM_PROMPT};
#[doc(hidden)]
pub use reading::Work;
pub use reading::{Parser, parse};
pub use response::Response;
pub use schema::{SCHEMA, schema};
