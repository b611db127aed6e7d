//! `GET /openapi.json`

use std::sync::LazyLock;

use axum::{
    http::header,
    response::{IntoResponse as _, Response},
};

use crate::{body::JSON, openapi};

static DOCUMENT: LazyLock<String> = LazyLock::new(openapi::document);

/// The OpenAPI 3.1 document of this service.
#[utoipa::path(
    get, path = "/openapi.json", operation_id = "get_openapi", tag = "service",
    responses(
        (status = 200, description = "The document.", body = openapi::schema::Any),
        openapi::responses::Open,
    ),
    security(())
)]
pub(crate) async fn openapi_json() -> Response {
    ([(header::CONTENT_TYPE, JSON)], DOCUMENT.as_str()).into_response()
}

#[cfg(test)]
mod tests {
    use crate::testing::Service;

    #[tokio::test]
    async fn the_document_is_served() {
        let answer = Service::start().await.get("/openapi.json").await;
        assert_eq!(answer.status, 200);
        let version = answer.json();
        assert_eq!(
            version.get("openapi").and_then(|v| v.as_str()),
            Some("3.1.0")
        );
    }
}
