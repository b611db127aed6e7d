//! Opening the calls behind stale and faded tool premises again.

use std::sync::Arc;

use entail_json::{Object, Value};
use entail_kernel::base::{BeliefId, JustificationKind, SourceKind};
use entail_trace::ToolRequest;
use rustc_hash::FxHashSet;

use crate::command::Reverification;
use crate::commit::Commit;
use crate::error::CommandError;
use crate::event::CallOpened;
use crate::outcome::{Outcome, PendingCall, Reverified};
use crate::tool::Tool;

use super::check;

/// A call to be made again.
struct Again {
    key: String,
    tool: Arc<Tool>,
    arguments: Object,
}

/// Opens calls with the same tool and arguments; an equal result renews the evidence in place.
pub(super) fn open(
    commit: &mut Commit<'_>,
    reverification: &Reverification,
) -> Result<Outcome, CommandError> {
    if !(0.0..=1.0).contains(&reverification.faded) {
        return Err(check::invalid("/faded", "must be a number from 0 to 1"));
    }
    let base = &commit.session.base;
    let mut beliefs = base.stale();
    beliefs.extend(base.faded(reverification.faded, commit.at));
    let wanted: FxHashSet<&str> = reverification.keys.iter().map(String::as_str).collect();
    let mut outcome = Reverified::default();
    let mut again: Vec<Again> = Vec::new();
    let mut keys = FxHashSet::default();
    for belief in beliefs {
        let Some(key) = base.belief(belief).map(|belief| belief.key.to_string()) else {
            continue;
        };
        if (!wanted.is_empty() && !wanted.contains(key.as_str())) || !keys.insert(key.clone()) {
            continue;
        }
        if commit.session.state.calls.filling(&key).is_some() {
            continue;
        }
        match call_behind(commit, belief) {
            Some(Ok((tool, arguments))) => again.push(Again {
                key,
                tool,
                arguments,
            }),
            Some(Err(note)) => outcome.notes.push(note),
            None => {}
        }
    }
    let limit = commit.session.limits.open_calls;
    if commit
        .session
        .state
        .calls
        .open_count()
        .saturating_add(again.len())
        > limit
    {
        return Err(CommandError::LimitExceeded {
            what: "too many open calls".to_owned(),
            limit,
        });
    }
    let requests: Vec<ToolRequest> = again
        .iter()
        .map(|call| ToolRequest {
            tool_name: call.tool.name().to_owned(),
            arguments: call.arguments.clone(),
        })
        .collect();
    let version = commit.version;
    let ids = commit.session.trace.call_ids(version, None, &requests);
    for (call, (call_id, step_id, call_idx)) in again.into_iter().zip(ids) {
        let definition = call.tool.definition();
        outcome.pending_calls.push(PendingCall {
            call_id: call_id.clone(),
            tool: call.tool.name().to_owned(),
            arguments: call.arguments.clone(),
            key: call.key.clone(),
        });
        commit.open_call(CallOpened {
            call_id,
            tool: call.tool.name().to_owned(),
            arguments: call.arguments,
            key: call.key,
            claim: None,
            step_id,
            call_idx,
            trust: definition.trust.prior(),
            ttl: definition.ttl,
            half_life: definition.half_life,
            origin: definition.origin.clone(),
            executor: definition.executor.clone(),
        });
    }
    Ok(Outcome::Reverified(outcome))
}

/// The tool call that a belief's newest tool premise came from, or why it cannot be made again;
/// nothing for a belief that no call is behind.
fn call_behind(
    commit: &Commit<'_>,
    belief: BeliefId,
) -> Option<Result<(Arc<Tool>, Object), String>> {
    let base = &commit.session.base;
    let justifications = base.justifications(belief);
    let premise = justifications.iter().rev().find(|reason| {
        reason.kind == JustificationKind::Premise
            && reason.source.kind == SourceKind::Tool
            && reason.source.arguments.is_some()
    })?;
    let Some(Value::Object(arguments)) = &premise.source.arguments else {
        return None;
    };
    let name = &premise.source.name;
    Some(match commit.session.state.tools.get(name) {
        None => Err(format!(
            "`{name}` is no longer registered, so its results stay as they are"
        )),
        Some(tool) => match tool.arguments(arguments) {
            Ok(read) if read == *arguments => Ok((Arc::clone(tool), read)),
            _ => Err(format!(
                "`{name}` no longer takes the arguments it was called with"
            )),
        },
    })
}
