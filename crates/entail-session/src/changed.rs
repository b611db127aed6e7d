//! What a journal entry changed, for whoever keeps a copy of the session to be asked of it.

use std::collections::BTreeSet;

use entail_kernel::base::{BeliefId, Event as BaseEvent};
use entail_trace::journal::Entry;

use crate::error::ReplayError;
use crate::event::Event;
use crate::outcome::Verdict;
use crate::rejection::Rejection;
use crate::replay::read_events;
use crate::session::Session;

/// What one journal entry of a session changed.
#[derive(Clone, Debug, PartialEq)]
pub struct EntryChanges {
    /// The beliefs that are new, have new support, or are labelled anew, in order of creation.
    ///
    /// What an outcome for a source does to the confidence of everything that source said is
    /// not among them: it would be a walk over the base.
    pub beliefs: Vec<BeliefId>,
    /// The turn, where the entry is one.
    pub turn: Option<EntryTurn>,
}

/// How a turn went, as its journal entry has it.
#[derive(Clone, Debug, PartialEq)]
pub struct EntryTurn {
    /// The model's name, empty where nobody said it.
    pub model: String,
    /// The verdict.
    pub verdict: Verdict,
    /// How many actions were accepted.
    pub accepted: usize,
    /// What was rejected, in order.
    pub rejected: Vec<Rejection>,
}

impl Session {
    /// What an entry of this session's journal changed. The session may be further on; it has
    /// to be at the entry's version at least.
    ///
    /// # Errors
    /// [`ReplayError::Malformed`] when the entry cannot be read.
    pub fn changes_of(&self, entry: &Entry) -> Result<EntryChanges, ReplayError> {
        let mut beliefs: BTreeSet<BeliefId> = BTreeSet::new();
        let (mut accepted, mut rejected, mut taken) = (0_usize, Vec::new(), None);
        for event in read_events(entry)? {
            match event {
                Event::Base(
                    BaseEvent::BeliefAdded { belief, .. }
                    | BaseEvent::JustificationAdded { belief, .. }
                    | BaseEvent::JustificationReplaced { belief, .. }
                    | BaseEvent::Retracted { belief, .. }
                    | BaseEvent::Restored { belief, .. },
                ) => beliefs.extend(self.base.find_ref(&belief)),
                Event::Relabelled { ins, outs } => {
                    let refs = ins.iter().chain(&outs);
                    beliefs.extend(refs.filter_map(|name| self.base.find(name)));
                }
                Event::Accepted(_) => accepted = accepted.saturating_add(1),
                Event::Refused { problem, .. } => rejected.push(problem),
                Event::TurnTaken(turn) => taken = Some(turn),
                _ => {}
            }
        }
        let turn = taken.map(|turn| EntryTurn {
            model: turn.model,
            verdict: turn.verdict,
            accepted,
            rejected,
        });
        Ok(EntryChanges {
            beliefs: beliefs.into_iter().collect(),
            turn,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Blame, Command, ContextOptions, Limits, Opening, Retraction, Turn, TurnContext};
    use entail_kernel::Time;

    fn turn(session: &mut Session, response: &str) -> Entry {
        let shown = session.context("c", Time::EPOCH, &ContextOptions::default());
        let turn = Turn {
            response: response.to_owned(),
            context: TurnContext::Given(shown.unwrap().context.into()),
            model: Some("m".to_owned()),
            step_id: None,
        };
        commit(session, Command::Turn(turn))
    }

    fn commit(session: &mut Session, command: Command) -> Entry {
        let done = session.execute(command, session.commit_time(Time::EPOCH));
        session.confirm();
        done.unwrap().entry.unwrap()
    }

    fn refs(session: &Session, entry: &Entry) -> Vec<String> {
        let beliefs = session.changes_of(entry).unwrap().beliefs;
        let refs = beliefs.iter().filter_map(|id| session.base().ref_of(*id));
        refs.map(|name| name.to_string()).collect()
    }

    #[test]
    fn an_entry_tells_its_own_beliefs_and_how_its_turn_went() {
        let id = "0190a6f0-0000-7000-8000-000000000000";
        let opened = Session::open(id, Opening::new("t"), Limits::default(), Time::EPOCH);
        let (mut session, opened) = opened.unwrap();
        session.confirm();
        let opening = opened.entry.unwrap();
        let first = turn(
            &mut session,
            r#"{"actions": [{"type": "claim", "key": "a", "value": 2},
                {"type": "claim", "key": "b", "formula": "{a} + 1", "value": 7}]}"#,
        );
        let second = turn(
            &mut session,
            r#"{"actions": [{"type": "claim", "key": "b", "formula": "{a} + 1"}]}"#,
        );
        let retraction = Retraction {
            target: "a".to_owned(),
            reason: None,
            fault: Blame::None,
        };
        let third = commit(&mut session, Command::Retract(retraction));

        assert_eq!(session.changes_of(&opening).unwrap().turn, None);
        assert_eq!(refs(&session, &first), ["a@1"]);
        let told = session.changes_of(&first).unwrap().turn.unwrap();
        assert_eq!((told.accepted, told.model.as_str()), (1, "m"));
        assert_eq!(told.verdict, Verdict::NeedsRepair);
        assert_eq!(told.rejected.len(), 1);
        assert_eq!(refs(&session, &second), ["b@1"]);
        assert_eq!(refs(&session, &third), ["a@1", "b@1"]);
    }
}
