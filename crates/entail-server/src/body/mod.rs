//! Bodies: read whole within limits, as exact JSON or as text; written as canonical JSON.

pub(crate) mod decode;
mod read;
mod write;

pub(crate) use read::{JsonBody, MaybeJson, TextOrJson, read_bytes};
pub(crate) use write::{JSON, json, json_with};
