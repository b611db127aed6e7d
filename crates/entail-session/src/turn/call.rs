//! Tool calls.

use std::sync::Arc;

use entail_contract::{Code, ToolCall};
use entail_json::Object;

use super::refusal::{Refusal, quoted};
use super::{Turning, non_blank};
use crate::text::listed;
use crate::tool::Tool;

/// A call accepted in this turn. Its id follows from the plan's step, which is known once all
/// calls of the turn are.
pub(super) struct NewCall {
    pub tool: Arc<Tool>,
    pub arguments: Object,
    pub key: String,
    pub claim: Option<String>,
    /// The id of the open call that this one repeats.
    pub repeats: Option<String>,
}

impl Turning<'_, '_> {
    /// Checks a call and notes it; gives its place among this turn's.
    pub(super) fn call(&mut self, _index: usize, call: ToolCall) -> Result<usize, Refusal> {
        if let Some(scope) = &self.context.scope {
            return Err(Refusal::new(
                Code::UnknownTool,
                format!(
                    "no tools here: only a claim of `{}` is asked for",
                    quoted(scope)
                ),
            ));
        }
        let state = &self.commit.session.state;
        let Some(tool) = state.tools.get(&call.tool).map(Arc::clone) else {
            let names = listed(state.tools.keys().map(String::as_str), 20);
            let name = quoted(&call.tool);
            return Err(Refusal::new(
                Code::UnknownTool,
                if names.is_empty() {
                    format!("there is no tool `{name}`; there are none")
                } else {
                    format!("there is no tool `{name}`; there is {names}")
                },
            ));
        };
        let arguments = tool.arguments(&call.args).map_err(|error| {
            Refusal::new(
                Code::InvalidArguments,
                format!(
                    "tool `{}` does not take these arguments: {error}; see its parameters",
                    tool.name()
                ),
            )
        })?;
        let key = match call.key {
            Some(key) => key,
            None => tool.default_key(&arguments),
        };
        Self::check_key_form(&key)?;
        if crate::commands::is_reserved(&key) {
            return Err(Refusal::reserved_key(&key));
        }
        self.check_words(call.claim.as_str())?;
        let is_same = |name: &str, others: &Object| name == tool.name() && *others == arguments;
        if let Some(at) = self.calls.iter().position(|other| other.key == key) {
            let same = self
                .calls
                .get(at)
                .is_some_and(|o| is_same(o.tool.name(), &o.arguments));
            return if same { Ok(at) } else { Err(taken(&key)) };
        }
        let open = state.calls.filling(&key);
        let repeats = match open {
            Some(open) if is_same(open.tool(), open.arguments()) => Some(open.id().to_owned()),
            Some(_) => return Err(taken(&key)),
            None => None,
        };
        if repeats.is_none() {
            let limit = self.commit.session.limits.open_calls;
            let new = self
                .calls
                .iter()
                .filter(|call| call.repeats.is_none())
                .count();
            if state.calls.open_count().saturating_add(new) >= limit {
                return Err(Refusal::limit(
                    "as many tool calls are open as may be",
                    limit,
                ));
            }
        }
        self.shown.called(&key);
        self.calls.push(NewCall {
            tool,
            arguments,
            key,
            claim: non_blank(call.claim),
            repeats,
        });
        Ok(self.calls.len().saturating_sub(1))
    }
}

fn taken(key: &str) -> Refusal {
    Refusal::new(
        Code::KeyHoldsOtherValue,
        format!(
            "`{}` will hold the result of another open tool call; use a new key",
            quoted(key)
        ),
    )
}
