//! `{keep?, retract?, reason?, learn?}`, `{source, correct}`, `{correct}`, `{keys?, faded?}`

use entail_json::Value;
use entail_session::{Reverification, Settlement, Told};
use utoipa::ToSchema;

use super::source;
use crate::body::decode::{Decoded, Fields, Pointer, boolean, one_or_list, share, text};

/// How to settle a conflict by hand.
#[derive(ToSchema)]
#[expect(dead_code, reason = "this type describes; `settlement` reads")]
pub(crate) struct SettlementBody {
    /// Sides to keep: refs, or a key for all its sides; those not retracted when absent.
    #[schema(required = false, schema_with = crate::openapi::shapes::texts)]
    keep: (),
    /// Sides to retract: refs; those not kept when absent.
    #[schema(required = false, schema_with = crate::openapi::shapes::texts)]
    retract: (),
    /// Why; kept with every retraction.
    reason: Option<String>,
    /// Whether this is ground truth: it teaches the trust ledger.
    learn: Option<bool>,
}

/// Whether a source was right.
#[derive(ToSchema)]
#[expect(dead_code, reason = "this type describes; `told` reads")]
pub(crate) struct OutcomeBody {
    /// The source, `kind:name`.
    #[schema(
        pattern = "^(tool|document|human|model|rule|assumption):.",
        example = "tool:get_revenue"
    )]
    source: String,
    /// Whether it was right.
    correct: bool,
}

/// Whether the source in the path was right.
#[derive(ToSchema)]
#[expect(dead_code, reason = "this type describes; `verdict` reads")]
pub(crate) struct VerdictBody {
    /// Whether it was right.
    correct: bool,
}

/// Which evidence to check again.
#[derive(ToSchema)]
#[expect(dead_code, reason = "this type describes; `reverification` reads")]
pub(crate) struct ReverificationBody {
    /// Keys to look at; all of them when absent.
    #[schema(required = false, schema_with = crate::openapi::shapes::texts)]
    keys: (),
    /// The share of its weight that a believed premise must have lost, from 0 to 1.
    #[schema(minimum = 0, maximum = 1, default = 0.5)]
    faded: Option<f64>,
}

/// Reads a settlement.
pub(crate) fn settlement(value: Value, place: &Pointer) -> Decoded<Settlement> {
    let mut fields = Fields::open(value, place)?;
    let keep = fields.optional("keep", one_or_list(text));
    let retract = fields.optional("retract", one_or_list(text));
    let reason = fields.optional("reason", text);
    let learn = fields.optional("learn", boolean);
    if let (Some(None), Some(None)) = (&keep, &retract) {
        fields.fault("say which side to `keep`, or which to `retract`");
    }
    fields.close(|| {
        Some(Settlement {
            keep: keep?.unwrap_or_default(),
            retract: retract?.unwrap_or_default(),
            reason: reason?,
            learn: learn?.unwrap_or(false),
        })
    })
}

/// Reads an outcome.
pub(crate) fn told(value: Value, place: &Pointer) -> Decoded<Told> {
    let mut fields = Fields::open(value, place)?;
    let source = fields.required("source", source);
    let correct = fields.required("correct", boolean);
    fields.close(|| {
        Some(Told {
            source: source?.label(),
            correct: correct?,
        })
    })
}

/// Reads whether a source was right.
pub(crate) fn verdict(value: Value, place: &Pointer) -> Decoded<bool> {
    let mut fields = Fields::open(value, place)?;
    let correct = fields.required("correct", boolean);
    fields.close(|| correct)
}

/// Reads which evidence to check again.
pub(crate) fn reverification(value: Value, place: &Pointer) -> Decoded<Reverification> {
    let mut fields = Fields::open(value, place)?;
    let keys = fields.optional("keys", one_or_list(text));
    let faded = fields.optional("faded", share);
    fields.close(|| {
        let default = Reverification::default();
        Some(Reverification {
            keys: keys?.unwrap_or_default(),
            faded: faded?.unwrap_or(default.faded),
        })
    })
}
