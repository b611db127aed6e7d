//! The check `chain`: the journal's hash chain.

use std::io::BufRead;

use entail_json::Digest;

use crate::journal::{Chain, Entry, Timestamp};
use crate::jsonl::LineReader;
use crate::limits::MAX_JOURNAL_LINE_BYTES;
use crate::verify::{CheckName, CheckResult, shown_message};

/// Where a journal whose chain holds starts and ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalEnd {
    /// The session.
    pub session_id: String,
    /// The last entry.
    pub seq: u64,
    /// Its hash.
    pub chain_head: Digest,
    /// When the first entry was committed.
    pub started_at: Timestamp,
    /// When the last entry was committed.
    pub last_commit_at: Timestamp,
}

/// Walks a journal, one entry at a time, up to the first that does not fit.
///
/// ```
/// use entail_json::{Digest, Value};
/// use entail_trace::ChainCheck;
/// use entail_trace::journal::{Draft, Entry, Timestamp};
///
/// let draft = Draft {
///     session_id: "s",
///     seq: 1,
///     kind: "create",
///     payload: &Value::Null,
///     events: &Value::Null,
///     created_at: Timestamp::EPOCH,
/// };
/// let mut entry = Entry::seal(&Digest::ZERO, &draft);
/// let mut check = ChainCheck::default();
/// check.entry(&entry);
/// assert!(check.finish().0.passed());
///
/// entry.kind = "forged".to_owned();
/// let mut check = ChainCheck::default();
/// check.entry(&entry);
/// assert!(!check.finish().0.passed());
/// ```
#[derive(Clone, Debug)]
pub struct ChainCheck {
    walk: Option<Walk>,
    result: CheckResult,
}

#[derive(Clone, Debug)]
struct Walk {
    session_id: String,
    chain: Chain,
    first: Timestamp,
    last: Timestamp,
}

impl Default for ChainCheck {
    fn default() -> Self {
        Self {
            walk: None,
            result: CheckResult::new(CheckName::Chain),
        }
    }
}

impl ChainCheck {
    /// Checks the next entry. After one that does not fit nothing more is looked at: what follows
    /// hangs on it.
    pub fn entry(&mut self, entry: &Entry) {
        if !self.holds() {
            return;
        }
        let time = entry.created_at;
        let walk = self.walk.get_or_insert_with(|| Walk {
            session_id: entry.session_id.clone(),
            chain: Chain::start(entry.session_id.clone()),
            first: time,
            last: time,
        });
        if let Err(broken) = walk.chain.check(entry) {
            self.result.error(broken.to_string());
        } else if time < walk.last {
            let seq = entry.seq;
            self.result.error(format!(
                "entry {seq} was committed before the one before it"
            ));
        }
        walk.last = time;
    }

    /// Records that a line of the journal is no entry.
    fn line(&mut self, number: u64, fault: &str) {
        self.result
            .error(format!("line {number} of the journal {fault}"));
    }

    fn holds(&self) -> bool {
        self.result.passed()
    }

    /// The outcome, and where the journal ends if its chain holds.
    #[must_use]
    pub fn finish(mut self) -> (CheckResult, Option<JournalEnd>) {
        let entries = self.walk.as_ref().map_or(0, |walk| walk.chain.seq());
        self.result.count("entries", entries);
        if self.walk.is_none() && self.holds() {
            self.result
                .error("the journal is empty: it starts with a session's creation");
        }
        let end = match self.walk {
            Some(walk) if self.result.passed() => Some(JournalEnd {
                session_id: walk.session_id,
                seq: walk.chain.seq(),
                chain_head: *walk.chain.head(),
                started_at: walk.first,
                last_commit_at: walk.last,
            }),
            _ => None,
        };
        (self.result, end)
    }
}

/// Checks `journal.jsonl`: the chain, and that every line is canonical.
pub fn check_journal(journal: impl BufRead) -> (CheckResult, Option<JournalEnd>) {
    let mut lines = LineReader::new(journal, MAX_JOURNAL_LINE_BYTES);
    let mut check = ChainCheck::default();
    while check.holds() {
        let line = match lines.next_line() {
            Ok(Some(line)) => line,
            Ok(None) => break,
            Err(error) => {
                check
                    .result
                    .error(format!("the journal cannot be read: {error}"));
                break;
            }
        };
        if line.content().is_empty() {
            check.line(line.number, "is blank");
            continue;
        }
        match Entry::from_line(line.content()) {
            Err(error) => check.line(
                line.number,
                &format!("is no entry: {}", shown_message(&error.to_string())),
            ),
            Ok(entry) => {
                let canonical = entry.to_line();
                if line.raw.strip_suffix(b"\n") == Some(canonical.as_bytes()) {
                    check.entry(&entry);
                } else {
                    check.line(line.number, "is not written canonically");
                }
            }
        }
    }
    check.finish()
}
