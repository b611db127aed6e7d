//! `{parameters, expression, confidence?}` and `{inputs, expression}`

use entail_json::Value;
use entail_session::{ConstraintDefinition, RuleDefinition};
use utoipa::ToSchema;

use crate::body::decode::{Decoded, Fields, Pointer, list, map, share, text};

/// A rule: a value that follows from others, always.
#[derive(ToSchema)]
#[expect(dead_code, reason = "this type describes; `rule` reads")]
pub(crate) struct RuleBody {
    /// What its inputs are called in the expression.
    #[schema(example = json!(["prev", "cur"]))]
    parameters: Vec<String>,
    /// The expression, in the syntax of CEL without macros and comprehensions.
    #[schema(example = "(cur - prev) / prev * 100.0")]
    expression: String,
    /// How certain a step by it is, from 0 to 1; the policy's prior for rules when absent.
    #[schema(minimum = 0, maximum = 1)]
    confidence: Option<f64>,
}

/// A constraint: what has to hold between the values of several keys.
#[derive(ToSchema)]
#[expect(dead_code, reason = "this type describes; `constraint` reads")]
pub(crate) struct ConstraintBody {
    /// What each key is called in the expression, and the key.
    #[schema(example = json!({"total": "revenue:total", "part": "revenue:product"}))]
    inputs: std::collections::BTreeMap<String, String>,
    /// The expression, in the syntax of CEL without macros and comprehensions.
    #[schema(example = "part <= total")]
    expression: String,
}

/// Reads a rule.
pub(crate) fn rule(value: Value, place: &Pointer) -> Decoded<RuleDefinition> {
    let mut fields = Fields::open(value, place)?;
    let parameters = fields.required("parameters", list(text));
    let expression = fields.required("expression", text);
    let confidence = fields.optional("confidence", share);
    fields.close(|| {
        Some(RuleDefinition {
            parameters: parameters?,
            expression: expression?,
            confidence: confidence?,
        })
    })
}

/// Reads a constraint.
pub(crate) fn constraint(value: Value, place: &Pointer) -> Decoded<ConstraintDefinition> {
    let mut fields = Fields::open(value, place)?;
    let inputs = fields.required("inputs", map(text));
    let expression = fields.required("expression", text);
    fields.close(|| {
        Some(ConstraintDefinition {
            inputs: inputs?,
            expression: expression?,
        })
    })
}
