//! Results of open calls.

use std::sync::Arc;

use entail_contract::{ActionKind, Code, Problem};
use entail_json::Value;
use entail_kernel::base::{Expiry, Fault, JustificationKind, Premise};
use entail_kernel::equality::values_equal;

use crate::call::CallState;
use crate::command::ToolResult;
use crate::commit::Commit;
use crate::error::CommandError;
use crate::event::CallOpened;
use crate::limits::{BATCH, QUOTED_CHARACTERS};
use crate::outcome::{Changed, Outcome};
use crate::text::{one_line, shorten};
use crate::tool::Tool;

use super::{check, premises};

/// Takes results in, in their order. One that is already there is passed over.
pub(super) fn take(
    commit: &mut Commit<'_>,
    results: Vec<ToolResult>,
) -> Result<Outcome, CommandError> {
    if results.len() > BATCH {
        return Err(CommandError::LimitExceeded {
            what: "too many results".to_owned(),
            limit: BATCH,
        });
    }
    let mut outcome = Changed::default();
    for (index, given) in results.into_iter().enumerate() {
        let pointer = format!("/{index}");
        let call_id = given.call_id;
        let Some(call) = commit.session.state.calls.get(&call_id) else {
            return Err(CommandError::UnknownCall { call_id });
        };
        if call.state() != CallState::Pending {
            if call.state() == CallState::of(&given.result) {
                continue;
            }
            return Err(CommandError::CallAlreadyAnswered { call_id });
        }
        let opened = Arc::clone(&call.opened);
        match given.result {
            Ok(value) => {
                check::value(commit, &value, &format!("{pointer}/value"))?;
                commit.return_call(&call_id, Ok(value.clone()));
                outcome
                    .refs
                    .push(believe(commit, &opened, value, &pointer)?);
            }
            Err(error) => {
                check::reason(Some(&error), &format!("{pointer}/error"))?;
                let problem = tool_error(&opened, &error);
                commit.return_call(&call_id, Err(error));
                commit.refuse(problem.clone(), None);
                outcome.rejected.push(problem);
            }
        }
    }
    commit.follow_up();
    outcome.changes = commit.changes();
    outcome.conflicts = commit.conflict_keys();
    Ok(Outcome::Changed(outcome))
}

/// Makes a result a premise. What the same call said before is superseded.
fn believe(
    commit: &mut Commit<'_>,
    opened: &CallOpened,
    value: Value,
    pointer: &str,
) -> Result<String, CommandError> {
    supersede(commit, opened, &value, pointer)?;
    let source = Tool::source(&opened.tool, opened.origin.as_deref(), &opened.arguments);
    let mut premise = Premise::new(opened.key.clone(), value, source);
    premise.claim.clone_from(&opened.claim);
    premise.confidence = Some(opened.trust);
    premise.expiry = opened.ttl.map(Expiry::After);
    premise.half_life = opened.half_life;
    premises::one(commit, premise, pointer)
}

/// Retracts what only the same call (tool and arguments) said before and now says otherwise.
fn supersede(
    commit: &mut Commit<'_>,
    opened: &CallOpened,
    value: &Value,
    pointer: &str,
) -> Result<(), CommandError> {
    let source = Tool::source(&opened.tool, opened.origin.as_deref(), &opened.arguments);
    let base = &commit.session.base;
    let outdated = base.believed(&opened.key).into_iter().filter(|belief| {
        let differs = base
            .belief(*belief)
            .is_some_and(|there| !values_equal(there.value, value));
        let justifications = base.justifications(*belief);
        let mut valid = justifications
            .iter()
            .filter(|reason| reason.is_valid)
            .peekable();
        differs
            && valid.peek().is_some()
            && valid
                .all(|reason| reason.kind == JustificationKind::Premise && *reason.source == source)
    });
    let outdated: Vec<String> = outdated
        .filter_map(|belief| base.ref_of(belief))
        .map(|r| r.to_string())
        .collect();
    let now = commit.at;
    for reference in outdated {
        commit.base_at(pointer, |base| {
            base.retract(&reference, Some("superseded"), Fault::None, now)
        })?;
    }
    Ok(())
}

fn tool_error(opened: &CallOpened, error: &str) -> Problem {
    let arguments = Value::from(opened.arguments.clone()).to_string();
    Problem {
        action: None,
        kind: Some(ActionKind::CallTool),
        key: Some(opened.key.clone()),
        code: Code::ToolError,
        message: format!(
            "tool `{}` called with {} failed: {}; try other arguments or do without it",
            opened.tool,
            shorten(&arguments, QUOTED_CHARACTERS),
            one_line(&shorten(error, 500)),
        ),
    }
}

pub(super) fn give_up(commit: &mut Commit<'_>, call_id: &str) -> Result<Outcome, CommandError> {
    match commit
        .session
        .state
        .calls
        .get(call_id)
        .map(crate::call::Call::state)
    {
        None => Err(CommandError::UnknownCall {
            call_id: call_id.to_owned(),
        }),
        Some(CallState::Pending) => {
            commit.abandon_call(call_id);
            Ok(Outcome::Changed(Changed::default()))
        }
        Some(CallState::Abandoned) => Ok(Outcome::Changed(Changed::default())),
        Some(_) => Err(CommandError::CallAlreadyAnswered {
            call_id: call_id.to_owned(),
        }),
    }
}
