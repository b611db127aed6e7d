//! Listening, serving and stopping.

mod listener;
mod signal;
mod socket;

pub(crate) use listener::Listener;
pub(crate) use signal::{Stop, on_signal};
