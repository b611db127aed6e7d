//! The clients' logs against the journals: what was acknowledged is there, once, and nothing
//! else is.

use std::collections::{BTreeMap, HashMap};

use entail_json::Value;
use entail_tests::{Answer, Client, Line, journal};

use crate::{
    log::{Seen, Sent},
    says,
};

/// A session as it is found at the end.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    /// Its path.
    pub(crate) session: String,
    /// Its journal, which is one chain.
    pub(crate) lines: Vec<Line>,
}

impl Found {
    pub(crate) fn version(&self) -> u64 {
        self.lines.len() as u64
    }
}

/// What was tried and seen.
#[derive(Clone, Debug, Default)]
pub(crate) struct Figures {
    sessions: usize,
    commits: usize,
    requests: usize,
    done: usize,
    refused: BTreeMap<String, usize>,
    come_back_later: BTreeMap<String, usize>,
    broken_connections: BTreeMap<String, usize>,
    /// Requests that saw no clean answer at first and were resolved by sending them again.
    resolved_by_retry: usize,
    /// Of those, the ones that had been done before the retry.
    done_before_retry: usize,
}

/// Checks every session and every request; what there is, and figures to print.
pub(crate) fn audit(client: &Client, log: &[Sent]) -> (Vec<Found>, Figures) {
    let mut figures = Figures::default();
    for sent in log {
        clean(sent);
        count(sent, &mut figures);
    }
    let mut found = Vec::new();
    let mut commits: HashMap<String, (String, Line)> = HashMap::new();
    for session in sessions(client) {
        let lines = journal(client, &session);
        figures.commits += lines.len();
        for line in &lines {
            let Some(mark) = says::mark(line) else {
                assert!(
                    matches!(line.kind.as_str(), "tool_results" | "refresh"),
                    "{session}: nobody asked for {line:?}"
                );
                continue;
            };
            let twice = commits.insert(mark, (session.clone(), line.clone()));
            assert!(twice.is_none(), "applied twice: {line:?} and {twice:?}");
        }
        found.push(Found { session, lines });
    }
    for sent in log {
        let commit = commits.remove(&sent.mark);
        if !sent.is_done() {
            assert!(commit.is_none(), "refused, yet done: {sent:?} {commit:?}");
            continue;
        }
        let (session, line) = commit.unwrap_or_else(|| panic!("lost: {sent:?}"));
        let answer = sent.answer().json();
        let path = match sent.session.as_str() {
            "" => sent.answer().header("location").unwrap_or_default(),
            session => session,
        };
        assert_eq!(session, path, "{sent:?}");
        assert_eq!(line.kind, sent.kind, "{sent:?}");
        assert_eq!(
            answer.get("version").and_then(Value::as_u64),
            Some(line.seq),
            "{sent:?}"
        );
        assert_eq!(
            answer.get("chain_head").and_then(Value::as_str),
            Some(line.hash.as_str()),
            "{sent:?}"
        );
    }
    assert!(commits.is_empty(), "nobody sent {commits:?}");
    figures.sessions = found.len();
    (found, figures)
}

/// Whether all that was seen is success, a clean error, "come back later" or a broken connection,
/// and whether every success said the same.
fn clean(sent: &Sent) {
    let mut success: Option<&Answer> = None;
    for seen in &sent.seen {
        let Seen::Answer(answer) = seen else { continue };
        match answer.status {
            200 | 201 => {
                let first = success.get_or_insert(answer);
                assert_eq!(first.text(), answer.text(), "{sent:?}");
            }
            // The form of the problem is checked with its code.
            404 | 409 | 429 | 503 => drop(answer.code()),
            _ => panic!("no clean answer: {sent:?}"),
        }
    }
    let _ = sent.answer();
}

fn count(sent: &Sent, figures: &mut Figures) {
    figures.requests += 1;
    let answer = sent.answer();
    let replayed = answer.header("idempotency-replayed").is_some();
    if sent.is_done() {
        figures.done += 1;
    } else {
        *figures.refused.entry(answer.code()).or_default() += 1;
    }
    for seen in &sent.seen {
        match seen {
            Seen::Broken(error) => {
                *figures.broken_connections.entry(error.clone()).or_default() += 1;
            }
            Seen::Answer(answer) if matches!(answer.status, 429 | 503) => {
                *figures.come_back_later.entry(answer.code()).or_default() += 1;
            }
            Seen::Answer(_) => {}
        }
    }
    figures.resolved_by_retry += usize::from(sent.seen.len() > 1);
    figures.done_before_retry += usize::from(sent.seen.len() > 1 && replayed);
}

/// Every session there is.
pub(crate) fn sessions(client: &Client) -> Vec<String> {
    pages(client, "/sessions", "")
        .iter()
        .map(|session| {
            let id = session.get("id").and_then(Value::as_str);
            format!("/sessions/{}", id.expect("a session has an id"))
        })
        .collect()
}

/// Every item of a list.
pub(crate) fn pages(client: &Client, path: &str, query: &str) -> Vec<Value> {
    let mut items = Vec::new();
    let mut cursor = String::new();
    loop {
        let page = client
            .get(&format!("{path}?limit=1000{query}{cursor}"))
            .ok();
        let list = page.get("items").and_then(Value::as_array);
        items.extend_from_slice(list.expect("a page has items"));
        match page.get("next_cursor").and_then(Value::as_str) {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return items,
        }
    }
}
