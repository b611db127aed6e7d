//! Writers that do everything an orchestrator does, in sessions that they share.

use std::sync::{Mutex, PoisonError};

use entail_json::Value;
use entail_tests::{Answer, Random};

use crate::{
    door::Door,
    log::{Request, Sent, Writer, has_no_room},
    says,
};

/// How many requests a writer sends that find no room, before it says that this is so.
const REFUSALS: usize = 3;

/// What the writers share.
#[derive(Debug)]
pub(crate) struct Load<'a> {
    pub(crate) door: &'a Door,
    /// Where the sessions' tool is, if they have one.
    pub(crate) tool_url: Option<String>,
    /// What is added to a premise, so that a disk fills.
    pub(crate) padding: usize,
    sessions: Mutex<Vec<String>>,
}

impl<'a> Load<'a> {
    pub(crate) fn new(door: &'a Door) -> Self {
        Self {
            door,
            tool_url: None,
            padding: 0,
            sessions: Mutex::default(),
        }
    }

    /// Writes until the door is closed or there is no room left, and gives the log.
    pub(crate) fn write(&self, who: impl ToString, mut random: Random) -> Vec<Sent> {
        let mut writer = Writer::new(self.door, who);
        let mut believed: Vec<(String, String)> = Vec::new();
        let mut refusals = 0;
        while !self.door.is_over() && refusals < REFUSALS {
            let place = random.below(self.door.places());
            let Some(session) = self.session(&mut random) else {
                self.open(&mut writer, place);
                continue;
            };
            let mark = writer.mark();
            let own: Vec<&String> = believed
                .iter()
                .filter(|(in_session, _)| *in_session == session)
                .map(|(_, key)| key)
                .collect();
            let on = match own.is_empty() || random.percent(30) {
                true => "p0".to_owned(),
                false => (*random.of(&own)).clone(),
            };
            let (request, body) = self.request(&session, &mark, &on, &mut random);
            let answer = writer.send(place, request, &body);
            refusals += usize::from(has_no_room(&answer));
            if believes(&answer, &mark) {
                believed.push((session, mark));
            }
        }
        if refusals > 0 {
            // Nor is there room for another session.
            self.open(&mut writer, 0);
        }
        writer.log
    }

    /// What is sent next, about what is believed already.
    fn request<'s>(
        &self,
        session: &'s str,
        mark: &str,
        on: &str,
        random: &mut Random,
    ) -> (Request<'s>, Value) {
        let turn = Request::to(session, "turn", "turns");
        match random.below(100) {
            0..15 => {
                let premises = Request::to(session, "premises", "premises");
                (premises, self.premise(mark))
            }
            15..30 if on != "p0" => {
                let retractions = Request::to(session, "retract", "retractions");
                (retractions, says::retraction(on, mark))
            }
            30..45 if self.tool_url.is_some() => (turn, says::call(mark, mark)),
            _ => (turn, says::claim(mark, mark, on)),
        }
    }

    /// A premise whose key is its mark as well.
    fn premise(&self, mark: &str) -> Value {
        let mut premise = says::premise(mark, mark);
        if let (Value::Object(premise), 1..) = (&mut premise, self.padding) {
            let text = Value::from("x".repeat(self.padding));
            premise.insert("metadata", Value::from([("padding", text)]));
        }
        premise
    }

    fn open(&self, writer: &mut Writer<'_>, place: usize) {
        let opening = says::opening(&writer.mark(), self.tool_url.as_deref());
        let answer = writer.send(place, Request::OPEN, &opening);
        if let Some(location) = answer.header("location") {
            let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
            sessions.push(location.to_owned());
        }
    }

    /// A session to write to, unless it is time for a new one.
    fn session(&self, random: &mut Random) -> Option<String> {
        let sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        let is_new = sessions.is_empty() || random.percent(4);
        (!is_new).then(|| random.of(&sessions).clone())
    }
}

/// Whether it is believed now, under a key that is its mark.
fn believes(answer: &Answer, mark: &str) -> bool {
    if answer.status != 200 {
        return false;
    }
    let answer = answer.json();
    let changes = answer.get("changes").and_then(Value::as_array);
    let name = format!("{mark}@1");
    changes.into_iter().flatten().any(|change| {
        change.get("ref").and_then(Value::as_str) == Some(&name)
            && change.get("status").and_then(Value::as_str) == Some("IN")
    })
}
