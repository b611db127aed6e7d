//! The outermost layer: names the request, logs it, and writes every problem's body.

use axum::{
    body::Body,
    extract::{MatchedPath, Request},
    http::{HeaderName, HeaderValue, Method, header},
    middleware::Next,
    response::{IntoResponse as _, Response},
};
use tracing::Instrument as _;

use crate::{
    clock,
    limits::REQUEST_ID_BYTES,
    metrics,
    problem::{Code, PROBLEM_JSON, Problem},
};

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");

/// Serves one request.
pub(crate) async fn edge(request: Request, next: Next) -> Response {
    let started = clock::now_micros();
    let id = request_id(&request);
    let instance = request.uri().path().to_owned();
    let method = request.method().clone();
    let route = request
        .extensions()
        .get::<MatchedPath>()
        .map(|path| path.as_str().to_owned());
    let trace_id = trace_id(&request);
    let span = tracing::info_span!("request", request_id = id, trace_id);
    let response = next.run(request).instrument(span).await;
    let mut response = with_problem(response, &instance, &id);
    if let Ok(value) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(REQUEST_ID, value);
    }
    let route = route.as_deref().unwrap_or("none");
    let micros = clock::now_micros().saturating_sub(started);
    metrics::request(known(&method), route, response.status().as_u16(), micros);
    tracing::info!(
        request_id = id,
        trace_id,
        method = method.as_str(),
        route,
        status = response.status().as_u16(),
        micros,
        "request"
    );
    response
}

/// The method, if it is one that routes take: labels are of fixed sets.
fn known(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        _ => "other",
    }
}

/// The response with a problem's body in place of whatever an error carried.
fn with_problem(response: Response, instance: &str, id: &str) -> Response {
    let status = response.status();
    if !status.is_client_error() && !status.is_server_error() {
        return response;
    }
    let (mut parts, _) = response.into_parts();
    let problem = parts.extensions.remove::<Problem>().unwrap_or_else(|| {
        let code = Code::for_status(status);
        Problem::new(code, detail(code))
    });
    if parts.status != problem.code().status() {
        parts.status = problem.code().status();
    }
    parts
        .headers
        .insert(header::CONTENT_TYPE, HeaderValue::from_static(PROBLEM_JSON));
    parts.headers.remove(header::CONTENT_LENGTH);
    Response::from_parts(parts, Body::from(problem.body(instance, id)))
}

fn detail(code: Code) -> &'static str {
    match code {
        Code::NoRoute => "`/openapi.json` lists the resources there are",
        Code::MethodNotAllowed => "`allow` lists the methods this resource takes",
        _ => "the request was not done",
    }
}

/// The caller's id if it is short and printable, else a new one.
fn request_id(request: &Request) -> String {
    let given = request
        .headers()
        .get(REQUEST_ID)
        .and_then(|value| value.to_str().ok())
        .filter(|id| !id.is_empty() && id.len() <= REQUEST_ID_BYTES);
    given.map_or_else(|| clock::new_id().to_string(), str::to_owned)
}

/// The trace id of a W3C `traceparent`, if there is a well-formed one.
fn trace_id(request: &Request) -> Option<String> {
    let given = request.headers().get(TRACEPARENT)?.to_str().ok()?;
    let mut parts = given.split('-');
    let (version, trace, parent) = (parts.next()?, parts.next()?, parts.next()?);
    let hex = |text: &str, length| {
        text.len() == length
            && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
            && (length == 2 || text.bytes().any(|b| b != b'0'))
    };
    let known = hex(version, 2) && version != "ff" && hex(trace, 32) && hex(parent, 16);
    known.then(|| trace.to_owned())
}

/// The answer where no route matches.
pub(crate) async fn fallback() -> Response {
    Problem::new(Code::NoRoute, detail(Code::NoRoute)).into_response()
}
