//! `GET /sources/{name}`

use axum::{extract::State, response::Response};
use entail_json::Value;

use super::get_sources::described;
use crate::{
    app::App,
    body::json,
    caller::Reader,
    limits::PAGE,
    problem::{Code, Problem, quoted},
    request::{Name, Query},
};

/// Read what the tenant's trust ledger holds on a source, with its newest outcomes.
#[utoipa::path(
    get, path = "/sources/{name}", operation_id = "get_source", tag = "sources",
    params(crate::openapi::schema::SourceName),
    responses(
        (status = 200, description = "The source.", body = crate::openapi::schema::Source),
        crate::openapi::responses::Reading,
    )
)]
pub(crate) async fn get_source(
    State(app): State<App>,
    Reader(caller): Reader,
    Name(name): Name,
    query: Query,
) -> Result<Response, Problem> {
    query.close()?;
    let source = app
        .store()
        .source(&caller.tenant, &name)
        .await?
        .ok_or_else(|| {
            let detail = format!("nothing is known of the source {}", quoted(&name));
            Problem::new(Code::UnknownSource, detail)
        })?;
    let most = u32::try_from(PAGE).unwrap_or(u32::MAX);
    let outcomes = app
        .store()
        .source_outcomes(&caller.tenant, &name, most)
        .await?;
    let mut body = described(&source);
    let outcomes = outcomes.iter().map(|outcome| {
        Value::from([
            ("correct", outcome.correct.into()),
            ("at", outcome.at.to_string().into()),
        ])
    });
    body.insert("outcomes", outcomes.collect());
    Ok(json(&body.into()))
}
