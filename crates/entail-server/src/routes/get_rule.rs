//! `GET /sessions/{id}/rules/{name}`

use axum::{extract::State, response::Response};
use entail_json::Object;
use entail_kernel::base::Rule;

use crate::{
    app::App,
    body::json,
    caller::Reader,
    problem::{Code, Problem, quoted},
    request::{Name, Query, SessionPath},
    sessions::read,
    view::float,
};

/// Read a rule.
#[utoipa::path(
    get, path = "/sessions/{id}/rules/{name}", operation_id = "get_rule", tag = "beliefs",
    params(crate::openapi::schema::SessionId, crate::openapi::schema::RuleName,
        crate::openapi::schema::MinVersion),
    responses(
        (status = 200, description = "The rule.", body = crate::openapi::schema::Rule),
        crate::openapi::responses::Reading,
    )
)]
pub(crate) async fn get_rule(
    State(app): State<App>,
    Reader(caller): Reader,
    path: SessionPath,
    Name(name): Name,
    mut query: Query,
) -> Result<Response, Problem> {
    let min_version = query.min_version();
    query.close()?;
    read(
        &app,
        &path.of(&caller),
        min_version,
        |session, _| match session.base().rule(&name, None) {
            Some(rule) => Ok(json(&described(rule).into())),
            None => {
                let detail = format!("there is no rule {} here", quoted(&name));
                Err(Problem::new(Code::UnknownRule, detail))
            }
        },
    )
    .await
}

/// `{name, version, parameters, expression, confidence}`
pub(super) fn described(rule: &Rule) -> Object {
    Object::from([
        ("name", rule.name.as_ref().into()),
        ("version", rule.version.into()),
        (
            "parameters",
            rule.parameters().iter().map(String::as_str).collect(),
        ),
        ("expression", rule.expression.text().into()),
        ("confidence", float(rule.confidence)),
    ])
}
