//! `GET /sessions/{id}/beliefs`

use std::collections::HashSet;

use axum::{extract::State, response::Response};
use entail_json::Value;
use entail_kernel::{
    Time,
    base::{Belief, BeliefId, Status},
};
use entail_session::Session;

use super::get_belief::find;
use crate::{
    app::App,
    body::json,
    caller::Reader,
    problem::Problem,
    request::{Query, SessionPath},
    sessions::{past, read_now},
    view::{self, Extent, Weight, page, weigh_all},
};

/// A belief has faded when it has lost this share of its weight.
const FADED_SHARE: f64 = 0.5;

/// List the beliefs, in the order in which they were made.
#[utoipa::path(
    get, path = "/sessions/{id}/beliefs", operation_id = "list_beliefs", tag = "beliefs",
    params(crate::openapi::schema::SessionId, crate::openapi::schema::Page,
        crate::openapi::schema::MinVersion,
        ("status" = inline(Option<crate::openapi::schema::Label>), Query,
            description = "Only what is believed, or is not."),
        ("prefix" = Option<String>, Query, description = "How the key begins.", example = "revenue:"),
        ("source" = Option<String>, Query, description = "A source of it, `kind:name`, or only the kind."),
        ("min_confidence" = Option<f64>, Query, description = "Only what is that certain.",
            minimum = 0, maximum = 1),
        ("stale" = Option<bool>, Query, description = "Only what rests on expired evidence alone."),
        ("faded" = Option<bool>, Query, description = "Only what has lost half of its weight or more."),
        ("at_version" = Option<u64>, Query,
            description = "The past: as the commit of that version left it, as of its time."),
        ("ref" = Option<String>, Query,
            description = "One belief by its ref, or all revisions of a key, where a path does not survive.")),
    responses(
        (status = 200, description = "A page of beliefs.", body = crate::openapi::schema::BeliefPage),
        crate::openapi::responses::Reading,
    )
)]
pub(crate) async fn get_beliefs(
    State(app): State<App>,
    Reader(caller): Reader,
    path: SessionPath,
    mut query: Query,
) -> Result<Response, Problem> {
    let filter = Filter::of(&mut query);
    let reference = query.text("ref");
    let limit = query.limit();
    let start = query.cursor();
    let min_version = query.min_version();
    let at_version = query.whole("at_version", "a version");
    query.close()?;
    let target = path.of(&caller);
    let look = |session: &Session, at: Time| {
        let only = reference
            .as_deref()
            .map(|name| find(session, name))
            .transpose()?;
        let (items, next) = list(session, at, &filter, only.as_deref(), start, limit);
        let mut body = page(items, next.map(|next| next.to_string()));
        body.insert("as_of", at.to_string().into());
        body.insert("version", session.version().into());
        Ok(json(&body.into()))
    };
    match at_version {
        Some(version) => {
            let session = past(&app, &target, version).await?;
            look(&session, session.summary().last_commit_at)
        }
        None => read_now(&app, &target, min_version, look).await,
    }
}

struct Filter {
    status: Option<Status>,
    prefix: Option<String>,
    source: Option<String>,
    min_confidence: Option<f64>,
    stale: bool,
    faded: bool,
}

impl Filter {
    fn of(query: &mut Query) -> Self {
        const STATES: &[(&str, Status)] = &[
            ("IN", Status::In),
            ("OUT", Status::Out),
            ("in", Status::In),
            ("out", Status::Out),
        ];
        let filter = Self {
            status: query.choice("status", STATES),
            prefix: query.text("prefix"),
            source: query.text("source"),
            min_confidence: query.parsed("min_confidence", "a number from 0 to 1"),
            stale: query.flag("stale"),
            faded: query.flag("faded"),
        };
        if filter
            .min_confidence
            .is_some_and(|share| !(0.0..=1.0).contains(&share))
        {
            query.fault("min_confidence", "it has to be from 0 to 1");
        }
        filter
    }

    fn passes(&self, session: &Session, belief: &Belief<'_>) -> bool {
        self.status.is_none_or(|status| status == belief.status)
            && self
                .prefix
                .as_ref()
                .is_none_or(|prefix| belief.key.starts_with(prefix.as_str()))
            && self.source.as_ref().is_none_or(|wanted| {
                session
                    .base()
                    .justifications(belief.id)
                    .iter()
                    .any(|given| {
                        given.source.label() == *wanted || given.source.kind.word() == wanted
                    })
            })
    }
}

fn list(
    session: &Session,
    at: Time,
    filter: &Filter,
    only: Option<&[BeliefId]>,
    start: usize,
    limit: usize,
) -> (Vec<Value>, Option<usize>) {
    let base = session.base();
    // Where confidence decides who is listed, or a page holds most of them, all are weighed.
    let is_most = base.len() <= limit.saturating_mul(2);
    let all = (is_most || filter.min_confidence.is_some()).then(|| base.confidences(at));
    let is_sure = |id: BeliefId| {
        let confidence = all.as_ref().map_or(1.0, |all| all.of(id));
        filter
            .min_confidence
            .is_none_or(|least| confidence >= least)
    };
    let stale: Option<HashSet<_>> = filter.stale.then(|| base.stale().into_iter().collect());
    let faded: Option<HashSet<_>> = filter
        .faded
        .then(|| base.faded(FADED_SHARE, at).into_iter().collect());
    let listed = |belief: &Belief<'_>| {
        only.is_none_or(|only| only.contains(&belief.id))
            && stale
                .as_ref()
                .is_none_or(|stale| stale.contains(&belief.id))
            && faded
                .as_ref()
                .is_none_or(|faded| faded.contains(&belief.id))
            && is_sure(belief.id)
            && filter.passes(session, belief)
    };
    let mut next = None;
    let mut page = Vec::new();
    for (index, belief) in base.beliefs().enumerate().skip(start) {
        if !listed(&belief) {
            continue;
        }
        if page.len() == limit {
            next = Some(index);
            break;
        }
        page.push(belief.id);
    }
    let weights = match &all {
        Some(all) => {
            let weight = |id: &BeliefId| Weight {
                confidence: all.of(*id),
                support: all.support(*id),
            };
            page.iter().map(weight).collect()
        }
        None => weigh_all(base, &page, at),
    };
    let beliefs = page.iter().zip(weights).filter_map(|(id, weight)| {
        let belief = base.belief(*id)?;
        Some(view::belief(base, &belief, weight, Extent::Listed))
    });
    (beliefs.collect(), next)
}

#[cfg(test)]
mod tests {
    use entail_json::Value;

    use crate::testing::Service;

    async fn service() -> (Service, String) {
        let service = Service::start().await;
        let session = service
            .open(
                r#"{"task": "t", "premises": [
                    {"key": "a:1", "value": 1, "source": "human:h"},
                    {"key": "b:1", "value": 2, "source": "tool:t"},
                    {"key": "a:2", "value": 3, "source": "assumption:x"},
                    {"key": "a/b?c#d e%", "value": 4, "source": "human:h"}]}"#
                    .replace("d e%", "d%")
                    .as_str(),
            )
            .await;
        (service, session)
    }

    fn refs(page: &Value) -> Vec<String> {
        let items = page.get("items").and_then(Value::as_array).unwrap();
        items
            .iter()
            .map(|item| item.get("ref").and_then(Value::as_str).unwrap().to_owned())
            .collect()
    }

    #[tokio::test]
    async fn beliefs_are_filtered_and_paged_in_order() {
        let (service, session) = service().await;
        let list = async |query: &str| {
            refs(
                &service
                    .get(&format!("{session}/beliefs?{query}"))
                    .await
                    .json(),
            )
        };
        assert_eq!(list("prefix=a%3A").await, ["a:1@1", "a:2@1"]);
        assert_eq!(list("source=tool").await, ["b:1@1"]);
        assert_eq!(list("source=human:h&limit=1").await, ["a:1@1"]);
        assert_eq!(
            list("min_confidence=0.9&status=IN&prefix=b").await,
            ["b:1@1"]
        );
        assert_eq!(list("status=OUT").await, Vec::<String>::new());
        assert_eq!(list("limit=2").await.len(), 2);
        let page = service
            .get(&format!("{session}/beliefs?limit=3"))
            .await
            .json();
        let cursor = page
            .get("next_cursor")
            .and_then(Value::as_str)
            .unwrap()
            .to_owned();
        assert_eq!(list(&format!("cursor={cursor}")).await, ["a/b?c#d%@1"]);
    }

    #[tokio::test]
    async fn a_key_of_any_characters_is_found_by_path_and_by_query() {
        let (service, session) = service().await;
        let encoded = "a%2Fb%3Fc%23d%25";
        let one = service.get(&format!("{session}/beliefs/{encoded}@1")).await;
        assert_eq!(one.status, 200, "{}", one.text);
        let listed = service
            .get(&format!("{session}/beliefs?ref={encoded}"))
            .await
            .json();
        assert_eq!(refs(&listed), ["a/b?c#d%@1"]);
        let proof = service
            .get(&format!("{session}/beliefs/{encoded}/proof"))
            .await;
        assert_eq!(proof.status, 200, "{}", proof.text);
    }

    #[tokio::test]
    async fn the_past_is_listed_as_its_commit_left_it() {
        let (service, session) = service().await;
        let retraction = r#"{"target": "a:1", "reason": "restated"}"#;
        let retracted = service
            .post(&format!("{session}/retractions"), retraction)
            .await;
        assert_eq!(retracted.status, 200, "{}", retracted.text);
        let list = async |query: &str| service.get(&format!("{session}/beliefs?{query}")).await;
        let now = list("status=IN&prefix=a%3A").await.json();
        assert_eq!(refs(&now), ["a:2@1"]);
        let then = list("status=IN&prefix=a%3A&at_version=1").await.json();
        assert_eq!(refs(&then), ["a:1@1", "a:2@1"]);
        assert_eq!(then.get("version").and_then(Value::as_u64), Some(1));
        assert!(
            then.get("as_of").and_then(Value::as_str) < now.get("as_of").and_then(Value::as_str)
        );
        for unheard_of in ["0", "3"] {
            let answer = list(&format!("at_version={unheard_of}")).await;
            assert_eq!(
                (answer.status, answer.code().as_str()),
                (404, "unknown_version")
            );
        }
    }

    #[tokio::test]
    async fn evidence_that_has_expired_without_a_commit_counts_in_no_read() {
        let service = Service::start().await;
        let session = service
            .open(
                r#"{"task": "t", "policy": {"dependencies": "declared"}, "premises": [
                    {"key": "brief", "value": 1, "source": "human:h"},
                    {"key": "k", "value": 1, "source": "human:h"}]}"#,
            )
            .await;
        let turn = r#"{"response": {"actions": [
            {"type": "claim", "key": "c", "value": 2, "follows_from": ["brief"]},
            {"type": "answer", "text": "two", "follows_from": ["c"]}]}}"#;
        let done = service.post(&format!("{session}/turns"), turn).await;
        assert_eq!(done.status, 200, "{}", done.text);
        let get = async |path: &str| service.get(&format!("{session}{path}")).await;
        let opened = get("").await.json();
        let answer = opened.get("answer").unwrap().clone();
        assert_eq!(answer.get("status").and_then(Value::as_str), Some("IN"));
        let answer_ref = answer.get("ref").and_then(Value::as_str).unwrap();

        let brief = r#"{"key": "brief", "value": 1, "source": "human:h", "ttl_s": 0.000001}"#;
        let done = service.post(&format!("{session}/premises"), brief).await;
        assert_eq!(done.status, 200, "{}", done.text);
        let before = (
            get("").await.headers["etag"].clone(),
            get("/journal").await.text,
        );

        assert_eq!(refs(&get("/beliefs?status=IN").await.json()), ["k@1"]);
        let page = get("/beliefs?ref=brief").await.json();
        assert!(!page.to_string().contains(r#""valid":true"#), "{page}");
        let stale = refs(&get("/beliefs?stale=true").await.json());
        assert_eq!(stale, ["brief@1"]);
        let waiting = refs(&get("/rederivations").await.json());
        assert!(waiting.iter().any(|name| name == "c@1"), "{waiting:?}");
        let one = get("/beliefs/c@1").await.json();
        assert_eq!(one.get("status").and_then(Value::as_str), Some("OUT"));
        let shown = get("").await.json();
        let status = shown.get("answer").and_then(|answer| answer.get("status"));
        assert_eq!(status.and_then(Value::as_str), Some("OUT"));
        let proof = get(&format!("/beliefs/{answer_ref}/proof")).await.text;
        assert!(!proof.contains(r#""status":"IN""#), "{proof}");
        let dependents = get("/beliefs/brief/dependents").await.text;
        assert!(!dependents.contains(r#""status":"IN""#), "{dependents}");
        let then = refs(&get("/beliefs?status=IN&at_version=3").await.json());
        assert!(then.iter().any(|name| name == "c@1"), "{then:?}");

        let after = (
            get("").await.headers["etag"].clone(),
            get("/journal").await.text,
        );
        assert_eq!(before, after, "reads commit nothing");
    }
}
