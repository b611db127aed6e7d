//! The address of an SQLite file, and what it says beside the path.

use std::str::FromStr;
use std::sync::Arc;

use sqlx::sqlite::SqliteConnectOptions;

use crate::error::StoreError;

/// The parameter that bounds the file: the most pages of 4 KiB it may grow to.
const MAX_PAGES: &str = "max_page_count";

/// Reads `sqlite://PATH`, with `?max_page_count=N` if given.
///
/// SQLite takes a bound below what the file already has as the size it has, so lowering it loses
/// nothing.
pub(super) fn parse(url: &str) -> Result<SqliteConnectOptions, StoreError> {
    // Each connection to memory would be a database of its own.
    if url.contains(":memory:") || url.contains("mode=memory") {
        return Err(StoreError::Configuration { source: None });
    }
    let (path, query) = url.split_once('?').unwrap_or((url, ""));
    let mut pages = None;
    let mut rest = String::new();
    for parameter in query.split('&').filter(|parameter| !parameter.is_empty()) {
        match parameter.split_once('=') {
            Some((MAX_PAGES, value)) => pages = Some(page_count(value)?),
            _ => {
                rest.push(if rest.is_empty() { '?' } else { '&' });
                rest.push_str(parameter);
            }
        }
    }
    let options = SqliteConnectOptions::from_str(&format!("{path}{rest}"))?;
    Ok(match pages {
        Some(pages) => options.pragma(MAX_PAGES, pages.to_string()),
        None => options,
    })
}

fn page_count(value: &str) -> Result<u32, StoreError> {
    let count = value.parse().ok().filter(|pages: &u32| *pages > 0);
    count.ok_or_else(|| {
        let wrong = "`max_page_count` has to be a number of pages, at least 1";
        let source = Some(Arc::new(sqlx::Error::Configuration(wrong.into())));
        StoreError::Configuration { source }
    })
}
