//! The suite `session`: bringing a session back, in this process, without a store.

use std::sync::Arc;

use entail_kernel::{Span, Time};
use entail_session::{
    Command, ContextOptions, Document, Limits, Opening, Outcome as Said, Policy, Session, Turn,
    TurnContext,
};
use entail_trace::journal::Entry;

use crate::{Measured, Outcome, measure::fresh, service::jobs, table::Table};

/// Turns, which make two cited beliefs at first and four each from then on.
const TURNS: [usize; 3] = [26, 2_501, 10_001];

pub(crate) fn measure(table: &mut Table) -> Outcome {
    for policy in ["declared", "conservative"] {
        for turns in TURNS {
            let played = Played::new(policy, turns)?;
            table.heading(format!(
                "a session of {} beliefs, {} journal entries, {policy}",
                played.session.summary().counts.beliefs,
                played.journal.len(),
            ));
            played.measure(table)?;
        }
    }
    Ok(())
}

struct Played {
    session: Session,
    journal: Vec<Entry>,
    document: Arc<Document>,
}

impl Played {
    fn new(policy: &str, turns: usize) -> Measured<Self> {
        let document = Arc::new(Document::new(jobs::TEXT)?);
        let mut opening = Opening::new("How did revenue develop from Q2 to Q3?");
        let policy = format!(r#"{{"dependencies": "{policy}"}}"#);
        opening.policy = Policy::read(&entail_json::read_str(&policy)?, "")
            .map_err(|faults| format!("{faults:?}"))?;
        opening
            .documents
            .push((jobs::DOCUMENT.to_owned(), Arc::clone(&document)));
        let id = "0190a6f0-0000-7000-8000-000000000000";
        let (session, opened) = Session::open(id, opening, Limits::default(), Time::EPOCH)?;
        let mut played = Self {
            session,
            journal: opened.entry.into_iter().collect(),
            document,
        };
        played.session.confirm();
        for turn in 0..turns {
            played.turn(turn)?;
        }
        Ok(played)
    }

    fn turn(&mut self, turn: usize) -> Outcome {
        let session = &mut self.session;
        let at = session
            .last_commit_at()
            .saturating_add(Span::from_micros(1_000_000));
        let context =
            session.context(&format!("context-{turn}"), at, &ContextOptions::default())?;
        let turn = Turn {
            response: jobs::response(turn),
            context: TurnContext::Given(Arc::new(context.context)),
            model: None,
            step_id: None,
        };
        let done = session.execute(Command::Turn(turn), at)?;
        match &done.outcome {
            Said::Turn(turn) if turn.rejected.is_empty() => {}
            other => return Err(format!("a turn was not accepted: {other:?}").into()),
        }
        self.journal.extend(done.entry);
        session.confirm();
        Ok(())
    }

    fn measure(&self, table: &mut Table) -> Outcome {
        let bytes: usize = self
            .journal
            .iter()
            .map(|entry| entry.payload.len() + entry.events.len())
            .sum();
        let replay = || {
            Session::replay(&self.journal, Limits::default(), |_| {
                Some(Arc::clone(&self.document))
            })
        };
        replay()?;
        let time = fresh(|| (), |()| replay());
        table.time("replayed from its journal", time, megabytes(bytes));
        Ok(())
    }
}

#[expect(clippy::cast_precision_loss, reason = "it is printed with one decimal")]
fn megabytes(bytes: usize) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}
