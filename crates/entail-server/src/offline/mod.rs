//! Runs without a service: bundles and directories opened, checked and replayed.

mod directory;
mod files;
mod packed;
mod replay;

pub(crate) use directory::Directory;
pub(crate) use files::{Held, OpenError, open};
pub(crate) use packed::unpack;
pub(crate) use replay::replay;

use entail_session::{Compared, Session};
use entail_trace::{
    BundleVerification, CheckName, CheckResult, Expectations, Files, PublicKey, paths,
    verify_bundle,
};

/// Checks every layer that the files allow; where there is a journal it is replayed, so that the
/// trace is compared with it and the proof is checked too.
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
    match replay(files) {
        Ok(None) => {}
        Ok(Some(replayed)) => {
            let session = &replayed.session;
            let at = session.summary().last_commit_at;
            expected.replayed = session.check_proof(&session.report_roots(), at);
            expected.replayed.push(compared(session, files));
        }
        Err(error) => {
            let mut result = CheckResult::new(CheckName::Replay);
            let mut message = error.to_string();
            let mut source = std::error::Error::source(&error);
            while let Some(cause) = source {
                message.push_str(&format!(": {cause}"));
                source = cause.source();
            }
            result.error(message);
            expected.replayed.push(result);
        }
    }
    verify_bundle(files, &expected)
}

/// Whether the trace is the one that the journal gives.
fn compared(session: &Session, files: &dyn Files) -> CheckResult {
    let mut result = CheckResult::new(CheckName::Replay);
    let trace = match files.open(paths::TRACE) {
        Ok(Some(trace)) => trace,
        _ => {
            result.error("there is no trace to compare with the journal");
            return result;
        }
    };
    match session.compare_trace(&trace) {
        Ok(Compared::Same { lines }) => result.count("lines", lines),
        Ok(Compared::Differs { line, .. }) => result.error(format!(
            "line {line} is not the one that the journal gives; `entail replay` shows both"
        )),
        Err(error) => result.error(error.to_string()),
    }
    result
}
