//! Listening, serving and stopping.

mod listener;
mod signal;

pub(crate) use listener::Listener;
pub(crate) use signal::{Stop, on_signal};
