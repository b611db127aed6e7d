//! Ids, given or derived from content.

use std::borrow::Borrow;
use std::fmt;
use std::ops::Deref;

use entail_json::{Digest, sha256};

use crate::limits::MAX_ID_BYTES;
use crate::sink::TextSink;

/// An id of a record, or a reference to one: text that is never empty and at most
/// [`MAX_ID_BYTES`] long.
///
/// ```
/// use entail_trace::Id;
///
/// let id = Id::new("node_v1_x")?;
/// assert_eq!(id.as_str(), "node_v1_x");
/// assert!(Id::new("").is_err());
/// # Ok::<(), entail_trace::IdError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id(String);

/// Text that cannot be an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IdError {
    /// There is no text.
    #[error("an id must not be empty")]
    Empty,
    /// There is too much of it.
    #[error("an id has at most {MAX_ID_BYTES} bytes")]
    TooLong,
}

impl Id {
    /// The id with this text.
    ///
    /// # Errors
    /// [`IdError`] if the text is empty or too long.
    pub fn new(text: impl Into<String>) -> Result<Self, IdError> {
        let text = text.into();
        match text.len() {
            0 => Err(IdError::Empty),
            length if length > MAX_ID_BYTES => Err(IdError::TooLong),
            _ => Ok(Self(text)),
        }
    }

    pub(crate) fn from_digest(digest: Digest) -> Self {
        Self(digest.to_string())
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The text, owned.
    #[must_use]
    pub fn into_string(self) -> String {
        self.0
    }
}

impl Deref for Id {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl AsRef<str> for Id {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl Borrow<str> for Id {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for Id {
    type Error = IdError;

    fn try_from(text: String) -> Result<Self, IdError> {
        Self::new(text)
    }
}

/// What an id derived from content names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IdKind {
    /// A problem.
    Spec,
    /// A node of a plan.
    Node,
    /// A plan.
    Plan,
    /// A tool call.
    Call,
    /// A piece of evidence.
    Evidence,
    /// A claim.
    Claim,
    /// A trace.
    Trace,
    /// A run.
    Run,
}

impl IdKind {
    /// The word an id of this kind begins with.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Spec => "spec",
            Self::Node => "node",
            Self::Plan => "plan",
            Self::Call => "call",
            Self::Evidence => "evidence",
            Self::Claim => "claim",
            Self::Trace => "trace",
            Self::Run => "run",
        }
    }

    /// The id of content with this fingerprint.
    ///
    /// ```
    /// use entail_trace::IdKind;
    ///
    /// let id = IdKind::Spec.id(entail_json::sha256(b"{}"));
    /// assert!(id.starts_with("spec_v1_44136fa3"));
    /// ```
    #[must_use]
    pub fn id(self, fingerprint: Digest) -> Id {
        Id(format!("{}_v1_{fingerprint}", self.as_str()))
    }
}

/// What a record says, apart from its id.
pub trait Content: sealed::Hashed {
    /// What kind of id follows from it.
    const ID_KIND: IdKind;
}

pub(crate) mod sealed {
    use crate::id::Id;
    use crate::sink::Sink;

    /// How content is hashed and written; not for callers.
    pub trait Hashed {
        /// Writes exactly what the id is derived from.
        fn hashed<S: Sink>(&self, sink: &mut S);
        /// Writes the record.
        fn emit<S: Sink>(&self, id: &Id, sink: &mut S);
    }
}

/// A record with an id: either the one that follows from its content or, when it was read or
/// made with another, that one. It cannot be changed, so an id that was right stays right.
///
/// The content's fields are read as if they were the record's own.
///
/// ```
/// use entail_trace::{ProblemSpec, ProblemSpecContent};
///
/// let spec = ProblemSpec::new(ProblemSpecContent::new("Compare Q2 and Q3"));
/// assert_eq!(spec.description, "Compare Q2 and Q3");
/// assert_eq!(
///     spec.id().as_str(),
///     "spec_v1_a4730b82ea73ae4b5a0370ca58d5869008cca47c665ca263558e2eebfe3e600c",
/// );
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Identified<C> {
    id: Id,
    content: C,
}

impl<C: Content> Identified<C> {
    /// The record with the id that follows from its content.
    #[must_use]
    pub fn new(content: C) -> Self {
        Self {
            id: content_id(&content),
            content,
        }
    }

    /// The record under an id of the caller's choice.
    #[must_use]
    pub fn with_id(id: Id, content: C) -> Self {
        Self { id, content }
    }

    /// The record under the id it was read with, or else under the one of its content.
    pub(crate) fn read_as(id: Option<Id>, content: C) -> Self {
        match id {
            Some(id) => Self { id, content },
            None => Self::new(content),
        }
    }

    /// The id.
    #[must_use]
    pub fn id(&self) -> &Id {
        &self.id
    }

    /// The id that follows from the content, computed anew.
    #[must_use]
    pub fn content_id(&self) -> Id {
        content_id(&self.content)
    }

    /// Whether the id is the one that follows from the content.
    #[must_use]
    pub fn has_content_id(&self) -> bool {
        self.id == self.content_id()
    }

    /// The content, to make another record of.
    #[must_use]
    pub fn into_content(self) -> C {
        self.content
    }
}

impl<C> Deref for Identified<C> {
    type Target = C;

    fn deref(&self) -> &C {
        &self.content
    }
}

fn content_id<C: Content>(content: &C) -> Id {
    let mut text = String::new();
    content.hashed(&mut TextSink::new(&mut text));
    C::ID_KIND.id(sha256(text.as_bytes()))
}
