//! `GET /sessions`

use axum::{extract::State, response::Response};
use entail_store::{Labels, SessionFilter, SessionState};
use uuid::Uuid;

use crate::{
    app::App,
    body::json,
    caller::Reader,
    problem::{Problem, quoted},
    request::Query,
    sessions::to_timestamp,
    view::{listed, page},
};

/// List sessions, the newest first.
///
/// Each as its last commit left it: whether its answer still holds, where evidence has expired
/// since, is told by the session itself.
#[utoipa::path(
    get, path = "/sessions", operation_id = "list_sessions", tag = "sessions",
    params(
        ("label" = Option<String>, Query, description = "`name=value`; several, separated by commas, all have to be there.",
            pattern = "^[^=,]+=[^,]*(,[^=,]+=[^,]*)*$", example = "team=finance"),
        ("state" = inline(Option<crate::openapi::schema::SessionStates>), Query,
            description = "In which state it is."),
        ("active_since" = Option<String>, Query, description = "The last commit is no older.",
            format = DateTime),
        ("active_before" = Option<String>, Query, description = "The last commit is older.",
            format = DateTime),
        crate::openapi::schema::Limit,
        ("cursor" = Option<String>, Query,
            description = "Where to go on: the `next_cursor` of the page before.",
            pattern = "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"),
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
    let since = query.time("active_since");
    let before = query.time("active_before");
    let limit = u32::try_from(query.limit()).unwrap_or(u32::MAX);
    let after = cursor(&mut query);
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

/// The id of the last session of the page before.
fn cursor(query: &mut Query) -> Option<Uuid> {
    let text = query.text("cursor")?;
    let id = Uuid::try_parse(&text)
        .ok()
        .filter(|id| id.to_string() == text);
    if id.is_none() {
        let detail = format!("{} is not a `next_cursor` of this list", quoted(&text));
        query.fault("cursor", detail);
    }
    id
}

fn labels(query: &mut Query) -> Labels {
    let mut labels = Labels::default();
    let given = query.text("label");
    for label in given.iter().flat_map(|given| given.split(',')) {
        match label.split_once('=') {
            Some((name, value)) if !name.is_empty() => {
                labels.insert(name.to_owned(), value.to_owned());
            }
            _ => query.fault("label", "write it as `name=value`"),
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
