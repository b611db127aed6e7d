//! Archives whose bytes depend on nothing but their files, and the careful reading of others'.

mod gzip;
mod tar;

pub use gzip::{Gzip, gunzip};
pub use tar::{Tar, TarWriter};

use std::io;

use crate::limits::MAX_ARCHIVE_FILES;
use crate::path::PathError;

/// An archive that is not read, because it is broken or not safe.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// The archive cannot be read.
    #[error("the archive cannot be read")]
    Io(#[from] io::Error),
    /// It is not compressed with gzip, or not to the end.
    #[error("the archive is not valid gzip")]
    Gzip(#[source] io::Error),
    /// Something follows the compressed data.
    #[error("the archive goes on after its end: remove what follows")]
    Trailing,
    /// It unpacks to too much.
    #[error("the archive unpacks to more than {limit} bytes: raise the limit if that is right")]
    TooLarge {
        /// The most bytes it may unpack to.
        limit: u64,
    },
    /// It holds too many files.
    #[error("the archive holds more than {MAX_ARCHIVE_FILES} files")]
    TooManyFiles,
    /// It ends too early.
    #[error("the archive ends early, at byte {offset}")]
    Truncated {
        /// Where.
        offset: u64,
    },
    /// A header of it is not one.
    #[error("the archive's header at byte {offset} is broken: {fault}")]
    Header {
        /// Where.
        offset: u64,
        /// What is wrong with it.
        fault: &'static str,
    },
    /// It holds something other than files and directories.
    #[error("the archive holds an entry of type `{kind}` at byte {offset}: only files are read")]
    Kind {
        /// Where.
        offset: u64,
        /// Its type, as a character.
        kind: char,
    },
    /// A path of it leads elsewhere.
    #[error("the archive names a file at byte {offset} that is not safe: {fault}")]
    Path {
        /// Where.
        offset: u64,
        /// What is wrong with it.
        #[source]
        fault: PathError,
    },
    /// Two of its files have one path.
    #[error("the archive holds `{path}` twice")]
    Duplicate {
        /// The path.
        path: String,
    },
}
