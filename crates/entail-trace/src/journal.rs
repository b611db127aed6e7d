//! The journal of a session: sealed entries, the hash chain that joins them, their line form.
//!
//! `hash = SHA-256(prev_hash ‖ canonical {created_at, events, kind, payload, seq, session_id, v})`,
//! the first `prev_hash` being 32 zero bytes. Nothing here reads or writes a database; the store
//! and the offline verifier both walk a journal through [`Chain`], so both find the same faults.
//!
//! ```
//! use entail_json::{Digest, Value};
//! use entail_trace::journal::{Chain, Draft, Entry, Timestamp};
//!
//! let draft = Draft {
//!     session_id: "0190a6f0-0000-7000-8000-000000000000",
//!     seq: 1,
//!     kind: "create",
//!     payload: &Value::Null,
//!     events: &Value::Array(vec![]),
//!     created_at: Timestamp::from_micros(0)?,
//! };
//! let entry = Entry::seal(&Digest::ZERO, &draft);
//! let mut chain = Chain::start(draft.session_id);
//! chain.check(&entry)?;
//! assert_eq!(chain.head(), &entry.hash);
//! assert_eq!(Entry::from_line(entry.to_line().as_bytes())?, entry);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod chain;
mod timestamp;

pub use chain::{Broken, Chain, Fault};
pub use timestamp::{InvalidTimestamp, Timestamp};

use entail_json::{Digest, Hasher, Object, ReadError, Value, to_canonical, write_string};

use crate::record::read_json;

/// The entry format this build writes, and the newest it reads.
pub const FORMAT: u32 = 1;

/// What is sealed into an [`Entry`].
#[derive(Clone, Copy, Debug)]
pub struct Draft<'a> {
    /// The session's id, a hyphenated lower-case UUID.
    pub session_id: &'a str,
    /// The place in the journal, counted from 1.
    pub seq: u64,
    /// What was done, such as `create` or `turn`.
    pub kind: &'a str,
    /// The command as it came.
    pub payload: &'a Value,
    /// Its outcomes, in order.
    pub events: &'a Value,
    /// The time of the commit.
    pub created_at: Timestamp,
}

/// One commit of a session: a row of the journal.
///
/// The fields are open because a journal is read from places that may have been tampered with;
/// an entry is to be believed only after [`Chain::check`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The entry format; see [`FORMAT`].
    pub v: u32,
    /// The session's id, a hyphenated lower-case UUID.
    pub session_id: String,
    /// The place in the journal, counted from 1.
    pub seq: u64,
    /// What was done.
    pub kind: String,
    /// The command as it came: canonical JSON.
    pub payload: String,
    /// Its outcomes: canonical JSON.
    pub events: String,
    /// The hash of the entry before, 32 zero bytes for the first.
    pub prev_hash: Digest,
    /// The hash of this entry.
    pub hash: Digest,
    /// The time of the commit.
    pub created_at: Timestamp,
}

impl Entry {
    /// Seals a draft behind the entry whose hash is `prev_hash`.
    #[must_use]
    pub fn seal(prev_hash: &Digest, draft: &Draft<'_>) -> Self {
        let mut entry = Self {
            v: FORMAT,
            session_id: draft.session_id.to_owned(),
            seq: draft.seq,
            kind: draft.kind.to_owned(),
            payload: to_canonical(draft.payload),
            events: to_canonical(draft.events),
            prev_hash: *prev_hash,
            hash: Digest::ZERO,
            created_at: draft.created_at,
        };
        entry.hash = entry.digest();
        entry
    }

    /// The hash these contents ought to have.
    ///
    /// Payload and events go into it byte for byte as they stand, so text that says the same in
    /// other bytes is an edit too.
    #[must_use]
    pub fn digest(&self) -> Digest {
        let mut hasher = Hasher::default();
        hasher.update(self.prev_hash.as_bytes());
        let mut head = String::from("{\"created_at\":");
        write_string(&self.created_at.to_string(), &mut head);
        head.push_str(",\"events\":");
        hasher.update(head.as_bytes());
        hasher.update(self.events.as_bytes());
        let mut middle = String::from(",\"kind\":");
        write_string(&self.kind, &mut middle);
        middle.push_str(",\"payload\":");
        hasher.update(middle.as_bytes());
        hasher.update(self.payload.as_bytes());
        let mut tail = format!(",\"seq\":{},\"session_id\":", self.seq);
        write_string(&self.session_id, &mut tail);
        tail.push_str(&format!(",\"v\":{}}}", self.v));
        hasher.update(tail.as_bytes());
        hasher.finish()
    }

    /// The entry as one line of `journal.jsonl`, without the line's end: canonical JSON of every
    /// field, hashes in hexadecimal.
    #[must_use]
    pub fn to_line(&self) -> String {
        let mut line = String::with_capacity(self.payload.len().saturating_add(self.events.len()));
        line.push_str("{\"created_at\":");
        write_string(&self.created_at.to_string(), &mut line);
        line.push_str(",\"events\":");
        line.push_str(&self.events);
        line.push_str(&format!(",\"hash\":\"{}\",\"kind\":", self.hash));
        write_string(&self.kind, &mut line);
        line.push_str(",\"payload\":");
        line.push_str(&self.payload);
        line.push_str(&format!(
            ",\"prev_hash\":\"{}\",\"seq\":{},\"session_id\":",
            self.prev_hash, self.seq
        ));
        write_string(&self.session_id, &mut line);
        line.push_str(&format!(",\"v\":{}}}", self.v));
        line
    }

    /// Reads a line of `journal.jsonl`.
    ///
    /// The line need not be in canonical form; the entry's own texts are.
    ///
    /// # Errors
    /// [`EntryError`] when the bytes are no JSON, or not an object of exactly an entry's members.
    /// A chain that does not hold is [`Chain::check`]'s to find.
    pub fn from_line(line: &[u8]) -> Result<Self, EntryError> {
        // Values are as deep as values may be, with an entry and an event around them.
        let Value::Object(object) = read_json(line)? else {
            return Err(EntryError::Member("{}"));
        };
        if object.len() != MEMBERS {
            return Err(EntryError::Members(object.len()));
        }
        Ok(Self {
            v: integer(&object, "v")?,
            session_id: string(&object, "session_id")?.to_owned(),
            seq: integer(&object, "seq")?,
            kind: string(&object, "kind")?.to_owned(),
            payload: to_canonical(member(&object, "payload")?),
            events: to_canonical(member(&object, "events")?),
            prev_hash: parsed(&object, "prev_hash")?,
            hash: parsed(&object, "hash")?,
            created_at: Timestamp::parse_exact(string(&object, "created_at")?)
                .map_err(|_| EntryError::Member("created_at"))?,
        })
    }
}

const MEMBERS: usize = 9;

/// A line that is no journal entry.
#[derive(Debug, thiserror::Error)]
pub enum EntryError {
    /// The line is no JSON.
    #[error("a journal line must be strict json")]
    Json(#[from] ReadError),
    /// A member is missing or of another type (`{}`: the line is no object).
    #[error("the member `{0}` of a journal line is missing or malformed")]
    Member(&'static str),
    /// There are other members than an entry has.
    #[error("a journal line has exactly 9 members, this one has {0}")]
    Members(usize),
}

fn member<'a>(object: &'a Object, name: &'static str) -> Result<&'a Value, EntryError> {
    object.get(name).ok_or(EntryError::Member(name))
}

fn string<'a>(object: &'a Object, name: &'static str) -> Result<&'a str, EntryError> {
    match member(object, name)? {
        Value::String(text) => Ok(text),
        _ => Err(EntryError::Member(name)),
    }
}

fn integer<T: TryFrom<i64>>(object: &Object, name: &'static str) -> Result<T, EntryError> {
    let Value::Number(number) = member(object, name)? else {
        return Err(EntryError::Member(name));
    };
    let whole = number.as_i64().filter(|_| number.is_integer());
    whole
        .and_then(|n| T::try_from(n).ok())
        .ok_or(EntryError::Member(name))
}

fn parsed<T: std::str::FromStr>(object: &Object, name: &'static str) -> Result<T, EntryError> {
    string(object, name)?
        .parse()
        .map_err(|_| EntryError::Member(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use entail_json::{read_str, sha256};

    fn entry() -> Entry {
        Entry::seal(
            &Digest::from_bytes([7; 32]),
            &Draft {
                session_id: "0190a6f0-0000-7000-8000-000000000000",
                seq: 12,
                kind: "turn \"quoted\"",
                payload: &read_str(r#"{"b":1.0,"a":[12345678901234567890123]}"#).unwrap(),
                events: &read_str(r#"[{"event":"belief_added","ref":"é@1"}]"#).unwrap(),
                created_at: Timestamp::from_micros(1_700_000_000_123_456).unwrap(),
            },
        )
    }

    #[test]
    fn the_hash_is_of_the_previous_hash_and_the_canonical_object() {
        let entry = entry();
        let mut object = Object::default();
        object.insert("v", Value::Number(1_i64.into()));
        object.insert("session_id", Value::String(entry.session_id.clone()));
        object.insert("seq", Value::Number(12_i64.into()));
        object.insert("kind", Value::String(entry.kind.clone()));
        object.insert("payload", read_str(&entry.payload).unwrap());
        object.insert("events", read_str(&entry.events).unwrap());
        object.insert("created_at", Value::String(entry.created_at.to_string()));
        let mut bytes = vec![7; 32];
        bytes.extend_from_slice(to_canonical(&Value::Object(object)).as_bytes());
        assert_eq!(entry.hash, sha256(&bytes));
    }

    #[test]
    fn a_line_is_canonical_json_and_reads_back() {
        let entry = entry();
        let line = entry.to_line();
        assert_eq!(to_canonical(&read_str(&line).unwrap()), line);
        assert_eq!(Entry::from_line(line.as_bytes()).unwrap(), entry);
    }

    #[test]
    fn a_line_with_a_member_more_less_or_of_another_type_is_refused() {
        let line = entry().to_line();
        for (from, to) in [
            ("\"v\":1", "\"v\":1,\"w\":2"),
            (",\"v\":1", ""),
            ("\"v\":1", "\"w\":1"),
            ("\"v\":1", "\"v\":1.0"),
            ("\"v\":1", "\"v\":-1"),
            ("\"seq\":12", "\"seq\":\"12\""),
            ("123456Z", "123Z"),
            ("\"hash\":\"", "\"hash\":\"0"),
        ] {
            let changed = line.replacen(from, to, 1);
            assert_ne!(changed, line, "`{from}` is in the line");
            assert!(Entry::from_line(changed.as_bytes()).is_err(), "{changed}");
        }
        assert!(matches!(
            Entry::from_line(b"[]"),
            Err(EntryError::Member("{}"))
        ));
        assert!(matches!(Entry::from_line(b"{"), Err(EntryError::Json(_))));
    }
}
