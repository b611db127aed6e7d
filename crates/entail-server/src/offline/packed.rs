//! A packed bundle, unpacked into a file that is gone once it is closed.

use std::{
    fs::{self, File},
    io::{self, BufRead, Seek as _},
    path::Path,
};

use entail_trace::{ArchiveError, Seekable, Tar, gunzip};

use crate::clock;

/// Unpacks a `tar.gz`, at most to so many bytes.
///
/// # Errors
/// [`ArchiveError::Io`] if `packed` cannot be read or the temporary directory has no room for
/// the file; any other is a fault of the archive.
pub(crate) fn unpack(
    packed: impl BufRead,
    limit: u64,
) -> Result<Tar<Seekable<File>>, ArchiveError> {
    unpack_in(&std::env::temp_dir(), packed, limit)
}

fn unpack_in(
    directory: &Path,
    packed: impl BufRead,
    limit: u64,
) -> Result<Tar<Seekable<File>>, ArchiveError> {
    let mut file = nameless(directory).map_err(|error| {
        let (kind, shown) = (error.kind(), directory.display());
        let said = format!(
            "the temporary directory `{shown}` cannot be written: {error}; name another by `TMPDIR`"
        );
        io::Error::new(kind, said)
    })?;
    gunzip(packed, &mut file, limit)?;
    file.rewind()?;
    Tar::open(Seekable::new(file), limit)
}

/// A file for this process alone that has no name any more.
fn nameless(directory: &Path) -> io::Result<File> {
    let path = directory.join(format!("entail-{}", clock::new_id()));
    let file = File::options()
        .read(true)
        .write(true)
        .create_new(true)
        .open(&path)?;
    fs::remove_file(path)?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_temporary_directory_that_cannot_be_written_is_told_as_such() {
        let nowhere = Path::new("/proc/self/nowhere");
        let Err(ArchiveError::Io(error)) = unpack_in(nowhere, &b"no archive"[..], 1) else {
            panic!("it is no fault of the archive");
        };
        let told = error.to_string();
        assert!(
            told.starts_with("the temporary directory `/proc/self/nowhere` cannot be written: "),
            "{told}"
        );
    }
}
