//! Runs without a service: bundles and directories opened, checked and replayed.

mod directory;
mod files;
mod packed;
mod replay;

pub(crate) use directory::Directory;
pub(crate) use files::{Held, OpenError, open};
pub(crate) use packed::unpack;
pub(crate) use replay::replay;

use entail_trace::{BundleVerification, Expectations, Files, PublicKey, verify_bundle};

use crate::view::proof_checks_of_last_commit;

/// Checks every layer that the files allow; where there is a journal it is replayed, so that the
/// proof is checked too.
pub(crate) fn verify(
    files: &dyn Files,
    public_key: Option<PublicKey>,
    max_record_bytes: Option<u64>,
) -> BundleVerification {
    let mut expected = Expectations {
        public_key,
        ..Expectations::default()
    };
    if let Some(most) = max_record_bytes {
        expected.max_record_bytes = most;
    }
    if let Ok(Some(replayed)) = replay(files) {
        expected.proof = proof_checks_of_last_commit(&replayed.session);
    }
    verify_bundle(files, &expected)
}
