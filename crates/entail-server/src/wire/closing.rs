//! `{state, reason?}`

use entail_json::Value;
use entail_session::Closing;
use utoipa::ToSchema;

use crate::body::decode::{Decoded, Fields, Pointer, choice, text};

/// How a session ends.
#[derive(ToSchema)]
#[expect(dead_code, reason = "this type describes; `closing` reads")]
pub(crate) struct ClosingBody {
    /// `answered`, `insufficient_evidence` or `abandoned`.
    #[schema(
        pattern = "^(answered|insufficient_evidence|abandoned)$",
        example = "answered"
    )]
    state: String,
    /// Why; `insufficient_evidence` needs one.
    reason: Option<String>,
}

#[derive(Clone, Copy)]
enum End {
    Answered,
    InsufficientEvidence,
    Abandoned,
}

/// Reads it.
pub(crate) fn closing(value: Value, place: &Pointer) -> Decoded<Closing> {
    const ENDS: &[(&str, End)] = &[
        ("answered", End::Answered),
        ("insufficient_evidence", End::InsufficientEvidence),
        ("abandoned", End::Abandoned),
    ];
    let mut fields = Fields::open(value, place)?;
    let end = fields.required("state", choice(ENDS));
    let reason = fields.optional("reason", text);
    let closing = match (end, reason) {
        (Some(End::Answered), Some(None)) => Some(Closing::Answered),
        (Some(End::Answered), Some(Some(_))) => {
            fields.fault("an answered session needs no `reason`");
            None
        }
        (Some(End::InsufficientEvidence), Some(Some(reason))) => {
            Some(Closing::InsufficientEvidence { reason })
        }
        (Some(End::InsufficientEvidence), Some(None)) => {
            fields.fault("`insufficient_evidence` needs a `reason`: say what is missing");
            None
        }
        (Some(End::Abandoned), Some(reason)) => Some(Closing::Abandoned { reason }),
        _ => None,
    };
    fields.close(|| closing)
}
