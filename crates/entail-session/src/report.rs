//! The verification report of a session: its trace and its proof checked.

use std::collections::HashMap;
use std::io::{self, BufReader};

use entail_json::{Digest, Value, read_str, sha256};
use entail_kernel::{
    Time,
    base::{BeliefId, Source},
    equality::values_equal,
    proof::check::{Check, Library, Severity},
    text::Document,
};
use entail_trace::{
    Answer, Bytes, CheckName, CheckResult, Files, LineError, LineReader, PlanIndex, RawLine,
    ReadTraceError, Results, Stream, Subject, limits::MAX_LINE_BYTES, verify_trace,
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::call::CallState;
use crate::session::Session;
use crate::trace::EvidenceFile;

/// A report, and what it speaks of.
#[derive(Debug)]
pub struct Report {
    /// The outcome of every check that was run.
    pub results: Results,
    /// The trace's id.
    pub trace_id: String,
    /// The task.
    pub task: String,
    /// The answer and what it rests on.
    pub answer: Option<Answer>,
    /// The time it speaks of.
    pub as_of: String,
}

impl Session {
    /// Checks the trace, and the proof of some beliefs as of some time. The chain of the journal
    /// is checked by whoever has the journal. Linear in the trace and the proof.
    ///
    /// # Errors
    /// [`ReadTraceError`] if the session's own trace cannot be read back.
    pub fn report(&self, roots: &[BeliefId], at: Time) -> Result<Report, ReadTraceError> {
        let text = self.trace().to_jsonl().into_bytes();
        let files = Evidence::of(self);
        let subject = Subject {
            trace: &text,
            files: Some(&files),
            spec: Some(self.spec()),
        };
        let verification = verify_trace(subject, PlanIndex::new(&self.plan()))?;
        let mut results = verification.results;
        results.extend(self.check_proof(roots, at));
        Ok(Report {
            results,
            trace_id: verification.header.id().to_string(),
            task: self.options().task.clone(),
            answer: Answer::of(&text, Some(&files))?,
            as_of: at.to_string(),
        })
    }

    /// What a report is about unless somebody says otherwise: the latest answer, and if it is OUT
    /// the report says so; where there is none, everything that is believed.
    #[must_use]
    pub fn report_roots(&self) -> Vec<BeliefId> {
        let base = self.base();
        let answer = self.summary().answer;
        match answer.and_then(|(reference, _)| base.find(&reference)) {
            Some(answer) => vec![answer],
            None => base.all_in(),
        }
    }

    /// The six checks of the proof of some beliefs as of some time.
    #[must_use]
    pub fn check_proof(&self, roots: &[BeliefId], at: Time) -> Vec<CheckResult> {
        let proof = self.base().proof(roots, at);
        let found = proof.check(&Shown::of(self));
        let steps = u64::try_from(found.steps).unwrap_or(u64::MAX);
        let of = |check: Check| {
            let mut result = CheckResult::new(CheckName::from_name(check.word())?);
            result.count("steps", steps);
            for finding in found.of(check) {
                let message = format!("`{}` {}", finding.reference, finding.message);
                match finding.severity {
                    Severity::Error => result.error(message),
                    Severity::Warning => result.warning(message),
                }
            }
            Some(result)
        };
        Check::ALL.into_iter().filter_map(of).collect()
    }

    /// Compares a recorded trace with the one that the journal gives, byte for byte.
    ///
    /// # Errors
    /// [`LineError`] if the recorded trace cannot be read.
    pub fn compare_trace(&self, recorded: &dyn Bytes) -> Result<Compared, LineError> {
        let rebuilt = self.trace().to_jsonl();
        let mut rebuilt = rebuilt.split_inclusive('\n');
        let input = BufReader::new(Stream::new(recorded));
        let mut recorded = LineReader::new(input, MAX_LINE_BYTES);
        let mut lines = 0_u64;
        loop {
            let (there, own) = (recorded.next_line()?, rebuilt.next());
            if there.map(|line| line.raw) != own.map(str::as_bytes) {
                let text = |line: RawLine<'_>| String::from_utf8_lossy(line.raw).into_owned();
                return Ok(Compared::Differs {
                    line: lines.saturating_add(1),
                    recorded: there.map(text),
                    rebuilt: own.map(str::to_owned),
                });
            }
            if there.is_none() {
                return Ok(Compared::Same { lines });
            }
            lines = lines.saturating_add(1);
        }
    }
}

/// What comparing a recorded trace with the one that the journal gives shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Compared {
    /// They are the same bytes.
    Same {
        /// How many lines there are: the header, and one an event.
        lines: u64,
    },
    /// They part at a line: the first event that differs.
    Differs {
        /// Which line it is, from 1.
        line: u64,
        /// The line that is recorded, with its end, if there is one.
        recorded: Option<String>,
        /// The line that the journal gives, with its end, if there is one.
        rebuilt: Option<String>,
    },
}

/// What a session shows for its premises: its documents, and what its calls returned.
struct Shown<'a> {
    session: &'a Session,
    /// By the key that the calls fill and their source.
    returned: FxHashMap<String, Returned<'a>>,
}

/// What calls of the same key and source returned.
#[derive(Default)]
struct Returned<'a> {
    digests: FxHashSet<Digest>,
    /// The newest result that is evidence. One that only says again what is there already, in
    /// other figures perhaps, is none.
    newest: Option<&'a str>,
}

impl<'a> Shown<'a> {
    fn of(session: &'a Session) -> Self {
        let files: FxHashMap<&Digest, &str> = session
            .evidence_files()
            .iter()
            .map(|file| (&file.sha256, file.text()))
            .collect();
        let mut returned: FxHashMap<String, Returned<'a>> = FxHashMap::default();
        for call in session.state.calls.iter() {
            let CallState::Returned { sha256 } = call.state() else {
                continue;
            };
            let of_call = returned
                .entry(place(call.key(), &call.source()))
                .or_default();
            of_call.digests.insert(sha256);
            of_call.newest = files.get(&sha256).copied().or(of_call.newest);
        }
        Self { session, returned }
    }
}

/// The key that calls fill and their source, as one text.
fn place(key: &str, source: &Source) -> String {
    let arguments = source.arguments.clone();
    let parts = [
        Value::from(key),
        source.name.as_str().into(),
        source.origin.clone().into(),
        arguments.is_some().into(),
        arguments.unwrap_or(Value::Null),
    ];
    Value::Array(parts.into()).to_string()
}

impl Library for Shown<'_> {
    fn document(&self, name: &str, version: u32) -> Option<&Document> {
        self.session
            .document(name, Some(version))
            .map(|found| found.document.as_ref())
    }

    fn newest(&self, name: &str) -> Option<(u32, &Document)> {
        let newest = self.session.document(name, None)?;
        Some((newest.version, newest.document.as_ref()))
    }

    fn returned(&self, key: &str, source: &Source, value: &Value) -> Option<bool> {
        let returned = self.returned.get(&place(key, source))?;
        let is_same = || {
            returned
                .digests
                .contains(&sha256(value.to_string().as_bytes()))
        };
        let is_equal = |text| read_str(text).is_ok_and(|there| values_equal(&there, value));
        Some(is_same() || returned.newest.is_some_and(is_equal))
    }
}

/// A session's evidence files, by their paths.
struct Evidence<'a>(HashMap<&'a str, &'a str>);

impl<'a> Evidence<'a> {
    fn of(session: &'a Session) -> Self {
        let file = |file: &'a EvidenceFile| (file.path.as_str(), file.text());
        Self(session.evidence_files().iter().map(file).collect())
    }
}

impl Files for Evidence<'_> {
    fn open(&self, path: &str) -> io::Result<Option<Box<dyn Bytes + '_>>> {
        let found = self
            .0
            .get(path)
            .map(|text| Box::new(text.as_bytes()) as Box<dyn Bytes + '_>);
        Ok(found)
    }

    fn visit_paths(&self, visit: &mut dyn FnMut(&str)) -> io::Result<()> {
        self.0.keys().for_each(|path| visit(path));
        Ok(())
    }
}
