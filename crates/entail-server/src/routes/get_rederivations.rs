//! `GET /sessions/{id}/rederivations`

use axum::{extract::State, response::Response};
use entail_json::{Object, Value};
use entail_session::Waiting;

use crate::{
    app::App,
    body::json,
    caller::Proposer,
    problem::Problem,
    request::{Query, SessionPath},
    sessions::Lease,
    view::page,
};

/// List what waits to be derived again by the model, each with its context.
///
/// A context shows the current values of exactly the inputs, and not what was concluded before.
#[utoipa::path(
    get, path = "/sessions/{id}/rederivations", operation_id = "list_rederivations",
    tag = "turns",
    params(crate::openapi::schema::SessionId, crate::openapi::schema::Page),
    responses(
        (status = 200, description = "A page of what waits.",
            body = crate::openapi::schema::RederivationPage),
        crate::openapi::responses::Changing,
    )
)]
pub(crate) async fn get_rederivations(
    State(app): State<App>,
    Proposer(caller): Proposer,
    path: SessionPath,
    mut query: Query,
) -> Result<Response, Problem> {
    let limit = query.limit();
    let start: usize = query
        .parsed("cursor", "a `next_cursor` of this list")
        .unwrap_or(0);
    query.close()?;
    Lease::work(&app, path.of(&caller), async move |mut lease: Lease| {
        lease.make_current().await?;
        let waiting = lease.session()?.rederivations();
        let end = start.saturating_add(limit);
        let next = (end < waiting.len()).then(|| end.to_string());
        let mut items = Vec::new();
        for waiting in waiting.into_iter().skip(start).take(limit) {
            let mut item = described(&waiting);
            if waiting.is_ready {
                let context = lease.take_rederivation_context(&waiting.key).await?;
                item.insert("context", context.to_value());
            }
            items.push(item.into());
        }
        Ok(json(&page(items, next).into()))
    })
    .await
}

/// `{ref, key, inputs, ready, reason}`
fn described(waiting: &Waiting) -> Object {
    let inputs: Object = waiting
        .inputs
        .iter()
        .map(|(key, held)| (key.clone(), held.clone().into()))
        .collect();
    Object::from([
        ("ref", waiting.reference.as_str().into()),
        ("key", waiting.key.as_str().into()),
        ("inputs", Value::Object(inputs)),
        ("ready", waiting.is_ready.into()),
        ("reason", waiting.reason.as_str().into()),
    ])
}
