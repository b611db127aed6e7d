//! What is counted and timed, for Prometheus.
//!
//! Labels are few and of fixed sets: routes as they are registered, verdicts, codes, kinds.

use std::{sync::OnceLock, time::Duration};

use metrics::{counter, describe_counter, describe_gauge, describe_histogram, gauge, histogram};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};

use crate::app::App;

/// Upper bounds of the buckets of times, in seconds.
const SECONDS: [f64; 14] = [
    0.000_5, 0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.064, 0.128, 0.256, 0.512, 1.0, 4.0, 16.0,
];

const REQUESTS: &str = "entail_http_requests_total";
const REQUEST_SECONDS: &str = "entail_http_request_seconds";
const TURNS: &str = "entail_turns_total";
const REJECTIONS: &str = "entail_rejections_total";
const COMMITS: &str = "entail_commits_total";
const COMMIT_SECONDS: &str = "entail_commit_seconds";
const CONFLICTS: &str = "entail_commit_conflicts_total";
const HITS: &str = "entail_session_cache_hits_total";
const LOADS: &str = "entail_session_cache_loads_total";
const HELD: &str = "entail_sessions_held";
const HELD_BYTES: &str = "entail_sessions_held_bytes";
const CALLS: &str = "entail_tool_calls_total";

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
        handle
    })
}

/// Starts counting.
pub(crate) fn start() {
    handle();
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
    describe_counter!(HITS, "Looks at a session that was held ready.");
    describe_counter!(
        LOADS,
        "Sessions loaded from their journal, or brought up to date."
    );
    describe_gauge!(HELD, "Sessions held ready.");
    describe_gauge!(HELD_BYTES, "What the sessions held ready weigh.");
    describe_counter!(CALLS, "Attempts at calls of http tools, by outcome.");
}

/// Everything counted so far, as Prometheus reads it.
pub(crate) fn render(app: &App) -> String {
    let (held, bytes) = app.sessions().size();
    #[expect(clippy::cast_precision_loss, reason = "a gauge is a float")]
    {
        gauge!(HELD).set(held as f64);
        gauge!(HELD_BYTES).set(bytes as f64);
    }
    handle().run_upkeep();
    handle().render()
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

/// A session that had to be read from the store.
pub(crate) fn load() {
    counter!(LOADS).increment(1);
}

/// An attempt at a call.
pub(crate) fn call(outcome: &'static str) {
    counter!(CALLS, "outcome" => outcome).increment(1);
}

fn seconds(micros: i64) -> f64 {
    Duration::from_micros(u64::try_from(micros).unwrap_or_default()).as_secs_f64()
}
