//! The manifest: one object that maps each path to the digest of its file, read in a stream.

use std::io::{self, BufRead};

use entail_json::{Digest, read, write_string};

use crate::limits::MAX_PATH_BYTES;

/// Writes a manifest. Paths must come sorted.
pub(crate) fn write_manifest<'p>(files: impl Iterator<Item = (&'p str, Digest)>) -> String {
    let mut text = String::from("{");
    for (path, digest) in files {
        if text.len() > 1 {
            text.push(',');
        }
        write_string(path, &mut text);
        text.push_str(&format!(":\"{digest}\""));
    }
    text.push_str("}\n");
    text
}

/// Why a manifest cannot be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ManifestError {
    /// It cannot be read at all.
    #[error("it cannot be read")]
    Io(#[from] io::Error),
    /// It is not an object of paths and digests.
    #[error("at byte {0} it is not what it should be: an object of paths and sha-256 digests")]
    Form(u64),
}

/// Reads a manifest, holding one member of it at a time.
pub(crate) struct ManifestReader<R> {
    input: R,
    offset: u64,
    started: bool,
    token: Vec<u8>,
}

/// The longest string of a manifest: a path whose every byte is escaped.
const LONGEST: usize = MAX_PATH_BYTES * 6 + 2;

impl<R: BufRead> ManifestReader<R> {
    pub(crate) fn new(input: R) -> Self {
        Self {
            input,
            offset: 0,
            started: false,
            token: Vec::new(),
        }
    }

    /// The next path and its digest, or `None` at the end.
    pub(crate) fn next(&mut self) -> Result<Option<(String, Digest)>, ManifestError> {
        let mut byte = self.visible()?;
        if !self.started {
            self.started = true;
            if byte != Some(b'{') {
                return self.wrong();
            }
            byte = self.visible()?;
            if byte == Some(b'}') {
                return self.end();
            }
        } else {
            match byte {
                Some(b'}') => return self.end(),
                Some(b',') => byte = self.visible()?,
                _ => return self.wrong(),
            }
        }
        let path = self.string(byte)?;
        if self.visible()? != Some(b':') {
            return self.wrong();
        }
        let first = self.visible()?;
        let digest = self.string(first)?;
        match digest.parse() {
            Ok(digest) => Ok(Some((path, digest))),
            Err(_) => self.wrong(),
        }
    }

    fn end(&mut self) -> Result<Option<(String, Digest)>, ManifestError> {
        if self.visible()?.is_some() {
            self.wrong()
        } else {
            Ok(None)
        }
    }

    fn wrong<T>(&self) -> Result<T, ManifestError> {
        Err(ManifestError::Form(self.offset.saturating_sub(1)))
    }

    /// The string that begins with the byte just taken.
    fn string(&mut self, first: Option<u8>) -> Result<String, ManifestError> {
        if first != Some(b'"') {
            return self.wrong();
        }
        self.token.clear();
        self.token.push(b'"');
        let mut escaped = false;
        while self.token.len() < LONGEST {
            let Some(byte) = self.byte()? else {
                return self.wrong();
            };
            self.token.push(byte);
            match byte {
                b'"' if !escaped => {
                    let value = read(&self.token).ok();
                    let text = value.as_ref().and_then(|value| value.as_str());
                    return text.map_or_else(|| self.wrong(), |text| Ok(text.to_owned()));
                }
                b'\\' => escaped = !escaped,
                _ => escaped = false,
            }
        }
        self.wrong()
    }

    /// The next byte that is not white space.
    fn visible(&mut self) -> Result<Option<u8>, ManifestError> {
        loop {
            match self.byte()? {
                Some(b' ' | b'\t' | b'\n' | b'\r') => {}
                byte => return Ok(byte),
            }
        }
    }

    fn byte(&mut self) -> Result<Option<u8>, ManifestError> {
        let byte = loop {
            match self.input.fill_buf() {
                Ok(buffer) => break buffer.first().copied(),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        };
        if byte.is_some() {
            self.input.consume(1);
            self.offset = self.offset.saturating_add(1);
        }
        Ok(byte)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use entail_json::sha256;

    fn all(text: &str) -> Result<Vec<(String, Digest)>, ManifestError> {
        let mut reader = ManifestReader::new(text.as_bytes());
        let mut all = Vec::new();
        while let Some(member) = reader.next()? {
            all.push(member);
        }
        Ok(all)
    }

    #[test]
    fn a_manifest_reads_back_and_is_canonical_json() {
        let files = [
            ("a\"\\b", sha256(b"1")),
            ("z", sha256(b"3")),
            ("é/…", sha256(b"2")),
        ];
        let text = write_manifest(files.into_iter());
        assert_eq!(
            all(&text).unwrap(),
            files.map(|(path, digest)| (path.to_owned(), digest))
        );
        let value = entail_json::read_str(&text).unwrap();
        assert_eq!(entail_json::to_canonical(&value) + "\n", text);
        assert!(all(" { } ").unwrap().is_empty());
    }

    #[test]
    fn anything_but_an_object_of_paths_and_digests_is_refused() {
        let digest = sha256(b"");
        for text in [
            String::new(),
            "[]".to_owned(),
            "{".to_owned(),
            "{}x".to_owned(),
            "{,}".to_owned(),
            "{\"a\"}".to_owned(),
            "{\"a\":1}".to_owned(),
            "{\"a\":\"short\"}".to_owned(),
            format!("{{\"a\":\"{digest}\",}}"),
            format!("{{\"a\":\"{digest}\" \"b\":\"{digest}\"}}"),
            format!("{{\"a\\\":\"{digest}\"}}"),
            format!("{{\"{}\":\"{digest}\"}}", "x".repeat(LONGEST)),
        ] {
            assert!(all(&text).is_err(), "{text}");
        }
    }
}
