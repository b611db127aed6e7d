//! The closed vocabularies of the records.

use entail_json::Value;

use crate::fault::{At, Faults};
use crate::fields;

macro_rules! words {
    ($(#[$doc:meta])* $name:ident, $noun:literal { $($(#[$variant_doc:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $($(#[$variant_doc])* $variant,)+
        }

        impl $name {
            /// Every word of this vocabulary, in order.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The word as it is written.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }

            /// The meaning of a word, if it is one of these.
            #[must_use]
            pub fn from_word(word: &str) -> Option<Self> {
                match word {
                    $($word => Some(Self::$variant),)+
                    _ => None,
                }
            }

            pub(crate) fn parse(value: Value, at: &At<'_>, faults: &mut Faults) -> Option<Self> {
                let word = fields::text(value, at, faults)?;
                let known = Self::from_word(&word);
                if known.is_none() {
                    faults.push(at, unknown(&word, $noun, &[$($word,)+]));
                }
                known
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}

/// Says which words there are, quoting at most the beginning of the one given.
pub(crate) fn unknown(word: &str, noun: &str, known: &[&str]) -> String {
    let mut shown: String = word.chars().take(40).collect();
    if shown.len() < word.len() {
        shown.push('…');
    }
    format!(
        "`{shown}` is no {noun}: use one of `{}`",
        known.join("`, `")
    )
}

words! {
    /// What a step of a plan does.
    StepKind, "kind of step" {
        /// Takes the question in.
        Understand = "understand",
        /// Calls tools and registers evidence.
        Gather = "gather",
        /// Emits claims.
        Derive = "derive",
        /// Says which claims hold.
        Verify = "verify",
        /// Gives the answer.
        Finalize = "finalize",
    }
}

words! {
    /// What a support refers to.
    SupportKind, "kind of support" {
        /// Another claim; the span is in its statement.
        Claim = "claim",
        /// Registered evidence; the span is in its file.
        Evidence = "evidence",
        /// A tool call; the span is in the canonical JSON of its result.
        ToolCall = "tool_call",
    }
}

words! {
    /// Whether a claim was accepted.
    ClaimStatus, "status of a claim" {
        /// Not yet judged.
        Proposed = "proposed",
        /// Accepted.
        Validated = "validated",
        /// Refused or taken back.
        Rejected = "rejected",
    }
}

words! {
    /// Where a claim comes from.
    ClaimType, "type of claim" {
        /// Follows from other claims or evidence.
        Derived = "derived",
        /// Read off a source.
        Observed = "observed",
        /// Supposed without a source.
        Assumed = "assumed",
    }
}

words! {
    /// How much a failure matters.
    Severity, "severity" {
        /// The check failed.
        Error = "error",
        /// Worth knowing; the check holds all the same.
        Warning = "warning",
        /// A remark.
        Info = "info",
    }
}
