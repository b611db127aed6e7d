//! The files of evidence.

use entail_json::Digest;

use super::Here;
use super::catalog::CheckName;
use super::index::{Added, Ids};
use super::result::{CheckResult, shown};
use crate::bytes::{Files, digest_of};
use crate::record::EvidenceRef;

/// The check `evidence_hashes`: each file is digested once, however often it is registered.
pub(super) struct Evidence<'s> {
    files: Option<&'s dyn Files>,
    /// Digests by path; zero for a file that cannot be read.
    digests: Ids<[u8; 32]>,
    result: CheckResult,
    digested: u64,
}

impl<'s> Evidence<'s> {
    pub(super) fn new(files: Option<&'s dyn Files>) -> Self {
        Self {
            files,
            digests: Ids::default(),
            result: CheckResult::new(CheckName::EvidenceHashes),
            digested: 0,
        }
    }

    /// Checks a registration and says how many bytes were digested for it.
    pub(super) fn registered(&mut self, here: Here, evidence: &EvidenceRef) -> u64 {
        let path = evidence.content_path.as_str();
        if path.is_empty() {
            self.result.error(format!(
                "{here}: evidence `{}` has no file",
                shown(evidence.id())
            ));
            return 0;
        }
        let Some(files) = self.files else {
            self.result.error(format!(
                "{here}: `{path}` is not checked: no files were given"
            ));
            return 0;
        };
        let mut bytes = 0;
        let number = match self.digests.add(path, [0; 32]) {
            Added::Present(number) => number,
            Added::Full => return 0,
            Added::New(number) => {
                self.digested = self.digested.saturating_add(1);
                let digest = match files.open(path) {
                    Ok(Some(file)) => {
                        bytes = file.length().unwrap_or(0);
                        digest_of(&file).ok()
                    }
                    Ok(None) | Err(_) => None,
                };
                if let (Some(slot), Some(digest)) = (self.digests.get_mut(number), digest) {
                    *slot = *digest.as_bytes();
                }
                number
            }
        };
        match self.digests.get(number).map(Digest::from_bytes) {
            Some(digest) if digest != Digest::ZERO => {
                if evidence.sha256.parse() != Ok(digest) {
                    let recorded = shown(&evidence.sha256);
                    self.result.error(format!(
                        "{here}: `{path}` has the digest `{digest}`, recorded is `{recorded}`"
                    ));
                }
            }
            _ => self
                .result
                .error(format!("{here}: `{path}` is not there or cannot be read")),
        }
        bytes
    }

    pub(super) fn bytes_held(&self) -> usize {
        self.digests.bytes_held()
    }

    pub(super) fn files_digested(&self) -> u64 {
        self.digested
    }

    pub(super) fn finish(mut self, evidence: u64) -> CheckResult {
        self.result.count("evidence", evidence);
        self.result.count("files", self.digested);
        self.result
    }
}
