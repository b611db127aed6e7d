//! `{target, reason?, fault?}` and `{target}`

use entail_json::Value;
use entail_kernel::base::Fault;
use entail_session::Retraction;
use utoipa::ToSchema;

use crate::body::decode::{Decoded, Fields, Pointer, choice, text};

/// What to take back.
#[derive(ToSchema)]
#[expect(dead_code, reason = "this type describes; `retraction` reads")]
pub(crate) struct RetractionBody {
    /// A key (all its believed revisions) or a ref (that one).
    #[schema(example = "revenue:Q2")]
    target: String,
    /// Why.
    #[schema(example = "restated in the amended filing")]
    reason: Option<String>,
    /// `source`: whoever stated it was wrong, and is trusted less from now on.
    #[schema(pattern = "^(none|source)$")]
    fault: Option<String>,
}

/// What to believe again.
#[derive(ToSchema)]
#[expect(dead_code, reason = "this type describes; `restoration` reads")]
pub(crate) struct RestorationBody {
    /// A key (its latest retracted revision) or a ref.
    #[schema(example = "revenue:Q2@1")]
    target: String,
}

/// Reads a retraction.
pub(crate) fn retraction(value: Value, place: &Pointer) -> Decoded<Retraction> {
    const FAULTS: &[(&str, Fault)] = &[("none", Fault::None), ("source", Fault::Source)];
    let mut fields = Fields::open(value, place)?;
    let target = fields.required("target", text);
    let reason = fields.optional("reason", text);
    let fault = fields.optional("fault", choice(FAULTS));
    fields.close(|| {
        Some(Retraction {
            target: target?,
            reason: reason?,
            fault: fault?.unwrap_or_default(),
        })
    })
}

/// Reads a restoration's target.
pub(crate) fn restoration(value: Value, place: &Pointer) -> Decoded<String> {
    let mut fields = Fields::open(value, place)?;
    let target = fields.required("target", text);
    fields.close(|| target)
}
