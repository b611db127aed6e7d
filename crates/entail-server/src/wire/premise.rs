//! `{key, value, source, claim?, confidence?, ttl_s?, valid_until?, half_life_s?, origin?,
//! supersede?, metadata?}`

use entail_json::Value;
use entail_kernel::base::{Expiry, Premise, Source};
use utoipa::ToSchema;

use super::{seconds, source, time};
use crate::{
    body::decode::{Decoded, Fields, Pointer, any, boolean, object, share, text},
    openapi::schema::Any,
};

/// A fact that a source vouches for.
#[derive(ToSchema)]
#[expect(dead_code, reason = "this type describes; `premise` reads")]
pub(crate) struct PremiseBody {
    /// The key: no white space, no `@`, `{` or `}`, at most 512 bytes.
    #[schema(example = "revenue:Q2")]
    key: String,
    /// Any value but an absent one.
    value: Any,
    /// Who says so: `tool:NAME`, `document:NAME`, `human:NAME` or `assumption:NAME`.
    #[schema(
        pattern = "^(tool|document|human|model|rule|assumption):.",
        example = "human:analyst"
    )]
    source: String,
    /// The statement in words.
    claim: Option<String>,
    /// How far the source is trusted for this, from 0 to 1; the policy's prior when absent.
    #[schema(minimum = 0, maximum = 1)]
    confidence: Option<f64>,
    /// How long it stays valid, in seconds.
    #[schema(minimum = 0.000001, maximum = 1e11)]
    ttl_s: Option<f64>,
    /// Until when it is valid; not with `ttl_s`.
    #[schema(required = false, schema_with = crate::openapi::shapes::instant)]
    valid_until: (),
    /// After how many seconds its weight has halved.
    #[schema(minimum = 0.000001, maximum = 1e11)]
    half_life_s: Option<f64>,
    /// Whose word it is in the end; premises of one origin do not confirm each other.
    origin: Option<String>,
    /// Retract what the key holds otherwise first.
    supersede: Option<bool>,
    /// Anything to keep with it.
    #[schema(value_type = Option<Object>)]
    metadata: Option<()>,
}

/// Reads one.
pub(crate) fn premise(value: Value, place: &Pointer) -> Decoded<Premise> {
    let mut fields = Fields::open(value, place)?;
    let key = fields.required("key", text);
    let value = fields.required_or_null("value", any);
    let source = fields.required("source", source);
    let claim = fields.optional("claim", text);
    let confidence = fields.optional("confidence", share);
    let ttl = fields.optional("ttl_s", seconds);
    let valid_until = fields.optional("valid_until", time);
    let half_life = fields.optional("half_life_s", seconds);
    let origin = fields.optional("origin", text);
    let supersede = fields.optional("supersede", boolean);
    let metadata = fields.optional("metadata", object);
    if let (Some(Some(_)), Some(Some(_))) = (&ttl, &valid_until) {
        fields.fault("give `ttl_s` or `valid_until`, not both");
    }
    fields.close(|| {
        let mut source: Source = source?;
        if let Some(origin) = origin? {
            source = source.with_origin(origin);
        }
        let expiry = ttl?.map(Expiry::After).or(valid_until?.map(Expiry::At));
        Some(Premise {
            claim: claim?,
            confidence: confidence?,
            expiry,
            half_life: half_life?,
            supersede: supersede?.unwrap_or(false),
            metadata: metadata?,
            ..Premise::new(key?, value?, source)
        })
    })
}
