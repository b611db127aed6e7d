//! Whether a prompt has room for everything, told without writing it.

use entail_json::Value;

use super::select::Ranked;
use crate::limits::{FEEDBACK_ITEMS, PROMPT_DOCUMENT_CHARACTERS, PROMPT_VALUE_CHARACTERS};
use crate::session::Session;

/// Bytes that one byte of a text may take once it is JSON on one line: `\u0000`.
const ESCAPED: usize = 6;

/// Bytes of a character at most.
const CHARACTER: usize = 4;

/// The words around a document, a call, a section: more than there are.
const AROUND: usize = 512;

/// The words and numbers around the texts of a belief: more than there are.
const AROUND_BELIEF: usize = 256;

/// A value or a claim at most.
const LONG: usize = PROMPT_VALUE_CHARACTERS * CHARACTER;

/// A problem of the feedback: its 1,000 characters on one line.
const PROBLEM: usize = 1_000 * CHARACTER * ESCAPED + AROUND;

/// Whether the prompt surely has room for all of the ranked beliefs: it would, even if every
/// text in it had to be escaped throughout. False where that takes a closer look.
pub(super) fn suffices(session: &Session, ranked: &[Ranked], conflicts: &[String]) -> bool {
    let state = &session.state;
    let options = &state.options;
    let around = options
        .instructions
        .as_ref()
        .map_or(0, String::len)
        .saturating_add(options.task.len())
        .saturating_add(8 * AROUND);
    let feedback = [&state.feedback.rejections, &state.feedback.errors]
        .into_iter()
        .map(|problems| problems.len().min(FEEDBACK_ITEMS).saturating_mul(PROBLEM));
    let calls = state.calls.open().map(|call| {
        let texts = call.key().len().saturating_add(call.tool().len());
        texts.saturating_mul(ESCAPED).saturating_add(AROUND)
    });
    let conflicts = conflicts
        .iter()
        .map(|key| key.len().saturating_mul(ESCAPED).saturating_add(AROUND));
    let tools = state.tools.values().map(|tool| tool.line().len());
    let documents = state.documents.iter().map(|(name, versions)| {
        let shown = versions.last().map_or(0, |newest| {
            newest.bytes().min(PROMPT_DOCUMENT_CHARACTERS * CHARACTER)
        });
        // A fence is at most as long as the text, and stands before and behind it.
        shown
            .saturating_mul(3)
            .saturating_add(name.len().saturating_mul(ESCAPED))
            .saturating_add(AROUND)
    });
    let beliefs = ranked.iter().map(|ranked| belief(session, ranked));
    let mut room = session.limits.prompt_bytes;
    std::iter::once(around)
        .chain(feedback)
        .chain(calls)
        .chain(conflicts)
        .chain(tools)
        .chain(documents)
        .chain(beliefs)
        .all(|bytes| match room.checked_sub(bytes) {
            Some(left) => {
                room = left;
                true
            }
            None => false,
        })
}

fn belief(session: &Session, ranked: &Ranked) -> usize {
    let base = &session.base;
    let Some(belief) = base.belief(ranked.belief) else {
        return 0;
    };
    let source = base.valid_source(ranked.belief);
    belief
        .key
        .len()
        .saturating_add(source.map_or(0, |source| source.name.len()))
        .saturating_mul(ESCAPED)
        .saturating_add(value(belief.value))
        .saturating_add(belief.claim.map_or(0, text))
        .saturating_add(AROUND_BELIEF)
}

fn value(value: &Value) -> usize {
    match value {
        Value::String(string) => text(string),
        Value::Number(number) if number.is_integer() && number.as_i64().is_none() => LONG,
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
        Value::Array(_) | Value::Object(_) => LONG,
    }
}

fn text(text: &str) -> usize {
    text.len().saturating_mul(ESCAPED).min(LONG)
}
