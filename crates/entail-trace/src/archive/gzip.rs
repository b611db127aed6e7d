//! gzip, always the same bytes for the same input.

use std::io::{self, BufRead, Read, Write};

use flate2::bufread::GzDecoder;
use flate2::write::GzEncoder;
use flate2::{Compression, GzBuilder};

use super::ArchiveError;

/// Compresses what is written to it. The header holds neither a name nor a time.
#[derive(Debug)]
pub struct Gzip<W: Write>(GzEncoder<W>);

/// RFC 1952: an operating system that is not said.
const UNKNOWN_SYSTEM: u8 = 255;

impl<W: Write> Gzip<W> {
    /// Compresses into `out`.
    pub fn new(out: W) -> Self {
        let builder = GzBuilder::new().mtime(0).operating_system(UNKNOWN_SYSTEM);
        Self(builder.write(out, Compression::new(6)))
    }

    /// Writes the end, and gives the output back.
    ///
    /// # Errors
    /// What the output says.
    pub fn finish(self) -> io::Result<W> {
        self.0.finish()
    }
}

impl<W: Write> Write for Gzip<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Unpacks one gzip stream that fills its input, and says how many bytes came out.
///
/// # Errors
/// [`ArchiveError`] if the input is not gzip to its end, if something follows it, or if more than
/// `limit` bytes would come out: at most one more is ever unpacked.
///
/// ```
/// use std::io::Write;
/// use entail_trace::{Gzip, gunzip};
///
/// let mut packed = Gzip::new(Vec::new());
/// packed.write_all(&[7; 1000])?;
/// let packed = packed.finish()?;
///
/// let mut unpacked = Vec::new();
/// assert_eq!(gunzip(&packed[..], &mut unpacked, 1000)?, 1000);
/// assert!(gunzip(&packed[..], &mut Vec::new(), 999).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn gunzip(input: impl BufRead, out: &mut impl Write, limit: u64) -> Result<u64, ArchiveError> {
    let mut decoder = GzDecoder::new(input).take(limit.saturating_add(1));
    let mut buffer = vec![0; 64 * 1024];
    let mut written = 0_u64;
    loop {
        let read = match decoder.read(&mut buffer) {
            Ok(0) => break,
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(ArchiveError::Gzip(error)),
        };
        written = written.saturating_add(u64::try_from(read).unwrap_or(u64::MAX));
        if written > limit {
            return Err(ArchiveError::TooLarge { limit });
        }
        out.write_all(buffer.get(..read).unwrap_or_default())?;
    }
    let mut rest = decoder.into_inner().into_inner();
    if rest.fill_buf()?.is_empty() {
        Ok(written)
    } else {
        Err(ArchiveError::Trailing)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packed(bytes: &[u8]) -> Vec<u8> {
        let mut out = Gzip::new(Vec::new());
        out.write_all(bytes).unwrap();
        out.finish().unwrap()
    }

    #[test]
    fn a_bomb_is_not_unpacked_past_the_limit() {
        let bomb = packed(&vec![0; 10_000_000]);
        assert!(bomb.len() < 20_000);
        let mut out = Vec::new();
        let error = gunzip(&bomb[..], &mut out, 100_000).unwrap_err();
        assert!(matches!(error, ArchiveError::TooLarge { limit: 100_000 }));
        assert!(out.len() <= 100_000);
    }

    #[test]
    fn data_behind_the_end_and_a_cut_end_are_refused() {
        let good = packed(b"hello");
        let mut longer = good.clone();
        longer.push(0);
        let unpack = |bytes: &[u8]| gunzip(bytes, &mut Vec::new(), 100);
        assert!(matches!(unpack(&longer), Err(ArchiveError::Trailing)));
        let twice = [good.clone(), good.clone()].concat();
        assert!(matches!(unpack(&twice), Err(ArchiveError::Trailing)));
        for length in 0..good.len() {
            assert!(
                matches!(unpack(&good[..length]), Err(ArchiveError::Gzip(_))),
                "{length}"
            );
        }
        assert_eq!(unpack(&good).unwrap(), 5);
    }
}
