//! `POST /sessions/{id}/context`

use axum::{extract::State, response::Response};

use crate::{
    app::App,
    body::{MaybeJson, json},
    caller::Proposer,
    problem::Problem,
    request::{Conditions, Query, SessionPath},
    sessions::Lease,
    wire::{ContextBody, context_options},
};

/// Take a context: what the model is to be shown now.
///
/// `system_prompt` and `prompt` are ready to be sent. The turn that answers it names its `id`.
/// A context is no commit, and is known for 24 hours.
#[utoipa::path(
    post, path = "/sessions/{id}/context", operation_id = "take_context", tag = "turns",
    request_body(content = Option<ContextBody>, example = json!({})),
    params(crate::openapi::schema::SessionId, crate::openapi::schema::IfMatch),
    responses(
        (status = 200, description = "The context.", body = crate::openapi::schema::Context),
        crate::openapi::responses::Changing,
    )
)]
pub(crate) async fn post_context(
    State(app): State<App>,
    Proposer(caller): Proposer,
    path: SessionPath,
    conditions: Conditions,
    query: Query,
    body: MaybeJson,
) -> Result<Response, Problem> {
    query.close()?;
    let options = body.decode(context_options)?;
    let if_match = conditions.versions();
    let view = Lease::work(&app, path.of(&caller), async move |mut lease: Lease| {
        lease.take_context(&options, if_match.as_deref()).await
    })
    .await?;
    Ok(json(&view.to_value()))
}
