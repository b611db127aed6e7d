//! `GET /sessions`

use axum::{extract::State, response::Response};
use entail_store::{Labels, SessionFilter, SessionState};

use crate::{
    app::App,
    body::json,
    caller::Reader,
    problem::Problem,
    request::Query,
    sessions::to_timestamp,
    view::{listed, page},
};

/// List sessions, the newest first.
#[utoipa::path(
    get, path = "/sessions", operation_id = "list_sessions", tag = "sessions",
    params(
        ("label" = Option<String>, Query, description = "`name=value`; several, separated by commas, all have to be there.",
            example = "team=finance"),
        ("state" = Option<String>, Query,
            description = "`open`, `answered`, `insufficient_evidence` or `abandoned`."),
        ("active_since" = Option<String>, Query, description = "The last commit is no older (RFC 3339)."),
        ("active_before" = Option<String>, Query, description = "The last commit is older (RFC 3339)."),
        crate::openapi::schema::Page,
    ),
    responses(
        (status = 200, description = "A page of sessions.", body = crate::openapi::schema::SessionPage),
        crate::openapi::responses::Reading,
    )
)]
pub(crate) async fn get_sessions(
    State(app): State<App>,
    Reader(caller): Reader,
    mut query: Query,
) -> Result<Response, Problem> {
    const STATES: &[(&str, SessionState)] = &[
        ("open", SessionState::Open),
        ("answered", SessionState::Answered),
        ("insufficient_evidence", SessionState::InsufficientEvidence),
        ("abandoned", SessionState::Abandoned),
    ];
    let labels = labels(&mut query);
    let state = query.choice("state", STATES);
    let since = query.parsed("active_since", "a time such as `2026-01-31T12:00:00Z`");
    let before = query.parsed("active_before", "a time such as `2026-01-31T12:00:00Z`");
    let limit = u32::try_from(query.limit()).unwrap_or(u32::MAX);
    let after = query.parsed("cursor", "a `next_cursor` of this list");
    query.close()?;
    let filter = SessionFilter {
        labels,
        state,
        active_since: since.map(to_timestamp),
        active_before: before.map(to_timestamp),
    };
    let sessions = app
        .store()
        .sessions(&caller.tenant, &filter, after, limit)
        .await?;
    let items = sessions.items.iter().map(listed).collect();
    Ok(json(
        &page(items, sessions.next.map(|id| id.to_string())).into(),
    ))
}

fn labels(query: &mut Query) -> Labels {
    let mut labels = Labels::default();
    let given = query.text("label").unwrap_or_default();
    for label in given.split(',').filter(|label| !label.is_empty()) {
        match label.split_once('=') {
            Some((name, value)) => {
                labels.insert(name.to_owned(), value.to_owned());
            }
            None => query.fault("label", "write it as `name=value`"),
        }
    }
    labels
}

#[cfg(test)]
mod tests {
    use entail_json::Value;

    use crate::testing::Service;

    #[tokio::test]
    async fn sessions_are_found_by_label_page_by_page() {
        let service = Service::start().await;
        for team in ["a", "b", "a", "a"] {
            let body = format!(r#"{{"task": "t", "labels": {{"team": "{team}"}}}}"#);
            assert_eq!(service.post("/sessions", &body).await.status, 201);
        }
        let mut seen = Vec::new();
        let mut path = "/sessions?label=team%3Da&limit=2".to_owned();
        loop {
            let page = service.get(&path).await.json();
            let items = page
                .get("items")
                .and_then(Value::as_array)
                .unwrap()
                .to_vec();
            assert!(items.len() <= 2);
            seen.extend(items.iter().map(|item| item.get("id").unwrap().to_string()));
            match page.get("next_cursor").and_then(Value::as_str) {
                Some(cursor) => path = format!("/sessions?label=team%3Da&limit=2&cursor={cursor}"),
                None => break,
            }
        }
        assert_eq!(seen.len(), 3);
        seen.sort_unstable_by(|a, b| b.cmp(a));
        seen.dedup();
        assert_eq!(seen.len(), 3);
    }

    #[tokio::test]
    async fn a_filter_that_means_nothing_is_refused() {
        let service = Service::start().await;
        for query in [
            "state=shut",
            "label=team",
            "limit=0",
            "cursor=x",
            "active_since=now",
            "q=1",
        ] {
            let answer = service.get(&format!("/sessions?{query}")).await;
            assert_eq!(answer.code(), "invalid_query", "{query}");
        }
    }
}
