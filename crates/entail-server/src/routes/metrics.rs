//! `GET /metrics`

use axum::{
    extract::State,
    http::header,
    response::{IntoResponse as _, Response},
};

use crate::{app::App, metrics};

/// What was counted, for Prometheus.
#[utoipa::path(
    get, path = "/metrics", operation_id = "get_metrics", tag = "service",
    responses(
        (status = 200, description = "The metrics.", content((String = "text/plain"))),
        crate::openapi::responses::Health,
    ),
    security(())
)]
pub(crate) async fn metrics(State(app): State<App>) -> Response {
    let kind = "text/plain; version=0.0.4; charset=utf-8";
    ([(header::CONTENT_TYPE, kind)], metrics::render(&app)).into_response()
}

#[cfg(test)]
mod tests {
    use crate::testing::Service;

    #[tokio::test]
    async fn turns_commits_and_requests_are_counted() {
        let service = Service::start().await;
        let session = service.open(r#"{"task": "t"}"#).await;
        service
            .post(&format!("{session}/turns"), r#"{"response": "no json"}"#)
            .await;
        service.get(&session).await;
        let text = service.get("/metrics").await.text;
        for line in [
            "entail_turns_total{verdict=\"unusable\"}",
            "entail_rejections_total{code=\"response_not_json\"}",
            "entail_commits_total{kind=\"turn\"}",
            "entail_http_requests_total{method=\"GET\",route=\"/sessions/{id}\",status=\"200\"}",
            "entail_http_request_seconds_bucket{route=\"/sessions/{id}/turns\",le=\"",
            "entail_sessions_held ",
        ] {
            assert!(text.contains(line), "{line}: {text}");
        }
    }
}
