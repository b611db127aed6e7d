//! The part of ustar (POSIX.1-1988) that a bundle needs: files with short names.

use std::collections::BTreeSet;
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Read, Write};

use super::ArchiveError;
use crate::bytes::{Bytes, Files, Section};
use crate::limits::MAX_ARCHIVE_FILES;
use crate::path::ContentPath;

const BLOCK: usize = 512;
const BLOCK_BYTES: u64 = 512;
const NAME: usize = 100;
const PREFIX: usize = 155;
/// The largest size that eleven octal digits hold.
const MAX_SIZE: u64 = 0o77_777_777_777;

/// Writes files into a ustar archive. Every file has mode 0644, no owner and the time 0, so the
/// bytes depend on nothing but the files and their order.
///
/// ```
/// use entail_trace::{ContentPath, Files, Tar, TarWriter};
///
/// let mut tar = TarWriter::new(Vec::new());
/// tar.file(&ContentPath::new("a/b.txt")?, 5, &b"hello"[..])?;
/// let tar = Tar::open(tar.finish()?, 1000)?;
/// assert_eq!(tar.open("a/b.txt")?.map(|file| file.length()).transpose()?, Some(5));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct TarWriter<W> {
    out: W,
}

impl<W: Write> TarWriter<W> {
    /// Writes into `out`.
    pub fn new(out: W) -> Self {
        Self { out }
    }

    /// Adds a file of exactly `size` bytes.
    ///
    /// # Errors
    /// What the output or the content says; `InvalidInput` if the path or the size does not fit
    /// the format, or the content has another size.
    pub fn file(&mut self, path: &ContentPath, size: u64, content: impl Read) -> io::Result<()> {
        self.out.write_all(&header(path, size)?)?;
        let copied = io::copy(&mut content.take(size.saturating_add(1)), &mut self.out)?;
        if copied != size {
            return Err(invalid("a file's content is not as long as was said"));
        }
        let padding = usize::try_from(padding(size)).unwrap_or(0);
        self.out
            .write_all([0; BLOCK].get(..padding).unwrap_or_default())
    }

    /// Writes the end, and gives the output back.
    ///
    /// # Errors
    /// What the output says.
    pub fn finish(mut self) -> io::Result<W> {
        self.out.write_all(&[0; 2 * BLOCK])?;
        self.out.flush()?;
        Ok(self.out)
    }
}

fn invalid(message: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, message)
}

fn padding(size: u64) -> u64 {
    (BLOCK_BYTES - size % BLOCK_BYTES) % BLOCK_BYTES
}

fn header(path: &ContentPath, size: u64) -> io::Result<Vec<u8>> {
    let path = path.as_str();
    let split = if path.len() <= NAME {
        Some(("", path))
    } else {
        path.match_indices('/')
            .filter_map(|(at, _)| path.split_at_checked(at))
            .filter_map(|(prefix, rest)| rest.strip_prefix('/').map(|name| (prefix, name)))
            .find(|(prefix, name)| prefix.len() <= PREFIX && name.len() <= NAME)
    };
    let Some((prefix, name)) = split.filter(|(_, name)| !name.is_empty()) else {
        return Err(invalid("a path is too long for an archive, or empty"));
    };
    if size > MAX_SIZE {
        return Err(invalid("a file is too large for an archive"));
    }
    let mut header = Vec::with_capacity(BLOCK);
    let mut field = |content: &[u8], width: usize| {
        header.extend_from_slice(content);
        header.extend(std::iter::repeat_n(0, width.saturating_sub(content.len())));
    };
    field(name.as_bytes(), NAME);
    field(b"0000644", 8);
    field(b"0000000", 8);
    field(b"0000000", 8);
    field(format!("{size:011o}").as_bytes(), 12);
    field(b"00000000000", 12);
    field(b"        ", 8);
    field(b"0", 1);
    field(b"", 100);
    field(b"ustar\0", 6);
    field(b"00", 2);
    field(b"", 32);
    field(b"", 32);
    field(b"0000000", 8);
    field(b"0000000", 8);
    field(prefix.as_bytes(), PREFIX);
    field(b"", 12);
    let sum = format!("{:06o}\0 ", checksum(&header));
    for (slot, byte) in header.iter_mut().skip(CHECKSUM).zip(sum.bytes()) {
        *slot = byte;
    }
    Ok(header)
}

const CHECKSUM: usize = 148;
const CHECKSUM_WIDTH: usize = 8;

/// The sum of a header's bytes with its checksum taken as spaces.
fn checksum(header: &[u8]) -> u32 {
    let field = CHECKSUM..CHECKSUM + CHECKSUM_WIDTH;
    let byte = |(at, byte): (usize, &u8)| if field.contains(&at) { b' ' } else { *byte };
    header.iter().enumerate().map(byte).map(u32::from).sum()
}

/// A ustar archive whose files are read where they stand.
///
/// What is kept is a few bytes a file. Links, devices, sparse files, extended headers, unsafe
/// paths and paths that are there twice are refused when the archive is opened.
#[derive(Debug)]
pub struct Tar<B> {
    bytes: B,
    /// The hash of each path and the block of its header, sorted. A path found here is compared
    /// with the one in the header, so a hash that two paths share does no harm.
    index: Vec<(u64, u32)>,
    hasher: RandomState,
}

/// A file's header.
struct Entry {
    path: ContentPath,
    content: u64,
    size: u64,
}

enum Next {
    File(Entry),
    Directory(u64),
    End,
}

impl<B: Bytes> Tar<B> {
    /// Looks through an archive whose files have at most `limit` bytes in all.
    ///
    /// # Errors
    /// [`ArchiveError`] says what is broken or not safe, and where.
    pub fn open(bytes: B, limit: u64) -> Result<Self, ArchiveError> {
        let mut tar = Self {
            bytes,
            index: Vec::new(),
            hasher: RandomState::new(),
        };
        let mut offset = 0;
        let mut unpacked = 0_u64;
        loop {
            match tar.next(offset)? {
                Next::End => break,
                Next::Directory(after) => offset = after,
                Next::File(entry) => {
                    unpacked = unpacked.saturating_add(entry.size);
                    if unpacked > limit {
                        return Err(ArchiveError::TooLarge { limit });
                    }
                    let block = u32::try_from(offset / BLOCK_BYTES);
                    let Some(block) = block.ok().filter(|_| tar.index.len() < MAX_ARCHIVE_FILES)
                    else {
                        return Err(ArchiveError::TooManyFiles);
                    };
                    let hash = tar.hasher.hash_one(entry.path.as_str());
                    tar.index.push((hash, block));
                    offset = entry.end();
                }
            }
        }
        tar.index.sort_unstable();
        tar.check_duplicates()?;
        Ok(tar)
    }

    fn check_duplicates(&self) -> Result<(), ArchiveError> {
        for run in self.index.chunk_by(|(one, _), (other, _)| one == other) {
            if run.len() > 1 {
                let mut paths = BTreeSet::new();
                for (_, block) in run {
                    if let Next::File(entry) = self.next(offset_of(*block))?
                        && let Some(path) = paths.replace(entry.path)
                    {
                        return Err(ArchiveError::Duplicate {
                            path: path.as_str().to_owned(),
                        });
                    }
                }
            }
        }
        Ok(())
    }

    fn find(&self, path: &str) -> Result<Option<Entry>, ArchiveError> {
        let hash = self.hasher.hash_one(path);
        let first = self.index.partition_point(|(there, _)| *there < hash);
        let same = self.index.get(first..).unwrap_or_default();
        for (_, block) in same.iter().take_while(|(there, _)| *there == hash) {
            if let Next::File(entry) = self.next(offset_of(*block))?
                && entry.path.as_str() == path
            {
                return Ok(Some(entry));
            }
        }
        Ok(None)
    }

    fn next(&self, offset: u64) -> Result<Next, ArchiveError> {
        let mut header = [0; BLOCK];
        self.block(offset, &mut header)?;
        if header.iter().all(|byte| *byte == 0) {
            let mut second = [0; BLOCK];
            self.block(offset.saturating_add(BLOCK_BYTES), &mut second)?;
            return match second.iter().all(|byte| *byte == 0) {
                true => self.end(offset.saturating_add(2 * BLOCK_BYTES)),
                false => Err(ArchiveError::Header {
                    offset,
                    fault: "a block of zeros",
                }),
            };
        }
        let broken = |fault| ArchiveError::Header { offset, fault };
        let field = |at: usize, width: usize| header.get(at..at.saturating_add(width));
        let number = |at, width| octal(field(at, width).unwrap_or_default());
        if number(CHECKSUM, CHECKSUM_WIDTH) != Some(u64::from(checksum(&header))) {
            return Err(broken("its checksum is wrong"));
        }
        if field(257, 5) != Some(b"ustar") {
            return Err(broken("it is not ustar"));
        }
        let size = number(124, 12).ok_or_else(|| broken("its size is no number"))?;
        let content = offset.saturating_add(BLOCK_BYTES);
        match field(156, 1)
            .and_then(<[u8]>::first)
            .copied()
            .unwrap_or_default()
        {
            b'0' | 0 => {}
            b'5' if size == 0 => return Ok(Next::Directory(content)),
            kind => {
                return Err(ArchiveError::Kind {
                    offset,
                    kind: char::from(kind),
                });
            }
        }
        let name = text(field(0, NAME).unwrap_or_default()).ok_or_else(|| broken("its name"))?;
        let prefix = text(field(345, PREFIX).unwrap_or_default());
        let prefix = prefix.ok_or_else(|| broken("its prefix is not utf-8"))?;
        let path = if prefix.is_empty() {
            name.to_owned()
        } else {
            format!("{prefix}/{name}")
        };
        let path = ContentPath::new(&path).map_err(|fault| ArchiveError::Path { offset, fault })?;
        if path.is_empty() {
            return Err(broken("its name is empty"));
        }
        let entry = Entry {
            path,
            content,
            size,
        };
        if entry.end() > self.bytes.length()? {
            return Err(ArchiveError::Truncated {
                offset: self.bytes.length()?,
            });
        }
        Ok(Next::File(entry))
    }

    /// Nothing but zeros may follow the end, or something could be hidden there.
    fn end(&self, mut offset: u64) -> Result<Next, ArchiveError> {
        let mut block = [0; BLOCK];
        loop {
            let read = self.bytes.read_at(offset, &mut block)?;
            if read == 0 {
                return Ok(Next::End);
            }
            if block
                .get(..read)
                .unwrap_or_default()
                .iter()
                .any(|byte| *byte != 0)
            {
                return Err(ArchiveError::Trailing);
            }
            offset = offset.saturating_add(u64::try_from(read).unwrap_or(u64::MAX));
        }
    }

    fn block(&self, offset: u64, into: &mut [u8; BLOCK]) -> Result<(), ArchiveError> {
        self.bytes
            .read_exact_at(offset, into)
            .map_err(|error| match error.kind() {
                io::ErrorKind::UnexpectedEof => ArchiveError::Truncated { offset },
                _ => ArchiveError::Io(error),
            })
    }
}

/// Where a block starts.
fn offset_of(block: u32) -> u64 {
    u64::from(block).saturating_mul(BLOCK_BYTES)
}

impl Entry {
    /// Where the next header is.
    fn end(&self) -> u64 {
        self.content
            .saturating_add(self.size)
            .saturating_add(padding(self.size))
    }
}

/// A number in octal, ended by a space or a zero byte.
fn octal(field: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(field).ok()?;
    let digits = text.trim_end_matches(['\0', ' ']).trim_start_matches(' ');
    if digits.is_empty() || !digits.bytes().all(|byte| matches!(byte, b'0'..=b'7')) {
        return None;
    }
    u64::from_str_radix(digits, 8).ok()
}

/// Text that ends at the first zero byte; only zeros may follow it.
fn text(field: &[u8]) -> Option<&str> {
    let end = memchr::memchr(0, field).unwrap_or(field.len());
    let (text, rest) = field.split_at_checked(end)?;
    if rest.iter().any(|byte| *byte != 0) {
        return None;
    }
    std::str::from_utf8(text).ok()
}

impl<B: Bytes> Files for Tar<B> {
    fn open(&self, path: &str) -> io::Result<Option<Box<dyn Bytes + '_>>> {
        let entry = self.find(path).map_err(io::Error::other)?;
        Ok(entry.map(|entry| {
            let section = Section::new(&self.bytes, entry.content, entry.size);
            Box::new(section) as Box<dyn Bytes + '_>
        }))
    }

    fn visit_paths(&self, visit: &mut dyn FnMut(&str)) -> io::Result<()> {
        let mut offset = 0;
        loop {
            match self.next(offset).map_err(io::Error::other)? {
                Next::End => return Ok(()),
                Next::Directory(after) => offset = after,
                Next::File(entry) => {
                    visit(entry.path.as_str());
                    offset = entry.end();
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> ContentPath {
        ContentPath::new(text).unwrap()
    }

    fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut tar = TarWriter::new(Vec::new());
        for (name, content) in files {
            tar.file(&path(name), content.len() as u64, *content)
                .unwrap();
        }
        tar.finish().unwrap()
    }

    /// Changes a header and mends its checksum, as an attacker would.
    fn forge(mut archive: Vec<u8>, at: usize, bytes: &[u8]) -> Vec<u8> {
        archive[at..at + bytes.len()].copy_from_slice(bytes);
        let sum = format!("{:06o}\0 ", checksum(&archive[..BLOCK]));
        archive[CHECKSUM..CHECKSUM + 8].copy_from_slice(sum.as_bytes());
        archive
    }

    #[test]
    fn files_come_back_as_they_went_in() {
        let long = format!("{}/{}", "d".repeat(120), "f".repeat(99));
        let files: [(&str, &[u8]); 3] = [("a", b""), ("evidence/x.txt", &[1; 513]), (&long, b"z")];
        let tar = Tar::open(archive(&files), 10_000).unwrap();
        let mut seen = Vec::new();
        tar.visit_paths(&mut |path| seen.push(path.to_owned()))
            .unwrap();
        assert_eq!(seen, files.map(|(path, _)| path));
        for (path, content) in files {
            let file = tar.open(path).unwrap().unwrap();
            assert_eq!(crate::bytes::read_whole(&file, 1000).unwrap(), content);
        }
        assert!(tar.open("b").unwrap().is_none());
    }

    #[test]
    fn what_is_not_a_plain_file_is_refused() {
        let good = || archive(&[("a", b"hello")]);
        for kind in *b"12346xgLKS" {
            let error = Tar::open(forge(good(), 156, &[kind]), 1000).unwrap_err();
            assert!(matches!(error, ArchiveError::Kind { kind: k, .. } if k == char::from(kind)));
        }
        for name in [
            &b"/etc/passwd"[..],
            b"../x",
            b"a/../../x",
            b"C:/x",
            b"a\\b",
            b"./",
        ] {
            let error = Tar::open(forge(good(), 0, name), 1000).unwrap_err();
            assert!(matches!(error, ArchiveError::Path { .. }), "{error}");
        }
        for (at, bytes) in [
            (124, &b"-0000000005\0"[..]),
            (124, b"\x80\0\0\0\0\0\0\0\0\0\0\x05"),
        ] {
            let error = Tar::open(forge(good(), at, bytes), 1000).unwrap_err();
            assert!(matches!(error, ArchiveError::Header { .. }), "{error}");
        }
    }

    #[test]
    fn two_files_of_one_path_are_refused_however_they_write_it() {
        let twice = archive(&[("a", b"1"), ("a", b"2")]);
        assert!(matches!(
            Tar::open(twice, 1000),
            Err(ArchiveError::Duplicate { .. })
        ));
        let dotted = forge(archive(&[("aaa", b"1"), ("a", b"2")]), 0, b"./a");
        assert!(matches!(
            Tar::open(dotted, 1000),
            Err(ArchiveError::Duplicate { .. })
        ));
    }

    #[test]
    fn a_cut_archive_a_broken_header_and_hidden_data_are_refused() {
        let good = archive(&[("a", b"hello")]);
        for length in 0..good.len() {
            assert!(
                Tar::open(good[..length].to_vec(), 1000).is_err(),
                "{length}"
            );
        }
        // How the checksum itself is ended differs from one writer to the next.
        for at in (0..BLOCK).filter(|at| !(154..156).contains(at)) {
            let mut broken = good.clone();
            broken[at] ^= 0x20;
            assert!(Tar::open(broken, 1000).is_err(), "byte {at}");
        }
        let mut hidden = good.clone();
        hidden.extend([0; 512]);
        assert!(Tar::open(hidden.clone(), 1000).is_ok());
        hidden.push(1);
        assert!(matches!(
            Tar::open(hidden, 1000),
            Err(ArchiveError::Trailing)
        ));
        assert!(matches!(
            Tar::open(good, 4),
            Err(ArchiveError::TooLarge { limit: 4 })
        ));
    }

    #[test]
    fn a_size_that_reaches_past_the_end_is_refused() {
        let good = archive(&[("a", b"hello")]);
        let forged = forge(good, 124, b"77777777777\0");
        assert!(matches!(
            Tar::open(forged, u64::MAX),
            Err(ArchiveError::Truncated { .. })
        ));
    }

    #[test]
    fn a_path_too_long_for_the_format_is_not_written() {
        let mut tar = TarWriter::new(Vec::new());
        assert!(tar.file(&path(&"x".repeat(101)), 0, io::empty()).is_err());
        assert!(tar.file(&path("x"), MAX_SIZE + 1, io::empty()).is_err());
        assert!(tar.file(&path("x"), 3, &b"ab"[..]).is_err());
        assert!(tar.file(&path("x"), 3, &b"abcd"[..]).is_err());
    }
}
