//! What a session tells about itself. Everything is evaluated at a time given by the caller.

use std::sync::Arc;

use entail_json::Value;
use entail_trace::{Plan, ProblemSpec, Trace, TraceEvent, TraceHeaderContent};

use crate::call::{Call, CallState};
use crate::command::Closing;
use crate::document::DocumentVersion;
use crate::session::{Counts, Session, Summary};
use crate::state::TurnRecord;
use crate::tool::Tool;
use crate::trace::EvidenceFile;

impl Session {
    /// How it was closed, if it is.
    #[must_use]
    pub fn closed(&self) -> Option<&Closing> {
        self.state.closed.as_ref()
    }

    /// What a list shows of it.
    #[must_use]
    pub fn summary(&self) -> Summary {
        let answer = self.state.answers.last().map(|answer| {
            let belief = self.base.find(&answer.reference);
            (
                answer.reference.clone(),
                belief.is_some_and(|belief| self.base.is_in(belief)),
            )
        });
        Summary {
            version: self.version(),
            chain_head: self.chain_head(),
            last_commit_at: self.last_commit_at(),
            closed: self.state.closed.clone(),
            answer,
            counts: Counts {
                turns: self.state.turns.len(),
                beliefs: self.base.len(),
                believed: self.base.believed_count(),
                rejections: self.state.rejections,
                conflicts: self.base.conflicts().len(),
                open_calls: self.state.calls.open_count(),
                documents: self.state.documents.count(),
                tools: self.state.tools.len(),
            },
        }
    }

    /// What the model is told about its last turn; empty when there is nothing to tell.
    #[must_use]
    pub fn feedback(&self) -> String {
        self.state.feedback.text()
    }

    /// Documents by name, in the order of their registration, each with its versions, oldest
    /// first.
    pub fn documents(&self) -> impl Iterator<Item = (&str, &[DocumentVersion])> {
        self.state.documents.iter()
    }

    /// A version of a document, the newest when none is named.
    #[must_use]
    pub fn document(&self, name: &str, version: Option<u32>) -> Option<&DocumentVersion> {
        match version {
            None => self.state.documents.newest(name),
            Some(version) => self.state.documents.version(name, version),
        }
    }

    /// Tools, by name.
    pub fn tools(&self) -> impl Iterator<Item = &Tool> {
        self.state.tools.values().map(Arc::as_ref)
    }

    /// A tool.
    #[must_use]
    pub fn tool(&self, name: &str) -> Option<&Tool> {
        self.state.tools.get(name).map(Arc::as_ref)
    }

    /// Every call, in the order in which they were opened.
    pub fn calls(&self) -> impl Iterator<Item = &Call> {
        self.state.calls.iter()
    }

    /// The calls that wait for their results, in the order in which they were opened.
    pub fn open_calls(&self) -> impl Iterator<Item = &Call> {
        self.state.calls.open()
    }

    /// A call.
    #[must_use]
    pub fn call(&self, id: &str) -> Option<&Call> {
        self.state.calls.get(id)
    }

    /// Every turn, oldest first. What was said and decided in full is in the journal: see
    /// [`turn_view`](Self::turn_view).
    #[must_use]
    pub fn turns(&self) -> &[TurnRecord] {
        &self.state.turns
    }

    /// The problem that the session works on.
    #[must_use]
    pub fn spec(&self) -> &ProblemSpec {
        self.trace.spec()
    }

    /// The plan as far as it has grown. Linear in the plan.
    #[must_use]
    pub fn plan(&self) -> Plan {
        self.trace.plan()
    }

    /// The events of the trace so far, made one by one.
    pub fn trace_iter(&self) -> impl Iterator<Item = TraceEvent> + '_ {
        self.trace.events_from(&self.base, 0)
    }

    /// How many events the trace has.
    #[must_use]
    pub fn trace_len(&self) -> usize {
        self.trace.len()
    }

    /// Some events of the trace: those from `start` on, at most `limit` of them.
    #[must_use]
    pub fn trace_page(&self, start: usize, limit: usize) -> Vec<TraceEvent> {
        self.trace
            .events_from(&self.base, start)
            .take(limit)
            .collect()
    }

    /// The events of the trace so far, all of them: they take far more memory than what they are
    /// made of.
    #[must_use]
    pub fn trace_events(&self) -> Vec<TraceEvent> {
        self.trace_iter().collect()
    }

    /// The header of the trace. With it and [`trace_iter`](Self::trace_iter) the trace is written
    /// by [`write_trace`](entail_trace::write_trace) without holding it.
    #[must_use]
    pub fn trace_header(&self) -> TraceHeaderContent {
        self.trace.header(&self.plan())
    }

    /// The trace, whole. Linear in the trace.
    #[must_use]
    pub fn trace(&self) -> Trace {
        Trace::new(self.trace_header(), self.trace_events())
    }

    /// The files of evidence that the trace names, each once.
    #[must_use]
    pub fn evidence_files(&self) -> &[EvidenceFile] {
        self.trace.files()
    }

    /// Everything observable as one value, the same for the same journal.
    #[must_use]
    pub fn dump(&self) -> Value {
        let state = &self.state;
        let documents = state.documents.iter().map(|(name, versions)| {
            let digests: Value = versions.iter().map(|version| version.sha256()).collect();
            Value::from([("name", name.into()), ("versions", digests)])
        });
        let tools = state.tools.values().map(|tool| {
            Value::from([
                ("name", tool.name().into()),
                ("definition", tool.definition().to_value()),
                ("order", tool.order().iter().map(String::as_str).collect()),
            ])
        });
        let calls = state.calls.iter().map(|call| {
            let mut value = call.opened.to_value();
            if let Value::Object(object) = &mut value {
                let result = match call.state {
                    CallState::Returned { sha256 } | CallState::Failed { sha256 } => Some(sha256),
                    CallState::Pending | CallState::Abandoned => None,
                };
                object.insert("state", call.state.word().into());
                object.insert("result", result.into());
                object.insert("turn", call.version.into());
                object.insert("fills", state.calls.filling(call.key()).is_some().into());
            }
            value
        });
        let turns = state.turns.iter().map(|turn| {
            Value::from([
                ("turn", turn.turn.into()),
                ("at", turn.at.to_string().into()),
                ("model", turn.model.as_str().into()),
                ("context_id", turn.context_id.as_str().into()),
                ("verdict", turn.verdict.word().into()),
                ("accepted", turn.accepted.into()),
                ("rejected", turn.rejected.into()),
            ])
        });
        let closed = state.closed.as_ref().map(|closing| {
            Value::from([
                ("how", closing.word().into()),
                ("reason", closing.reason().map(str::to_owned).into()),
            ])
        });
        Value::from([
            ("id", self.id().into()),
            ("version", self.version().into()),
            ("chain_head", self.chain_head().into()),
            ("at", self.last_commit_at().to_string().into()),
            ("options", state.options.to_value()),
            ("plan", state.plan.as_deref().cloned().into()),
            ("closed", closed.into()),
            ("documents", documents.collect()),
            ("tools", tools.collect()),
            ("calls", calls.collect()),
            ("open_calls", state.calls.open().map(Call::id).collect()),
            ("turns", turns.collect()),
            ("feedback", state.feedback.text().into()),
            ("shown", state.shown.map(|set| set.number()).into()),
            (
                "answers",
                state.answers.iter().map(|a| a.reference.as_str()).collect(),
            ),
            ("base", self.base.dump()),
            ("trace", self.trace().to_jsonl().into()),
            (
                "evidence",
                self.evidence_files()
                    .iter()
                    .map(|f| f.path.as_str())
                    .collect(),
            ),
        ])
    }
}
