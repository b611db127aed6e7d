//! What was read out of a response.

use entail_json::Position;

use crate::{Action, Problem};

/// A model's response, read. Reading never fails: a response that nothing can be read from is
/// [unusable](Self::is_unusable), and its problems say why.
///
/// ```
/// let response = entail_contract::parse("Sorry, {\"actions\": [");
/// assert!(response.is_unusable());
/// assert_eq!(response.problems[0].code.as_str(), "response_not_json");
/// assert_eq!(response.position.map(|at| (at.line, at.column)), Some((1, 21)));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Response {
    /// The actions whose shape is right, each with its index in the response, from 1.
    pub actions: Vec<(usize, Action)>,
    /// Everything that is wrong, in the order of the actions, and of the fields within one.
    pub problems: Vec<Problem>,
    /// Nothing could be read: `problems` holds what is to be said about the response as a whole.
    pub unusable: bool,
    /// Where the JSON broke, if the response is unusable for that.
    pub position: Option<Position>,
}

impl Response {
    /// A response that nothing can be read from.
    #[must_use]
    pub fn unusable(problem: Problem, position: Option<Position>) -> Self {
        Self {
            actions: Vec::new(),
            problems: vec![problem],
            unusable: true,
            position,
        }
    }

    /// Whether nothing could be read. A response without any action is usable: `{"actions": []}`.
    #[must_use]
    pub fn is_unusable(&self) -> bool {
        self.unusable
    }
}
