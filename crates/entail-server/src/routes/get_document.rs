//! `GET /sessions/{id}/documents/{name}`

use axum::{extract::State, response::Response};
use entail_json::Value;
use entail_session::DocumentVersion;

use crate::{
    app::App,
    body::json,
    caller::Reader,
    problem::{Code, Problem, quoted},
    request::{Name, Query, SessionPath},
    sessions::read,
};

/// Read a document, its newest version or another.
#[utoipa::path(
    get, path = "/sessions/{id}/documents/{name}", operation_id = "get_document", tag = "evidence",
    params(crate::openapi::schema::SessionId, crate::openapi::schema::DocumentName,
        ("version" = Option<u64>, Query, description = "Which version, counted from 1.")),
    responses(
        (status = 200, description = "The document.", body = crate::openapi::schema::Document),
        crate::openapi::responses::Reading,
    )
)]
pub(crate) async fn get_document(
    State(app): State<App>,
    Reader(caller): Reader,
    path: SessionPath,
    Name(name): Name,
    mut query: Query,
) -> Result<Response, Problem> {
    let version = query.whole("version", "a whole number");
    let version = version.map(|version| u32::try_from(version).unwrap_or(u32::MAX));
    let min_version = query.min_version();
    query.close()?;
    read(&app, &path.of(&caller), min_version, |session, _| {
        let found = session.document(&name, version).ok_or_else(|| {
            let detail = format!(
                "there is no document {} of that version here",
                quoted(&name)
            );
            Problem::new(Code::UnknownDocument, detail)
        })?;
        let mut body = described(&name, found);
        if let Value::Object(body) = &mut body {
            body.insert("text", found.document.text().into());
        }
        Ok(json(&body))
    })
    .await
}

/// `{name, version, sha256, bytes}`
pub(super) fn described(name: &str, document: &DocumentVersion) -> Value {
    Value::from([
        ("name", name.into()),
        ("version", document.version.into()),
        ("sha256", document.sha256().into()),
        ("bytes", document.bytes().into()),
    ])
}
