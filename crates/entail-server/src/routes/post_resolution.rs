//! `POST /sessions/{id}/conflicts/{name}/resolution`

use axum::{extract::State, response::Response};
use entail_session::{Command, Session};

use super::commit::{commit, reply};
use crate::{
    app::App,
    body::JsonBody,
    caller::Orchestrator,
    problem::Problem,
    request::{Conditions, Name, Query, SessionPath},
    view::disputed,
    wire::{SettlementBody, settlement},
};

/// Settle a conflict by hand: keep some sides and retract the others.
#[utoipa::path(
    post, path = "/sessions/{id}/conflicts/{name}/resolution", operation_id = "resolve_conflict",
    tag = "beliefs",
    request_body(content = SettlementBody,
        example = json!({"keep": ["revenue:Q2@2"], "reason": "the audited figure", "learn": true})),
    params(crate::openapi::schema::SessionId, crate::openapi::schema::IdempotencyKey,
        crate::openapi::schema::IfMatch, crate::openapi::schema::DryRun,
        ("name" = String, Path, description = "The conflict's id, percent-encoded.")),
    responses(
        (status = 200, description = "What changed.", body = crate::openapi::schema::Changed),
        crate::openapi::responses::Changing,
    )
)]
pub(crate) async fn post_resolution(
    State(app): State<App>,
    Orchestrator(caller): Orchestrator,
    path: SessionPath,
    Name(name): Name,
    conditions: Conditions,
    mut query: Query,
    body: JsonBody,
) -> Result<Response, Problem> {
    let dry_run = query.flag("dry_run");
    query.close()?;
    let terms = conditions.terms(Some(body.digest()), dry_run);
    let settlement = body.decode(settlement)?;
    let conflict = disputed(&name).to_owned();
    let build = move |_: &Session, _| {
        Ok(Command::Resolve {
            conflict: conflict.clone(),
            settlement: settlement.clone(),
        })
    };
    commit(&app, path.of(&caller), terms, build, reply(dry_run)).await
}

#[cfg(test)]
mod tests {
    use entail_json::Value;

    use crate::testing::Service;

    #[tokio::test]
    async fn a_conflict_is_settled_by_the_id_it_is_listed_under() {
        let service = Service::start().await;
        let session = service
            .open(
                r#"{"task": "t", "premises": [{"key": "k", "value": 1, "source": "human:a"},
                    {"key": "k", "value": 2, "source": "tool:b"}]}"#,
            )
            .await;
        let list = service.get(&format!("{session}/conflicts")).await.json();
        let id = list.get("items").and_then(Value::as_array).unwrap()[0]
            .get("id")
            .and_then(Value::as_str)
            .unwrap()
            .replace(':', "%3A");
        let path = format!("{session}/conflicts/{id}/resolution");
        assert_eq!(service.post(&path, "{}").await.code(), "invalid_argument");
        let tried = service
            .post(&format!("{path}?dry_run=true"), r#"{"keep": "k@2"}"#)
            .await;
        assert_eq!(tried.status, 200, "{}", tried.text);
        let settled = service
            .post(&path, r#"{"keep": ["k@2"], "reason": "audited"}"#)
            .await;
        assert_eq!(settled.status, 200, "{}", settled.text);
        assert!(
            settled.text.contains(r#""ref":"k@1","status":"OUT""#),
            "{}",
            settled.text
        );
        let again = service.post(&path, r#"{"keep": ["k@2"]}"#).await;
        assert_eq!(
            (again.status, again.code()),
            (409, "no_conflict".to_owned())
        );
    }
}
