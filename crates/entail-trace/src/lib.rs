//! Records of a line of reasoning, and the checking of them: content ids, traces, evidence,
//! reports and bundles.
//!
//! A claim is not a free-standing string: it belongs to a problem and a plan, appears in an
//! ordered trace, and points to the exact bytes that support it. Every record is read strictly
//! ([`Record`]), has one canonical text, and an id that follows from its content
//! ([`Identified`]).
//!
//! ```
//! use entail_trace::{Claim, Record};
//!
//! let claim = Claim::from_json(br#"{"statement": "s", "status": "validated"}"#)?;
//! assert!(claim.id().starts_with("claim_v1_dd5d73b2"));
//! # Ok::<(), entail_trace::FromJsonError>(())
//! ```
//!
//! The crate is pure: it works over byte readers and writers and knows no file system and no
//! clock.

mod archive;
mod bundle;
mod bytes;
mod fault;
mod fields;
mod id;
pub mod journal;
mod jsonl;
pub mod limits;
mod path;
mod record;
mod render;
mod sink;
mod span;
mod verify;
mod words;

pub use archive::{ArchiveError, Gzip, Tar, TarWriter, gunzip};
pub use bundle::{
    AssembleError, Bundle, BundleVerification, ChainCheck, Checkpoint, CheckpointContent,
    CheckpointKey, Expectations, JournalEnd, Parts, PemError, PublicKey, RunMeta, RunMetaContent,
    SignatureError, Trust, check_journal, may_hold_private_key, paths, verify_bundle,
    verify_journal,
};
pub use bytes::{Bytes, Files, Section, Seekable, Stream, digest_of, read_whole};
pub use fault::{Fault, RecordError};
pub use id::{Content, Id, IdError, IdKind, Identified};
pub use jsonl::{
    LineError, LineReader, Place, RawLine, ReadTraceError, ReadTraceErrorKind, TraceEnd,
    TraceReader, TraceWriter, Written, write_trace,
};
pub use path::{ContentPath, PathError};
pub use record::{
    CANONICALIZATION_VERSION, Check, Claim, ClaimContent, Confidence, Derived, EvidenceRef,
    EvidenceRefContent, FINGERPRINT_ALGO, Failure, Finalized, FromJsonError, Gathered,
    InsufficientEvidence, Payload, Plan, PlanContent, PlanNode, PlanNodeContent, ProblemSpec,
    ProblemSpecContent, RUNTIME_PROTOCOL_VERSION, Record, SCHEMA_VERSION, SCHEMA_VERSIONS,
    StepOutput, StepSpec, SupportRef, ToolCall, ToolCallContent, ToolRequest, ToolResult, Trace,
    TraceEvent, TraceHasher, TraceHeader, TraceHeaderContent, Understood, VerificationReport,
    Verified,
};
pub use render::{Answer, Node, NodeKind, ReportView};
pub use span::Span;
pub use verify::{
    CheckName, CheckResult, Layer, LayerOutcome, LayerStatus, PlanIndex, Results, Subject,
    Verification, Work, verify_trace,
};
pub use words::{ClaimStatus, ClaimType, Severity, StepKind, SupportKind};
