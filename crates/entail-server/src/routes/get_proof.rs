//! `GET /sessions/{id}/beliefs/{name}/proof`

use axum::{
    extract::State,
    http::header,
    response::{IntoResponse as _, Response},
};

use entail_kernel::base::BeliefId;
use entail_session::Session;

use super::get_belief::find;
use crate::{
    app::App,
    body::json,
    caller::Reader,
    problem::Problem,
    request::{Name, Query, SessionPath},
    sessions::{past, study_now},
};

#[derive(Clone, Copy)]
enum Format {
    Json,
    Text,
    Mermaid,
    Dot,
}

/// Read the proof of a belief: what it rests on, down to its leaves.
#[utoipa::path(
    get, path = "/sessions/{id}/beliefs/{name}/proof", operation_id = "get_proof",
    tag = "beliefs",
    params(crate::openapi::schema::SessionId, crate::openapi::schema::BeliefName,
        crate::openapi::schema::MinVersion,
        ("format" = inline(Option<crate::openapi::schema::ProofFormat>), Query,
            description = "In which form."),
        ("diff" = Option<u64>, Query,
            description = "A version: answers what changed since, as JSON (added, removed, revised, changed).")),
    responses(
        (status = 200, description = "The proof.", content(
            (Object = "application/json"),
            (String = "text/plain"),
        )),
        crate::openapi::responses::Reading,
    )
)]
pub(crate) async fn get_proof(
    State(app): State<App>,
    Reader(caller): Reader,
    path: SessionPath,
    Name(name): Name,
    mut query: Query,
) -> Result<Response, Problem> {
    const FORMATS: &[(&str, Format)] = &[
        ("json", Format::Json),
        ("text", Format::Text),
        ("mermaid", Format::Mermaid),
        ("dot", Format::Dot),
    ];
    let format = query.choice("format", FORMATS).unwrap_or(Format::Json);
    let min_version = query.min_version();
    let since = query.whole("diff", "a version");
    query.close()?;
    let target = path.of(&caller);
    let earlier = match since {
        Some(version) => Some(past(&app, &target, version).await?),
        None => None,
    };
    study_now(&app, &target, min_version, move |session, at| {
        let proof = session.base().proof(&roots(session, &name)?, at);
        if let Some(earlier) = earlier {
            let then = earlier.summary().last_commit_at;
            // What was not known then has a proof without steps.
            let roots = roots(&earlier, &name).unwrap_or_default();
            let before = earlier.base().proof(&roots, then);
            return Ok(json(&before.diff(&proof).to_json()));
        }
        Ok(match format {
            Format::Json => json(&proof.to_json()),
            Format::Text => text(proof.to_text()),
            Format::Mermaid => text(proof.to_mermaid()),
            Format::Dot => text(proof.to_dot()),
        })
    })
    .await
}

/// Of a key, what is believed; when nothing is, its latest revision.
fn roots(session: &Session, name: &str) -> Result<Vec<BeliefId>, Problem> {
    let base = session.base();
    let mut roots = find(session, name)?;
    if roots.iter().any(|id| base.is_in(*id)) {
        roots.retain(|id| base.is_in(*id));
    } else if let Some(last) = roots.last().copied() {
        roots = vec![last];
    }
    Ok(roots)
}

fn text(text: String) -> Response {
    ([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], text).into_response()
}

#[cfg(test)]
mod tests {
    use entail_json::Value;

    use crate::testing::Service;

    #[tokio::test]
    async fn a_proof_is_compared_with_that_of_an_earlier_version() {
        let service = Service::start().await;
        let session = service
            .open(
                r#"{"task": "t", "premises": [
                    {"key": "q2", "value": 2, "source": "human:h"},
                    {"key": "q3", "value": 3, "source": "tool:t"}]}"#,
            )
            .await;
        let step =
            r#"{"key": "sum", "value": 5, "antecedents": ["q2", "q3"], "source": "human:h"}"#;
        let justified = service
            .post(&format!("{session}/justifications"), step)
            .await;
        assert_eq!(justified.status, 200, "{}", justified.text);
        let retraction = r#"{"target": "q2"}"#;
        service
            .post(&format!("{session}/retractions"), retraction)
            .await;

        let diff = async |version: u64| {
            service
                .get(&format!("{session}/beliefs/sum/proof?diff={version}"))
                .await
        };
        let refs = |diff: &Value, part: &str| -> Vec<String> {
            let listed = diff.get(part).and_then(Value::as_array).unwrap();
            listed
                .iter()
                .map(|item| item.get("ref").and_then(Value::as_str).unwrap().to_owned())
                .collect()
        };
        let since_the_step = diff(2).await.json();
        assert_eq!(
            refs(&since_the_step, "changed"),
            ["q2@1", "sum@1"],
            "{since_the_step}"
        );
        assert_eq!(refs(&since_the_step, "added"), Vec::<String>::new());
        let since_the_start = diff(1).await.json();
        assert_eq!(
            refs(&since_the_start, "added"),
            ["q2@1", "q3@1", "sum@1"],
            "{since_the_start}"
        );
        assert_eq!(diff(9).await.code(), "unknown_version");
    }
}
