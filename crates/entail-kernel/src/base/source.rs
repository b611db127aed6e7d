//! Where a belief comes from.

use std::fmt;
use std::str::FromStr;

use entail_json::{Digest, Value};

/// What kind of thing a source is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SourceKind {
    /// A tool that was called.
    Tool,
    /// A document that was quoted.
    Document,
    /// A person.
    Human,
    /// A language model.
    Model,
    /// A registered rule.
    Rule,
    /// Something taken for granted.
    Assumption,
}

impl SourceKind {
    /// Every kind.
    pub const ALL: [Self; 6] = [
        Self::Tool,
        Self::Document,
        Self::Human,
        Self::Model,
        Self::Rule,
        Self::Assumption,
    ];

    /// The word for it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Tool => "tool",
            Self::Document => "document",
            Self::Human => "human",
            Self::Model => "model",
            Self::Rule => "rule",
            Self::Assumption => "assumption",
        }
    }

    /// Whether what it says rests on something outside: a tool, a document or a person.
    #[must_use]
    pub const fn is_grounded(self) -> bool {
        matches!(self, Self::Tool | Self::Document | Self::Human)
    }
}

impl fmt::Display for SourceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl FromStr for SourceKind {
    type Err = InvalidSource;

    fn from_str(word: &str) -> Result<Self, InvalidSource> {
        Self::ALL
            .into_iter()
            .find(|kind| kind.word() == word)
            .ok_or_else(|| InvalidSource(word.to_owned()))
    }
}

/// Text that does not name a source.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not a source: write `kind:name`, where kind is tool, document, human, model, rule or assumption"
)]
pub struct InvalidSource(pub String);

/// A source with everything that identifies it.
///
/// Two premises come from the same source when all of this is equal. Reliability is kept by
/// [`label`](Self::label) (`kind:name`); independence goes by origin alone, which is the label
/// unless one is declared.
///
/// ```
/// use entail_kernel::base::{Source, SourceKind};
///
/// let source: Source = "tool:get_revenue".parse()?;
/// assert_eq!((source.kind, source.name.as_str()), (SourceKind::Tool, "get_revenue"));
/// assert_eq!(source.with_origin("ledger db").origin.as_deref(), Some("ledger db"));
/// # Ok::<(), entail_kernel::base::InvalidSource>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Source {
    /// What kind of thing it is.
    pub kind: SourceKind,
    /// Its name, not empty.
    pub name: String,
    /// The arguments of the tool call.
    pub arguments: Option<Value>,
    /// The words quoted from the document.
    pub quote: Option<String>,
    /// Whose word it is in the end; `kind:name` when absent.
    pub origin: Option<String>,
}

impl Source {
    /// A source that only has a kind and a name.
    #[must_use]
    pub fn new(kind: SourceKind, name: impl Into<String>) -> Self {
        Self {
            kind,
            name: name.into(),
            arguments: None,
            quote: None,
            origin: None,
        }
    }

    /// The same source under a declared origin.
    #[must_use]
    pub fn with_origin(mut self, origin: impl Into<String>) -> Self {
        self.origin = Some(origin.into());
        self
    }

    /// The same source, called with these arguments.
    #[must_use]
    pub fn with_arguments(mut self, arguments: Value) -> Self {
        self.arguments = Some(arguments);
        self
    }

    /// The same source, quoted with these words.
    #[must_use]
    pub fn with_quote(mut self, quote: impl Into<String>) -> Self {
        self.quote = Some(quote.into());
        self
    }

    /// What reliability is kept for: `kind:name`.
    #[must_use]
    pub fn label(&self) -> String {
        format!("{}:{}", self.kind, self.name)
    }
}

/// `kind:name`
impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.kind, self.name)
    }
}

impl FromStr for Source {
    type Err = InvalidSource;

    fn from_str(text: &str) -> Result<Self, InvalidSource> {
        let invalid = || InvalidSource(text.to_owned());
        let (kind, name) = text.split_once(':').ok_or_else(invalid)?;
        let kind = kind.parse().map_err(|_| invalid())?;
        if name.is_empty() {
            return Err(invalid());
        }
        Ok(Self::new(kind, name))
    }
}

/// Where in a document a quote stands: which version of the document, and which bytes of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Citation {
    /// The version of the document, counted from 1.
    pub version: u32,
    /// The SHA-256 of the document's UTF-8 bytes.
    pub document: Digest,
    /// The first byte of the quote.
    pub start: u64,
    /// The first byte after the quote.
    pub end: u64,
    /// The SHA-256 of the quote's bytes in the document.
    pub digest: Digest,
}
