//! What the endpoints that change a session have in common.

use axum::{
    http::{HeaderValue, StatusCode},
    response::{IntoResponse as _, Response},
};
use entail_json::{Object, Value};
use entail_kernel::Time;
use entail_session::{Command, Executed, Session};

use crate::{
    app::App,
    problem::Problem,
    sessions::{Committed, Lease, Reply, Target, Terms},
};

/// The header that tells a stored answer from a new one.
const REPLAYED: &str = "idempotency-replayed";

/// Commits one command, and answers what came of it.
pub(crate) async fn commit(
    app: &App,
    target: Target,
    terms: Terms,
    build: impl FnMut(&Session, Time) -> Result<Command, Problem> + Send + 'static,
    reply: impl Fn(&Session, &Executed) -> Reply + Send + 'static,
) -> Result<Response, Problem> {
    let committed = Lease::work(app, target, async move |mut lease: Lease| {
        lease.commit(&terms, build, reply).await
    })
    .await?;
    Ok(respond(committed))
}

/// The answer as a response.
pub(crate) fn respond(committed: Committed) -> Response {
    match committed {
        Committed::Now(reply) => reply.into_response(),
        Committed::Before(reply) => replayed(reply),
    }
}

/// A stored answer, marked as one.
pub(crate) fn replayed(reply: Reply) -> Response {
    let mut response = reply.into_response();
    response
        .headers_mut()
        .insert(REPLAYED, HeaderValue::from_static("true"));
    response
}

/// The outcome of a command with the version and the chain's head after it.
pub(crate) fn outcome(session: &Session, executed: &Executed) -> Object {
    let mut body = match executed.outcome.to_value() {
        Value::Object(body) => body,
        other => Object::from([("outcome", other)]),
    };
    body.insert("version", session.version().into());
    body.insert("chain_head", session.chain_head().into());
    body
}

/// A reply with the outcome, or for a dry run with what it would be.
pub(crate) fn reply(dry_run: bool) -> impl Fn(&Session, &Executed) -> Reply + Send + 'static {
    move |session, executed| {
        let mut body = outcome(session, executed);
        if dry_run {
            return Reply::ok(tried(body));
        }
        body.remove("created");
        Reply::ok(body).at_version(session.version())
    }
}

/// What a dry run tells: no version is made, and no call is opened.
pub(crate) fn tried(mut body: Object) -> Object {
    body.insert("dry_run", true.into());
    body.insert("version", Value::Null);
    body.insert("chain_head", Value::Null);
    for list in ["accepted", "pending_calls"] {
        if let Some(Value::Array(items)) = body.get_mut(list) {
            for item in items {
                if let Value::Object(item) = item
                    && item.contains("call_id")
                {
                    item.insert("call_id", Value::Null);
                }
            }
        }
    }
    body
}

/// 201 for what is new, 200 for what was there.
pub(crate) fn put_status(created: bool) -> StatusCode {
    if created {
        StatusCode::CREATED
    } else {
        StatusCode::OK
    }
}

/// A path segment, percent-encoded.
pub(crate) fn segment(text: &str) -> String {
    use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
    const KEPT: &percent_encoding::AsciiSet = &NON_ALPHANUMERIC
        .remove(b'-')
        .remove(b'.')
        .remove(b'_')
        .remove(b'~');
    utf8_percent_encode(text, KEPT).to_string()
}
