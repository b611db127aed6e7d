//! A session as answers show it.

use entail_json::{Object, Value, read_str};
use entail_kernel::Time;
use entail_session::{Closing, Session};
use entail_store::SessionRow;

use crate::sessions::to_time;

/// A session on its own: what it goes by, where it stands, how much it holds.
pub(crate) fn session(session: &Session, row: &SessionRow, at: Time) -> Object {
    let options = session.options();
    let mut object = opened(session);
    object.insert("as_of", at.to_string().into());
    object.insert("created_at", row.created_at.to_string().into());
    object.insert("task", options.task.as_str().into());
    object.insert("instructions", options.instructions.clone().into());
    object.insert("policy", options.policy.to_value());
    object
}

/// What is told of a session whenever it was changed.
pub(crate) fn opened(session: &Session) -> Object {
    let summary = session.summary();
    let options = session.options();
    let answer = summary.answer.map(|(reference, is_in)| {
        Value::from([
            ("ref", reference.into()),
            ("status", if is_in { "IN" } else { "OUT" }.into()),
        ])
    });
    let counts = summary.counts;
    let mut object = Object::from([
        ("id", session.id().into()),
        (
            "state",
            summary.closed.as_ref().map_or("open", Closing::word).into(),
        ),
        ("version", session.version().into()),
        ("chain_head", session.chain_head().into()),
        ("last_activity", summary.last_commit_at.to_string().into()),
        (
            "expires_at",
            options.expires_at.map(|time| time.to_string()).into(),
        ),
        ("answer", answer.into()),
        (
            "counts",
            Value::from([
                ("turns", counts.turns.into()),
                ("beliefs", counts.beliefs.into()),
                ("believed", counts.believed.into()),
                ("conflicts", counts.conflicts.into()),
                ("open_calls", counts.open_calls.into()),
                ("documents", counts.documents.into()),
                ("tools", counts.tools.into()),
                ("rejections", counts.rejections.into()),
            ]),
        ),
        ("labels", labels(options.labels.iter())),
    ]);
    if let Some(reason) = summary.closed.as_ref().and_then(Closing::reason) {
        object.insert("reason", reason.into());
    }
    object
}

/// A session in a list, from its row alone.
pub(crate) fn listed(row: &SessionRow) -> Value {
    let mut object = Object::from([
        ("id", row.id.to_string().into()),
        ("state", row.state.as_str().into()),
        ("version", row.version.into()),
        ("chain_head", row.chain_head.into()),
        ("answer", row.answer.as_str().into()),
        (
            "counts",
            Value::from([
                ("turns", row.counts.turns.into()),
                ("beliefs", row.counts.beliefs.into()),
                ("believed", row.counts.believed.into()),
                ("conflicts", row.counts.conflicts.into()),
                ("open_calls", row.counts.open_calls.into()),
                ("rejections", row.counts.rejections.into()),
            ]),
        ),
        ("labels", labels(row.labels.iter())),
        ("created_at", row.created_at.to_string().into()),
        ("last_activity", row.last_activity.to_string().into()),
        (
            "expires_at",
            row.expires_at.map(|at| to_time(at).to_string()).into(),
        ),
    ]);
    if let Ok(Value::Object(summary)) = read_str(&row.summary) {
        for (name, value) in summary.iter() {
            object.insert(name, value.clone());
        }
    }
    object.into()
}

fn labels<'a>(labels: impl Iterator<Item = (&'a String, &'a String)>) -> Value {
    labels
        .map(|(name, value)| (name.clone(), value.as_str().into()))
        .collect::<Object>()
        .into()
}
