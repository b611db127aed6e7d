//! Answers that can be kept and given again.

use axum::{
    body::Body,
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use entail_json::{Object, Value, read_str, to_canonical};

use crate::body::JSON;

/// An answer to a command.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Reply {
    /// The status.
    pub(crate) status: StatusCode,
    /// Where what was made is.
    pub(crate) location: Option<String>,
    /// The session's version, for `etag`.
    pub(crate) version: Option<u64>,
    /// The body.
    pub(crate) body: Object,
}

impl Reply {
    /// 200 with an object.
    pub(crate) fn ok(body: Object) -> Self {
        Self {
            status: StatusCode::OK,
            location: None,
            version: None,
            body,
        }
    }

    /// The same under another status.
    pub(crate) fn with_status(mut self, status: StatusCode) -> Self {
        self.status = status;
        self
    }

    /// The same for a session at a version.
    pub(crate) fn at_version(mut self, version: u64) -> Self {
        self.version = Some(version);
        self
    }

    /// The same with where what was made is.
    pub(crate) fn located(mut self, location: String) -> Self {
        self.location = Some(location);
        self
    }

    /// The form in which it is kept under an idempotency key.
    pub(crate) fn to_kept(&self) -> String {
        to_canonical(&Value::from([
            ("status", u32::from(self.status.as_u16()).into()),
            ("location", self.location.clone().into()),
            ("version", self.version.into()),
            ("body", self.body.clone().into()),
        ]))
    }

    /// What was kept.
    pub(crate) fn from_kept(kept: &str) -> Option<Self> {
        let kept = read_str(kept).ok()?;
        let status = u16::try_from(kept.get("status")?.as_u64()?).ok()?;
        Some(Self {
            status: StatusCode::from_u16(status).ok()?,
            location: kept.get("location")?.as_str().map(str::to_owned),
            version: kept.get("version")?.as_u64(),
            body: kept.get("body")?.as_object()?.clone(),
        })
    }
}

/// The entity tag of a session's version.
pub(crate) fn etag(version: u64) -> String {
    format!("\"{version}\"")
}

impl IntoResponse for Reply {
    fn into_response(self) -> Response {
        let mut response = Response::new(Body::from(to_canonical(&Value::Object(self.body))));
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(JSON));
        if let Some(location) = self
            .location
            .and_then(|path| HeaderValue::try_from(path).ok())
        {
            headers.insert(header::LOCATION, location);
        }
        if let Some(tag) = self
            .version
            .and_then(|v| HeaderValue::try_from(etag(v)).ok())
        {
            headers.insert(header::ETAG, tag);
        }
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kept_answer_is_given_again_as_it_was() {
        let reply = Reply::ok(Object::from([("n", Value::from(1_i64))]))
            .with_status(StatusCode::CREATED)
            .located("/sessions/1".to_owned())
            .at_version(7);
        assert_eq!(Reply::from_kept(&reply.to_kept()), Some(reply));
    }
}
