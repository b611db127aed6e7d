//! What is counted and timed, for Prometheus.
//!
//! Labels are few and of fixed sets: routes as they are registered, verdicts, codes, kinds.

use std::{sync::OnceLock, time::Duration};

use entail_session::Verdict;
use metrics::{counter, describe_counter, describe_gauge, describe_histogram, gauge, histogram};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};

use crate::app::App;

/// Upper bounds of the buckets of times, in seconds.
const SECONDS: [f64; 14] = [
    0.000_5, 0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.064, 0.128, 0.256, 0.512, 1.0, 4.0, 16.0,
];

macro_rules! names {
    ($($name:ident = $text:literal;)*) => {
        $(const $name: &str = $text;)*

        /// Every metric.
        #[cfg(test)]
        pub(crate) const NAMES: &[&str] = &[$($text,)*];
    };
}

names! {
    REQUESTS = "entail_http_requests_total";
    REQUEST_SECONDS = "entail_http_request_seconds";
    TURNS = "entail_turns_total";
    REJECTIONS = "entail_rejections_total";
    COMMITS = "entail_commits_total";
    COMMIT_SECONDS = "entail_commit_seconds";
    CONFLICTS = "entail_commit_conflicts_total";
    STATEMENTS = "entail_commit_statements_total";
    SENT = "entail_commits_sent_total";
    CONNECTIONS = "entail_store_connections";
    CONNECTIONS_MOST = "entail_store_connections_max";
    HITS = "entail_session_cache_hits_total";
    MISSES = "entail_session_cache_misses_total";
    EVICTIONS = "entail_session_cache_evictions_total";
    CATCH_UPS = "entail_session_catch_ups_total";
    LOADS = "entail_session_loads_total";
    LOAD_SECONDS = "entail_session_load_seconds";
    SNAPSHOTS = "entail_snapshots_total";
    SNAPSHOTS_REFUSED = "entail_snapshots_refused_total";
    HELD = "entail_sessions_held";
    HELD_BYTES = "entail_sessions_held_bytes";
    DOCUMENTS = "entail_documents_held";
    DOCUMENT_BYTES = "entail_documents_held_bytes";
    VIEWS_BEHIND = "entail_views_behind_sessions";
    CALLS = "entail_tool_calls_total";
    SPANS = "entail_spans_total";
}

fn handle() -> &'static PrometheusHandle {
    static HANDLE: OnceLock<PrometheusHandle> = OnceLock::new();
    HANDLE.get_or_init(|| {
        let seconds = Matcher::Suffix("_seconds".to_owned());
        let builder = PrometheusBuilder::new();
        let recorder = match builder.set_buckets_for_metric(seconds, &SECONDS) {
            Ok(builder) => builder.build_recorder(),
            Err(_) => PrometheusBuilder::new().build_recorder(),
        };
        let handle = recorder.handle();
        let _ = metrics::set_global_recorder(recorder);
        describe();
        begin();
        handle
    })
}

/// Starts counting.
pub(crate) fn start() {
    handle();
}

/// Has what may not happen for long stand at 0 meanwhile: an alert on a series that is not there
/// stays silent, and the first event would be no increase.
fn begin() {
    for verdict in Verdict::ALL {
        counter!(TURNS, "verdict" => verdict.word()).absolute(0);
    }
    for outcome in crate::calls::OUTCOMES {
        counter!(CALLS, "outcome" => outcome).absolute(0);
    }
    for name in [CONFLICTS, HITS, MISSES, EVICTIONS, CATCH_UPS] {
        counter!(name).absolute(0);
    }
    for from in ["snapshot", "journal"] {
        counter!(LOADS, "from" => from).absolute(0);
    }
    for outcome in ["written", "failed", "put_off"] {
        counter!(SNAPSHOTS, "outcome" => outcome).absolute(0);
    }
}

fn describe() {
    describe_counter!(REQUESTS, "Requests, by method, route and status.");
    describe_histogram!(REQUEST_SECONDS, "How long requests took, by route.");
    describe_counter!(TURNS, "Turns, by verdict.");
    describe_counter!(REJECTIONS, "Rejected actions, by code.");
    describe_counter!(COMMITS, "Commits that were made, by kind.");
    describe_histogram!(COMMIT_SECONDS, "How long the store took for a commit.");
    describe_counter!(
        CONFLICTS,
        "Commits that lost a race and were applied again."
    );
    describe_counter!(STATEMENTS, "Statements sent to write commits.");
    describe_counter!(
        SENT,
        "Commits sent in them, those that lost a race included."
    );
    describe_gauge!(CONNECTIONS, "Connections to the database, by state.");
    describe_gauge!(
        CONNECTIONS_MOST,
        "Connections to the database that there may be."
    );
    describe_counter!(HITS, "Looks at a session that was held ready.");
    describe_counter!(MISSES, "Work on a session that was not held ready.");
    describe_counter!(EVICTIONS, "Sessions that made room for others.");
    describe_counter!(
        CATCH_UPS,
        "Sessions held ready that were brought to the store's version."
    );
    describe_counter!(LOADS, "Sessions loaded from the store, by what from.");
    describe_histogram!(LOAD_SECONDS, "How long a session took to load.");
    describe_gauge!(DOCUMENTS, "Documents of sessions held ready, each once.");
    describe_gauge!(DOCUMENT_BYTES, "Memory they take.");
    describe_counter!(SNAPSHOTS, "Snapshots to be written, by outcome.");
    describe_counter!(
        SNAPSHOTS_REFUSED,
        "Snapshots passed over when a session was loaded, by reason."
    );
    describe_gauge!(HELD, "Sessions held ready.");
    describe_gauge!(
        HELD_BYTES,
        "Memory the sessions held ready take, without documents."
    );
    describe_gauge!(
        VIEWS_BEHIND,
        "Sessions of which the views for dashboards lack something."
    );
    describe_counter!(CALLS, "Attempts at calls of http tools, by outcome.");
    describe_counter!(SPANS, "Spans exported, dropped or not delivered.");
}

/// Everything counted so far, as Prometheus reads it.
pub(crate) fn render(app: &App) -> String {
    let size = app.sessions().size();
    let activity = app.store().activity();
    counter!(STATEMENTS).absolute(activity.statements);
    counter!(SENT).absolute(activity.commits);
    #[expect(clippy::cast_precision_loss, reason = "a gauge is a float")]
    {
        gauge!(HELD).set(size.sessions as f64);
        gauge!(HELD_BYTES).set(size.bytes as f64);
        gauge!(DOCUMENTS).set(size.documents as f64);
        gauge!(DOCUMENT_BYTES).set(size.document_bytes as f64);
        gauge!(VIEWS_BEHIND).set(app.views_behind().len() as f64);
        gauge!(CONNECTIONS, "state" => "idle").set(activity.idle as f64);
        gauge!(CONNECTIONS, "state" => "in_use").set(activity.in_use as f64);
        gauge!(CONNECTIONS_MOST).set(activity.most as f64);
    }
    handle().run_upkeep();
    handle().render()
}

/// Spans that came to that.
pub(crate) fn spans(outcome: &'static str, count: u64) {
    counter!(SPANS, "outcome" => outcome).increment(count);
}

/// A request that was answered.
pub(crate) fn request(method: &str, route: &str, status: u16, micros: i64) {
    let labels = [
        ("method", method.to_owned()),
        ("route", route.to_owned()),
        ("status", status.to_string()),
    ];
    counter!(REQUESTS, &labels).increment(1);
    histogram!(REQUEST_SECONDS, "route" => route.to_owned()).record(seconds(micros));
}

/// A turn that was taken.
pub(crate) fn turn(verdict: &'static str, rejections: impl Iterator<Item = &'static str>) {
    counter!(TURNS, "verdict" => verdict).increment(1);
    for code in rejections {
        counter!(REJECTIONS, "code" => code).increment(1);
    }
}

/// A commit that was made.
pub(crate) fn commit(kind: &str, micros: i64) {
    counter!(COMMITS, "kind" => kind.to_owned()).increment(1);
    histogram!(COMMIT_SECONDS).record(seconds(micros));
}

/// A commit that lost its race.
pub(crate) fn conflict() {
    counter!(CONFLICTS).increment(1);
}

/// A look at a session that was held ready.
pub(crate) fn hit() {
    counter!(HITS).increment(1);
}

/// Work on a session that was not held ready.
pub(crate) fn miss() {
    counter!(MISSES).increment(1);
}

/// A session that made room for others.
pub(crate) fn evicted() {
    counter!(EVICTIONS).increment(1);
}

/// A session held ready that was brought to the store's version.
pub(crate) fn caught_up() {
    counter!(CATCH_UPS).increment(1);
}

/// A session that was loaded from the store: from its journal, or from a snapshot and the journal.
pub(crate) fn loaded(from: &'static str, micros: i64) {
    counter!(LOADS, "from" => from).increment(1);
    histogram!(LOAD_SECONDS, "from" => from).record(seconds(micros));
}

/// A snapshot that was written, failed or was put off.
pub(crate) fn snapshot(outcome: &'static str) {
    counter!(SNAPSHOTS, "outcome" => outcome).increment(1);
}

/// A snapshot that was of no use.
pub(crate) fn snapshot_refused(reason: &'static str) {
    counter!(SNAPSHOTS_REFUSED, "reason" => reason).increment(1);
}

/// An attempt at a call.
pub(crate) fn call(outcome: &'static str) {
    counter!(CALLS, "outcome" => outcome).increment(1);
}

fn seconds(micros: i64) -> f64 {
    Duration::from_micros(u64::try_from(micros).unwrap_or_default()).as_secs_f64()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::testing::Service;

    const OPERATIONS: &str = include_str!("../../../docs/operations.md");

    /// What of a text looks like a metric's name.
    fn named(text: &'static str) -> BTreeSet<&'static str> {
        const VIEWS: [&str; 3] = ["entail_beliefs", "entail_turns", "entail_rejections"];
        let words = text.split(|c: char| c != '_' && !c.is_ascii_alphanumeric());
        let ours = words.filter(|word| word.starts_with("entail_") && !VIEWS.contains(word));
        ours.map(|word| {
            ["_bucket", "_sum", "_count"]
                .iter()
                .find_map(|suffix| word.strip_suffix(suffix))
                .unwrap_or(word)
        })
        .collect()
    }

    #[test]
    fn every_metric_is_in_the_operations_document_and_no_other() {
        let (told, known) = (named(OPERATIONS), NAMES.iter().copied().collect());
        let missing: Vec<_> = BTreeSet::difference(&known, &told).collect();
        let unknown: Vec<_> = told.difference(&known).collect();
        assert!(
            missing.is_empty() && unknown.is_empty(),
            "add to the table of metrics in docs/operations.md: {missing:?}; take out: {unknown:?}"
        );
    }

    /// An alert on a series that is not there stays silent.
    #[tokio::test]
    async fn what_the_alerts_ask_for_is_shown_by_a_service_that_took_one_turn() {
        let service = Service::start().await;
        let session = service.open(r#"{"task": "t"}"#).await;
        let turn = r#"{"response": "no json"}"#;
        service.post(&format!("{session}/turns"), turn).await;
        let text = service.get("/metrics").await.text;
        let alerts = OPERATIONS.split("```yaml").nth(1).unwrap_or_default();
        let asked = named(alerts.split("```").next().unwrap_or_default());
        assert!(asked.len() >= 10, "{asked:?}");
        for name in asked {
            let is_shown = text.lines().any(|line| line.starts_with(name));
            assert!(is_shown, "{name}: {text}");
        }
        // Tests that share this process share its counters: these are what none of them does.
        for line in [
            "entail_turns_total{verdict=\"conflicting_evidence\"} 0",
            "entail_tool_calls_total{outcome=\"timeout\"} 0",
        ] {
            assert!(text.contains(line), "{line}: {text}");
        }
    }
}
