//! Bytes that can be read from anywhere, and files by name: what the offline checks work on.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::{self, Read, Seek, SeekFrom};

use entail_json::{Digest, Hasher};

/// Bytes of which any part can be read again.
///
/// ```
/// use entail_trace::{Bytes, Seekable};
///
/// let file = Seekable::new(std::io::Cursor::new(b"hello world"));
/// let mut word = [0; 5];
/// file.read_exact_at(6, &mut word)?;
/// assert_eq!((&word, file.length()?), (b"world", 11));
/// # Ok::<(), std::io::Error>(())
/// ```
pub trait Bytes {
    /// How many there are.
    ///
    /// # Errors
    /// What the source says.
    fn length(&self) -> io::Result<u64>;

    /// Reads some bytes from `offset` on into `into`, and says how many; 0 at the end.
    ///
    /// # Errors
    /// What the source says.
    fn read_at(&self, offset: u64, into: &mut [u8]) -> io::Result<usize>;

    /// Fills `into` with the bytes from `offset` on.
    ///
    /// # Errors
    /// What the source says; `UnexpectedEof` if there are too few.
    fn read_exact_at(&self, offset: u64, into: &mut [u8]) -> io::Result<()> {
        let mut filled = 0;
        while let Some(rest) = into.get_mut(filled..).filter(|rest| !rest.is_empty()) {
            let at = offset.saturating_add(u64::try_from(filled).unwrap_or(u64::MAX));
            match self.read_at(at, rest) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(read) => filled = filled.saturating_add(read),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

impl Bytes for [u8] {
    fn length(&self) -> io::Result<u64> {
        Ok(u64::try_from(self.len()).unwrap_or(u64::MAX))
    }

    fn read_at(&self, offset: u64, into: &mut [u8]) -> io::Result<usize> {
        let from = usize::try_from(offset).unwrap_or(usize::MAX);
        self.get(from..).unwrap_or_default().read(into)
    }
}

impl Bytes for Vec<u8> {
    fn length(&self) -> io::Result<u64> {
        self.as_slice().length()
    }

    fn read_at(&self, offset: u64, into: &mut [u8]) -> io::Result<usize> {
        self.as_slice().read_at(offset, into)
    }
}

impl<B: Bytes + ?Sized> Bytes for &B {
    fn length(&self) -> io::Result<u64> {
        (**self).length()
    }

    fn read_at(&self, offset: u64, into: &mut [u8]) -> io::Result<usize> {
        (**self).read_at(offset, into)
    }
}

impl<B: Bytes + ?Sized> Bytes for Box<B> {
    fn length(&self) -> io::Result<u64> {
        (**self).length()
    }

    fn read_at(&self, offset: u64, into: &mut [u8]) -> io::Result<usize> {
        (**self).read_at(offset, into)
    }
}

/// The bytes of something that can be sought in, such as an open file.
#[derive(Debug)]
pub struct Seekable<R>(RefCell<R>);

impl<R: Read + Seek> Seekable<R> {
    /// The bytes of `source` from its beginning to its end.
    pub fn new(source: R) -> Self {
        Self(RefCell::new(source))
    }
}

impl<R: Read + Seek> Bytes for Seekable<R> {
    fn length(&self) -> io::Result<u64> {
        self.0.borrow_mut().seek(SeekFrom::End(0))
    }

    fn read_at(&self, offset: u64, into: &mut [u8]) -> io::Result<usize> {
        let mut source = self.0.borrow_mut();
        source.seek(SeekFrom::Start(offset))?;
        source.read(into)
    }
}

/// Part of some bytes.
#[derive(Clone, Copy, Debug)]
pub struct Section<B> {
    bytes: B,
    start: u64,
    length: u64,
}

impl<B: Bytes> Section<B> {
    /// `length` bytes from `start` on.
    pub fn new(bytes: B, start: u64, length: u64) -> Self {
        Self {
            bytes,
            start,
            length,
        }
    }
}

impl<B: Bytes> Bytes for Section<B> {
    fn length(&self) -> io::Result<u64> {
        Ok(self.length)
    }

    fn read_at(&self, offset: u64, into: &mut [u8]) -> io::Result<usize> {
        let left = self.length.saturating_sub(offset);
        let most = usize::try_from(left).unwrap_or(usize::MAX).min(into.len());
        let Some(into) = into.get_mut(..most).filter(|into| !into.is_empty()) else {
            return Ok(0);
        };
        self.bytes.read_at(self.start.saturating_add(offset), into)
    }
}

/// Reads bytes from their beginning to their end.
#[derive(Clone, Debug)]
pub struct Stream<B> {
    bytes: B,
    position: u64,
}

impl<B: Bytes> Stream<B> {
    /// From the beginning.
    pub fn new(bytes: B) -> Self {
        Self { bytes, position: 0 }
    }
}

impl<B: Bytes> Read for Stream<B> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.bytes.read_at(self.position, into)?;
        let advance = u64::try_from(read).unwrap_or(u64::MAX);
        self.position = self.position.saturating_add(advance);
        Ok(read)
    }
}

/// Files by their path, such as those of a bundle.
pub trait Files {
    /// The file at a path, or `None` if there is none.
    ///
    /// # Errors
    /// What the source says.
    fn open(&self, path: &str) -> io::Result<Option<Box<dyn Bytes + '_>>>;

    /// Calls `visit` with every path, in any order.
    ///
    /// # Errors
    /// What the source says.
    fn visit_paths(&self, visit: &mut dyn FnMut(&str)) -> io::Result<()>;
}

impl<B: Bytes> Files for BTreeMap<String, B> {
    fn open(&self, path: &str) -> io::Result<Option<Box<dyn Bytes + '_>>> {
        Ok(self
            .get(path)
            .map(|bytes| Box::new(bytes) as Box<dyn Bytes + '_>))
    }

    fn visit_paths(&self, visit: &mut dyn FnMut(&str)) -> io::Result<()> {
        self.keys().for_each(|path| visit(path));
        Ok(())
    }
}

/// The digest of all bytes, read in pieces.
///
/// # Errors
/// What the source says.
pub fn digest_of(bytes: &(impl Bytes + ?Sized)) -> io::Result<Digest> {
    digest_of_range(bytes, 0, u64::MAX)
}

/// The digest of at most `length` bytes from `start` on.
pub(crate) fn digest_of_range(
    bytes: &(impl Bytes + ?Sized),
    start: u64,
    length: u64,
) -> io::Result<Digest> {
    let mut hasher = Hasher::default();
    // A byte more than there is shows at once that this is all.
    let most = length.min(bytes.length()?.saturating_sub(start).saturating_add(1));
    let mut buffer = vec![0; usize::try_from(most).unwrap_or(usize::MAX).min(PIECE)];
    let (mut at, mut left) = (start, length);
    while left > 0 {
        let most = usize::try_from(left)
            .unwrap_or(usize::MAX)
            .min(buffer.len());
        let piece = buffer.get_mut(..most).unwrap_or_default();
        let read = match bytes.read_at(at, piece) {
            Ok(0) => break,
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        hasher.update(piece.get(..read).unwrap_or_default());
        let read = u64::try_from(read).unwrap_or(u64::MAX);
        at = at.saturating_add(read);
        left = left.saturating_sub(read);
    }
    Ok(hasher.finish())
}

const PIECE: usize = 64 * 1024;

/// All bytes, if there are at most `limit`.
///
/// # Errors
/// What the source says; `FileTooLarge` past the limit.
pub fn read_whole(bytes: &(impl Bytes + ?Sized), limit: u64) -> io::Result<Vec<u8>> {
    let length = bytes.length()?;
    let too_large = || io::Error::from(io::ErrorKind::FileTooLarge);
    if length > limit {
        return Err(too_large());
    }
    let mut whole = vec![0; usize::try_from(length).map_err(|_| too_large())?];
    bytes.read_exact_at(0, &mut whole)?;
    Ok(whole)
}

#[cfg(test)]
mod tests {
    use super::*;
    use entail_json::sha256;

    #[test]
    fn a_section_ends_where_it_ends() {
        let section = Section::new(b"hello world".to_vec(), 6, 3);
        let mut read = Vec::new();
        Stream::new(&section).read_to_end(&mut read).unwrap();
        assert_eq!(read, b"wor");
        assert_eq!(section.read_at(3, &mut [0; 4]).unwrap(), 0);
        assert!(section.read_exact_at(1, &mut [0; 3]).is_err());
        assert_eq!(digest_of(&section).unwrap(), sha256(b"wor"));
    }

    #[test]
    fn a_digest_of_many_pieces_is_the_digest_of_the_whole() {
        let bytes: Vec<u8> = (0..200_000_u32).map(|n| n.to_le_bytes()[0]).collect();
        assert_eq!(digest_of(&bytes).unwrap(), sha256(&bytes));
        let part = digest_of_range(&bytes, 70_000, 80_000).unwrap();
        assert_eq!(part, sha256(&bytes[70_000..150_000]));
    }

    #[test]
    fn a_file_past_the_limit_is_not_read() {
        assert_eq!(read_whole(&b"1234".to_vec(), 4).unwrap(), b"1234");
        assert!(read_whole(&b"12345".to_vec(), 4).is_err());
    }
}
