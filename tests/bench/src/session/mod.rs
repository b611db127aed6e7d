//! The suite `session`: bringing a session back, in this process, without a store.

use std::{fs, hint::black_box, sync::Arc, time::Duration};

use entail_json::Digest;
use entail_kernel::{Span, Time};
use entail_session::{
    Command, ContextOptions, Document, Limits, Opening, Outcome as Said, Policy, Session, Turn,
    TurnContext,
};
use entail_trace::journal::Entry;

use crate::{Measured, Outcome, service::jobs, table::Table};

/// How many runs a mean is taken of, at least.
const RUNS: u32 = 7;

/// How long they take together, at least.
const LEAST: Duration = Duration::from_millis(200);

/// Policies and turns, which make two cited beliefs at first and four each from then on.
const PLAYED: [(&str, usize); 3] = [
    ("declared", 26),
    ("declared", 2_501),
    ("conservative", 2_501),
];

pub(crate) fn measure(table: &mut Table) -> Outcome {
    for (policy, turns) in PLAYED {
        let played = Played::new(policy, turns)?;
        table.heading(format!(
            "a session of {} beliefs, {} journal entries, {policy}; processor time",
            played.session.summary().counts.beliefs,
            played.journal.len(),
        ));
        played.measure(table)?;
    }
    Ok(())
}

struct Played {
    session: Session,
    journal: Vec<Entry>,
    document: Arc<Document>,
}

impl Played {
    fn new(policy: &str, turns: usize) -> Measured<Self> {
        let document = Arc::new(Document::new(jobs::TEXT)?);
        let mut opening = Opening::new("How did revenue develop from Q2 to Q3?");
        let policy = format!(r#"{{"dependencies": "{policy}"}}"#);
        opening.policy = Policy::read(&entail_json::read_str(&policy)?, "")
            .map_err(|faults| format!("{faults:?}"))?;
        opening
            .documents
            .push((jobs::DOCUMENT.to_owned(), Arc::clone(&document)));
        let id = "0190a6f0-0000-7000-8000-000000000000";
        let (session, opened) = Session::open(id, opening, Limits::default(), Time::EPOCH)?;
        let mut played = Self {
            session,
            journal: opened.entry.into_iter().collect(),
            document,
        };
        played.session.confirm();
        for turn in 0..turns {
            played.turn(turn)?;
        }
        Ok(played)
    }

    fn turn(&mut self, turn: usize) -> Outcome {
        let session = &mut self.session;
        let at = session
            .last_commit_at()
            .saturating_add(Span::from_micros(1_000_000));
        let context =
            session.context(&format!("context-{turn}"), at, &ContextOptions::default())?;
        let turn = Turn {
            response: jobs::response(turn),
            context: TurnContext::Given(Arc::new(context.context)),
            model: None,
            step_id: None,
        };
        let done = session.execute(Command::Turn(turn), at)?;
        match &done.outcome {
            Said::Turn(turn) if turn.rejected.is_empty() => {}
            other => return Err(format!("a turn was not accepted: {other:?}").into()),
        }
        self.journal.extend(done.entry);
        session.confirm();
        Ok(())
    }

    fn measure(&self, table: &mut Table) -> Outcome {
        let bytes = self.journal.iter();
        let bytes = bytes.map(|entry| entry.payload.len() + entry.events.len());
        let find = |_: &Digest| Some(Arc::clone(&self.document));
        let limits = Limits::default();
        let replay = || Session::replay(&self.journal, limits, find);
        let replayed = replay()?;
        let image = self.session.image().ok_or("a commit is pending")?;
        let read = || Session::from_image(self.session.id(), &image, limits, find);
        if read()?.image().as_ref() != Some(&image) || replayed.dump() != self.session.dump() {
            return Err("a session does not come back as it was".into());
        }
        let memory = replayed.heap_bytes();
        let time = on_cpu(&replay)?;
        table.time("replayed from its journal", time, megabytes(bytes.sum()));
        let time = on_cpu(&read)?;
        table.time("read from its image", time, megabytes(image.bytes.len()));
        let time = on_cpu(&|| self.session.image())?;
        table.time("written to an image", time, String::new());
        let time = on_cpu(&|| self.session.heap_bytes())?;
        table.time("measured", time, megabytes(memory));
        Ok(())
    }
}

/// The processor time a piece of work takes, in seconds: the mean of several runs, what it made
/// dropped. Whatever else runs on the machine is not counted.
///
/// The system counts it in ticks of some milliseconds, so short work is repeated.
fn on_cpu<T>(work: &impl Fn() -> T) -> Measured<f64> {
    let before = cpu_nanoseconds()?;
    let mut runs = 0_u32;
    loop {
        black_box(work());
        runs += 1;
        let spent = Duration::from_nanos(cpu_nanoseconds()?.saturating_sub(before));
        if runs >= RUNS && spent >= LEAST {
            return Ok(spent.as_secs_f64() / f64::from(runs));
        }
    }
}

/// How long this thread ran so far.
fn cpu_nanoseconds() -> Measured<u64> {
    let told = fs::read_to_string("/proc/thread-self/schedstat")?;
    let first = told.split_whitespace().next().unwrap_or_default();
    Ok(first.parse()?)
}

#[expect(clippy::cast_precision_loss, reason = "it is printed with one decimal")]
fn megabytes(bytes: usize) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}
