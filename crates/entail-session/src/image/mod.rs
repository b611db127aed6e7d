//! Images: a session as bytes, to be loaded in place of its journal up to there.
//!
//! An image is never the truth. It says which entry of which journal it stands for, and what goes
//! on from it has to follow that entry; one that is damaged, foreign or of a form that this build
//! does not know is refused, and the journal is replayed instead. What it leads to is what the
//! journal leads to, byte for byte.
//!
//! | module | subject |
//! |---|---|
//! | `state` | everything beside the belief base |
//! | `fields` | the small parts |
//!
//! The belief base's part is its own, and so is the trace's.

mod fields;
mod state;

use std::sync::Arc;

use entail_json::{Digest, sha256};
use entail_kernel::Base;
use entail_kernel::image::{Malformed, Reader, Writer};
use entail_kernel::text::Document;

use crate::limits::Limits;
use crate::session::Session;
use crate::trace::TraceLog;

/// The form of the images that this build writes, and the only one that it reads.
///
/// It changes with anything that an image holds, or that is made of what it holds.
pub const IMAGE_FORMAT: u32 = 1;

/// A session's state at one version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// The form of the bytes.
    pub format: u32,
    /// The version: the place of the last entry that it holds.
    pub version: u64,
    /// The hash of that entry.
    pub head: Digest,
    /// The SHA-256 of the bytes.
    pub sha256: Digest,
    /// The state.
    pub bytes: Vec<u8>,
}

/// Why an image was refused. The journal is there to be replayed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ImageError {
    /// It was written by another build.
    #[error("the image has format {format}, and this build reads {IMAGE_FORMAT}")]
    UnknownFormat {
        /// Its form.
        format: u32,
    },
    /// Its bytes are not those that were written.
    #[error("the image does not have the digest it was kept with")]
    Damaged,
    /// It is of another session, or of another version or history than it was kept for.
    #[error("the image is not of this session at this entry: its {what} is another")]
    Foreign {
        /// What does not fit.
        what: &'static str,
    },
    /// Its bytes have the digest, but are no session.
    #[error("the image cannot be read")]
    Malformed {
        /// Where.
        #[source]
        source: Malformed,
    },
    /// A document's text is not there.
    #[error("the text of a document of the image is missing: {sha256}")]
    MissingDocument {
        /// The SHA-256 of its bytes.
        sha256: Digest,
    },
}

impl ImageError {
    /// One word for it, for those who count.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match self {
            Self::UnknownFormat { .. } => "unknown_format",
            Self::Damaged => "damaged",
            Self::Foreign { .. } => "foreign",
            Self::Malformed { .. } => "malformed",
            Self::MissingDocument { .. } => "missing_document",
        }
    }
}

impl From<Malformed> for ImageError {
    fn from(source: Malformed) -> Self {
        Self::Malformed { source }
    }
}

impl Image {
    /// The digests of the document texts that it names, each once, to be at hand for
    /// [`Session::from_image`].
    ///
    /// # Errors
    /// [`ImageError`] when this build cannot read it.
    pub fn documents(&self) -> Result<Vec<Digest>, ImageError> {
        self.check()?;
        let mut from = Reader::new(&self.bytes);
        Head::read(&mut from)?;
        let mut digests = state::read_documents(&mut from)?;
        digests.sort_unstable();
        digests.dedup();
        Ok(digests)
    }

    fn check(&self) -> Result<(), ImageError> {
        if self.format != IMAGE_FORMAT {
            return Err(ImageError::UnknownFormat {
                format: self.format,
            });
        }
        if sha256(&self.bytes) != self.sha256 {
            return Err(ImageError::Damaged);
        }
        Ok(())
    }
}

/// What an image begins with.
struct Head<'a> {
    id: &'a str,
    version: u64,
    head: Digest,
    time: entail_kernel::Time,
}

impl<'a> Head<'a> {
    fn of(session: &'a Session) -> Self {
        Self {
            id: session.id(),
            version: session.version(),
            head: session.chain_head(),
            time: session.last_commit_at(),
        }
    }

    fn write(&self, out: &mut Writer) {
        out.text(self.id);
        out.number(self.version);
        out.digest(&self.head);
        out.signed(self.time.micros());
    }

    fn read(from: &mut Reader<'a>) -> Result<Self, Malformed> {
        Ok(Self {
            id: from.text()?,
            version: from.number()?,
            head: from.digest()?,
            time: from.time()?,
        })
    }
}

impl Session {
    /// The session as an image; none while a command waits to be confirmed, since the journal
    /// does not hold it yet. Linear in the session.
    #[must_use]
    pub fn image(&self) -> Option<Image> {
        if self.is_pending() {
            return None;
        }
        let mut out = Writer::default();
        Head::of(self).write(&mut out);
        self.state.write_image(&mut out);
        self.base.write_image(&mut out);
        self.trace.write_image(&mut out);
        let bytes = out.into_bytes();
        Some(Image {
            format: IMAGE_FORMAT,
            version: self.version(),
            head: self.chain_head(),
            sha256: sha256(&bytes),
            bytes,
        })
    }

    /// The session that an image holds, at the image's version; [`apply`](Self::apply) takes in
    /// what the journal has beyond. `documents` gives the text of a digest; see
    /// [`Image::documents`].
    ///
    /// # Errors
    /// [`ImageError`]: then the journal has to be replayed.
    ///
    /// ```
    /// use entail_kernel::Time;
    /// use entail_session::{Limits, Opening, Session};
    ///
    /// let id = "0190a6f0-0000-7000-8000-000000000000";
    /// let (mut session, _) = Session::open(id, Opening::new("t"), Limits::default(), Time::EPOCH)?;
    /// session.confirm();
    /// let image = session.image().ok_or("nothing is pending")?;
    /// let copy = Session::from_image(id, &image, Limits::default(), |_| None)?;
    /// assert_eq!(copy.dump(), session.dump());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_image(
        id: &str,
        image: &Image,
        limits: Limits,
        mut documents: impl FnMut(&Digest) -> Option<Arc<Document>>,
    ) -> Result<Self, ImageError> {
        image.check()?;
        let mut from = Reader::new(&image.bytes);
        let head = Head::read(&mut from)?;
        for (what, is_the_same) in [
            ("session", head.id == id),
            ("version", head.version == image.version),
            ("entry", head.head == image.head),
        ] {
            if !is_the_same {
                return Err(ImageError::Foreign { what });
            }
        }
        let mut session = Self::empty(id, limits);
        session.stand_at(head.version, head.head, head.time);
        session.state = state::read(&mut from, &mut documents)?;
        session.base = Base::read_image(&mut from)?;
        session.trace = TraceLog::read_image(&mut from, &session.base, &session.state)?;
        from.end()?;
        Ok(session)
    }
}
