//! What the store's row of a session shows of it.

use entail_json::{Value, to_canonical};
use entail_kernel::confidence::Totals;
use entail_session::{Closing, Session};
use entail_store::{AnswerState, Counts, Labels, RowUpdate, SessionState, SourceTotals};

use crate::{limits::LISTED_TASK_CHARS, sessions::to_time};

/// The row after the session's last entry.
pub(crate) fn update(session: &Session) -> RowUpdate {
    let summary = session.summary();
    let count = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
    RowUpdate {
        state: match summary.closed {
            None => SessionState::Open,
            Some(Closing::Answered) => SessionState::Answered,
            Some(Closing::InsufficientEvidence { .. }) => SessionState::InsufficientEvidence,
            Some(Closing::Abandoned { .. }) => SessionState::Abandoned,
        },
        answer: match summary.answer {
            None => AnswerState::None,
            Some((_, true)) => AnswerState::In,
            Some((_, false)) => AnswerState::Out,
        },
        counts: Counts {
            beliefs: count(summary.counts.beliefs),
            believed: count(summary.counts.believed),
            turns: count(summary.counts.turns),
            rejections: count(summary.counts.rejections),
            open_calls: count(summary.counts.open_calls),
            conflicts: count(summary.counts.conflicts),
        },
        labels: None,
        summary: None,
        expires_at: None,
    }
}

/// The labels, as the row has them.
pub(crate) fn labels(session: &Session) -> Labels {
    session.options().labels.clone().into_iter().collect()
}

/// What else a list shows.
pub(crate) fn summary(session: &Session) -> String {
    let options = session.options();
    let task: String = options.task.chars().take(LISTED_TASK_CHARS).collect();
    to_canonical(&Value::from([
        ("task", task.into()),
        ("dependencies", options.policy.dependencies.word().into()),
    ]))
}

/// A source of the tenant's ledger as a session copies it.
pub(crate) fn totals(source: SourceTotals) -> (String, Totals) {
    #[expect(
        clippy::cast_precision_loss,
        reason = "at most 10,000 outcomes are kept"
    )]
    let totals = Totals {
        correct: source.correct as f64,
        total: source.total as f64,
        as_of: to_time(source.last_at),
    };
    (source.source, totals)
}
