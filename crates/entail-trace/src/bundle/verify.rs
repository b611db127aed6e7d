//! Checking a bundle, a directory or a trace with its plan.

use std::io::BufReader;

use entail_json::Digest;

use super::assemble::file_of;
use super::manifest::ManifestReader;
use super::{
    Checkpoint, JournalEnd, PublicKey, RunMeta, RunMetaContent, Trust, check_journal, paths,
};
use crate::bytes::{Bytes, Files, Stream, read_whole};
use crate::limits::MAX_RECORD_FILE_BYTES;
use crate::record::{Plan, ProblemSpec, Record, VerificationReport};
use crate::verify::{
    CheckName, CheckResult, FileDigests, PlanIndex, Results, Subject, Verification, file_digest,
    shown, shown_message, summary_of, verify_trace,
};

/// What a bundle is checked against from outside.
#[derive(Clone, Debug)]
pub struct Expectations {
    /// The key that its checkpoint must be signed with, if it must be signed.
    pub public_key: Option<PublicKey>,
    /// What whoever replayed the journal found: `replay`, and the checks of the proof.
    pub replayed: Vec<CheckResult>,
    /// The largest record that is a file of its own, in bytes; [`MAX_RECORD_FILE_BYTES`] unless
    /// said otherwise. A server that checks what strangers send says less.
    pub max_record_bytes: u64,
}

impl Default for Expectations {
    fn default() -> Self {
        Self {
            public_key: None,
            replayed: Vec::new(),
            max_record_bytes: MAX_RECORD_FILE_BYTES,
        }
    }
}

/// What checking a bundle gave.
#[derive(Debug)]
pub struct BundleVerification {
    /// Every check that could be run.
    pub results: Results,
    /// The id that the trace has by its content; empty if it cannot be read.
    pub trace_id: String,
    /// What checking the trace gave, if it could be read.
    pub trace: Option<Verification>,
    /// Where the journal ends, if there is one and its chain holds.
    pub journal: Option<JournalEnd>,
    /// What the checkpoint's signature shows, if there is a checkpoint that holds.
    pub trust: Option<Trust>,
}

impl BundleVerification {
    /// The report.
    #[must_use]
    pub fn report(&self) -> VerificationReport {
        self.results.report(&self.trace_id)
    }

    /// Whether every check that was run holds.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.results.passed()
    }
}

/// Checks the files of a bundle: every layer that its files allow.
///
/// A trace and its plan are enough. What else is there is checked too; where a journal or a
/// checkpoint shows that this is a bundle, every file of a bundle must be there.
///
/// Errors of reading a file are findings: a file that cannot be read cannot be vouched for.
#[must_use]
pub fn verify_bundle(files: &dyn Files, expected: &Expectations) -> BundleVerification {
    let mut check = Checker::new(files, expected.max_record_bytes);
    let mut trace = check.trace();
    let fingerprint = trace.as_ref().map(|trace| trace.end.fingerprint);
    check.journal();
    let known = trace.as_mut().map(|trace| std::mem::take(&mut trace.files));
    let manifest = check.manifest(known.unwrap_or_default(), fingerprint);
    let trust = check.checkpoint(trace.as_ref(), manifest, expected.public_key.as_ref());
    check.results.extend(expected.replayed.iter().cloned());
    let trace_id = trace
        .as_ref()
        .map(|trace| trace.end.trace_id.to_string())
        .unwrap_or_default();
    check.recorded_report(&trace_id);
    check.serialization(fingerprint);
    BundleVerification {
        results: check.results,
        trace_id,
        trace,
        journal: check.journal_end,
        trust,
    }
}

/// Checks a journal alone, and against its checkpoint where there is one.
///
/// ```
/// use std::collections::BTreeMap;
/// use entail_trace::{CheckName, paths, verify_journal};
///
/// let files = BTreeMap::from([(paths::JOURNAL.to_owned(), b"no journal\n".to_vec())]);
/// let verified = verify_journal(&files, None);
/// assert!(!verified.results.get(CheckName::Chain).is_some_and(|chain| chain.passed()));
/// ```
#[must_use]
pub fn verify_journal(files: &dyn Files, key: Option<&PublicKey>) -> BundleVerification {
    let mut check = Checker::new(files, MAX_RECORD_FILE_BYTES);
    check.whole = false;
    check.journal();
    if check.results.get(CheckName::Chain).is_none() {
        let mut chain = CheckResult::new(CheckName::Chain);
        chain.error("there is no journal");
        check.results.put(chain);
    }
    // What the checkpoint says of a manifest is not looked at where there is none.
    let trust = check.checkpoint(None, None, key);
    BundleVerification {
        results: check.results,
        trace_id: String::new(),
        trace: None,
        journal: check.journal_end,
        trust,
    }
}

struct Checker<'f> {
    files: &'f dyn Files,
    max_record_bytes: u64,
    results: Results,
    /// Whether this is a bundle, and not only some of its files.
    whole: bool,
    journal_end: Option<JournalEnd>,
    /// The records that are not written canonically.
    uncanonical: Vec<&'static str>,
}

impl<'f> Checker<'f> {
    fn new(files: &'f dyn Files, max_record_bytes: u64) -> Self {
        let present = |path| !matches!(files.open(path), Ok(None));
        let whole = present(paths::JOURNAL) || present(paths::CHECKPOINT);
        Self {
            files,
            max_record_bytes,
            results: Results::default(),
            whole,
            journal_end: None,
            uncanonical: Vec::new(),
        }
    }

    /// A file that a check needs; a whole bundle must have it.
    fn need(&self, path: &str, result: &mut CheckResult) -> Option<Box<dyn Bytes + 'f>> {
        match self.files.open(path) {
            Ok(Some(file)) => return Some(file),
            Ok(None) if self.whole => result.error(format!("`{path}` is missing")),
            Ok(None) => {}
            Err(error) => result.error(format!("`{path}` cannot be read: {error}")),
        }
        None
    }

    fn bytes(&self, path: &str, result: &mut CheckResult) -> Option<Vec<u8>> {
        let file = self.need(path, result)?;
        match read_whole(&file, self.max_record_bytes) {
            Ok(bytes) => Some(bytes),
            Err(error) => {
                result.error(format!("`{path}` cannot be read: {error}"));
                None
            }
        }
    }

    /// A record that is a file of its own; in a bundle it must be written canonically.
    fn record<R: Record>(&mut self, path: &'static str, result: &mut CheckResult) -> Option<R> {
        let bytes = self.bytes(path, result)?;
        match R::from_json(&bytes) {
            Ok(record) => {
                if self.whole && bytes != file_of(&record) {
                    self.uncanonical.push(path);
                }
                Some(record)
            }
            Err(error) => {
                result.error(format!("`{path}`: {}", shown_message(&in_full(&error))));
                None
            }
        }
    }

    /// The trace against its plan; whatever cannot be read is an error of `records`.
    fn trace(&mut self) -> Option<Verification> {
        let mut records = CheckResult::new(CheckName::Records);
        let spec: Option<ProblemSpec> = self.record(paths::SPEC, &mut records);
        let plan: Option<Plan> = self.record(paths::PLAN, &mut records);
        if plan.is_none() && records.passed() {
            records.error("`plan.json` is missing: a trace is checked against its plan");
        }
        let index = plan.map(|plan| PlanIndex::new(&plan));
        let file = self.need(paths::TRACE, &mut records);
        if file.is_none() && records.passed() {
            records.error("`trace.jsonl` is missing");
        }
        let trace = match (&file, index) {
            (Some(file), Some(index)) => {
                let subject = Subject {
                    trace: file,
                    files: Some(self.files),
                    spec: spec.as_ref(),
                };
                verify_trace(subject, index)
                    .map_err(|error| {
                        let message = shown_message(&error.to_string());
                        records.error(format!("`trace.jsonl`: {message}"));
                    })
                    .ok()
            }
            _ => None,
        };
        if let Some(trace) = &trace {
            self.results = trace.results.clone();
            records.count("events", trace.end.events);
        }
        self.results.put(records);
        trace
    }

    fn serialization(&mut self, trace: Option<Digest>) {
        let mut result = match self.results.get(CheckName::Serialization) {
            Some(result) => result.clone(),
            None => CheckResult::new(CheckName::Serialization),
        };
        if let Some(recorded) = self.bytes(paths::FINGERPRINT, &mut result) {
            let digest = trace.map(|digest| format!("{digest}\n"));
            if digest.as_deref().map(str::as_bytes) != Some(&recorded) {
                result.error("`fingerprint.txt` is not the digest of `trace.jsonl`");
            }
        }
        for path in &self.uncanonical {
            result.error(format!("`{path}` is not written canonically"));
        }
        if trace.is_some() || !result.passed() {
            self.results.put(result);
        }
    }

    fn journal(&mut self) {
        let mut missing = CheckResult::new(CheckName::Chain);
        if let Some(file) = self.need(paths::JOURNAL, &mut missing) {
            let (result, end) = check_journal(BufReader::new(Stream::new(&file)));
            self.results.put(result);
            self.journal_end = end;
        } else if !missing.passed() {
            self.results.put(missing);
        }
    }

    /// Every listed file against its digest, every file against the list.
    fn manifest(&mut self, mut known: FileDigests, trace: Option<Digest>) -> Option<Digest> {
        let mut result = CheckResult::new(CheckName::Manifest);
        let Some(file) = self.need(paths::MANIFEST, &mut result) else {
            if !result.passed() {
                self.results.put(result);
            }
            return None;
        };
        let mut reader = ManifestReader::new(BufReader::new(Stream::new(&file)));
        let mut listed = 0_u64;
        loop {
            match reader.next() {
                Ok(Some((path, digest))) => {
                    listed = listed.saturating_add(1);
                    self.listed(&mut known, &path, digest, trace, &mut result);
                }
                Ok(None) => break,
                Err(error) => {
                    result.error(format!("`manifest.json`: {error}"));
                    break;
                }
            }
        }
        let visited = self.files.visit_paths(&mut |path| {
            let is_listed = known.find(path).and_then(|at| known.get(at));
            let exempt = matches!(path, paths::MANIFEST | paths::CHECKPOINT);
            if !exempt && !is_listed.is_some_and(|file| file.listed) {
                result.error(format!("`{}` is not in the manifest", shown(path)));
            }
        });
        if let Err(error) = visited {
            result.error(format!("the files cannot be listed: {error}"));
        }
        result.count("files", listed);
        self.results.put(result);
        crate::bytes::digest_of(&file).ok()
    }

    fn listed(
        &self,
        known: &mut FileDigests,
        path: &str,
        recorded: Digest,
        trace: Option<Digest>,
        result: &mut CheckResult,
    ) {
        let shown = shown(path);
        let Some((number, digest, _)) = file_digest(known, self.files, path) else {
            return result.error("the manifest lists too many files");
        };
        let digest = if path == paths::TRACE {
            trace.or(digest)
        } else {
            digest
        };
        if self.whole && !names_its_digest(path, recorded) {
            result.error(format!("`{shown}` is not named by its digest"));
        }
        match digest {
            None => result.error(format!("`{shown}` is missing or cannot be read")),
            Some(digest) if digest != recorded => {
                result.error(format!(
                    "`{shown}` has the digest `{digest}`, not `{recorded}`"
                ));
            }
            Some(_) => {}
        }
        if let Some(file) = known.get_mut(number) {
            if file.listed {
                result.error(format!("`{shown}` is in the manifest twice"));
            }
            file.listed = true;
        }
    }

    /// The checkpoint and the run against the journal, the trace and the manifest.
    fn checkpoint(
        &mut self,
        trace: Option<&Verification>,
        manifest: Option<Digest>,
        key: Option<&PublicKey>,
    ) -> Option<Trust> {
        let mut result = CheckResult::new(CheckName::Checkpoint);
        let mut run_is_there = false;
        if self.whole
            && let Some(run) = self.record::<RunMeta>(paths::RUN, &mut result)
        {
            run_is_there = true;
            self.run(&run, trace, &mut result);
        }
        let checkpoint = self.record::<Checkpoint>(paths::CHECKPOINT, &mut result);
        let trust = match key {
            Some(key) => self.signature(checkpoint.as_ref(), key),
            None => checkpoint
                .as_ref()
                .and_then(|checkpoint| own_signature(checkpoint, &mut result)),
        };
        if let Some(checkpoint) = &checkpoint {
            self.compare(checkpoint, manifest, &mut result);
        } else if !run_is_there && result.passed() {
            return None;
        }
        let holds = result.passed();
        self.results.put(result);
        trust.filter(|_| holds)
    }

    /// The checkpoint's signature against the key that is expected.
    fn signature(&mut self, checkpoint: Option<&Checkpoint>, key: &PublicKey) -> Option<Trust> {
        let mut result = CheckResult::new(CheckName::Signature);
        let trust = match checkpoint.map(|checkpoint| checkpoint.verify(Some(key))) {
            Some(Ok(trust)) => Some(trust),
            Some(Err(error)) => {
                result.error(error.to_string());
                None
            }
            None => {
                result.error("there is no checkpoint that the key given could have signed");
                None
            }
        };
        self.results.put(result);
        trust
    }

    fn run(&self, run: &RunMeta, trace: Option<&Verification>, result: &mut CheckResult) {
        if !run.has_content_id() {
            result.error("`run_meta.json`: its id does not follow from its content");
        }
        let (Some(journal), Some(trace)) = (&self.journal_end, trace) else {
            return result.error("`run_meta.json` has no journal and trace to compare with");
        };
        if **run != RunMetaContent::new(journal, &trace.end) {
            result.error("`run_meta.json` says other than the journal and the trace");
        }
    }

    fn compare(&self, checkpoint: &Checkpoint, manifest: Option<Digest>, result: &mut CheckResult) {
        let content = checkpoint.content();
        if let Some(end) = &self.journal_end {
            if content.session_id != end.session_id {
                result.error("the checkpoint is of another session than the journal");
            }
            if content.seq != end.seq {
                let (seq, end) = (content.seq, end.seq);
                result.error(format!(
                    "the checkpoint is of entry {seq}, the journal ends at {end}"
                ));
            }
            if content.chain_head != end.chain_head {
                result.error("the checkpoint's chain head is not the journal's");
            }
            if content.created_at != end.last_commit_at {
                result.error("the checkpoint's time is not that of the journal's last entry");
            }
        } else {
            result.error("the checkpoint has no journal whose chain holds to compare with");
        }
        if content.manifest_sha256 != manifest && (self.whole || manifest.is_some()) {
            result.error("the checkpoint's manifest is not `manifest.json`");
        }
    }

    /// The report that is recorded against the one that these checks give.
    fn recorded_report(&mut self, trace_id: &str) {
        let mut result = CheckResult::new(CheckName::RecordedReport);
        if let Some(recorded) = self.record::<VerificationReport>(paths::REPORT, &mut result) {
            self.compare_reports(&recorded, trace_id, &mut result);
        } else if result.passed() {
            return;
        }
        self.results.put(result);
    }

    fn compare_reports(
        &self,
        recorded: &VerificationReport,
        trace_id: &str,
        result: &mut CheckResult,
    ) {
        if *recorded.id() != recorded.content_id() {
            result.error("`verify.json`: its id does not follow from its checks and failures");
        }
        if recorded
            .trace_id
            .as_deref()
            .is_some_and(|recorded| recorded != trace_id)
        {
            result.error("`verify.json` is of another trace");
        }
        let mut compared = 0_u64;
        let mut names = Vec::with_capacity(recorded.checks().len());
        for check in recorded.checks() {
            let name = CheckName::from_name(&check.name);
            names.extend(name);
            match name.and_then(|name| self.results.get(name)) {
                Some(found) => {
                    compared = compared.saturating_add(1);
                    if found.passed() != check.passed {
                        let (name, passed) = (found.name(), verdict(found.passed()));
                        result.error(format!(
                            "`verify.json`: `{name}` {passed} when checked here"
                        ));
                    }
                }
                None if name.is_none() => {
                    result.error(format!(
                        "`verify.json`: `{}` is no check",
                        shown(&check.name)
                    ));
                }
                None => {}
            }
        }
        result.count("compared", compared);
        result.count(
            "recorded",
            u64::try_from(recorded.checks().len()).unwrap_or(u64::MAX),
        );
        if self.whole {
            self.compare_whole(recorded, &names, trace_id, result);
        }
    }

    /// A bundle's own report: the same checks, with the same findings in the same words.
    fn compare_whole(
        &self,
        recorded: &VerificationReport,
        names: &[CheckName],
        trace_id: &str,
        result: &mut CheckResult,
    ) {
        for name in RECORDED.into_iter().filter(|name| !names.contains(name)) {
            result.error(format!("`verify.json`: `{name}` is missing"));
        }
        if let Some(summary) = summary_of(recorded.checks())
            && summary != recorded.summary_metrics
        {
            result.error("`verify.json`: its summary does not follow from its checks");
        }
        let rerun = names
            .iter()
            .filter_map(|name| self.results.get(*name).cloned());
        let mut again = Results::default();
        again.extend(rerun);
        if again.all().len() == names.len() && again.report(trace_id) != *recorded {
            result.error("`verify.json` is not the report that these checks give");
        }
    }
}

/// The signature by the key that the checkpoint names itself, which anybody could have made.
fn own_signature(checkpoint: &Checkpoint, result: &mut CheckResult) -> Option<Trust> {
    match checkpoint.verify(None) {
        Ok(trust) => {
            if let Some(key) = checkpoint.public_key() {
                result.warning(format!(
                    "whose signature this is was not checked: it is by the key `{key}` that the \
                     checkpoint names itself; give the public key that you expect"
                ));
            }
            Some(trust)
        }
        Err(error) => {
            result.error(error.to_string());
            None
        }
    }
}

/// The checks that the report in a bundle always has.
const RECORDED: [CheckName; 15] = [
    CheckName::CoreInvariants,
    CheckName::ToolLinkage,
    CheckName::ClaimJustifications,
    CheckName::DerivedClaimGrounding,
    CheckName::ReasoningTrace,
    CheckName::InsufficientReasoning,
    CheckName::FinalizePresent,
    CheckName::RequiredSteps,
    CheckName::EvidenceHashes,
    CheckName::SupportSpans,
    CheckName::ContentIds,
    CheckName::ClaimSpans,
    CheckName::Chain,
    CheckName::Records,
    CheckName::Serialization,
];

/// Evidence in a bundle is `evidence/<sha256>.<extension>`.
fn names_its_digest(path: &str, digest: Digest) -> bool {
    let Some(name) = path.strip_prefix(paths::EVIDENCE) else {
        return true;
    };
    name.split('.').next().and_then(|stem| stem.parse().ok()) == Some(digest)
}

/// An error with what it was caused by.
fn in_full(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}

fn verdict(passed: bool) -> &'static str {
    if passed { "holds" } else { "fails" }
}
