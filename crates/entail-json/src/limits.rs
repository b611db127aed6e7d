//! The reader's limits, all in one place.

/// The deepest nesting any reader accepts, whatever its own limit says.
///
/// Values are compared, cloned and dropped by nesting, so this bounds their use of the stack.
pub const MAX_DEPTH: usize = 512;

/// The nesting accepted unless a caller says otherwise: a scalar is 0 deep, `[]` is 1.
pub const DEFAULT_DEPTH: usize = 128;

/// How many levels of a fault's place are kept, from the outside in.
pub const FAULT_PATH: usize = 4;

/// Objects up to this many members are searched from end to end; larger ones by bisection.
pub(crate) const LINEAR_MEMBERS: usize = 16;

/// What a [`Reader`](crate::Reader) accepts.
///
/// ```
/// let limits = entail_json::Limits { max_bytes: 10, ..Default::default() };
/// let reader = entail_json::Reader { limits, ..Default::default() };
/// assert!(reader.read(b"[1,2,3,4,5,6]").is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Longest text in bytes.
    pub max_bytes: usize,
    /// Deepest nesting; never more than [`MAX_DEPTH`].
    pub max_depth: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_bytes: usize::MAX,
            max_depth: DEFAULT_DEPTH,
        }
    }
}
