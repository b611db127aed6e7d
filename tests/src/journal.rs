//! A session's journal, as any reader of it checks it: from the bytes, with no code of the
//! product but its canonical JSON and its SHA-256.

use entail_json::{Object, Value, read_str, sha256, to_canonical};

use crate::Client;

/// A commit.
#[derive(Clone, Debug)]
pub struct Line {
    /// Its place, counted from 1: the version it made.
    pub seq: u64,
    /// What was done.
    pub kind: String,
    /// The command.
    pub payload: Value,
    /// Its outcomes.
    pub events: Value,
    /// Its hash.
    pub hash: String,
}

/// Reads the journal of a session and checks that it is one chain: the places are 1, 2, 3, … and
/// each hash is that of the entry and of the hash before it.
///
/// # Panics
/// When it is not.
#[must_use]
pub fn journal(client: &Client, session: &str) -> Vec<Line> {
    let answer = client.get(&format!("{session}/journal"));
    assert_eq!(answer.status, 200, "{session}: {}", answer.text());
    chain(session, answer.text())
}

/// The same from its text.
///
/// # Panics
/// When it is not one chain.
#[must_use]
pub fn chain(session: &str, text: &str) -> Vec<Line> {
    let id = session.rsplit('/').next().unwrap_or_default();
    let mut head = "0".repeat(64);
    let mut lines = Vec::new();
    for (index, text) in text.lines().enumerate() {
        let Value::Object(mut entry) = read_str(text).expect("a line is JSON") else {
            panic!("{session}: a line is no object: {text}");
        };
        let hash = take(&mut entry, "hash");
        assert_eq!(take(&mut entry, "prev_hash"), head, "{session}: {text}");
        let mut sealed = unhex(&head);
        sealed.extend_from_slice(to_canonical(&Value::Object(entry.clone())).as_bytes());
        assert_eq!(sha256(&sealed).to_string(), hash, "{session}: {text}");
        let seq = entry.get("seq").and_then(Value::as_u64);
        assert_eq!(seq, Some(index as u64 + 1), "{session}: {text}");
        assert_eq!(take(&mut entry, "session_id"), id, "{text}");
        lines.push(Line {
            seq: index as u64 + 1,
            kind: take(&mut entry, "kind"),
            payload: entry.get("payload").cloned().unwrap_or_default(),
            events: entry.get("events").cloned().unwrap_or_default(),
            hash: hash.clone(),
        });
        head = hash;
    }
    lines
}

fn take(entry: &mut Object, name: &str) -> String {
    let member = entry.remove(name);
    let text = member.as_ref().and_then(Value::as_str);
    text.unwrap_or_else(|| panic!("`{name}` is no text"))
        .to_owned()
}

fn unhex(text: &str) -> Vec<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16).expect("a hexadecimal digit") as u8;
    let pairs = text.as_bytes().chunks_exact(2);
    pairs
        .map(|pair| digit(pair[0]) << 4 | digit(pair[1]))
        .collect()
}
