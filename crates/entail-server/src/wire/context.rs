//! `{task?, max_beliefs?, scope?}`

use entail_json::Value;
use entail_session::ContextOptions;
use utoipa::ToSchema;

use crate::body::decode::{Decoded, Fields, Pointer, count, one_or_list, text};

/// What may be asked of a new context; all of it optional.
#[derive(ToSchema)]
#[expect(dead_code, reason = "this type describes; `context_options` reads")]
pub(crate) struct ContextBody {
    /// A task for this context in the place of the session's.
    task: Option<String>,
    /// So many beliefs at most; the policy's number when absent.
    max_beliefs: Option<u64>,
    /// Only keys that begin with one of these.
    #[schema(required = false, schema_with = crate::openapi::shapes::texts)]
    scope: (),
}

/// Reads them.
pub(crate) fn context_options(value: Value, place: &Pointer) -> Decoded<ContextOptions> {
    let mut fields = Fields::open(value, place)?;
    let task = fields.optional("task", text);
    let max_beliefs = fields.optional("max_beliefs", count);
    let scope = fields.optional("scope", one_or_list(text));
    fields.close(|| {
        let max_beliefs = max_beliefs?.map(|most| usize::try_from(most).unwrap_or(usize::MAX));
        Some(ContextOptions {
            task: task?,
            max_beliefs,
            scope: scope?,
        })
    })
}
