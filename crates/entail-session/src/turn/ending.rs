//! What a turn comes to.

use entail_contract::Problem;
use entail_json::Value;
use entail_kernel::base::BeliefId;
use entail_trace::ToolRequest;

use super::{Taken, Turning, What};
use crate::error::CommandError;
use crate::event::{Accepted as AcceptedEvent, CallOpened, TurnTaken};
use crate::feedback;
use crate::outcome::{Accepted, Answer, Ignored, PendingCall, TurnOutcome, Verdict};
use crate::proof::is_grounded;

impl Turning<'_, '_> {
    /// Opens the turn's calls, decides the verdict, and writes everything down.
    pub(super) fn finish(
        mut self,
        model: &str,
        step_id: Option<String>,
        is_unusable: bool,
    ) -> Result<TurnOutcome, CommandError> {
        self.commit.follow_up();
        let (call_ids, pending_calls) = self.open_calls(step_id.as_deref())?;
        self.refused.sort_by_key(|(problem, _)| problem.action);
        let verdict = self.verdict(is_unusable, !call_ids.is_empty());
        let accepted: Vec<Accepted> = self
            .accepted
            .iter()
            .filter_map(|taken| self.accepted_one(taken, &call_ids))
            .collect();
        for taken in &accepted {
            self.commit.accept(AcceptedEvent {
                action: taken.action,
                kind: taken.kind.clone(),
                key: taken.key.clone(),
                reference: taken.reference.clone(),
                call_id: taken.call_id.clone(),
            });
        }
        let refused = std::mem::take(&mut self.refused);
        for (problem, statement) in &refused {
            self.commit.refuse(problem.clone(), statement.clone());
        }
        let rejected: Vec<Problem> = refused.into_iter().map(|(problem, _)| problem).collect();
        let set = self.shown.chain();
        self.commit.take_turn(TurnTaken {
            context_id: self.context.id.clone(),
            context_version: self.context.version,
            as_of: self.context.as_of,
            shown: self
                .shown
                .context_set()
                .map(entail_kernel::base::SetId::number),
            chain: set.map(entail_kernel::base::SetId::number),
            documents: self.context.documents.clone(),
            scope: self.context.scope.clone(),
            model: model.to_owned(),
            step_id,
            verdict,
            ignored: self
                .ignored
                .iter()
                .map(|(at, kind)| (*at, kind.to_string()))
                .collect(),
        });
        Ok(TurnOutcome {
            turn: self.commit.version,
            context_id: self.context.id.clone(),
            verdict,
            accepted,
            ignored: self
                .ignored
                .iter()
                .map(|(action, kind)| Ignored {
                    action: *action,
                    kind: kind.to_string(),
                })
                .collect(),
            pending_calls,
            answer: self.answer.and_then(|belief| self.answer_of(belief)),
            changes: self.commit.changes(),
            feedback: feedback::text_of(&rejected),
            rejected,
        })
    }

    /// Gives every call of the turn its id, and opens those that are not open yet.
    fn open_calls(
        &mut self,
        step_id: Option<&str>,
    ) -> Result<(Vec<String>, Vec<PendingCall>), CommandError> {
        let calls = std::mem::take(&mut self.calls);
        let new = calls.iter().filter(|call| call.repeats.is_none());
        let requests: Vec<ToolRequest> = new
            .map(|call| ToolRequest {
                tool_name: call.tool.name().to_owned(),
                arguments: call.arguments.clone(),
            })
            .collect();
        let version = self.commit.version;
        let ids = self
            .commit
            .session
            .trace
            .call_ids(version, step_id, &requests);
        let mut ids = ids.into_iter();
        let mut call_ids = Vec::with_capacity(calls.len());
        let mut pending = Vec::new();
        for call in calls {
            if let Some(id) = call.repeats {
                call_ids.push(id);
                continue;
            }
            let Some((call_id, step_id, call_idx)) = ids.next() else {
                continue;
            };
            let definition = call.tool.definition();
            pending.push(PendingCall {
                call_id: call_id.clone(),
                tool: call.tool.name().to_owned(),
                arguments: call.arguments.clone(),
                key: call.key.clone(),
            });
            self.commit.open_call(CallOpened {
                call_id: call_id.clone(),
                tool: call.tool.name().to_owned(),
                arguments: call.arguments,
                key: call.key,
                claim: call.claim,
                step_id,
                call_idx,
                trust: definition.trust.prior(),
                ttl: definition.ttl,
                half_life: definition.half_life,
                origin: definition.origin.clone(),
                executor: definition.executor.clone(),
            });
            call_ids.push(call_id);
        }
        Ok((call_ids, pending))
    }

    fn accepted_one(&self, taken: &Taken, call_ids: &[String]) -> Option<Accepted> {
        let base = &self.commit.session.base;
        let kind = taken.kind.to_string();
        match taken.what {
            What::Belief(id) => {
                let belief = base.belief(id)?;
                Some(Accepted {
                    action: taken.action,
                    kind,
                    reference: Some(belief.reference().to_string()),
                    key: belief.key.to_string(),
                    value: Some(belief.value.clone()),
                    call_id: None,
                })
            }
            What::Call(at) => {
                let call_id = call_ids.get(at)?;
                let call = self.commit.session.state.calls.get(call_id)?;
                Some(Accepted {
                    action: taken.action,
                    kind,
                    reference: None,
                    key: call.key().to_owned(),
                    value: None,
                    call_id: Some(call_id.clone()),
                })
            }
        }
    }

    fn verdict(&self, is_unusable: bool, has_calls: bool) -> Verdict {
        if is_unusable {
            Verdict::Unusable
        } else if self.ran_into_conflict {
            Verdict::ConflictingEvidence
        } else if !self.refused.is_empty() {
            Verdict::NeedsRepair
        } else if has_calls {
            Verdict::AwaitingTools
        } else if self.answer.is_some() {
            Verdict::Answered
        } else {
            Verdict::Accepted
        }
    }

    fn answer_of(&self, id: BeliefId) -> Option<Answer> {
        let base = &self.commit.session.base;
        let belief = base.belief(id)?;
        Some(Answer {
            reference: belief.reference().to_string(),
            text: match belief.value {
                Value::String(text) => text.clone(),
                other => other.to_string(),
            },
            confidence: base.confidence(id, self.commit.at),
            is_grounded: is_grounded(base, id),
        })
    }
}
