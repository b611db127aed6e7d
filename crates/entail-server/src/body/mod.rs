//! Bodies: read whole within limits, as exact JSON or as text; written as canonical JSON.

pub(crate) mod decode;
mod read;
mod spoken;
mod stream;
mod write;

pub(crate) use read::{GzipOrJson, JsonBody, MaybeJson, TextOrJson, decode_value};
pub(crate) use spoken::SpokenBody;
pub(crate) use stream::stream;
pub(crate) use write::{JSON, json};
