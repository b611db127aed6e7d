//! `GET /livez`

use axum::response::Response;
use entail_json::Value;

use crate::body::json;

/// Whether the process is alive.
///
/// Answers as long as requests are served at all; it touches neither the database nor a session.
#[utoipa::path(
    get, path = "/livez", operation_id = "livez", tag = "service",
    responses(
        (status = 200, description = "Alive.", body = crate::openapi::schema::Status,
            example = json!({"status": "ok"})),
        crate::openapi::responses::Health,
    ),
    security(())
)]
pub(crate) async fn livez() -> Response {
    json(&Value::from([("status", Value::from("ok"))]))
}

#[cfg(test)]
mod tests {
    use crate::testing::Service;

    #[tokio::test]
    async fn the_process_is_alive() {
        let answer = Service::start().await.get("/livez").await;
        assert_eq!(
            (answer.status, answer.text.as_str()),
            (200, r#"{"status":"ok"}"#)
        );
    }
}
