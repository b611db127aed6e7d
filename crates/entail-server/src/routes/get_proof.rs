//! `GET /sessions/{id}/beliefs/{name}/proof`

use axum::{
    extract::State,
    http::header,
    response::{IntoResponse as _, Response},
};

use super::get_belief::find;
use crate::{
    app::App,
    body::json,
    caller::Reader,
    problem::Problem,
    request::{Name, Query, SessionPath},
    sessions::study,
};

#[derive(Clone, Copy)]
enum Format {
    Json,
    Text,
    Mermaid,
    Dot,
}

/// Read the proof of a belief: what it rests on, down to its leaves.
#[utoipa::path(
    get, path = "/sessions/{id}/beliefs/{name}/proof", operation_id = "get_proof",
    tag = "beliefs",
    params(crate::openapi::schema::SessionId, crate::openapi::schema::BeliefName,
        crate::openapi::schema::MinVersion,
        ("format" = Option<String>, Query, description = "`json`, `text`, `mermaid` or `dot`.")),
    responses(
        (status = 200, description = "The proof.", content(
            (Object = "application/json"),
            (String = "text/plain"),
        )),
        crate::openapi::responses::Reading,
    )
)]
pub(crate) async fn get_proof(
    State(app): State<App>,
    Reader(caller): Reader,
    path: SessionPath,
    Name(name): Name,
    mut query: Query,
) -> Result<Response, Problem> {
    const FORMATS: &[(&str, Format)] = &[
        ("json", Format::Json),
        ("text", Format::Text),
        ("mermaid", Format::Mermaid),
        ("dot", Format::Dot),
    ];
    let format = query.choice("format", FORMATS).unwrap_or(Format::Json);
    let min_version = query.parsed("min_version", "a version");
    query.close()?;
    study(&app, &path.of(&caller), min_version, move |session, at| {
        let base = session.base();
        let mut roots = find(session, &name)?;
        // Of a key, what is believed; when nothing is, its latest revision.
        if roots.iter().any(|id| base.is_in(*id)) {
            roots.retain(|id| base.is_in(*id));
        } else if let Some(last) = roots.last().copied() {
            roots = vec![last];
        }
        let proof = base.proof(&roots, at);
        Ok(match format {
            Format::Json => json(&proof.to_json()),
            Format::Text => text(proof.to_text()),
            Format::Mermaid => text(proof.to_mermaid()),
            Format::Dot => text(proof.to_dot()),
        })
    })
    .await
}

fn text(text: String) -> Response {
    ([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], text).into_response()
}
