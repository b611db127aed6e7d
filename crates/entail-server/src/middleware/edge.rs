//! The outermost layer: names the request, logs it, and writes every problem's body.

use axum::{
    body::Body,
    extract::{MatchedPath, Request, State},
    http::{HeaderName, HeaderValue, Method, header},
    middleware::Next,
    response::{IntoResponse as _, Response},
};
use tracing::Instrument as _;

use crate::{
    app::App,
    clock,
    limits::REQUEST_ID_BYTES,
    metrics,
    problem::{Code, PROBLEM_JSON, Problem},
    telemetry::{self, Attribute, Kind, Span, TraceContext},
};

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Serves one request.
pub(crate) async fn edge(State(app): State<App>, request: Request, next: Next) -> Response {
    let started = clock::now_micros();
    let id = request_id(&request);
    let instance = request.uri().path().to_owned();
    let method = request.method().clone();
    let route = request
        .extensions()
        .get::<MatchedPath>()
        .map(|path| path.as_str().to_owned());
    let trace = TraceContext::of_request(request.headers());
    let (trace_id, span_id) = (trace.trace_id(), trace.span_id());
    let span = tracing::info_span!("request", request_id = id, trace_id, span_id);
    let response = telemetry::within(Some(trace.clone()), next.run(request))
        .instrument(span)
        .await;
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
        span_id,
        method = method.as_str(),
        route,
        status = response.status().as_u16(),
        micros,
        "request"
    );
    if !matches!(route, "/livez" | "/readyz" | "/metrics") {
        let status = response.status();
        app.telemetry().record(&trace, || Span {
            context: trace.clone(),
            name: format!("{} {route}", known(&method)),
            kind: Kind::Server,
            started,
            ended: started.saturating_add(micros),
            attributes: vec![
                (
                    "http.request.method",
                    Attribute::Text(known(&method).to_owned()),
                ),
                ("http.route", Attribute::Text(route.to_owned())),
                (
                    "http.response.status_code",
                    Attribute::Number(status.as_u16().into()),
                ),
            ],
            failed: status.is_server_error(),
        });
    }
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

/// The answer where no route matches.
pub(crate) async fn fallback() -> Response {
    Problem::new(Code::NoRoute, detail(Code::NoRoute)).into_response()
}
