//! The example `examples/revenue` against a running service, with nothing but curl.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test reports a failure by a panic, its helpers too"
)]

use std::process::Command;

use entail_json::Value;
use entail_tests::{Database, Start};

const RUN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/revenue/run.sh");

#[test]
fn the_revenue_example_plays_a_whole_job_on_both_stores() {
    for (engine, database) in Database::each() {
        let service = Start::on(&database.url()).start();
        let client = service.client();
        let output = Command::new("sh")
            .arg(RUN)
            .env("ENTAIL_URL", format!("http://{}", client.address()))
            .output()
            .expect("a shell and curl are installed");
        let told = String::from_utf8_lossy(&output.stdout).into_owned();
        let complaints = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{engine}: {told}\n{complaints}");
        for line in [
            "rejected: the quote states 2.1 billion, the claim says 2400000000",
            "rejected: document `10-Q` does not hold \"Gross margin had been 40.0%",
            "rejected: the formula evaluates to 4.651162790697675, but the claim states 4.44",
            "verdict: answered",
            "OUT  revenue:Q2@1: was retracted (restated in the amended filing)",
            "OUT  growth@1: lost its support `revenue:Q2@1`",
            "OUT  answer@1: lost its support `growth@1`",
            "ok   core_invariants",
            "ok   support_spans",
            "ok   chain",
            "Holds: ",
            "FAIL structure",
            "error: `answer@1` is not believed: it lost its support `growth@1`",
            "Does not hold: ",
        ] {
            assert!(
                told.contains(line),
                "{engine}: `{line}` is not told:\n{told}"
            );
        }
        assert_eq!(told.matches("FAIL").count(), 1, "{engine}: {told}");

        let session = told.rsplit("session: ").next().unwrap().trim().to_owned();
        let status = |name: &str| {
            let belief = client.get(&format!("{session}/beliefs/{name}")).ok();
            belief
                .get("status")
                .and_then(Value::as_str)
                .map(str::to_owned)
        };
        for name in [
            "revenue:Q3@1",
            "margin_change@1",
            "gross_margin:Q2@1",
            "cash@1",
        ] {
            assert_eq!(status(name).as_deref(), Some("IN"), "{engine}: {name}");
        }
        let answer = client.get(&format!("{session}/beliefs/answer@1")).ok();
        let why = answer.get("why_out").map(ToString::to_string);
        assert_eq!(why.as_deref(), Some(r#"{"lost":["growth@1"]}"#), "{engine}");
    }
}
