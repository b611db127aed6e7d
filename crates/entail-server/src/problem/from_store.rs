//! What a failure of the store means to a caller.

use entail_store::StoreError;

use crate::problem::{Code, Problem};

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        match &error {
            StoreError::Unavailable { .. } => {
                log(&error);
                Self::new(
                    Code::StoreUnavailable,
                    "the database cannot be reached; send the request again, with the same \
                     `idempotency-key` if it changes something",
                )
            }
            StoreError::Full { .. } => {
                log(&error);
                Self::new(
                    Code::StoreFull,
                    "nothing was written; send the request again once there is room",
                )
            }
            StoreError::Refused(refusal) => Self::new(Code::UnsupportedValue, refusal.to_string()),
            StoreError::Corrupt { .. } | StoreError::CorruptDocument { .. } => {
                log(&error);
                Self::new(Code::BrokenJournal, error.to_string())
            }
            _ => Self::internal(&error),
        }
    }
}

fn log(error: &StoreError) {
    let cause = std::error::Error::source(error).map(ToString::to_string);
    tracing::warn!(%error, cause, "the store failed");
}
