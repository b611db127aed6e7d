//! `{labels?, policy?, expires_in_s?, expires_at?}`

use entail_json::{Object, Value};
use entail_kernel::{Span, Time};
use entail_session::{Labels, read_labels};
use utoipa::ToSchema;

use super::{by_session, seconds, time};
use crate::body::decode::{Decoded, Fields, Pointer, object};

/// What to change; what is not given stays as it is.
#[derive(ToSchema)]
#[expect(dead_code, reason = "this type describes; `patch` reads")]
pub(crate) struct PatchBody {
    /// All labels.
    #[schema(required = false, schema_with = crate::openapi::shapes::labels)]
    labels: (),
    /// Members of the policy to change; the others stay.
    #[schema(required = false, schema_with = crate::openapi::shapes::policy)]
    policy: (),
    /// Close the session as abandoned so many seconds from now; `null`: never.
    #[schema(minimum = 0.000001, maximum = 1e11)]
    expires_in_s: Option<f64>,
    /// Close the session as abandoned at this time; `null`: never. Not with `expires_in_s`.
    #[schema(required = false, schema_with = crate::openapi::shapes::instant)]
    expires_at: (),
}

/// A patch before it was put against the session.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PatchRequest {
    /// All labels.
    pub(crate) labels: Option<Labels>,
    /// Members of the policy.
    pub(crate) policy: Option<Object>,
    /// When it expires.
    pub(crate) expiry: Option<Option<Expiry>>,
}

/// When a session expires.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Expiry {
    /// At a time.
    At(Time),
    /// So long after the commit.
    In(Span),
}

/// Reads it.
pub(crate) fn patch(value: Value, place: &Pointer) -> Decoded<PatchRequest> {
    let mut fields = Fields::open(value, place)?;
    let labels = fields.optional("labels", by_session(read_labels));
    let policy = fields.optional("policy", object);
    let within = fields.nullable("expires_in_s", seconds);
    let at = fields.nullable("expires_at", time);
    if let (Some(Some(_)), Some(Some(_))) = (&within, &at) {
        fields.fault("give `expires_in_s` or `expires_at`, not both");
    }
    fields.close(|| {
        let within = within?.map(|span| span.map(Expiry::In));
        let at = at?.map(|time| time.map(Expiry::At));
        Some(PatchRequest {
            labels: labels?,
            policy: policy?,
            expiry: within.or(at),
        })
    })
}
