//! `GET /readyz`

use axum::{extract::State, response::Response};
use entail_json::Value;

use crate::{
    app::App,
    body::json,
    clock,
    problem::{Code, Problem},
};

/// Whether requests can be served.
///
/// The database's write path works, its schema is current, and the service is not shutting down.
#[utoipa::path(
    get, path = "/readyz", operation_id = "readyz", tag = "service",
    responses(
        (status = 200, description = "Ready.", body = crate::openapi::schema::Status,
            example = json!({"status": "ok"})),
        crate::openapi::responses::Health,
    ),
    security(())
)]
pub(crate) async fn readyz(State(app): State<App>) -> Result<Response, Problem> {
    if app.is_draining() {
        return Err(Problem::new(Code::NotReady, "the service is shutting down"));
    }
    if !app.store().migrations_current().await? {
        return Err(Problem::new(
            Code::NotReady,
            "the database's schema is not current; run `entail migrate`",
        ));
    }
    app.store().probe(clock::now()).await?;
    Ok(json(&Value::from([("status", Value::from("ok"))])))
}

#[cfg(test)]
mod tests {
    use crate::testing::Service;

    #[tokio::test]
    async fn a_service_on_a_migrated_database_is_ready_until_it_drains() {
        let service = Service::start().await;
        assert_eq!(service.get("/readyz").await.status, 200);
        service.app().drain();
        let answer = service.get("/readyz").await;
        assert_eq!(
            (answer.status, answer.code()),
            (503, "not_ready".to_owned())
        );
    }
}
