//! Logs: one JSON object a line on standard error. No body, no document text, no belief's key or
//! value is ever logged.

use tracing_subscriber::EnvFilter;

/// A log filter that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("`log` has to be a level or a list of directives such as `info,entail=debug`")]
pub(crate) struct InvalidFilter(#[source] tracing_subscriber::filter::ParseError);

/// Starts logging, and has panics logged by their place alone: their message may hold data.
pub(crate) fn start(filter: &str) -> Result<(), InvalidFilter> {
    let filter = EnvFilter::builder().parse(filter).map_err(InvalidFilter)?;
    let _ = tracing_subscriber::fmt()
        .json()
        .flatten_event(true)
        .with_current_span(false)
        .with_span_list(false)
        .with_target(false)
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .try_init();
    std::panic::set_hook(Box::new(|panic| {
        let place = panic
            .location()
            .map_or_else(String::new, ToString::to_string);
        tracing::error!(place, "panicked");
    }));
    Ok(())
}
