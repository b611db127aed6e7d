//! `GET /sessions/{id}/constraints/{name}`

use axum::{extract::State, response::Response};
use entail_json::Object;
use entail_kernel::base::Constraint;

use crate::{
    app::App,
    body::json,
    caller::Reader,
    problem::{Code, Problem, quoted},
    request::{Name, Query, SessionPath},
    sessions::read,
};

/// Read a constraint.
#[utoipa::path(
    get, path = "/sessions/{id}/constraints/{name}", operation_id = "get_constraint", tag = "beliefs",
    params(crate::openapi::schema::SessionId, crate::openapi::schema::ConstraintName,
        crate::openapi::schema::MinVersion),
    responses(
        (status = 200, description = "The constraint.", body = crate::openapi::schema::Constraint),
        crate::openapi::responses::Reading,
    )
)]
pub(crate) async fn get_constraint(
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
        |session, _| match session.base().constraint(&name) {
            Some(constraint) => Ok(json(&described(constraint).into())),
            None => {
                let detail = format!("there is no constraint {} here", quoted(&name));
                Err(Problem::new(Code::UnknownConstraint, detail))
            }
        },
    )
    .await
}

/// `{name, version, inputs, expression}`
pub(super) fn described(constraint: &Constraint) -> Object {
    let inputs: Object = constraint
        .inputs()
        .map(|(name, key)| (name.to_owned(), key.as_ref().into()))
        .collect();
    Object::from([
        ("name", constraint.name.as_ref().into()),
        ("version", constraint.version.into()),
        ("inputs", inputs.into()),
        ("expression", constraint.expression.text().into()),
    ])
}
