//! Traces: where a request stands in its caller's trace (W3C trace context), and spans sent to a
//! collector (OTLP) where one is configured.
//!
//! Nothing waits for the collector: spans go through a bounded queue, and what does not fit or
//! cannot be delivered is dropped and counted. A span holds routes, statuses and times; no
//! address, no body, no name that a caller chose.

mod context;
mod encode;
mod export;

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use tokio::sync::mpsc;

pub(crate) use context::TraceContext;
pub(crate) use export::{Endpoint, export};

use crate::{
    limits::{CALL_TRACES, SPANS_WAITING},
    metrics,
};

tokio::task_local! {
    static CURRENT: TraceContext;
}

/// Does work as part of a trace, if there is one.
pub(crate) async fn within<T>(context: Option<TraceContext>, work: impl Future<Output = T>) -> T {
    match context {
        Some(context) => CURRENT.scope(context, work).await,
        None => work.await,
    }
}

/// The trace that this work is part of.
pub(crate) fn current() -> Option<TraceContext> {
    CURRENT.try_with(Clone::clone).ok()
}

/// What a span is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A request that was answered.
    Server,
    /// A request that was made.
    Client,
}

/// An attribute's value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Attribute {
    /// A word.
    Text(String),
    /// A number.
    Number(i64),
}

/// A piece of work that is done.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Span {
    /// Where it stands.
    pub(crate) context: TraceContext,
    /// What was done.
    pub(crate) name: String,
    /// What it is about.
    pub(crate) kind: Kind,
    /// When it began, in microseconds since 1970.
    pub(crate) started: i64,
    /// When it ended.
    pub(crate) ended: i64,
    /// What else is known of it.
    pub(crate) attributes: Vec<(&'static str, Attribute)>,
    /// Whether it failed.
    pub(crate) failed: bool,
}

/// The queue of spans, and the traces that calls of tools belong to.
#[derive(Debug)]
pub(crate) struct Telemetry {
    queue: Option<mpsc::Sender<Span>>,
    waiting: Mutex<Option<mpsc::Receiver<Span>>>,
    calls: Mutex<HashMap<String, TraceContext>>,
}

impl Telemetry {
    /// A queue, if spans are wanted.
    pub(crate) fn new(wanted: bool) -> Self {
        let (queue, waiting) = match wanted {
            true => {
                let (queue, waiting) = mpsc::channel(SPANS_WAITING);
                (Some(queue), Some(waiting))
            }
            false => (None, None),
        };
        Self {
            queue,
            waiting: Mutex::new(waiting),
            calls: Mutex::default(),
        }
    }

    /// Queues a span, if spans are wanted and its trace is recorded.
    pub(crate) fn record(&self, context: &TraceContext, span: impl FnOnce() -> Span) {
        let Some(queue) = &self.queue else {
            return;
        };
        if context.is_recorded() && queue.try_send(span()).is_err() {
            metrics::spans("dropped", 1);
        }
    }

    /// Notes that calls were opened by the present work. Where a replica dies, its calls are made
    /// by another, which knows nothing of this: they begin traces of their own.
    pub(crate) fn opened<'a>(&self, calls: impl Iterator<Item = &'a str>) {
        let Some(context) = current() else {
            return;
        };
        let mut known = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        for call in calls {
            if known.len() >= CALL_TRACES {
                known.clear();
            }
            known.insert(call.to_owned(), context.clone());
        }
    }

    /// The place of an attempt at a call: in the trace that opened it, else in a new one.
    pub(crate) fn attempt(&self, call: &str) -> TraceContext {
        let known = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        known
            .get(call)
            .map_or_else(TraceContext::root, TraceContext::child)
    }

    /// Forgets a call that is done.
    pub(crate) fn done(&self, call: &str) {
        let mut known = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        known.remove(call);
    }

    fn take_waiting(&self) -> Option<mpsc::Receiver<Span>> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.take()
    }
}
