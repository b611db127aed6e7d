//! A packed bundle, unpacked into a file that is gone once it is closed.

use std::{
    fs::{self, File},
    io::{self, BufRead, Seek as _},
};

use entail_trace::{ArchiveError, Seekable, Tar, gunzip};

use crate::clock;

/// Unpacks a `tar.gz`, at most to so many bytes.
pub(crate) fn unpack(
    packed: impl BufRead,
    limit: u64,
) -> Result<Tar<Seekable<File>>, ArchiveError> {
    let mut file = nameless()?;
    gunzip(packed, &mut file, limit)?;
    file.rewind()?;
    Tar::open(Seekable::new(file), limit)
}

/// A file for this process alone that has no name any more.
fn nameless() -> io::Result<File> {
    let path = std::env::temp_dir().join(format!("entail-{}", clock::new_id()));
    let file = File::options()
        .read(true)
        .write(true)
        .create_new(true)
        .open(&path)?;
    fs::remove_file(path)?;
    Ok(file)
}
