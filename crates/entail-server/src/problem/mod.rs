//! Problems (RFC 9457): what a caller is told when a request fails.
//!
//! A handler answers a [`Problem`]; it travels as an extension of an empty response to the
//! outermost layer, which alone writes the body, since only there are the request's id and path
//! at hand and is nothing left that could answer in another form.

mod catalogue;
mod from_session;
mod from_store;

pub(crate) use catalogue::Code;

use std::borrow::Cow;

use axum::{
    body::Body,
    http::{HeaderValue, header},
    response::{IntoResponse, Response},
};
use entail_json::{Object, Value, to_canonical};

use crate::limits::RETRY_AFTER_S;

/// The media type of a problem.
pub(crate) const PROBLEM_JSON: &str = "application/problem+json";

/// A fault of a request's body, query or path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    /// Where: a JSON pointer into the body, or the name of a parameter.
    pub(crate) place: Place,
    /// What is wrong there, and what would be right.
    pub(crate) detail: String,
}

/// Where a fault is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// In the body, as a JSON pointer (RFC 6901).
    Body(String),
    /// Between the members of an object of the body that are right each by itself.
    Members(String),
    /// In a query or path parameter.
    Parameter(String),
    /// In a header.
    Header(&'static str),
}

/// Why a request was not done.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Problem {
    code: Code,
    detail: Cow<'static, str>,
    faults: Vec<Fault>,
    extra: Option<Box<Object>>,
    retry_after: u32,
}

impl Problem {
    /// A problem of that kind; the detail says what is wrong here and what to do.
    pub(crate) fn new(code: Code, detail: impl Into<Cow<'static, str>>) -> Self {
        Self {
            code,
            detail: detail.into(),
            faults: Vec::new(),
            extra: None,
            retry_after: RETRY_AFTER_S,
        }
    }

    /// A problem with the places where it stands.
    pub(crate) fn with_faults(mut self, faults: Vec<Fault>) -> Self {
        self.faults = faults;
        self
    }

    /// A problem that says more in a member of its own.
    pub(crate) fn with_member(mut self, name: &'static str, value: impl Into<Value>) -> Self {
        self.extra
            .get_or_insert_default()
            .insert(name, value.into());
        self
    }

    /// When to come back, in seconds.
    pub(crate) fn retry_after(mut self, seconds: u32) -> Self {
        self.retry_after = seconds;
        self
    }

    /// The failure of a part below that the caller can do nothing about. It is logged here, and
    /// nothing of it is told.
    pub(crate) fn internal(error: &(dyn std::error::Error + 'static)) -> Self {
        let mut chain = error.to_string();
        let mut source = error.source();
        while let Some(cause) = source {
            chain.push_str(": ");
            chain.push_str(&cause.to_string());
            source = cause.source();
        }
        tracing::error!(error = chain, "request failed");
        Self::new(
            Code::Internal,
            "the request was not done; the service's log names the cause under this request id",
        )
    }

    /// The code.
    pub(crate) fn code(&self) -> Code {
        self.code
    }

    /// What is wrong here and what to do.
    pub(crate) fn detail(&self) -> &str {
        &self.detail
    }

    /// The body, as the outermost layer writes it.
    pub(crate) fn body(&self, instance: &str, request_id: &str) -> String {
        let mut object = Object::from([
            (
                "type",
                Value::from(format!("urn:entail:problem:{}", self.code.as_str())),
            ),
            ("title", Value::from(self.code.title())),
            (
                "status",
                Value::from(u32::from(self.code.status().as_u16())),
            ),
            ("code", Value::from(self.code.as_str())),
            ("detail", Value::from(self.detail.as_ref())),
            ("instance", Value::from(instance)),
            ("request_id", Value::from(request_id)),
        ]);
        if !self.faults.is_empty() {
            let faults = self.faults.iter().map(|fault| {
                let (name, place) = match &fault.place {
                    Place::Body(pointer) | Place::Members(pointer) => ("pointer", pointer.as_str()),
                    Place::Parameter(parameter) => ("parameter", parameter.as_str()),
                    Place::Header(header) => ("header", *header),
                };
                Value::from([
                    (name, Value::from(place)),
                    ("detail", Value::from(fault.detail.as_str())),
                ])
            });
            object.insert("errors", faults.collect());
        }
        for (name, value) in self.extra.iter().flat_map(|extra| extra.iter()) {
            object.insert(name, value.clone());
        }
        to_canonical(&Value::Object(object))
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = Response::new(Body::empty());
        *response.status_mut() = self.code.status();
        let headers = response.headers_mut();
        match self.code.status().as_u16() {
            429 | 503 => {
                headers.insert(header::RETRY_AFTER, HeaderValue::from(self.retry_after));
            }
            401 => {
                headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            }
            _ => {}
        }
        response.extensions_mut().insert(self);
        response
    }
}

/// A caller's text, shortened for an error message.
pub(crate) fn quoted(text: &str) -> String {
    let max = crate::limits::QUOTED_CHARS;
    match text.char_indices().nth(max) {
        None => format!("`{}`", text.escape_debug()),
        Some((end, _)) => format!("`{}…`", text.get(..end).unwrap_or_default().escape_debug()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_names_its_kind_its_place_and_the_request() {
        let problem =
            Problem::new(Code::InvalidBody, "one member is wrong").with_faults(vec![Fault {
                place: Place::Body("/key".to_owned()),
                detail: "`key` is a string".to_owned(),
            }]);
        assert_eq!(
            problem.body("/sessions", "abc"),
            concat!(
                r#"{"code":"invalid_body","detail":"one member is wrong","errors":"#,
                r#"[{"detail":"`key` is a string","pointer":"/key"}],"instance":"/sessions","#,
                r#""request_id":"abc","status":400,"#,
                r#""title":"the body is not of the form this resource takes","#,
                r#""type":"urn:entail:problem:invalid_body"}"#
            )
        );
    }

    #[test]
    fn an_unavailable_service_says_when_to_come_back() {
        let response = Problem::new(Code::StoreUnavailable, "away").into_response();
        assert_eq!(response.headers()["retry-after"], "1");
        assert_eq!(response.status(), 503);
    }

    #[test]
    fn quoted_text_is_short_and_has_no_line_breaks() {
        assert_eq!(quoted("a\nb"), "`a\\nb`");
        assert!(quoted(&"é".repeat(500)).chars().count() < 100);
    }
}
