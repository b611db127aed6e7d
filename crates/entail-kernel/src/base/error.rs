//! Why an operation was refused.

use super::KeyFault;

/// Why an operation on a base was refused. The base is then exactly as it was.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BaseError {
    /// A text breaks the rules for keys.
    #[error(
        "`{key}` is not a key: {fault}; a key is not empty and has no white space, `@`, `{{` or `}}`"
    )]
    InvalidKey {
        /// The text.
        key: String,
        /// What is wrong with it.
        fault: KeyFault,
    },
    /// No belief has that key or ref.
    #[error("no belief `{target}`: assert or justify it first, or check its spelling")]
    UnknownBelief {
        /// The key or ref.
        target: String,
    },
    /// The belief is there but not believed (or, when restoring, not retracted).
    #[error("`{target}` {reason}")]
    NotBelieved {
        /// The key or ref.
        target: String,
        /// Why it is not, and the way out.
        reason: String,
    },
    /// The key is disputed, so that it cannot support anything.
    #[error("`{key}` is disputed between {sides}: resolve the conflict first")]
    UnresolvedConflict {
        /// The key.
        key: String,
        /// Its believed revisions, in words.
        sides: String,
    },
    /// A belief would depend on the absence of something that depends on it.
    #[error(
        "`{key}` would depend on the absence of `{defeater}`, which depends on `{key}`: leave out that `unless` or that antecedent"
    )]
    CircularDefeat {
        /// The key that was to be justified.
        key: String,
        /// The key named by the `unless` within the loop.
        defeater: String,
    },
    /// A formula cannot be evaluated or does not give the stated value.
    #[error("formula of `{key}`: {reason}")]
    InvalidFormula {
        /// The key that was to be justified.
        key: String,
        /// What is wrong, and the way out.
        reason: String,
    },
    /// An argument makes no sense.
    #[error("`{argument}` {reason}")]
    InvalidArgument {
        /// The argument.
        argument: String,
        /// What is wrong with it, and the way out.
        reason: String,
    },
    /// There is no such conflict to resolve.
    #[error("`{target}` is in no conflict: there is nothing to resolve")]
    NoConflict {
        /// The key or the constraint.
        target: String,
    },
}

impl BaseError {
    /// The stable code of this error.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::InvalidKey { .. } => "invalid_key",
            Self::UnknownBelief { .. } => "unknown_belief",
            Self::NotBelieved { .. } => "not_believed",
            Self::UnresolvedConflict { .. } => "unresolved_conflict",
            Self::CircularDefeat { .. } => "circular_defeat",
            Self::InvalidFormula { .. } => "invalid_formula",
            Self::InvalidArgument { .. } => "invalid_argument",
            Self::NoConflict { .. } => "no_conflict",
        }
    }

    pub(crate) fn argument(argument: impl Into<String>, reason: impl Into<String>) -> Self {
        Self::InvalidArgument {
            argument: argument.into(),
            reason: reason.into(),
        }
    }
}
