//! `{key, value, antecedents, source, formula?, confidence?, unless?}` and
//! `{key, rule, inputs, unless?}`

use entail_json::Value;
use entail_session::{Derivation, Step};
use utoipa::ToSchema;

use super::source;
use crate::{
    body::decode::{Decoded, Fields, Pointer, any, list, object, share, text},
    openapi::schema::Any,
};

/// A step of the orchestrator's own: a value that follows from other beliefs.
#[derive(ToSchema)]
#[expect(dead_code, reason = "this type describes; `justification` reads")]
pub(crate) struct JustificationBody {
    /// The key.
    #[schema(example = "trend")]
    key: String,
    /// The value; may be absent where there is a formula.
    value: Option<Any>,
    /// Keys (what is believed of them now) and refs it rests on.
    #[schema(example = json!(["growth"]))]
    antecedents: Vec<String>,
    /// Who took the step.
    #[schema(
        pattern = "^(tool|document|human|model|rule|assumption):.",
        example = "human:analyst"
    )]
    source: String,
    /// A formula over `{key}` placeholders that has to reproduce the value.
    formula: Option<String>,
    /// How certain the step is, from 0 to 1.
    #[schema(minimum = 0, maximum = 1)]
    confidence: Option<f64>,
    /// Keys whose being believed defeats the step.
    unless: Option<Vec<String>>,
    /// The statement in words.
    claim: Option<String>,
    /// A note kept with it.
    note: Option<String>,
    /// Anything to keep with it.
    #[schema(value_type = Option<Object>)]
    metadata: Option<()>,
}

/// A value to compute by a registered rule.
#[derive(ToSchema)]
#[expect(dead_code, reason = "this type describes; `derivation` reads")]
pub(crate) struct DerivationBody {
    /// The key.
    #[schema(example = "growth")]
    key: String,
    /// The rule.
    #[schema(example = "growth")]
    rule: String,
    /// The keys whose values are the rule's parameters, in their order.
    #[schema(example = json!(["revenue:Q2", "revenue:Q3"]))]
    inputs: Vec<String>,
    /// Keys whose being believed defeats the step.
    unless: Option<Vec<String>>,
    /// The statement in words.
    claim: Option<String>,
}

/// Reads a justification.
pub(crate) fn justification(value: Value, place: &Pointer) -> Decoded<Step> {
    let mut fields = Fields::open(value, place)?;
    let key = fields.required("key", text);
    let value = fields.optional("value", any);
    let antecedents = fields.required("antecedents", list(text));
    let source = fields.required("source", source);
    let formula = fields.optional("formula", text);
    let confidence = fields.optional("confidence", share);
    let unless = fields.optional("unless", list(text));
    let claim = fields.optional("claim", text);
    let note = fields.optional("note", text);
    let metadata = fields.optional("metadata", object);
    fields.close(|| {
        let mut step = Step::new(key?, Value::Null, source?, antecedents?);
        step.value = value?;
        step.formula = formula?;
        step.confidence = confidence?;
        step.unless = unless?.unwrap_or_default();
        step.claim = claim?;
        step.note = note?;
        step.metadata = metadata?;
        Some(step)
    })
}

/// Reads a derivation.
pub(crate) fn derivation(value: Value, place: &Pointer) -> Decoded<Derivation> {
    let mut fields = Fields::open(value, place)?;
    let key = fields.required("key", text);
    let rule = fields.required("rule", text);
    let inputs = fields.required("inputs", list(text));
    let unless = fields.optional("unless", list(text));
    let claim = fields.optional("claim", text);
    fields.close(|| {
        let mut derivation = Derivation::new(key?, rule?, inputs?);
        derivation.unless = unless?.unwrap_or_default();
        derivation.claim = claim?;
        Some(derivation)
    })
}
