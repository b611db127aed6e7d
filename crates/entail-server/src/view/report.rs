//! The verification report of a session: its trace checked, its proof checked, its chain walked.

use std::{collections::HashMap, io};

use entail_kernel::{
    Time,
    base::BeliefId,
    proof::check::{Check, Library, Severity},
};
use entail_session::{Document, Session};
use entail_trace::{
    Answer, Bytes, CheckName, CheckResult, Files, PlanIndex, ReadTraceError, Results, Subject,
    verify_trace,
};

/// A report, and what it speaks of.
#[derive(Debug)]
pub(crate) struct Report {
    /// The outcome of every check that was run.
    pub(crate) results: Results,
    /// The trace's id.
    pub(crate) trace_id: String,
    /// The task.
    pub(crate) task: String,
    /// The answer and what it rests on.
    pub(crate) answer: Option<Answer>,
    /// The time it speaks of.
    pub(crate) as_of: String,
}

/// Checks a session's trace and the proof of some beliefs. The chain of the journal is checked
/// by whoever has the journal.
pub(crate) fn report(
    session: &Session,
    roots: &[BeliefId],
    at: Time,
) -> Result<Report, ReadTraceError> {
    let trace = session.trace();
    let text = trace.to_jsonl().into_bytes();
    let files = Evidence::of(session);
    let spec = Some(session.spec());
    let subject = Subject {
        trace: &text,
        files: Some(&files),
        spec,
    };
    let verification = verify_trace(subject, PlanIndex::new(&session.plan()))?;
    let mut results = verification.results;
    results.extend(proof_checks(session, roots, at));
    Ok(Report {
        results,
        trace_id: verification.header.id().to_string(),
        task: session.options().task.clone(),
        answer: Answer::of(&text, Some(&files))?,
        as_of: at.to_string(),
    })
}

fn proof_checks(session: &Session, roots: &[BeliefId], at: Time) -> Vec<CheckResult> {
    let proof = session.base().proof(roots, at);
    let found = proof.check(&Texts(session));
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

/// What a report is about unless a key is named: the latest answer, and if it is OUT the report
/// says so; where there is none, everything that is believed.
pub(crate) fn default_roots(session: &Session) -> Vec<BeliefId> {
    let base = session.base();
    let answer = session.summary().answer;
    match answer.and_then(|(reference, _)| base.find(&reference)) {
        Some(answer) => vec![answer],
        None => base.all_in(),
    }
}

struct Texts<'a>(&'a Session);

impl Library for Texts<'_> {
    fn document(&self, name: &str, version: u32) -> Option<&Document> {
        self.0
            .document(name, Some(version))
            .map(|found| found.document.as_ref())
    }

    fn newest(&self, name: &str) -> Option<(u32, &Document)> {
        let newest = self.0.document(name, None)?;
        Some((newest.version, newest.document.as_ref()))
    }
}

/// A session's evidence files, by their paths.
struct Evidence<'a>(HashMap<&'a str, &'a str>);

impl<'a> Evidence<'a> {
    fn of(session: &'a Session) -> Self {
        let file = |file: &'a entail_session::EvidenceFile| (file.path.as_str(), file.text());
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

/// The checks of the proof of what a session holds, as of its last commit.
pub(crate) fn proof_checks_of_last_commit(session: &Session) -> Vec<CheckResult> {
    proof_checks(
        session,
        &default_roots(session),
        session.summary().last_commit_at,
    )
}
