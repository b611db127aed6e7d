//! `PUT /sessions/{id}/documents/{name}`

use std::sync::Arc;

use axum::{extract::State, response::Response};
use entail_json::Value;
use entail_session::{Command, Executed, Outcome, Session};

use super::commit::{commit, outcome, put_status, segment};
use crate::{
    app::App,
    body::{
        TextOrJson,
        decode::{Decoded, Fields, Pointer, text},
        decode_value,
    },
    caller::Orchestrator,
    problem::Problem,
    request::{Conditions, Name, Query, SessionPath},
    sessions::{Documents, Reply, read},
};

/// Register a text that a model may cite, or its next version.
///
/// The same text again changes nothing. Earlier cites stay believed; the report warns where the
/// newest version no longer holds them.
#[utoipa::path(
    put, path = "/sessions/{id}/documents/{name}", operation_id = "put_document", tag = "evidence",
    request_body(content(
        (String = "text/plain", example = "Total revenue for Q2 was $4.3 billion."),
        (crate::openapi::schema::DocumentText = "application/json"),
    )),
    params(crate::openapi::schema::SessionId, crate::openapi::schema::DocumentName,
        crate::openapi::schema::IfMatch),
    responses(
        (status = 201, description = "A new document, or a new version of it.",
            body = crate::openapi::schema::Document),
        (status = 200, description = "The text was there already.",
            body = crate::openapi::schema::Document),
        crate::openapi::responses::Changing,
    )
)]
pub(crate) async fn put_document(
    State(app): State<App>,
    Orchestrator(caller): Orchestrator,
    path: SessionPath,
    Name(name): Name,
    conditions: Conditions,
    query: Query,
    body: TextOrJson,
) -> Result<Response, Problem> {
    query.close()?;
    let text = match body {
        TextOrJson::Text(text) => text,
        TextOrJson::Json(value) => decode_value(value, document)?,
    };
    let target = path.of(&caller);
    // Nothing is stored for a session that is not there.
    read(&app, &target, None, |_, _| Ok(())).await?;
    let document = Documents::put(&app, &target.tenant, text).await?;
    let location = format!("/sessions/{}/documents/{}", target.id, segment(&name));
    let build = move |_: &Session, _| {
        Ok(Command::PutDocument {
            name: name.clone(),
            document: Arc::clone(&document),
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
    let created = matches!(&executed.outcome, Outcome::Document(document) if document.created);
    let mut body = outcome(session, executed);
    body.remove("created");
    body.insert("session_version", session.version().into());
    if let Outcome::Document(document) = &executed.outcome {
        body.insert("version", document.version.into());
    }
    let reply = Reply::ok(body)
        .with_status(put_status(created))
        .at_version(session.version());
    if created {
        reply.located(location.to_owned())
    } else {
        reply
    }
}

fn document(value: Value, place: &Pointer) -> Decoded<String> {
    let mut fields = Fields::open(value, place)?;
    let text = fields.required("text", text);
    fields.close(|| text)
}

#[cfg(test)]
mod tests {
    use entail_json::Value;

    use crate::testing::Service;

    #[tokio::test]
    async fn a_text_has_versions_and_the_same_text_again_changes_nothing() {
        let service = Service::start().await;
        let session = service.open(r#"{"task": "t"}"#).await;
        let path = format!("{session}/documents/annual%20report%2F2024");
        let first = service.text("PUT", &path, "Revenue was $1.").await;
        assert_eq!(first.status, 201, "{}", first.text);
        let again = service
            .call("PUT", &path, Some(r#"{"text": "Revenue was $1."}"#))
            .await;
        assert_eq!(again.status, 200, "{}", again.text);
        assert_eq!(again.headers["etag"], first.headers["etag"]);
        assert_eq!(
            service.text("PUT", &path, "Revenue was $2.").await.status,
            201
        );
        let read = service.get(&format!("{path}?version=1")).await.json();
        assert_eq!(
            read.get("text").and_then(Value::as_str),
            Some("Revenue was $1.")
        );
        assert_eq!(
            read.get("name").and_then(Value::as_str),
            Some("annual report/2024")
        );
        let list = service.get(&format!("{session}/documents")).await.json();
        let items = list.get("items").and_then(Value::as_array).unwrap();
        assert_eq!(items.len(), 1);
        assert_eq!(items[0].get("version").and_then(Value::as_u64), Some(2));
    }

    #[tokio::test]
    async fn what_is_no_text_is_refused() {
        let service = Service::start().await;
        let session = service.open(r#"{"task": "t"}"#).await;
        let path = format!("{session}/documents/d");
        assert_eq!(
            service.call("PUT", &path, Some("{}")).await.code(),
            "invalid_body"
        );
        assert_eq!(
            service.call("PUT", &path, Some("{")).await.code(),
            "malformed_json"
        );
        assert_eq!(
            service.call("PUT", &path, None).await.code(),
            "unsupported_media_type"
        );
        assert_eq!(
            service
                .bytes("PUT", &path, "text/plain", b"a\xff")
                .await
                .code(),
            "malformed_text"
        );
        let latin = service
            .bytes("PUT", &path, "text/plain; charset=latin1", b"a")
            .await;
        assert_eq!(latin.code(), "unsupported_media_type");
        assert_eq!(service.text("PUT", &path, "").await.status, 201);
    }
}
