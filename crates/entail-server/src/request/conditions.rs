//! `Idempotency-Key` and `If-Match`.

use axum::{
    extract::FromRequestParts,
    http::{HeaderMap, header, request::Parts},
};
use entail_json::Digest;
use entail_store::{IdempotencyKey, limits::IDEMPOTENCY_KEY_BYTES};

use crate::{
    app::App,
    problem::{Code, Fault, Place, Problem},
    sessions::Terms,
};

/// The header that names a request, so that it is done once.
pub(crate) const IDEMPOTENCY_KEY: &str = "idempotency-key";

/// On what conditions a request is to be done.
#[derive(Clone, Debug, Default)]
pub(crate) struct Conditions {
    key: Option<String>,
    scope: String,
    if_match: Option<Vec<u64>>,
}

impl FromRequestParts<App> for Conditions {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &App) -> Result<Self, Problem> {
        Ok(Self {
            key: key(&parts.headers)?,
            scope: format!("{} {}", parts.method, parts.uri.path()),
            if_match: if_match(&parts.headers)?,
        })
    }
}

impl Conditions {
    /// The idempotency key with the hash of the body it came with.
    pub(crate) fn key(&self, body: Option<Digest>) -> Option<IdempotencyKey> {
        let (key, body) = (self.key.clone()?, body?);
        Some(IdempotencyKey {
            scope: self.scope.clone(),
            key,
            body,
        })
    }

    /// The versions of which the session must be at one; `None` where any will do.
    pub(crate) fn versions(self) -> Option<Vec<u64>> {
        self.if_match
    }

    /// The terms of a commit whose body has that hash.
    pub(crate) fn terms(self, body: Option<Digest>, dry_run: bool) -> Terms {
        let key = if dry_run { None } else { self.key(body) };
        Terms {
            key,
            if_match: self.if_match,
            dry_run,
        }
    }
}

fn key(headers: &HeaderMap) -> Result<Option<String>, Problem> {
    let Some(value) = headers.get(IDEMPOTENCY_KEY) else {
        return Ok(None);
    };
    match value.to_str() {
        Ok(key) if (1..=IDEMPOTENCY_KEY_BYTES).contains(&key.len()) => Ok(Some(key.to_owned())),
        _ => Err(malformed(
            IDEMPOTENCY_KEY,
            format!(
                "`{IDEMPOTENCY_KEY}` has to be 1 to {IDEMPOTENCY_KEY_BYTES} printable characters"
            ),
        )),
    }
}

/// The versions of an `If-Match`; `None` where any will do.
fn if_match(headers: &HeaderMap) -> Result<Option<Vec<u64>>, Problem> {
    let Some(value) = headers.get(header::IF_MATCH) else {
        return Ok(None);
    };
    let text = value.to_str().unwrap_or_default().trim();
    if text == "*" {
        return Ok(None);
    }
    versions(text).map(Some).ok_or_else(|| {
        let detail = "`if-match` has to be a session's `etag`, its version in quotes: `\"7\"`";
        malformed("if-match", detail.to_owned())
    })
}

/// The versions that a list of entity tags names; `None` where it is no such list. A tag that is
/// weak or no version is well-formed and matches no session.
fn versions(mut text: &str) -> Option<Vec<u64>> {
    let mut versions = Vec::new();
    loop {
        let strong = text.strip_prefix("W/").unwrap_or(text);
        let is_strong = strong.len() == text.len();
        let (tag, rest) = strong.strip_prefix('"')?.split_once('"')?;
        if !tag.bytes().all(|byte| byte == 0x21 || byte > 0x22) {
            return None;
        }
        versions.extend(tag.parse::<u64>().ok().filter(|_| is_strong));
        match rest.trim_start().strip_prefix(',') {
            Some(more) => text = more.trim_start(),
            None if rest.trim().is_empty() => return Some(versions),
            None => return None,
        }
    }
}

fn malformed(header: &'static str, detail: String) -> Problem {
    Problem::new(Code::InvalidHeader, detail.clone()).with_faults(vec![Fault {
        place: Place::Header(header),
        detail,
    }])
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn parse(value: &'static str) -> Option<Option<Vec<u64>>> {
        let mut headers = HeaderMap::new();
        headers.insert(header::IF_MATCH, HeaderValue::from_static(value));
        if_match(&headers).ok()
    }

    #[test]
    fn an_if_match_lists_versions() {
        assert_eq!(parse("\"7\""), Some(Some(vec![7])));
        assert_eq!(parse("\"7\", \"8\""), Some(Some(vec![7, 8])));
        assert_eq!(parse("*"), Some(None));
        for malformed in ["7", "", "\"7\",", "\"7", "\"7\" \"8\"", "\"a b\"", "W\"7\""] {
            assert_eq!(parse(malformed), None, "{malformed}");
        }
    }

    #[test]
    fn a_tag_that_is_no_version_of_ours_is_well_formed_and_matches_nothing() {
        assert_eq!(parse("W/\"7\""), Some(Some(vec![])));
        assert_eq!(parse("\"x,y\" , \"8\""), Some(Some(vec![8])));
    }
}
