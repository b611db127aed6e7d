//! `GET /sessions/{id}/conflicts`

use axum::{extract::State, response::Response};

use super::listing::list_where;
use crate::{
    app::App,
    caller::Reader,
    problem::Problem,
    request::{Query, SessionPath},
    view,
};

/// List the open conflicts, each side with its support.
#[utoipa::path(
    get, path = "/sessions/{id}/conflicts", operation_id = "list_conflicts", tag = "beliefs",
    params(crate::openapi::schema::SessionId, crate::openapi::schema::Page,
        crate::openapi::schema::MinVersion),
    responses(
        (status = 200, description = "A page of conflicts.",
            body = crate::openapi::schema::ConflictPage),
        crate::openapi::responses::Reading,
    )
)]
pub(crate) async fn get_conflicts(
    State(app): State<App>,
    Reader(caller): Reader,
    path: SessionPath,
    query: Query,
) -> Result<Response, Problem> {
    list_where(&app, &path.of(&caller), query, |session, at, window| {
        let base = session.base();
        Ok(window.show(base.conflicts(), |conflict| {
            Some(view::conflict(base, &conflict, at))
        }))
    })
    .await
}

#[cfg(test)]
mod tests {
    use entail_json::Value;

    use crate::testing::Service;

    #[tokio::test]
    async fn a_disputed_key_is_listed_with_both_sides() {
        let service = Service::start().await;
        let session = service
            .open(
                r#"{"task": "t", "premises": [{"key": "k", "value": 1, "source": "human:a"},
                    {"key": "k", "value": 2, "source": "tool:b"}]}"#,
            )
            .await;
        let page = service.get(&format!("{session}/conflicts")).await.json();
        let items = page.get("items").and_then(Value::as_array).unwrap();
        assert_eq!(items.len(), 1);
        assert_eq!(items[0].get("id").and_then(Value::as_str), Some("value:k"));
        let sides = items[0].get("sides").and_then(Value::as_array).unwrap();
        let values: Vec<_> = sides
            .iter()
            .map(|side| side.get("value").unwrap().to_string())
            .collect();
        assert_eq!(values, ["1", "2"]);
    }
}
