//! The records: what each holds, how it is read and how it is written.

mod claim;
mod event;
mod evidence;
mod output;
mod plan;
mod report;
mod spec;
mod tool;
mod trace;

pub use claim::{Claim, ClaimContent, Confidence, SupportRef};
pub use event::{Payload, TraceEvent};
pub use evidence::{EvidenceRef, EvidenceRefContent};
pub use output::{
    Derived, Finalized, Gathered, InsufficientEvidence, StepOutput, Understood, Verified,
};
pub use plan::{Plan, PlanContent, PlanNode, PlanNodeContent, StepSpec, ToolRequest};
pub use report::{Check, Failure, VerificationReport};
pub use spec::{ProblemSpec, ProblemSpecContent};
pub use tool::{ToolCall, ToolCallContent, ToolResult};
pub use trace::{
    CANONICALIZATION_VERSION, FINGERPRINT_ALGO, RUNTIME_PROTOCOL_VERSION, SCHEMA_VERSION,
    SCHEMA_VERSIONS, Trace, TraceHasher, TraceHeader, TraceHeaderContent,
};

use entail_json::{Limits, ReadError, ReadErrorKind, Reader, Value};

use crate::fault::{At, Faults, RecordError};
use crate::limits::MAX_RECORD_DEPTH;
use crate::sink::{TextSink, ValueSink};

/// A record of the format: strict on input, one canonical form on output.
///
/// ```
/// use entail_trace::{Record, ToolResult};
///
/// let result = ToolResult::from_json(br#"{"call_id": "c", "ok": false, "error": "boom"}"#)?;
/// assert_eq!(
///     result.to_canonical(),
///     r#"{"call_id":"c","error":"boom","result":null,"success":false}"#,
/// );
/// # Ok::<(), entail_trace::FromJsonError>(())
/// ```
pub trait Record: sealed::Plumbing + Sized {
    /// What the record is called in messages.
    const NAME: &'static str;

    /// Reads a record: fills defaults, resolves aliases, derives an id that was not given.
    ///
    /// # Errors
    /// [`RecordError`] with every fault: unknown, missing or doubled fields, values of the wrong
    /// type or out of range.
    fn read(value: Value) -> Result<Self, RecordError> {
        let mut faults = Faults::default();
        let read = Self::parse(value, &At::ROOT, &mut faults);
        faults.settle(Self::NAME, read)
    }

    /// Reads a record from strict JSON text.
    ///
    /// # Errors
    /// [`FromJsonError`] if the bytes are not JSON, or not this record.
    fn from_json(bytes: &[u8]) -> Result<Self, FromJsonError> {
        Ok(Self::read(read_json(bytes)?)?)
    }

    /// The record as a value.
    fn to_value(&self) -> Value {
        let mut sink = ValueSink::default();
        self.emit(&mut sink);
        sink.finish()
    }

    /// The record's one canonical text.
    fn to_canonical(&self) -> String {
        let mut text = String::new();
        self.write_canonical(&mut text);
        text
    }

    /// Appends the record's canonical text.
    fn write_canonical(&self, out: &mut String) {
        self.emit(&mut TextSink::new(out));
    }
}

/// Bytes that are not the record they should be.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FromJsonError {
    /// They are not JSON.
    #[error("not valid json")]
    Json(#[from] ReadError),
    /// They are JSON but not the record.
    #[error(transparent)]
    Record(#[from] RecordError),
}

/// Reads strict JSON as deep as a record may be.
pub(crate) fn read_json(bytes: &[u8]) -> Result<Value, ReadError> {
    let limits = Limits {
        max_depth: MAX_RECORD_DEPTH,
        ..Limits::default()
    };
    let reading = Reader {
        limits,
        ..Reader::default()
    }
    .read(bytes)?;
    match reading.faults.first() {
        None => Ok(reading.value),
        Some(fault) => {
            let kind = ReadErrorKind::Fault(fault.kind);
            Err(entail_json::Failure {
                kind,
                offset: fault.offset,
            }
            .locate(bytes))
        }
    }
}

pub(crate) mod sealed {
    use entail_json::Value;

    use crate::fault::{At, Faults};
    use crate::sink::Sink;

    /// How a record is read and written; not for callers.
    pub trait Plumbing {
        /// Reads the record at a place; `None` means that a fault was recorded.
        fn parse(value: Value, at: &At<'_>, faults: &mut Faults) -> Option<Self>
        where
            Self: Sized;
        /// Writes the record.
        fn emit<S: Sink>(&self, sink: &mut S);
    }
}

/// Implements [`Record`] for a record with an id.
macro_rules! identified {
    ($name:ident) => {
        impl crate::record::Record for $name {
            const NAME: &'static str = stringify!($name);
        }
    };
}
use identified;
