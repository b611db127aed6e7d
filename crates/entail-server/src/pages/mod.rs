//! What a person opens in a browser. All of it is in the binary; nothing comes from elsewhere.
//!
//! The pages themselves need no key: they hold nothing. What they show they read from the
//! service, with the key that whoever reads them enters.

/// A file under `web/`, as it is there.
macro_rules! web {
    ($name:literal) => {
        include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../web/", $name))
    };
}

mod dashboard;
mod docs;
mod file;

use axum::Router;

use crate::app::App;

/// The pages' routes. They are for people and not part of the OpenAPI document.
pub(crate) fn routes() -> Router<App> {
    dashboard::routes().merge(docs::routes())
}

const CSS: &str = "text/css; charset=utf-8";
const HTML: &str = "text/html; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const SVG: &str = "image/svg+xml";
