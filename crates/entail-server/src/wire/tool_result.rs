//! `{call_id, value}` or `{call_id, error}`

use entail_json::Value;
use entail_session::ToolResult;
use utoipa::ToSchema;

use crate::{
    body::decode::{Decoded, Fields, Pointer, any, text},
    openapi::schema::Any,
};

/// What came of a call: its value, or its error.
#[derive(ToSchema)]
#[expect(dead_code, reason = "this type describes; `tool_result` reads")]
pub(crate) struct ToolResultBody {
    /// The call.
    call_id: String,
    /// What the tool gave; any value, `null` too.
    #[schema(required = false)]
    value: Option<Any>,
    /// What went wrong, for the model.
    #[schema(required = false)]
    error: Option<String>,
}

/// Reads one.
pub(crate) fn tool_result(value: Value, place: &Pointer) -> Decoded<ToolResult> {
    let mut fields = Fields::open(value, place)?;
    let call_id = fields.required("call_id", text);
    let has_value = fields.has("value");
    let value = has_value
        .then(|| fields.required_or_null("value", any))
        .flatten();
    let error = fields.optional("error", text);
    let result = match (value, error) {
        (Some(value), Some(None)) => Some(Ok(value)),
        (None, Some(Some(error))) => Some(Err(error)),
        (_, None) => None,
        _ => {
            fields.fault("give `value` or `error`, and not both");
            None
        }
    };
    fields.close(|| {
        Some(ToolResult {
            call_id: call_id?,
            result: result?,
        })
    })
}
