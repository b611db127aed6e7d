//! `{response, context_id?, model?, step_id?}`

use entail_json::{Value, to_canonical};
use utoipa::ToSchema;

use crate::{
    body::decode::{Decoded, Fields, Pointer, text},
    problem::{Fault, Place},
};

/// What a model said.
#[derive(ToSchema)]
#[expect(dead_code, reason = "this type describes; `turn` reads")]
pub(crate) struct TurnBody {
    /// The response: the text as the model gave it, or its JSON.
    #[schema(schema_with = crate::openapi::shapes::response)]
    response: (),
    /// The context it answers; without one, the last handed out.
    context_id: Option<String>,
    /// The model's name; `default` when absent.
    #[schema(example = "gpt-x")]
    model: Option<String>,
    /// The node of the session's own plan that this turn works on.
    step_id: Option<String>,
}

/// A turn before its context was looked up.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TurnRequest {
    /// What the model said.
    pub(crate) response: String,
    /// The context it names.
    pub(crate) context_id: Option<String>,
    /// The model's name.
    pub(crate) model: Option<String>,
    /// The node of the plan.
    pub(crate) step_id: Option<String>,
}

/// Reads one.
pub(crate) fn turn(value: Value, place: &Pointer) -> Decoded<TurnRequest> {
    let mut fields = Fields::open(value, place)?;
    let response = fields.required("response", response_text);
    let context_id = fields.optional("context_id", text);
    let model = fields.optional("model", text);
    let step_id = fields.optional("step_id", text);
    fields.close(|| {
        Some(TurnRequest {
            response: response?,
            context_id: context_id?,
            model: model?,
            step_id: step_id?,
        })
    })
}

/// A response as text: what is no string is written as JSON, exactly.
pub(crate) fn response_text(value: Value, place: &Pointer) -> Decoded<String> {
    match value {
        Value::String(text) => Ok(text),
        Value::Object(_) | Value::Array(_) => Ok(to_canonical(&value)),
        other => Err(vec![Fault {
            place: Place::Body(place.as_str().to_owned()),
            detail: format!(
                "`response` has to be a string or an object, found {}",
                other.type_name()
            ),
        }]),
    }
}
