//! What a session's owner registers under a name, and withdraws: tools, rules, constraints.

use axum::{http::StatusCode, response::Response};
use entail_json::Object;
use entail_session::{Command, Executed, Outcome, Session};

use super::commit::{commit, outcome, put_status, reply, segment};
use crate::{
    app::App,
    problem::Problem,
    request::{Conditions, Query},
    sessions::{Reply, Target},
};

/// Registers a definition under a name of that collection: 201 with its place where it is new,
/// else 200; either with what is held now.
pub(super) async fn register(
    app: &App,
    target: Target,
    (collection, name): (&str, String),
    conditions: Conditions,
    command: impl Fn(String) -> Command + Send + 'static,
    described: impl Fn(&Session, &str) -> Option<Object> + Send + 'static,
) -> Result<Response, Problem> {
    let location = format!("/sessions/{}/{collection}/{}", target.id, segment(&name));
    let named = name.clone();
    let build = move |_: &Session, _| Ok(command(named.clone()));
    let registered = move |session: &Session, executed: &Executed| {
        let is_new = match &executed.outcome {
            Outcome::Tool { created, .. } => *created,
            Outcome::Rule { version, .. } => *version == 1,
            _ => false,
        };
        let body = described(session, &name).unwrap_or_else(|| outcome(session, executed));
        let reply = Reply::ok(body)
            .with_status(put_status(is_new))
            .at_version(session.version());
        if is_new {
            reply.located(location.clone())
        } else {
            reply
        }
    };
    let terms = conditions.terms(None, false);
    commit(app, target, terms, build, registered).await
}

/// Withdraws a definition: 204.
pub(super) async fn withdraw(
    app: &App,
    target: Target,
    conditions: Conditions,
    query: Query,
    command: impl Fn() -> Command + Send + 'static,
) -> Result<Response, Problem> {
    query.close()?;
    let build = move |_: &Session, _| Ok(command());
    let terms = conditions.terms(None, false);
    let reply = reply(false);
    commit(app, target, terms, build, move |session, executed| {
        reply(session, executed).with_status(StatusCode::NO_CONTENT)
    })
    .await
}
