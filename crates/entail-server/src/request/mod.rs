//! What a request says beside its body: its path, its query, its conditions.

mod accept;
mod conditions;
mod path;
mod query;

pub(crate) use accept::{preferred, prefers_json};
pub(crate) use conditions::Conditions;
pub(crate) use path::{Name, SessionPath};
pub(crate) use query::Query;
