//! Putting a bundle together.

use std::collections::BTreeMap;
use std::io::{self, BufReader, Write};

use entail_json::Digest;

use super::manifest::write_manifest;
use super::{
    Checkpoint, CheckpointContent, CheckpointKey, RunMeta, RunMetaContent, check_journal, paths,
};
use crate::archive::{Gzip, TarWriter};
use crate::bytes::{Bytes, Files, Stream, digest_of};
use crate::jsonl::{ReadTraceError, TraceReader};
use crate::path::{ContentPath, PathError};
use crate::record::{Plan, ProblemSpec, Record, VerificationReport};

/// What a bundle is made of. Everything else in it follows from these.
#[derive(Clone, Copy)]
pub struct Parts<'p> {
    /// The problem.
    pub spec: &'p ProblemSpec,
    /// The plan.
    pub plan: &'p Plan,
    /// The bytes of `trace.jsonl`.
    pub trace: &'p dyn Bytes,
    /// The bytes of `journal.jsonl`.
    pub journal: &'p dyn Bytes,
    /// The report as of the last commit.
    pub report: &'p VerificationReport,
    /// The evidence files, and the newest version of every cited document.
    pub evidence: &'p dyn Files,
    /// What to sign the checkpoint with, if with anything.
    pub key: Option<&'p CheckpointKey>,
}

/// Parts that do not make a bundle.
#[derive(Debug, thiserror::Error)]
pub enum AssembleError {
    /// One of them cannot be read.
    #[error("a part of the bundle cannot be read")]
    Io(#[from] io::Error),
    /// The trace is no trace.
    #[error("the trace of the bundle cannot be read")]
    Trace(#[from] ReadTraceError),
    /// The chain of the journal does not hold.
    #[error("the journal of the bundle does not hold: {0}")]
    Journal(String),
    /// An evidence file has a path that is not safe.
    #[error("the evidence file `{path}` cannot be in a bundle")]
    Path {
        /// The path.
        path: String,
        /// What is wrong with it.
        #[source]
        fault: PathError,
    },
    /// An evidence file has a path outside `evidence/`.
    #[error("the evidence file `{0}` is not under `evidence/`")]
    Place(String),
}

enum Source<'p> {
    Made(Vec<u8>),
    Part(&'p dyn Bytes),
    Evidence,
}

/// A bundle: files by path, in order. The same parts always give the same bytes.
pub struct Bundle<'p> {
    files: BTreeMap<ContentPath, Source<'p>>,
    evidence: &'p dyn Files,
    checkpoint: Checkpoint,
}

impl<'p> Bundle<'p> {
    /// Puts a bundle together. The trace and the journal are read once; evidence is digested.
    ///
    /// # Errors
    /// [`AssembleError`] if a part cannot be read or does not belong in a bundle.
    pub fn assemble(parts: Parts<'p>) -> Result<Self, AssembleError> {
        let trace = TraceReader::new(BufReader::new(Stream::new(parts.trace)))?.finish()?;
        let (chain, journal) = check_journal(BufReader::new(Stream::new(parts.journal)));
        let Some(journal) = journal else {
            let first = chain
                .failures()
                .first()
                .map(|failure| failure.message.clone());
            return Err(AssembleError::Journal(first.unwrap_or_default()));
        };
        let run = RunMeta::new(RunMetaContent::new(&journal, &trace));
        let mut bundle = Self {
            files: BTreeMap::new(),
            evidence: parts.evidence,
            checkpoint: Checkpoint::unsigned(CheckpointContent {
                session_id: journal.session_id,
                seq: journal.seq,
                chain_head: journal.chain_head,
                created_at: journal.last_commit_at,
                manifest_sha256: None,
            }),
        };
        bundle.put(paths::SPEC, Source::Made(file_of(parts.spec)))?;
        bundle.put(paths::PLAN, Source::Made(file_of(parts.plan)))?;
        bundle.put(paths::REPORT, Source::Made(file_of(parts.report)))?;
        bundle.put(paths::RUN, Source::Made(file_of(&run)))?;
        let fingerprint = format!("{}\n", trace.fingerprint);
        bundle.put(paths::FINGERPRINT, Source::Made(fingerprint.into_bytes()))?;
        bundle.put(paths::TRACE, Source::Part(parts.trace))?;
        bundle.put(paths::JOURNAL, Source::Part(parts.journal))?;
        bundle.put_evidence()?;
        bundle.seal(parts.key)?;
        Ok(bundle)
    }

    fn put(&mut self, path: &str, source: Source<'p>) -> Result<(), AssembleError> {
        let fail = |fault| AssembleError::Path {
            path: path.to_owned(),
            fault,
        };
        self.files
            .insert(ContentPath::new(path).map_err(fail)?, source);
        Ok(())
    }

    fn put_evidence(&mut self) -> Result<(), AssembleError> {
        let mut paths = Vec::new();
        self.evidence
            .visit_paths(&mut |path| paths.push(path.to_owned()))?;
        for path in paths {
            if !path.starts_with(paths::EVIDENCE) {
                return Err(AssembleError::Place(path));
            }
            self.put(&path, Source::Evidence)?;
        }
        Ok(())
    }

    fn seal(&mut self, key: Option<&CheckpointKey>) -> Result<(), AssembleError> {
        let mut digests: Vec<(&str, Digest)> = Vec::with_capacity(self.files.len());
        for path in self.files.keys() {
            let file = self.open(path.as_str())?.ok_or(io::ErrorKind::NotFound);
            digests.push((path.as_str(), digest_of(&file.map_err(io::Error::from)?)?));
        }
        let manifest = write_manifest(digests.into_iter());
        let mut content = self.checkpoint.content().clone();
        content.manifest_sha256 = Some(entail_json::sha256(manifest.as_bytes()));
        self.checkpoint = match key {
            Some(key) => Checkpoint::signed(content, key),
            None => Checkpoint::unsigned(content),
        };
        let checkpoint = file_of(&self.checkpoint);
        self.put(paths::MANIFEST, Source::Made(manifest.into_bytes()))?;
        self.put(paths::CHECKPOINT, Source::Made(checkpoint))
    }

    /// The bundle's checkpoint.
    #[must_use]
    pub fn checkpoint(&self) -> &Checkpoint {
        &self.checkpoint
    }

    /// Writes the bundle as a tar.gz whose bytes depend on nothing but its files.
    ///
    /// # Errors
    /// What the output or a part says.
    pub fn write_tar_gz<W: Write>(&self, out: W) -> io::Result<W> {
        let mut tar = TarWriter::new(Gzip::new(out));
        for path in self.files.keys() {
            let file = self.open(path.as_str())?.ok_or(io::ErrorKind::NotFound)?;
            tar.file(path, file.length()?, Stream::new(&file))?;
        }
        tar.finish()?.finish()
    }
}

/// The files of the bundle, to write them into a directory or to give one of them out.
impl Files for Bundle<'_> {
    fn open(&self, path: &str) -> io::Result<Option<Box<dyn Bytes + '_>>> {
        let Ok(path) = ContentPath::new(path) else {
            return Ok(None);
        };
        match self.files.get(&path) {
            None => Ok(None),
            Some(Source::Made(bytes)) => Ok(Some(Box::new(bytes.as_slice()))),
            Some(Source::Part(bytes)) => Ok(Some(Box::new(*bytes))),
            Some(Source::Evidence) => self.evidence.open(path.as_str()),
        }
    }

    fn visit_paths(&self, visit: &mut dyn FnMut(&str)) -> io::Result<()> {
        self.files.keys().for_each(|path| visit(path.as_str()));
        Ok(())
    }
}

impl std::fmt::Debug for Bundle<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.files.keys()).finish()
    }
}

/// A record as a file: its canonical text and a line end.
pub(super) fn file_of(record: &impl Record) -> Vec<u8> {
    let mut text = record.to_canonical();
    text.push('\n');
    text.into_bytes()
}
