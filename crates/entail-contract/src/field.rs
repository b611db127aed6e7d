//! The fields of actions and their names.

/// Every field that some action has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Field {
    Type,
    Tool,
    Args,
    Document,
    Quote,
    Key,
    Value,
    Text,
    Claim,
    FollowsFrom,
    Formula,
    Confidence,
}

impl Field {
    pub(crate) const COUNT: usize = 12;

    /// The field of that name.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "type" => Self::Type,
            "tool" => Self::Tool,
            "args" => Self::Args,
            "document" => Self::Document,
            "quote" => Self::Quote,
            "key" => Self::Key,
            "value" => Self::Value,
            "text" => Self::Text,
            "claim" => Self::Claim,
            "follows_from" => Self::FollowsFrom,
            "formula" => Self::Formula,
            "confidence" => Self::Confidence,
            _ => return None,
        })
    }

    /// Its name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Type => "type",
            Self::Tool => "tool",
            Self::Args => "args",
            Self::Document => "document",
            Self::Quote => "quote",
            Self::Key => "key",
            Self::Value => "value",
            Self::Text => "text",
            Self::Claim => "claim",
            Self::FollowsFrom => "follows_from",
            Self::Formula => "formula",
            Self::Confidence => "confidence",
        }
    }
}
