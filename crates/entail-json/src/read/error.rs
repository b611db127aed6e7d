//! What can be wrong with a text.

use crate::{Position, limits::FAULT_PATH, position};

/// Why a text could not be read, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind}, at line {} column {}", position.line, position.column)]
pub struct ReadError {
    /// What is wrong.
    pub kind: ReadErrorKind,
    /// Where, as a byte offset.
    pub offset: usize,
    /// Where, as an editor would show it.
    pub position: Position,
}

/// A [`ReadError`] before its line and column were looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failure {
    /// What is wrong.
    pub kind: ReadErrorKind,
    /// Where, as a byte offset. Nothing beyond it was looked at.
    pub offset: usize,
}

impl Failure {
    /// Finds the line and column in the text that was read. Costs a pass over the text.
    #[must_use]
    pub fn locate(self, text: &[u8]) -> ReadError {
        ReadError {
            kind: self.kind,
            offset: self.offset,
            position: position(text, self.offset),
        }
    }
}

/// What is wrong with a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReadErrorKind {
    /// The text ended where more had to come.
    #[error("expected {expected}, found the end")]
    UnexpectedEnd {
        /// What could have stood there.
        expected: &'static str,
    },
    /// A character stands where it may not.
    #[error("expected {expected}, found {found:?}")]
    Unexpected {
        /// What could have stood there.
        expected: &'static str,
        /// What stands there.
        found: char,
    },
    /// A control character stands in a string as it is.
    #[error("the control character {found:?} must be escaped in a string")]
    ControlCharacter {
        /// The character.
        found: char,
    },
    /// Nested deeper than the limit.
    #[error("nested deeper than {max} levels")]
    TooDeep {
        /// The limit.
        max: usize,
    },
    /// Longer than the limit.
    #[error("longer than {max} bytes")]
    TooLong {
        /// The limit.
        max: usize,
    },
    /// Not UTF-8.
    #[error("not valid utf-8")]
    InvalidUtf8,
    /// A fault, to a reader that accepts none.
    #[error("{0}")]
    Fault(FaultKind),
}

/// Something that is JSON but cannot be kept as it was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FaultKind {
    /// A name that the same object already has; its value was dropped.
    #[error("the member name is given twice")]
    DuplicateName,
    /// U+0000, which no database stores in text.
    #[error("the string holds U+0000")]
    NulCharacter,
    /// Half of a surrogate pair, which is no character.
    #[error("the string holds an unpaired surrogate")]
    UnpairedSurrogate,
    /// A number past the range of floats.
    #[error("the number is too large for a float")]
    NumberOverflow,
}

/// A fault and its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What it is.
    pub kind: FaultKind,
    /// Where it stands, as a byte offset: of the name, of the number, of the character.
    pub offset: usize,
    pub(super) path: [u32; FAULT_PATH],
    pub(super) depth: u8,
}

impl Fault {
    /// The way from the outermost value to the fault, as far as [`FAULT_PATH`] levels: in a list
    /// the element's index, in an object the member's, counted among the members kept.
    #[must_use]
    pub fn path(&self) -> &[u32] {
        self.path
            .get(..usize::from(self.depth))
            .unwrap_or(&self.path)
    }
}
