//! Exact JSON: values that keep what was written, a strict reader that says where a fault
//! stands, one canonical form, and the SHA-256 of its bytes.
//!
//! An integer of any size stays that integer, `1` and `1.0` stay apart, a member name given
//! twice is reported and never silently dropped. Reading, writing, comparing and dropping are
//! bounded by [`limits::MAX_DEPTH`], so no input can exhaust the stack.
//!
//! ```
//! use entail_json::{read_str, to_canonical};
//!
//! let value = read_str(r#"{"n": 12345678901234567890123, "f": 4300000000.0}"#)?;
//! assert_eq!(to_canonical(&value), r#"{"f":4300000000.0,"n":12345678901234567890123}"#);
//! # Ok::<(), entail_json::ReadError>(())
//! ```

mod build;
pub mod digest;
pub mod limits;
mod number;
mod object;
mod plain;
mod position;
mod read;
mod value;
mod write;

pub use digest::{Digest, Hasher, sha256};
pub use limits::Limits;
pub use number::Number;
pub use object::{Members, Object};
pub use position::{Position, position};
pub use read::{
    Failure, Fault, FaultKind, ReadError, ReadErrorKind, Reader, Reading, read, read_str,
};
pub use value::Value;
pub use write::{fingerprint, to_canonical, write_canonical, write_float, write_string};
