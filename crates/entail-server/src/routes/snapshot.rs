//! What a bundle is made of, taken of one version of a session.

use std::collections::BTreeMap;

use entail_session::Session;
use entail_trace::{AssembleError, Bundle, Parts, Plan, ProblemSpec, Results};

use crate::{
    app::App,
    offline::Held,
    problem::{Code, Problem},
    sessions::{Target, study},
    view::{default_roots, report},
};

/// The parts of a bundle.
pub(super) struct Snapshot {
    spec: ProblemSpec,
    plan: Plan,
    trace: Vec<u8>,
    journal: Vec<u8>,
    results: Results,
    trace_id: String,
    evidence: Held,
    app: App,
}

impl Snapshot {
    /// Takes it of a session as it is now. The report is as of the last commit's time.
    pub(super) async fn take(
        app: &App,
        target: &Target,
        min_version: Option<u64>,
    ) -> Result<Self, Problem> {
        let own = app.clone();
        let (version, mut snapshot) = study(app, target, min_version, |session, _| {
            Ok((session.version(), of(session, own)?))
        })
        .await?;
        let mut after = 0;
        let mut check = entail_trace::ChainCheck::default();
        while after < version {
            let left = u32::try_from(version.saturating_sub(after)).unwrap_or(u32::MAX);
            let entries = app
                .store()
                .entries(target.id, after, None, left.min(256))
                .await?;
            let Some(last) = entries.last() else {
                return Err(Problem::new(
                    Code::UnknownSession,
                    "the session was deleted",
                ));
            };
            after = last.seq;
            for entry in &entries {
                check.entry(entry);
                snapshot
                    .journal
                    .extend_from_slice(entry.to_line().as_bytes());
                snapshot.journal.push(b'\n');
            }
        }
        snapshot.results.put(check.finish().0);
        Ok(snapshot)
    }

    /// Puts the bundle together, and gives of it what is asked for.
    pub(super) fn with_bundle<T>(
        &self,
        make: impl FnOnce(&Bundle<'_>) -> std::io::Result<T>,
    ) -> Result<T, Problem> {
        let report = self.results.report(&self.trace_id);
        let bundle = Bundle::assemble(Parts {
            spec: &self.spec,
            plan: &self.plan,
            trace: &self.trace,
            journal: &self.journal,
            report: &report,
            evidence: &self.evidence,
            key: self.app.signing_key(),
        })
        .map_err(|error: AssembleError| Problem::internal(&error))?;
        make(&bundle).map_err(|error| Problem::internal(&error))
    }
}

fn of(session: &Session, app: App) -> Result<Snapshot, Problem> {
    let at = session.summary().last_commit_at;
    let report =
        report(session, &default_roots(session), at).map_err(|error| Problem::internal(&error))?;
    Ok(Snapshot {
        spec: session.spec().clone(),
        plan: session.plan(),
        trace: session.trace().to_jsonl().into_bytes(),
        journal: Vec::new(),
        results: report.results,
        trace_id: report.trace_id,
        evidence: evidence(session),
        app,
    })
}

/// The evidence files, and every document of the session, without which its journal could not be
/// replayed.
fn evidence(session: &Session) -> Held {
    let mut texts: BTreeMap<String, &str> = BTreeMap::new();
    for file in session.evidence_files() {
        texts.insert(file.path.to_string(), file.text());
    }
    for document in session.documents().flat_map(|(_, versions)| versions) {
        let path = format!("{}{}.txt", entail_trace::paths::EVIDENCE, document.sha256());
        texts.insert(path, document.document.text());
    }
    let mut held = Held::default();
    for (path, text) in texts {
        held.insert(&path, text.as_bytes().to_vec());
    }
    held
}
