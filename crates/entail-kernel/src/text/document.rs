//! Documents: text, its digest, and its index.

use std::ops::Range;

use entail_json::{Digest, Value, sha256};

use super::folding::{Folded, fold};
use super::statement::{self, NotStated};
use crate::limits::DOCUMENT_BYTES;

/// A text that quotes are looked up in. It is folded once, when it is made; a lookup then costs
/// one pass over the folded copy.
#[derive(Clone, Debug)]
pub struct Document {
    text: Box<str>,
    id: Digest,
    folded: Folded,
}

/// Where a quote stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuoteMatch {
    /// The bytes of the document that the quote matches first, on whole characters with all
    /// their marks.
    pub span: Range<usize>,
    /// How many times it stands there, none overlapping an earlier one.
    pub occurrences: usize,
    /// The SHA-256 of the bytes of `span`.
    pub sha256: Digest,
}

/// A text too long to be a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a document of {bytes} bytes is too long; split it into parts of at most {DOCUMENT_BYTES}")]
pub struct DocumentTooLarge {
    /// The length of the text.
    pub bytes: usize,
}

impl Document {
    /// Indexes `text`. Linear; the index takes about as much memory again as the text.
    ///
    /// # Errors
    ///
    /// If the text is longer than [`DOCUMENT_BYTES`].
    pub fn new(text: impl Into<Box<str>>) -> Result<Self, DocumentTooLarge> {
        let text = text.into();
        let folded = Folded::new(&text).ok_or(DocumentTooLarge { bytes: text.len() })?;
        Ok(Self {
            id: sha256(text.as_bytes()),
            folded,
            text,
        })
    }

    /// The text, as it was given.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The SHA-256 of the text's bytes.
    #[must_use]
    pub fn id(&self) -> Digest {
        self.id
    }

    /// Bytes on the heap: the text and its index.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        self.text.len() + self.folded.heap_bytes()
    }

    /// The folded text and its map.
    #[must_use]
    pub fn folded(&self) -> &Folded {
        &self.folded
    }

    /// Where `quote` stands, compared as [`fold`] has it. A blank quote stands nowhere, and an
    /// ellipsis matches only an ellipsis.
    ///
    /// ```
    /// use entail_kernel::text::Document;
    ///
    /// let memo = Document::new("Costs fell. Costs  rose – by 3.5%.")?;
    /// let found = memo.find("costs rose - by").ok_or("not found")?;
    /// assert_eq!(found.span, 12..30);
    /// assert_eq!(memo.find("costs").map(|found| found.occurrences), Some(2));
    /// assert_eq!(memo.find("Costs … 3.5%"), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn find(&self, quote: &str) -> Option<QuoteMatch> {
        let found = self.folded.find(&fold(quote))?;
        let bytes = self.text.as_bytes().get(found.span.clone())?;
        Some(QuoteMatch {
            sha256: sha256(bytes),
            span: found.span,
            occurrences: found.count,
        })
    }

    /// Whether the quote found at `quote` states `value`, read as the document writes it and
    /// with a look at what the quote's ends cut: `15` out of `1500` states no 15, `3.5%` out of
    /// `-3.5%` no 3.5, `Aust` out of `Austin` no `Aust`. What only the cut part says is not
    /// stated either: `$4.3 bill` out of `$4.3 billion` states no 4300000000.
    ///
    /// # Errors
    ///
    /// If it does not; the error says what the quote does state.
    pub fn states(&self, quote: &QuoteMatch, value: &Value) -> Result<(), NotStated> {
        statement::states_within(value, &self.text, quote.span.clone())?;
        match self.text.get(quote.span.clone()) {
            Some(cited) => statement::states(value, cited),
            None => Ok(()),
        }
    }
}
