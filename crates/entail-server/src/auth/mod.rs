//! API keys: who calls, whose data it is, and what may be done.
//!
//! A token is `entail_` and 64 hexadecimal digits, or what a bootstrap file holds. The store has
//! only hashes of it: one that names the key, and one that is compared in constant time.

mod keys;
mod token;

pub(crate) use keys::{Keys, scopes_text};
pub(crate) use token::{SHORTEST, Token};
