//! The parser's limits, all in one place.

/// The longest response any parser reads, whatever its own limit says: places in it are kept in
/// 31 bits.
pub const MAX_BYTES: usize = (1 << 31) - 1;

/// The deepest nesting any parser accepts, whatever its own limit says.
pub const MAX_DEPTH: usize = entail_json::limits::MAX_DEPTH;

/// How much of what a model wrote is quoted back in a message, in characters.
pub(crate) const QUOTED_CHARACTERS: usize = 60;

/// The longest name of a reasoning tag that is looked for, in bytes.
pub(crate) const TAG_NAME_BYTES: usize = 20;

/// How far behind the name of a channel its message may begin, in bytes.
pub(crate) const CHANNEL_HEADER_BYTES: usize = 64;

/// What a [`Parser`](crate::Parser) accepts.
///
/// ```
/// use entail_contract::{Limits, Parser};
///
/// let parser = Parser::new(Limits { actions: 1, ..Limits::default() });
/// let response = parser.parse(r#"[{"type": "answer", "text": "a"}, {"type": "answer", "text": "b"}]"#);
/// assert!(response.is_unusable());
/// assert_eq!(response.problems[0].code.as_str(), "limit_exceeded");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Longest response in bytes, reasoning included; never more than [`MAX_BYTES`]. A longer one
    /// is `limit_exceeded` as a whole.
    pub bytes: usize,
    /// Deepest nesting, the envelope counted (`[]` is 1); never more than [`MAX_DEPTH`]. An action
    /// that goes deeper is `unsupported_value`.
    pub depth: usize,
    /// Most actions in one response. A response with more is `limit_exceeded` as a whole.
    pub actions: usize,
    /// Longest value in bytes of its canonical JSON, for `value`, `args` and `text`. A longer one
    /// is `unsupported_value`.
    pub value_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            bytes: 16 << 20,
            depth: 128,
            actions: 200,
            value_bytes: 256 << 10,
        }
    }
}
