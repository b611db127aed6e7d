//! What the bundle of a session is made of.

use std::{collections::BTreeMap, io};

use entail_session::Session;
use entail_trace::{
    AssembleError, Bundle, ChainCheck, CheckpointKey, Parts, Plan, ProblemSpec, ReadTraceError,
    Results, journal::Entry, paths,
};

use crate::offline::Held;

/// The parts of a bundle: those of the session first, then the journal, entry by entry.
pub(crate) struct Kit {
    spec: ProblemSpec,
    plan: Plan,
    trace: Vec<u8>,
    journal: Vec<u8>,
    chain: ChainCheck,
    results: Results,
    trace_id: String,
    evidence: Held,
}

/// Parts that make no bundle.
#[derive(Debug, thiserror::Error)]
pub(crate) enum KitError {
    /// The trace cannot be read back.
    #[error("the session's trace cannot be read back")]
    Trace(#[from] ReadTraceError),
    /// They do not belong together.
    #[error("the session's records make no bundle")]
    Assemble(#[from] AssembleError),
    /// It cannot be written.
    #[error("the bundle cannot be written")]
    Io(#[from] io::Error),
}

impl Kit {
    /// The parts that follow from a session; its report is as of the last commit's time.
    pub(crate) fn of(session: &Session) -> Result<Self, KitError> {
        let at = session.summary().last_commit_at;
        let report = session.report(&session.report_roots(), at)?;
        Ok(Self {
            spec: session.spec().clone(),
            plan: session.plan(),
            trace: session.trace().to_jsonl().into_bytes(),
            journal: Vec::new(),
            chain: ChainCheck::default(),
            results: report.results,
            trace_id: report.trace_id,
            evidence: evidence(session),
        })
    }

    /// Adds the next entry of the session's journal.
    pub(crate) fn entry(&mut self, entry: &Entry) {
        self.chain.entry(entry);
        self.journal.extend_from_slice(entry.to_line().as_bytes());
        self.journal.push(b'\n');
    }

    /// Puts the bundle together, signed if there is a key, and gives of it what is asked for.
    pub(crate) fn with_bundle<T>(
        &self,
        key: Option<&CheckpointKey>,
        make: impl FnOnce(&Bundle<'_>) -> io::Result<T>,
    ) -> Result<T, KitError> {
        let mut results = self.results.clone();
        results.put(self.chain.clone().finish().0);
        let report = results.report(&self.trace_id);
        let bundle = Bundle::assemble(Parts {
            spec: &self.spec,
            plan: &self.plan,
            trace: &self.trace,
            journal: &self.journal,
            report: &report,
            evidence: &self.evidence,
            key,
        })?;
        Ok(make(&bundle)?)
    }
}

/// The evidence files, and every document of the session, without which its journal could not be
/// replayed.
fn evidence(session: &Session) -> Held {
    let mut texts: BTreeMap<String, &str> = BTreeMap::new();
    for file in session.evidence_files() {
        texts.insert(file.path.to_string(), file.text());
    }
    for document in session.documents().flat_map(|(_, versions)| versions) {
        let path = format!("{}{}.txt", paths::EVIDENCE, document.sha256());
        texts.insert(path, document.document.text());
    }
    let mut held = Held::default();
    for (path, text) in texts {
        held.insert(&path, text.as_bytes().to_vec());
    }
    held
}
