//! A commit in the making.

use std::cell::RefCell;
use std::sync::Arc;

use entail_contract::Problem;
use entail_json::Value;
use entail_kernel::Time;
use entail_kernel::base::{Base, BaseError, ConflictKind, Event as BaseEvent, Mark, Status};
use entail_kernel::text::Document;

use crate::call::CallState;
use crate::error::CommandError;
use crate::event::{Accepted, CallOpened, Event, TurnTaken};
use crate::options::Options;
use crate::outcome::Changing;
use crate::session::Session;
use crate::tool::Tool;

/// What a command changes: every change is made here, so that the list of events and the state
/// cannot part.
pub(crate) struct Commit<'s> {
    pub session: &'s mut Session,
    pub at: Time,
    /// The version that this commit makes.
    pub version: u64,
    mark: &'s Mark,
    events: Vec<Event>,
    /// How many of the belief base's events are among them.
    of_base: usize,
    /// Beliefs whose status changed, as of when that was last asked.
    changes: RefCell<Option<Vec<Changing>>>,
}

impl<'s> Commit<'s> {
    pub(crate) fn new(session: &'s mut Session, mark: &'s Mark, at: Time) -> Self {
        let version = session.version();
        Self {
            session,
            at,
            version,
            mark,
            events: Vec::new(),
            of_base: 0,
            changes: RefCell::new(None),
        }
    }

    /// Everything that happened, with the list of labels that changed at its end.
    pub(crate) fn finish(mut self) -> Vec<Event> {
        self.take_base_events();
        if self.events.is_empty() {
            return self.events;
        }
        let changes = self.changes();
        let of = |status: Status| {
            let refs = changes.iter().filter(|change| change.status == status);
            refs.map(|change| change.reference.clone()).collect()
        };
        let (ins, outs): (Vec<String>, Vec<String>) = (of(Status::In), of(Status::Out));
        if !(ins.is_empty() && outs.is_empty()) {
            self.events.push(Event::Relabelled { ins, outs });
        }
        self.events
    }

    /// Carries out an operation of the belief base.
    pub(crate) fn base<T>(
        &mut self,
        operation: impl FnOnce(&mut Base) -> Result<T, BaseError>,
    ) -> Result<T, BaseError> {
        let done = operation(&mut self.session.base);
        self.take_base_events();
        done
    }

    /// The same for a command, whose fault lies at `pointer`.
    pub(crate) fn base_at<T>(
        &mut self,
        pointer: &str,
        operation: impl FnOnce(&mut Base) -> Result<T, BaseError>,
    ) -> Result<T, CommandError> {
        self.base(operation).map_err(|error| CommandError::Base {
            pointer: pointer.to_owned(),
            error,
        })
    }

    /// Applies events of another belief base as they are.
    pub(crate) fn replay(&mut self, events: Vec<BaseEvent>) -> Result<(), BaseError> {
        self.session.base.replay(&events)?;
        self.changes.replace(None);
        self.events.extend(events.into_iter().map(Event::Base));
        Ok(())
    }

    fn take_base_events(&mut self) {
        let all = self.session.base.events();
        let new = all.get(self.of_base..).unwrap_or_default();
        if !new.is_empty() {
            self.changes.replace(None);
        }
        self.events.extend(new.iter().cloned().map(Event::Base));
        self.of_base = all.len();
    }

    /// What a change makes necessary, in the same commit: rules run again for what lost its
    /// support, then the session's conflict policy applies, until nothing more follows.
    pub(crate) fn follow_up(&mut self) {
        let now = self.at;
        let policy = self.session.state.options.policy.conflict.clone();
        loop {
            let _ = self.base(|base| Ok(base.rerun_rules(now)));
            let settled = match &policy {
                // The policy was checked when it was set.
                Some(policy) => self
                    .base(|base| base.resolve_by(policy, now))
                    .unwrap_or_default(),
                None => Vec::new(),
            };
            if settled.is_empty() {
                return;
            }
        }
    }

    /// Beliefs whose status this commit changed so far.
    pub(crate) fn changes(&self) -> Vec<Changing> {
        let mut known = self.changes.borrow_mut();
        let changes = known.get_or_insert_with(|| {
            let changes = self.session.base.changes(self.mark).into_iter();
            let changing = changes.map(|change| Changing {
                reference: change.reference.to_string(),
                status: change.status,
                reason: change.reason,
            });
            changing.collect()
        });
        changes.clone()
    }

    /// Keys that are disputed or part of a conflict, sorted.
    pub(crate) fn conflict_keys(&self) -> Vec<String> {
        conflict_keys(&self.session.base)
    }

    pub(crate) fn open(&mut self, options: Options, plan: Option<Value>) {
        self.session.state.set_options(options.clone());
        self.session.state.set_plan(plan.clone());
        self.events.push(Event::Opened {
            options: Box::new(options),
            plan,
        });
    }

    pub(crate) fn patch(&mut self, options: Options) {
        self.session.state.set_options(options.clone());
        self.events.push(Event::Patched {
            options: Box::new(options),
        });
    }

    pub(crate) fn put_document(&mut self, name: &str, document: &Arc<Document>) -> u32 {
        let version = self.session.state.put_document(name, Arc::clone(document));
        self.events.push(Event::DocumentPut {
            name: name.to_owned(),
            version,
            sha256: document.id(),
            bytes: u64::try_from(document.text().len()).unwrap_or(u64::MAX),
        });
        version
    }

    pub(crate) fn put_tool(&mut self, tool: Tool) {
        self.events.push(Event::ToolPut {
            name: tool.name().to_owned(),
            definition: Box::new(tool.definition().clone()),
            order: tool.order().to_vec(),
        });
        self.session.state.put_tool(Arc::new(tool));
    }

    pub(crate) fn delete_tool(&mut self, name: &str) {
        self.session.state.delete_tool(name);
        self.events.push(Event::ToolDeleted {
            name: name.to_owned(),
        });
    }

    pub(crate) fn open_call(&mut self, opened: CallOpened) {
        self.session
            .state
            .open_call(Arc::new(opened.clone()), self.version);
        self.events.push(Event::CallOpened(Box::new(opened)));
    }

    pub(crate) fn return_call(&mut self, call_id: &str, result: Result<Value, String>) {
        self.session
            .state
            .settle_call(call_id, CallState::of(&result));
        self.events.push(Event::CallReturned {
            call_id: call_id.to_owned(),
            result,
        });
    }

    pub(crate) fn abandon_call(&mut self, call_id: &str) {
        self.session
            .state
            .settle_call(call_id, CallState::Abandoned);
        self.events.push(Event::CallAbandoned {
            call_id: call_id.to_owned(),
        });
    }

    pub(crate) fn refuse(&mut self, problem: Problem, statement: Option<String>) {
        self.session.state.refuse(&problem);
        self.events.push(Event::Refused { problem, statement });
    }

    pub(crate) fn accept(&mut self, accepted: Accepted) {
        self.session.state.accept(&accepted, self.version);
        self.events.push(Event::Accepted(Box::new(accepted)));
    }

    pub(crate) fn take_turn(&mut self, taken: TurnTaken) {
        self.session.state.take_turn(&taken, self.version, self.at);
        self.events.push(Event::TurnTaken(Box::new(taken)));
    }

    pub(crate) fn close(&mut self, closing: crate::command::Closing) {
        self.session.state.set_closed(Some(closing.clone()));
        self.events.push(Event::Closed(closing));
    }

    pub(crate) fn reopen(&mut self) {
        self.session.state.set_closed(None);
        self.events.push(Event::Reopened);
    }
}

/// Keys that are disputed or part of a conflict, sorted.
pub(crate) fn conflict_keys(base: &Base) -> Vec<String> {
    let mut keys = std::collections::BTreeSet::new();
    for conflict in base.conflicts() {
        match conflict.kind {
            ConflictKind::Value { key } => {
                keys.insert(key.to_string());
            }
            ConflictKind::Constraint { .. } => {
                let sides = conflict.sides.iter().filter_map(|side| base.belief(*side));
                keys.extend(sides.map(|belief| belief.key.to_string()));
            }
        }
    }
    keys.into_iter().collect()
}
