//! The scripts played through the library. Every commit is undone and made again, and the
//! session replayed from its journal must be the same at the end.

use std::collections::BTreeMap;
use std::sync::Arc;

use entail_json::{Object, Value};
use entail_kernel::{Span, Time};
use entail_session::{
    Blame, Command, Context, ContextOptions, Document, Executed, Limits, Opening, Outcome, Policy,
    Premise, Retraction, Session, ToolDefinition, ToolResult, Turn, TurnContext,
};
use entail_trace::journal::{Chain, Entry};

use super::script::{Case, Driver, Known, MODEL, Shown, Turned};

const ID: &str = "0190a6f0-0000-7000-8000-000000000000";

pub(crate) struct Library {
    session: Session,
    journal: Vec<Entry>,
    documents: Vec<Arc<Document>>,
    clock: Time,
    context: Option<Arc<Context>>,
    contexts: usize,
}

impl Library {
    pub(crate) fn open(case: &Case) -> Self {
        let mut opening = Opening::new("Play the script.");
        let policy = Value::from([("dependencies", case.policy.as_str().into())]);
        opening.policy = Policy::read(&policy, "").unwrap();
        let documents: Vec<_> = case
            .documents
            .iter()
            .map(|(_, text)| Arc::new(Document::new(text.as_str()).unwrap()))
            .collect();
        let names = case.documents.iter().map(|(name, _)| name.clone());
        opening.documents = names.zip(documents.iter().cloned()).collect();
        for tool in &case.tools {
            let definition = Object::from([
                ("description", tool.name.as_str().into()),
                ("parameters", tool.parameters.clone()),
                ("trust", tool.trust.clone()),
            ]);
            let definition = ToolDefinition::read(&definition.into(), "").unwrap();
            opening.tools.push((tool.name.clone(), definition));
        }
        opening.premises = case.premises.iter().map(premise).collect();
        let clock = Time::from_micros(1_700_000_000_000_000).unwrap();
        let (mut session, executed) = Session::open(ID, opening, Limits::default(), clock).unwrap();
        session.confirm();
        let journal = executed.entry.into_iter().collect();
        Self {
            session,
            journal,
            documents,
            clock,
            context: None,
            contexts: 0,
        }
    }

    fn execute(&mut self, command: Command) -> Executed {
        self.clock = self.clock.saturating_add(Span::from_micros(1_000));
        let before = self.session.dump();
        let tried = self.session.execute(command.clone(), self.clock).unwrap();
        self.session.undo();
        assert_eq!(self.session.dump(), before, "undoing leaves nothing behind");
        let executed = self.session.execute(command, self.clock).unwrap();
        assert_eq!(executed, tried, "the same command again does the same");
        self.session.confirm();
        self.journal.extend(executed.entry.clone());
        executed
    }

    /// Replays the journal and compares everything observable.
    pub(crate) fn check_replay(&self) {
        let mut chain = Chain::start(ID);
        for entry in &self.journal {
            chain.check(entry).unwrap();
        }
        let find = |digest: &entail_json::Digest| {
            self.documents
                .iter()
                .find(|document| document.id() == *digest)
                .cloned()
        };
        let replayed = Session::replay(&self.journal, Limits::default(), find).unwrap();
        assert_eq!(
            replayed.dump(),
            self.session.dump(),
            "replaying gives the same session"
        );
    }
}

fn premise(value: &Value) -> Premise {
    let source = value
        .get("source")
        .unwrap()
        .as_str()
        .unwrap()
        .parse()
        .unwrap();
    let key = value.get("key").unwrap().as_str().unwrap();
    let mut premise = Premise::new(key, value.get("value").unwrap().clone(), source);
    premise.supersede = value.get("supersede") == Some(&true.into());
    premise
}

impl Driver for Library {
    fn context(&mut self) -> Shown {
        self.contexts += 1;
        let id = format!("context-{}", self.contexts);
        let view = self
            .session
            .context(&id, self.clock, &ContextOptions::default())
            .unwrap();
        let shown = Shown {
            visible: view
                .visible
                .iter()
                .map(|shown| shown.reference.clone())
                .collect(),
            conflicts: view.conflicts.clone(),
        };
        let kept = &view.context;
        let kept = Context::from_kept(
            &kept.id,
            kept.version,
            kept.as_of,
            &kept.refs_text(),
            &kept.documents_text(),
        );
        assert_eq!(kept.as_ref(), Ok(&view.context));
        self.context = Some(Arc::new(view.context));
        shown
    }

    fn turn(&mut self, response: &str) -> Turned {
        let executed = self.execute(Command::Turn(Turn {
            response: response.to_owned(),
            context: TurnContext::Given(self.context.clone().unwrap()),
            model: Some(MODEL.to_owned()),
            step_id: None,
        }));
        let Outcome::Turn(turn) = executed.outcome else {
            panic!("a turn")
        };
        let pending = turn.pending_calls.iter().map(|call| {
            let of =
                |taken: &&entail_session::Accepted| taken.call_id.as_ref() == Some(&call.call_id);
            let action = turn.accepted.iter().find(of).unwrap().action;
            (
                action,
                call.call_id.clone(),
                call.tool.clone(),
                call.arguments.clone().into(),
            )
        });
        Turned {
            pending: pending.collect(),
            accepted: turn
                .accepted
                .iter()
                .map(|a| {
                    (
                        a.action,
                        a.kind.clone(),
                        a.reference.clone(),
                        a.value.clone(),
                    )
                })
                .collect(),
            rejected: turn
                .rejected
                .iter()
                .map(|problem| (problem.action, problem.code.to_string()))
                .collect(),
            answered: turn.answer.is_some(),
        }
    }

    fn results(&mut self, results: &[(String, Value)]) -> Vec<Result<(String, Value), String>> {
        let given = results.iter().map(|(call_id, result)| ToolResult {
            call_id: call_id.clone(),
            result: match result.get("error") {
                Some(error) => Err(error.as_str().unwrap().to_owned()),
                None => Ok(result.get("value").unwrap().clone()),
            },
        });
        let executed = self.execute(Command::ToolResults(given.collect()));
        let Outcome::Changed(changed) = executed.outcome else {
            panic!("results")
        };
        let mut refs = changed.refs.iter();
        let mut rejected = changed.rejected.iter();
        results
            .iter()
            .map(|(_, result)| match result.get("error") {
                Some(_) => Err(rejected.next().unwrap().code.to_string()),
                None => {
                    let reference = refs.next().unwrap();
                    let base = self.session.base();
                    let belief = base.belief(base.find(reference).unwrap()).unwrap();
                    Ok((reference.clone(), belief.value.clone()))
                }
            })
            .collect()
    }

    fn premise(&mut self, value: &Value) {
        self.execute(Command::Premises(vec![premise(value)]));
    }

    fn retract(&mut self, target: &str) {
        let target = target.to_owned();
        self.execute(Command::Retract(Retraction {
            target,
            reason: None,
            fault: Blame::None,
        }));
    }

    fn restore(&mut self, target: &str) {
        self.execute(Command::Restore {
            target: target.to_owned(),
        });
    }

    fn beliefs(&mut self) -> BTreeMap<String, Known> {
        let base = self.session.base();
        base.beliefs()
            .map(|belief| {
                let supporting = base.supporting(belief.id, self.clock);
                let reason = supporting.and_then(|id| base.justification(id));
                let set = reason.as_ref().and_then(|reason| reason.antecedents);
                let antecedents = set.map(|set| base.antecedents(set)).unwrap_or_default();
                let known = Known {
                    value: belief.value.clone(),
                    is_in: belief.is_in(),
                    antecedents: antecedents
                        .into_iter()
                        .map(|id| base.ref_of(id).unwrap().to_string())
                        .collect(),
                    source: reason
                        .map(|reason| reason.source.to_string())
                        .unwrap_or_default(),
                    confidence: base.confidence(belief.id, self.clock),
                };
                (belief.reference().to_string(), known)
            })
            .collect()
    }
}
