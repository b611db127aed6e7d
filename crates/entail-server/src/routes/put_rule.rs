//! `PUT /sessions/{id}/rules/{name}`

use axum::{extract::State, response::Response};
use entail_session::{Command, Executed, Outcome, Session};

use super::{
    commit::{commit, outcome, put_status, segment},
    get_rule::described,
};
use crate::{
    app::App,
    body::JsonBody,
    caller::Orchestrator,
    problem::Problem,
    request::{Conditions, Name, Query, SessionPath},
    sessions::Reply,
    wire::{RuleBody, rule},
};

/// Register a rule, or its next version.
#[utoipa::path(
    put, path = "/sessions/{id}/rules/{name}", operation_id = "put_rule", tag = "beliefs",
    request_body(content = RuleBody),
    params(crate::openapi::schema::SessionId, crate::openapi::schema::RuleName,
        crate::openapi::schema::IfMatch),
    responses(
        (status = 201, description = "Registered.", body = crate::openapi::schema::Rule),
        (status = 200, description = "Changed.", body = crate::openapi::schema::Rule),
        crate::openapi::responses::Changing,
    )
)]
pub(crate) async fn put_rule(
    State(app): State<App>,
    Orchestrator(caller): Orchestrator,
    path: SessionPath,
    Name(name): Name,
    conditions: Conditions,
    query: Query,
    body: JsonBody,
) -> Result<Response, Problem> {
    query.close()?;
    let definition = body.decode(rule)?;
    let target = path.of(&caller);
    let location = format!("/sessions/{}/rules/{}", target.id, segment(&name));
    let build = move |_: &Session, _| {
        Ok(Command::PutRule {
            name: name.clone(),
            rule: definition.clone(),
        })
    };
    commit(
        &app,
        target,
        conditions.terms(None, false),
        build,
        move |session, executed| registered(session, executed, &location),
    )
    .await
}

fn registered(session: &Session, executed: &Executed, location: &str) -> Reply {
    let (name, version) = match &executed.outcome {
        Outcome::Rule { name, version } => (name.as_str(), *version),
        _ => ("", 0),
    };
    let body = session.base().rule(name, None).map(described);
    let reply = Reply::ok(body.unwrap_or_else(|| outcome(session, executed)))
        .with_status(put_status(version == 1))
        .at_version(session.version());
    if version == 1 {
        reply.located(location.to_owned())
    } else {
        reply
    }
}
