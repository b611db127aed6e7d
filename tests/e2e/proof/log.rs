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
}

/// One client that writes.
#[derive(Debug)]
pub(crate) struct Writer<'a> {
    door: &'a Door,
    who: usize,
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
    pub(crate) fn new(door: &'a Door, who: usize) -> Self {
        Self {
            door,
            who,
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

    /// Sends a request, to that place first, until it is answered for good: as long as the
    /// connection breaks or the service says to come back later, it is sent again under the same
    /// key, where another place is, there.
    pub(crate) fn send(&mut self, place: usize, request: Request<'_>, body: &Value) -> Answer {
        let mark = self.mark();
        let path = match request.session {
            "" => "/sessions".to_owned(),
            session => format!("{session}/{}", request.path),
        };
        let body = body.to_string();
        let mut seen = Vec::new();
        // In a row, up to the last.
        let mut broken = 0;
        let mut met = self.door.at(place);
        let answer = loop {
            self.door.sending();
            let client = Client::new(met.address).with_header("idempotency-key", &mark);
            let json = Some(("application/json", body.as_bytes()));
            match client.try_call("POST", &path, json) {
                Ok(answer) => {
                    broken = 0;
                    seen.push(Seen::Answer(answer.clone()));
                    match later(&answer) {
                        Some(seconds) if seen.len() < 1_000 => wait::obey(seconds),
                        _ => break answer,
                    }
                    met = self.door.at(met.place);
                }
                Err(error) => {
                    seen.push(Seen::Broken(error.to_string()));
                    broken += 1;
                    met = self.door.after(met, broken);
                }
            }
        };
        self.log.push(Sent {
            mark,
            session: request.session.to_owned(),
            kind: request.kind,
            seen,
        });
        answer
    }
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
