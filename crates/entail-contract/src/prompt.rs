//! What a model is told about the contract.

/// The version of [`SYSTEM_PROMPT`] and [`SCHEMA`](crate::SCHEMA) together. It changes whenever
/// either text does, so that a recorded turn can be matched with what its model had been told.
pub const CONTRACT_VERSION: &str = "1";

/// The contract as a model's instructions: the four actions with every field, what a claim may
/// rest on, the rules for keys, formulas and quotes, and how rejections come back.
///
/// The text is fixed: it depends on no session. What a session adds (its task, tools, documents
/// and beliefs) goes into the prompt of each turn.
///
/// ```
/// use entail_contract::{ActionKind, SYSTEM_PROMPT};
///
/// assert!(SYSTEM_PROMPT.contains(ActionKind::CallTool.as_str()));
/// ```
pub const SYSTEM_PROMPT: &str = include_str!("system_prompt.txt");
