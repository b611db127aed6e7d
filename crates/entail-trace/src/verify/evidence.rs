//! The files of evidence.

use entail_json::Digest;

use super::Here;
use super::catalog::CheckName;
use super::index::{Added, Ids, PathKey};
use super::result::{CheckResult, shown};
use crate::bytes::{Files, digest_of};
use crate::record::EvidenceRef;

/// What is known of files by their path.
pub(crate) type FileDigests = Ids<FileDigest, PathKey>;

/// What is known of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileDigest {
    /// Its digest; zero for a file that is not there or cannot be read.
    pub(crate) digest: [u8; 32],
    /// Whether a manifest names it.
    pub(crate) listed: bool,
}

/// The digest of a file, read once: from what is known, or else from the file.
///
/// The second number is how many bytes were read for it.
pub(crate) fn file_digest(
    known: &mut FileDigests,
    files: &dyn Files,
    path: &str,
) -> Option<(usize, Option<Digest>, u64)> {
    let number = match known.add(
        path,
        FileDigest {
            digest: [0; 32],
            listed: false,
        },
    ) {
        Added::Full => return None,
        Added::Present(number) => {
            let digest = known
                .get(number)
                .map(|file| Digest::from_bytes(file.digest));
            return Some((number, digest.filter(|digest| *digest != Digest::ZERO), 0));
        }
        Added::New(number) => number,
    };
    let Ok(Some(file)) = files.open(path) else {
        return Some((number, None, 0));
    };
    let Ok(digest) = digest_of(&file) else {
        return Some((number, None, 0));
    };
    if let Some(slot) = known.get_mut(number) {
        slot.digest = *digest.as_bytes();
    }
    Some((number, Some(digest), file.length().unwrap_or(0)))
}

/// The check `evidence_hashes`: each file is digested once, however often it is registered.
pub(super) struct Evidence<'s> {
    files: Option<&'s dyn Files>,
    known: FileDigests,
    result: CheckResult,
}

impl<'s> Evidence<'s> {
    pub(super) fn new(files: Option<&'s dyn Files>) -> Self {
        Self {
            files,
            known: Ids::default(),
            result: CheckResult::new(CheckName::EvidenceHashes),
        }
    }

    /// Checks a registration: the digest of its file, and how many bytes were read for that.
    pub(super) fn registered(
        &mut self,
        here: Here,
        evidence: &EvidenceRef,
    ) -> (Option<Digest>, u64) {
        let path = evidence.content_path.as_str();
        if path.is_empty() {
            self.result.error(format!(
                "{here}: evidence `{}` has no file",
                shown(evidence.id())
            ));
            return (None, 0);
        }
        let Some(files) = self.files else {
            self.result.error(format!(
                "{here}: `{path}` is not checked: no files were given"
            ));
            return (None, 0);
        };
        let Some((_, digest, bytes)) = file_digest(&mut self.known, files, path) else {
            return (None, 0);
        };
        match digest {
            Some(digest) if evidence.sha256.parse() == Ok(digest) => {}
            Some(digest) => {
                let recorded = shown(&evidence.sha256);
                self.result.error(format!(
                    "{here}: `{path}` has the digest `{digest}`, recorded is `{recorded}`"
                ));
            }
            None => self
                .result
                .error(format!("{here}: `{path}` is not there or cannot be read")),
        }
        (digest, bytes)
    }

    pub(super) fn bytes_held(&self) -> usize {
        self.known.bytes_held()
    }

    pub(super) fn files_digested(&self) -> u64 {
        u64::try_from(self.known.len()).unwrap_or(u64::MAX)
    }

    pub(super) fn finish(mut self, evidence: u64) -> (CheckResult, FileDigests) {
        let files = self.files_digested();
        self.result.count("evidence", evidence);
        self.result.count("files", files);
        (self.result, self.known)
    }
}
