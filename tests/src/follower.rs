//! A reader of server-sent events.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    net::TcpStream,
};

use crate::Client;

/// An event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Its id; empty where it has none.
    pub id: String,
    /// Its type.
    pub kind: String,
    /// Its data.
    pub data: String,
}

/// A connection on which events come.
#[derive(Debug)]
pub struct Follower {
    lines: BufReader<TcpStream>,
}

impl Follower {
    /// Asks for the events of a session after the one with that id.
    ///
    /// # Errors
    /// When the connection cannot be made or breaks.
    ///
    /// # Panics
    /// When the answer is not a stream of events.
    pub fn follow(client: &Client, session: &str, last_event_id: &str) -> std::io::Result<Self> {
        let mut stream = client.try_connect()?;
        let head = format!(
            "GET {session}/events HTTP/1.1\r\nhost: {}\r\naccept: text/event-stream\r\n\
             last-event-id: {last_event_id}\r\n\r\n",
            client.address()
        );
        stream.write_all(head.as_bytes())?;
        let mut follower = Self {
            lines: BufReader::new(stream),
        };
        let status = follower.line()?;
        assert!(status.starts_with("HTTP/1.1 200"), "{status}");
        let mut is_stream = false;
        loop {
            let header = follower.line()?.to_ascii_lowercase();
            is_stream |= header.starts_with("content-type: text/event-stream");
            if header.is_empty() {
                assert!(is_stream, "this is no stream of events");
                return Ok(follower);
            }
        }
    }

    /// The next event; nothing at the end of the stream, be it an orderly one or not.
    pub fn next_event(&mut self) -> Option<Event> {
        let mut event = Event {
            id: String::new(),
            kind: "message".to_owned(),
            data: String::new(),
        };
        loop {
            // The sizes of the chunks stand between; no line of an event looks like one.
            let line = self.line().ok().filter(|line| line != "0")?;
            match line.split_once(": ") {
                Some(("id", id)) => event.id = id.to_owned(),
                Some(("event", kind)) => event.kind = kind.to_owned(),
                Some(("data", data)) => event.data = data.to_owned(),
                _ if line.is_empty() && !event.data.is_empty() => return Some(event),
                _ => {}
            }
        }
    }

    fn line(&mut self) -> std::io::Result<String> {
        let mut line = String::new();
        if self.lines.read_line(&mut line)? == 0 || !line.ends_with('\n') {
            return Err(std::io::Error::other("the stream ended"));
        }
        line.truncate(line.trim_end_matches(['\r', '\n']).len());
        Ok(line)
    }
}
