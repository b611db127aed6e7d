//! What a client keeps: every request with its `Idempotency-Key`, and every answer it saw.

use entail_json::Value;
use entail_tests::{Answer, Client, wait};

use crate::door::Door;

/// What came of sending a request once.
#[derive(Clone, Debug)]
pub(crate) enum Seen {
    /// An answer.
    Answer(Answer),
    /// The connection could not be made or broke before the answer was whole.
    Broken(String),
}

/// A request that changes something, sent until it was answered for good.
#[derive(Clone, Debug)]
pub(crate) struct Sent {
    /// What is said nowhere but in this request; its `Idempotency-Key` too.
    pub(crate) mark: String,
    /// The session it went to; empty where it opens one.
    pub(crate) session: String,
    /// The kind of commit it makes.
    pub(crate) kind: &'static str,
    /// The whole path.
    pub(crate) path: String,
    pub(crate) body: String,
    /// What was seen, in order; the last is the answer for good.
    pub(crate) seen: Vec<Seen>,
}

impl Sent {
    /// The answer for good.
    pub(crate) fn answer(&self) -> &Answer {
        match self.seen.last() {
            Some(Seen::Answer(answer)) => answer,
            other => panic!("`{}` was never answered: {other:?}", self.mark),
        }
    }

    /// Whether it was done.
    pub(crate) fn is_done(&self) -> bool {
        (200..300).contains(&self.answer().status)
    }

    /// Whether it was put off because the database has no room.
    pub(crate) fn is_without_room(&self) -> bool {
        has_no_room(self.answer())
    }

    /// Where the session is that it opened.
    pub(crate) fn located(&self) -> &str {
        let location = self.answer().header("location");
        location.unwrap_or_else(|| panic!("{self:?}"))
    }

    /// Sends it once.
    pub(crate) fn once(&self, client: &Client) -> std::io::Result<Answer> {
        let client = client.clone().with_header("idempotency-key", &self.mark);
        let json = Some(("application/json", self.body.as_bytes()));
        client.try_call("POST", &self.path, json)
    }

    /// Sends it, to that place first, until it is answered for good: as long as the connection
    /// breaks or the service says to come back later, it is sent again under the same key; where
    /// there is another place, there. That there is no room is for good as well.
    pub(crate) fn send(&mut self, door: &Door, place: usize) {
        // In a row, up to the last.
        let mut broken = 0;
        let mut met = door.at(place);
        for _ in 0..MOST_TRIES {
            door.sending();
            match self.once(&met.client()) {
                Ok(answer) => {
                    broken = 0;
                    let later = later(&answer);
                    self.seen.push(Seen::Answer(answer));
                    match later {
                        Some(seconds) if !self.is_without_room() => wait::obey(seconds),
                        _ => return,
                    }
                    met = door.at(met.place);
                }
                Err(error) => {
                    self.seen.push(Seen::Broken(error.to_string()));
                    broken += 1;
                    met = door.after(met, broken);
                }
            }
        }
        panic!("it comes to no end: {self:?}");
    }
}

/// How often one request is sent at most.
const MOST_TRIES: usize = 200;

/// One client that writes.
#[derive(Debug)]
pub(crate) struct Writer<'a> {
    door: &'a Door,
    who: String,
    pub(crate) log: Vec<Sent>,
}

/// Where it is sent, and what kind of commit comes of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request<'a> {
    session: &'a str,
    kind: &'static str,
    path: &'static str,
}

impl<'a> Request<'a> {
    /// Opening a session.
    pub(crate) const OPEN: Request<'static> = Request {
        session: "",
        kind: "open",
        path: "",
    };

    /// A commit of that kind to a session, by what lies at a path below it.
    pub(crate) fn to(session: &'a str, kind: &'static str, path: &'static str) -> Self {
        Self {
            session,
            kind,
            path,
        }
    }
}

impl<'a> Writer<'a> {
    pub(crate) fn new(door: &'a Door, who: impl ToString) -> Self {
        Self {
            door,
            who: who.to_string(),
            log: Vec::new(),
        }
    }

    /// The mark of the request that is sent next.
    pub(crate) fn mark(&self) -> String {
        format!("w{}n{}", self.who, self.log.len())
    }

    /// Like [`send`](Self::send), for what has to succeed.
    pub(crate) fn done(&mut self, place: usize, request: Request<'_>, body: &Value) -> Value {
        self.send(place, request, body).ok()
    }

    /// Sends a request, to that place first, until it is answered for good.
    pub(crate) fn send(&mut self, place: usize, request: Request<'_>, body: &Value) -> Answer {
        let path = match request.session {
            "" => "/sessions".to_owned(),
            session => format!("{session}/{}", request.path),
        };
        let mut sent = Sent {
            mark: self.mark(),
            session: request.session.to_owned(),
            kind: request.kind,
            path,
            body: body.to_string(),
            seen: Vec::new(),
        };
        sent.send(self.door, place);
        let answer = sent.answer().clone();
        self.log.push(sent);
        answer
    }
}

/// Whether that is what it says.
pub(crate) fn has_no_room(answer: &Answer) -> bool {
    answer.status == 503 && answer.code() == "store_full"
}

/// In how many seconds to come back, where the service says to.
fn later(answer: &Answer) -> Option<u64> {
    if !matches!(answer.status, 429 | 503) {
        return None;
    }
    // The form of the problem is checked with it.
    let _ = answer.code();
    let seconds = answer.header("retry-after").and_then(|s| s.parse().ok());
    Some(seconds.unwrap_or_else(|| panic!("no `retry-after`: {}", answer.text())))
}
