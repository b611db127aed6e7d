//! `POST /sources/{name}/outcomes`

use axum::{
    extract::State,
    response::{IntoResponse as _, Response},
};
use entail_json::Object;
use entail_kernel::base::Source;
use entail_store::{Appended, KeyedAnswer, Outcome, ToldOutcomes};

use super::commit::replayed;
use crate::{
    app::App,
    body::{JsonBody, decode::one_or_list},
    caller::Orchestrator,
    clock,
    problem::{Code, Problem, quoted},
    request::{Conditions, Name, Query},
    sessions::{Reply, same_body},
    wire::{VerdictBody, verdict},
};

/// Tell the tenant's trust ledger whether a source was right; sessions opened later know it.
#[utoipa::path(
    post, path = "/sources/{name}/outcomes", operation_id = "post_source_outcomes",
    tag = "sources",
    request_body(content = Vec<VerdictBody>, example = json!([{"correct": true}])),
    params(crate::openapi::schema::SourceName, crate::openapi::schema::IdempotencyKey),
    responses(
        (status = 200, description = "Recorded.", body = crate::openapi::schema::Recorded),
        crate::openapi::responses::Changing,
    )
)]
pub(crate) async fn post_source_outcomes(
    State(app): State<App>,
    Orchestrator(caller): Orchestrator,
    Name(name): Name,
    conditions: Conditions,
    query: Query,
    body: JsonBody,
) -> Result<Response, Problem> {
    query.close()?;
    let key = conditions.key(Some(body.digest()));
    let verdicts = body.decode(one_or_list(verdict))?;
    let source: Source = name.parse().map_err(|_| {
        let detail = format!("{} is no source; write `kind:name`", quoted(&name));
        Problem::new(Code::InvalidArgument, detail)
    })?;
    let reply = Reply::ok(Object::from([
        ("source", source.label().into()),
        ("recorded", verdicts.len().into()),
    ]));
    let outcome = |correct| Outcome {
        source: source.label(),
        correct,
    };
    let told = ToldOutcomes {
        tenant: caller.tenant.clone(),
        id: clock::new_id(),
        at: clock::now(),
        outcomes: verdicts.into_iter().map(outcome).collect(),
        key: key.clone().map(|key| KeyedAnswer {
            key,
            answer: reply.to_kept(),
        }),
    };
    if let (Appended::KeyPresent, Some(key)) = (app.store().tell_outcomes(&told).await?, &key) {
        let stored = app.store().tenant_answer(&caller.tenant, key).await?;
        if let Some(stored) = stored {
            same_body(key, &stored.body)?;
            return Ok(
                Reply::from_kept(&stored.answer).map_or_else(|| reply.into_response(), replayed)
            );
        }
    }
    Ok(reply.into_response())
}

#[cfg(test)]
mod tests {
    use entail_json::Value;

    use crate::testing::Service;

    #[tokio::test]
    async fn outcomes_told_once_are_counted_once_and_known_to_later_sessions() {
        let service = Service::start().await;
        let path = "/sources/tool%3Aflaky/outcomes";
        let body = r#"[{"correct": false}, {"correct": false}, {"correct": true}]"#;
        for _ in 0..2 {
            let told = service.keyed("POST", path, "k", body).await;
            assert_eq!(told.status, 200, "{}", told.text);
        }
        let source = service.get("/sources/tool%3Aflaky").await.json();
        assert_eq!(source.get("total").and_then(Value::as_u64), Some(3));
        assert_eq!(source.get("correct").and_then(Value::as_u64), Some(1));
        let premise =
            r#"{"task": "t", "premises": [{"key": "k", "value": 1, "source": "tool:flaky"}]}"#;
        let session = service.open(premise).await;
        let belief = service.get(&format!("{session}/beliefs/k@1")).await.json();
        let confidence = belief.get("confidence").and_then(Value::as_f64).unwrap();
        assert!(
            (confidence - (9.5 + 1.0) / 13.0).abs() < 1e-3,
            "{confidence}"
        );
        assert_eq!(
            service.get("/sources/tool%3Aother").await.code(),
            "unknown_source"
        );
    }
}
