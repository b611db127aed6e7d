//! W3C trace context: `traceparent` and `tracestate`.

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use uuid::Uuid;

use crate::limits::TRACE_STATE_BYTES;

/// The header that says which trace a request is part of.
const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");

/// The header with what tracing systems say besides.
const TRACESTATE: HeaderName = HeaderName::from_static("tracestate");

const SAMPLED: u8 = 1;

/// Where a piece of work stands in a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TraceContext {
    trace: u128,
    span: u64,
    parent: Option<u64>,
    flags: u8,
    state: Option<HeaderValue>,
}

impl TraceContext {
    /// The beginning of a trace.
    pub(crate) fn root() -> Self {
        Self {
            trace: Uuid::new_v4().as_u128(),
            span: new_span(),
            parent: None,
            flags: SAMPLED,
            state: None,
        }
    }

    /// The place of a request: below what its headers name, else the beginning of a trace.
    pub(crate) fn of_request(headers: &HeaderMap) -> Self {
        let mut given = headers.get_all(TRACEPARENT).iter();
        let (Some(parent), None) = (given.next(), given.next()) else {
            return Self::root();
        };
        let Some((trace, parent, flags)) = parent.to_str().ok().and_then(parse) else {
            return Self::root();
        };
        Self {
            trace,
            span: new_span(),
            parent: Some(parent),
            flags: flags & SAMPLED,
            state: state(headers),
        }
    }

    /// The place of work that this work asks for.
    pub(crate) fn child(&self) -> Self {
        Self {
            span: new_span(),
            parent: Some(self.span),
            ..self.clone()
        }
    }

    /// Says it to whoever is called.
    pub(crate) fn put(&self, headers: &mut HeaderMap) {
        let text = format!(
            "00-{}-{}-{:02x}",
            self.trace_id(),
            self.span_id(),
            self.flags
        );
        if let Ok(value) = HeaderValue::try_from(text) {
            headers.insert(TRACEPARENT, value);
        }
        if let Some(state) = &self.state {
            headers.insert(TRACESTATE, state.clone());
        }
    }

    /// Whether the caller, if there is one, wants the trace recorded.
    pub(crate) fn is_recorded(&self) -> bool {
        self.flags & SAMPLED != 0
    }

    /// The trace, in hexadecimal.
    pub(crate) fn trace_id(&self) -> String {
        format!("{:032x}", self.trace)
    }

    /// The span, in hexadecimal.
    pub(crate) fn span_id(&self) -> String {
        format!("{:016x}", self.span)
    }

    /// The span above, in hexadecimal.
    pub(crate) fn parent_id(&self) -> Option<String> {
        self.parent.map(|parent| format!("{parent:016x}"))
    }

    /// What tracing systems say besides.
    pub(crate) fn state(&self) -> Option<&str> {
        self.state.as_ref().and_then(|state| state.to_str().ok())
    }

    /// The flags.
    pub(crate) fn flags(&self) -> u8 {
        self.flags
    }
}

/// Random, and not zero: a UUID of version 4 has bits that are set in each half.
fn new_span() -> u64 {
    Uuid::new_v4().as_u64_pair().1
}

/// `version-trace-parent-flags`; a later version may say more after another dash.
fn parse(text: &str) -> Option<(u128, u64, u8)> {
    let mut parts = text.split('-');
    let version = hex(parts.next()?, 2)?;
    let trace = hex(parts.next()?, 32)?;
    let parent = hex(parts.next()?, 16)?;
    let flags = hex(parts.next()?, 2)?;
    let is_whole = parts.next().is_none();
    let is_known = version != 0xff && (version > 0 || is_whole);
    (is_known && trace != 0 && parent != 0).then_some(())?;
    Some((
        trace,
        u64::try_from(parent).ok()?,
        u8::try_from(flags).ok()?,
    ))
}

fn hex(text: &str, digits: usize) -> Option<u128> {
    let is_hex = text.len() == digits
        && text
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    is_hex
        .then(|| u128::from_str_radix(text, 16).ok())
        .flatten()
}

/// The state as one header, unless it is too long to be passed on.
fn state(headers: &HeaderMap) -> Option<HeaderValue> {
    let parts: Option<Vec<_>> = headers
        .get_all(TRACESTATE)
        .iter()
        .map(|part| part.to_str().ok())
        .collect();
    let joined = parts?.join(",");
    if joined.is_empty() || joined.len() > TRACE_STATE_BYTES {
        return None;
    }
    HeaderValue::try_from(joined).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIVEN: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    fn of(headers: &[(HeaderName, &'static str)]) -> TraceContext {
        let headers = headers
            .iter()
            .map(|(name, value)| (name.clone(), HeaderValue::from_static(value)));
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(name, value);
        }
        TraceContext::of_request(&map)
    }

    #[test]
    fn a_request_goes_on_in_its_callers_trace_and_passes_it_on() {
        let context = of(&[
            (TRACEPARENT, GIVEN),
            (TRACESTATE, "a=1"),
            (TRACESTATE, "b=2"),
        ]);
        assert_eq!(context.trace_id(), "4bf92f3577b34da6a3ce929d0e0e4736");
        assert_eq!(context.parent_id().as_deref(), Some("00f067aa0ba902b7"));
        assert!(context.is_recorded());
        let call = context.child();
        assert_eq!(call.parent_id(), Some(context.span_id()));
        assert_ne!(call.span_id(), context.span_id());
        let mut headers = HeaderMap::new();
        call.put(&mut headers);
        let text = format!("00-{}-{}-01", context.trace_id(), call.span_id());
        assert_eq!(headers[TRACEPARENT], text);
        assert_eq!(headers[TRACESTATE], "a=1,b=2");
    }

    #[test]
    fn what_is_malformed_begins_a_new_trace() {
        for malformed in [
            "",
            "00",
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
            "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
            "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0g",
        ] {
            let context = of(&[(TRACEPARENT, malformed), (TRACESTATE, "a=1")]);
            assert_eq!(context.parent_id(), None, "{malformed}");
            assert_eq!(context.state(), None, "{malformed}");
        }
        assert_eq!(
            of(&[(TRACEPARENT, GIVEN), (TRACEPARENT, GIVEN)]).parent_id(),
            None
        );
    }

    #[test]
    fn a_later_version_is_read_as_far_as_it_is_known_and_no_wish_is_added() {
        let context = of(&[(
            TRACEPARENT,
            "cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00-what-comes",
        )]);
        assert!(context.parent_id().is_some() && !context.is_recorded());
        assert!(!context.child().is_recorded());
    }
}
