//! `GET /sources`

use axum::{extract::State, response::Response};
use entail_json::{Object, Value};
use entail_store::SourceTotals;

use crate::{app::App, body::json, caller::Reader, problem::Problem, request::Query, view::page};

/// List the tenant's trust ledger: how often each source was right, over all sessions.
#[utoipa::path(
    get, path = "/sources", operation_id = "list_sources", tag = "sources",
    params(crate::openapi::schema::Limit,
        ("cursor" = Option<String>, Query,
            description = "Where to go on: the `next_cursor` of the page before.")),
    responses(
        (status = 200, description = "A page of sources.",
            body = crate::openapi::schema::SourcePage),
        crate::openapi::responses::Reading,
    )
)]
pub(crate) async fn get_sources(
    State(app): State<App>,
    Reader(caller): Reader,
    mut query: Query,
) -> Result<Response, Problem> {
    let limit = query.limit();
    let after = query.text("cursor");
    query.close()?;
    let most = u32::try_from(limit).unwrap_or(u32::MAX);
    let sources = app
        .store()
        .sources(&caller.tenant, after.as_deref(), most)
        .await?;
    let next = sources
        .last()
        .filter(|_| sources.len() == limit)
        .map(|last| last.source.clone());
    let items = sources
        .iter()
        .map(|source| Value::from(described(source)))
        .collect();
    Ok(json(&page(items, next).into()))
}

/// `{source, correct, total, last_at}`
pub(super) fn described(source: &SourceTotals) -> Object {
    Object::from([
        ("source", source.source.as_str().into()),
        ("correct", source.correct.into()),
        ("total", source.total.into()),
        ("last_at", source.last_at.to_string().into()),
    ])
}
