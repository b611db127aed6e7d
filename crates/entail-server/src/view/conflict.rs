//! `{id, kind, key or constraint, sides}`

use entail_json::{Object, Value};
use entail_kernel::{
    Base, Time,
    base::{Conflict, ConflictKind},
};

use super::{Extent, belief, weigh};

/// A conflict as an answer shows it, each side with its support.
pub(crate) fn conflict(base: &Base, conflict: &Conflict, at: Time) -> Value {
    let mut object = Object::new();
    match &conflict.kind {
        ConflictKind::Value { key } => {
            object.insert("id", format!("value:{key}").into());
            object.insert("kind", "value".into());
            object.insert("key", key.as_ref().into());
        }
        ConflictKind::Constraint { name, reason } => {
            object.insert("id", format!("constraint:{name}").into());
            object.insert("kind", "constraint".into());
            object.insert("constraint", name.as_ref().into());
            object.insert("reason", reason.as_str().into());
        }
    }
    let sides: Value = conflict
        .sides
        .iter()
        .filter_map(|side| base.belief(*side))
        .map(|side| belief(base, &side, weigh(base, side.id, at), Extent::Listed))
        .collect();
    object.insert("sides", sides);
    object.into()
}

/// The conflict of that id as the engine names it: a key, or `constraint:NAME`.
pub(crate) fn disputed(id: &str) -> &str {
    id.strip_prefix("value:").unwrap_or(id)
}
