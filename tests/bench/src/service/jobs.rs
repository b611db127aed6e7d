//! Sessions, the turns posted to them and what is read from them.

use std::sync::{
    Mutex, PoisonError,
    atomic::{AtomicUsize, Ordering},
};

use entail_json::Value;
use entail_tests::Client;

use super::connection::Connection;
use crate::{Measured, Outcome};

/// The document that turns cite.
pub(crate) const DOCUMENT: &str = "10-Q";
/// What it says.
pub(crate) const TEXT: &str =
    "Total revenue for Q2 was $4.3 billion. Total revenue for Q3 was $4.5 billion.";

/// Sessions that callers share out among themselves.
pub(super) struct Jobs {
    sessions: Vec<Session>,
    callers: usize,
}

/// An open session.
pub(super) struct Session {
    /// Its path.
    pub(super) path: String,
    turns: AtomicUsize,
}

/// What is read.
#[derive(Clone, Copy)]
pub(super) enum Read {
    Context,
    Beliefs,
    Belief,
}

impl Read {
    pub(super) const ALL: [Self; 3] = [Self::Context, Self::Beliefs, Self::Belief];

    pub(super) const fn words(self) -> &'static str {
        match self {
            Self::Context => "a context, which is kept for the turn that answers it",
            Self::Beliefs => "the beliefs, a page of them",
            Self::Belief => "one belief",
        }
    }
}

impl Jobs {
    /// Opens so many sessions under a dependency policy, and takes a first turn in each.
    pub(super) fn open(
        client: &Client,
        sessions: usize,
        callers: usize,
        policy: &str,
    ) -> Measured<Self> {
        let opened = Mutex::new(Vec::with_capacity(sessions));
        let next = AtomicUsize::new(0);
        let open = || -> Outcome {
            let mut connection = Connection::open(client)?;
            while next.fetch_add(1, Ordering::Relaxed) < sessions {
                let session = Session::open(&mut connection, policy)?;
                session.turn(&mut connection)?;
                opened
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .push(session);
            }
            Ok(())
        };
        std::thread::scope(|scope| {
            let callers: Vec<_> = (0..callers).map(|_| scope.spawn(open)).collect();
            callers
                .into_iter()
                .try_for_each(|caller| caller.join().map_err(|_| "a caller panicked")?)
        })?;
        let sessions = opened.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok(Self { sessions, callers })
    }

    /// The sessions of one caller, again and again.
    fn of(&self, caller: usize) -> impl Iterator<Item = &Session> + Clone {
        self.sessions
            .iter()
            .skip(caller)
            .step_by(self.callers)
            .cycle()
    }

    /// A turn in one of the caller's sessions after the other.
    pub(super) fn turns(&self, caller: usize) -> impl FnMut(&mut Connection) -> Outcome {
        let mut sessions = self.of(caller);
        move |connection| {
            let session = sessions.next().ok_or("a caller has no session")?;
            session.turn(connection)
        }
    }

    /// A read in one of the caller's sessions after the other.
    pub(super) fn reads(
        &self,
        caller: usize,
        read: Read,
    ) -> impl FnMut(&mut Connection) -> Outcome {
        let mut sessions = self.of(caller);
        move |connection| {
            let Session { path, .. } = sessions.next().ok_or("a caller has no session")?;
            let (answer, holds) = match read {
                Read::Context => (connection.post(&format!("{path}/context"), "{}")?, "q2:0"),
                Read::Beliefs => (connection.get(&format!("{path}/beliefs"))?, "q2:0@1"),
                Read::Belief => (connection.get(&format!("{path}/beliefs/q2%3A0"))?, "q2:0@1"),
            };
            match answer.text().contains(holds) {
                true => Ok(()),
                false => Err(format!("`{holds}` is not read: {}", answer.text()).into()),
            }
        }
    }
}

impl Session {
    /// Opens one with a document to cite.
    pub(super) fn open(connection: &mut Connection, policy: &str) -> Measured<Self> {
        let document = Value::from([("name", DOCUMENT.into()), ("text", TEXT.into())]);
        let body = Value::from([
            ("task", "How did revenue develop from Q2 to Q3?".into()),
            ("policy", Value::from([("dependencies", policy.into())])),
            ("documents", Value::Array(vec![document])),
        ]);
        let opened = connection.post("/sessions", &body.to_string())?.json();
        let id = opened
            .get("id")
            .and_then(Value::as_str)
            .ok_or("a session has no id")?;
        Ok(Self {
            path: format!("/sessions/{id}"),
            turns: AtomicUsize::new(0),
        })
    }

    /// Two cites, a claim by formula from what the turn before cited, and a claim that rests on
    /// that one.
    pub(super) fn turn(&self, connection: &mut Connection) -> Outcome {
        let turn = self.turns.fetch_add(1, Ordering::Relaxed);
        self.respond(connection, &response(turn), None)
    }

    /// [`turn`](Self::turn), in answer to a context.
    pub(super) fn turn_after(&self, connection: &mut Connection, context: &str) -> Outcome {
        let turn = self.turns.fetch_add(1, Ordering::Relaxed);
        self.respond(connection, &response(turn), Some(context))
    }

    /// So many more beliefs, each cited, in one turn.
    ///
    /// The last two are what a turn cites.
    pub(super) fn fill(&self, connection: &mut Connection, beliefs: usize) -> Outcome {
        let turn = self.turns.fetch_add(1, Ordering::Relaxed);
        let filled = (2..beliefs).map(|belief| {
            cite(
                &format!("filled:{turn}:{belief}"),
                "Q2",
                "4.3",
                4_300_000_000,
            )
        });
        let cites: Vec<_> = filled.chain(cited(turn)).collect();
        let response = format!(r#"{{"actions": [{}]}}"#, cites.join(","));
        self.respond(connection, &response, None)
    }

    /// Posts a response, all of which has to be accepted.
    fn respond(
        &self,
        connection: &mut Connection,
        response: &str,
        context: Option<&str>,
    ) -> Outcome {
        let context = context.map(|context| ("context_id", Value::from(context)));
        let members = [Some(("response", Value::from(response))), context];
        let body: Vec<String> = members
            .into_iter()
            .flatten()
            .map(|(name, value)| format!("\"{name}\":{value}"))
            .collect();
        let body = format!("{{{}}}", body.join(","));
        let answer = connection.post(&format!("{}/turns", self.path), &body)?;
        match answer.text().contains(r#""rejected":[]"#) {
            true => Ok(()),
            false => Err(format!("a turn was not accepted: {}", answer.text()).into()),
        }
    }
}

/// What a model says in a turn; in the first it only cites.
pub(crate) fn response(turn: usize) -> String {
    let [q2, q3] = cited(turn);
    // A claim rests on what its context showed, which is what an earlier turn cited.
    let Some(shown) = turn.checked_sub(1) else {
        return format!(r#"{{"actions": [{q2}, {q3}]}}"#);
    };
    format!(
        r#"{{"actions": [
  {q2},
  {q3},
  {{"type": "claim", "key": "growth:{turn}", "value": 4.651162790697675,
   "claim": "Q3 revenue grew 4.65% over Q2", "follows_from": ["q2:{shown}", "q3:{shown}"],
   "formula": "({{q3:{shown}}} - {{q2:{shown}}}) / {{q2:{shown}}} * 100", "confidence": 0.95}},
  {{"type": "claim", "key": "trend:{turn}", "value": "rising",
   "claim": "Revenue is rising", "follows_from": ["growth:{turn}"], "confidence": 0.9}}
]}}"#
    )
}

/// What a turn cites.
fn cited(turn: usize) -> [String; 2] {
    [
        cite(&format!("q2:{turn}"), "Q2", "4.3", 4_300_000_000),
        cite(&format!("q3:{turn}"), "Q3", "4.5", 4_500_000_000),
    ]
}

fn cite(key: &str, quarter: &str, billions: &str, value: i64) -> String {
    format!(
        r#"{{"type": "cite", "document": "{DOCUMENT}",
   "quote": "Total revenue for {quarter} was ${billions} billion",
   "key": "{key}", "value": {value}, "claim": "{quarter} revenue"}}"#
    )
}

#[cfg(test)]
mod tests {
    use super::response;

    #[test]
    fn a_turn_after_the_first_has_four_actions_that_can_be_read() {
        for (turn, actions) in [(0, 2), (7, 4)] {
            let read = entail_contract::parse(&response(turn));
            assert_eq!(read.actions.len(), actions);
            assert!(read.problems.is_empty(), "{:?}", read.problems);
        }
    }
}
