//! `trace.jsonl`: one record a line, the header first.

mod line;
mod reader;
mod writer;

pub use line::{LineError, LineReader, RawLine};
pub(crate) use reader::read_event_line;
pub use reader::{Place, ReadTraceError, ReadTraceErrorKind, TraceEnd, TraceReader};
pub use writer::{TraceWriter, Written, write_trace};
pub(crate) use writer::{write_event_line, write_header_line};
