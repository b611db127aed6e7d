//! Operations whose SQL is the same on both engines, written once.
//!
//! sqlx checks a query against one database's types, so what is shared is text: each macro puts
//! its subject's operations into an engine's `impl Engine`, where `self.reader()` and
//! `self.writer()` are that engine's pools.

mod beside;
mod calls;
mod keys;
mod own;
mod secrets;
mod sessions;

pub(crate) use beside::beside_operations;
pub(crate) use calls::call_operations;
pub(crate) use keys::key_operations;
pub(crate) use own::own_operations;
pub(crate) use secrets::secret_operations;
pub(crate) use sessions::session_operations;
