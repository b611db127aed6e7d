//! A session's records as files: written with the same bytes every time, checked without a
//! service.

mod assemble;
mod chain;
mod checkpoint;
mod key;
mod manifest;
mod pem;
mod run;
mod verify;

pub use assemble::{AssembleError, Bundle, Parts};
pub use chain::{ChainCheck, JournalEnd, check_journal};
pub use checkpoint::{Checkpoint, CheckpointContent, SignatureError, Trust};
pub use key::{CheckpointKey, PublicKey, may_hold_private_key};
pub use pem::PemError;
pub use run::{RunMeta, RunMetaContent};
pub use verify::{BundleVerification, Expectations, verify_bundle, verify_journal};

/// The files of a bundle besides its evidence.
pub mod paths {
    /// The problem.
    pub const SPEC: &str = "spec.json";
    /// The plan.
    pub const PLAN: &str = "plan.json";
    /// The trace.
    pub const TRACE: &str = "trace.jsonl";
    /// The report as of the last commit.
    pub const REPORT: &str = "verify.json";
    /// The digest of the trace.
    pub const FINGERPRINT: &str = "fingerprint.txt";
    /// The run: its session, its times, its ends.
    pub const RUN: &str = "run_meta.json";
    /// The digest of every other file but the checkpoint.
    pub const MANIFEST: &str = "manifest.json";
    /// The journal.
    pub const JOURNAL: &str = "journal.jsonl";
    /// The chain head and the manifest's digest, signed where there is a key.
    pub const CHECKPOINT: &str = "checkpoint.json";
    /// What the paths of evidence begin with.
    pub const EVIDENCE: &str = "evidence/";

    /// Every file that a bundle has.
    pub const ALL: [&str; 9] = [
        SPEC,
        PLAN,
        TRACE,
        REPORT,
        FINGERPRINT,
        RUN,
        MANIFEST,
        JOURNAL,
        CHECKPOINT,
    ];
}
