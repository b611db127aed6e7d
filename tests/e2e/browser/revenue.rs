//! The example `examples/revenue`, played up to its answer.

use entail_json::{Value, read_str};
use entail_tests::{Browser, Client, Service};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/revenue");

const TURNS: [&str; 6] = [
    "1-calls",
    "2-citations",
    "3-citations-corrected",
    "4-growth",
    "5-growth-corrected",
    "6-answer",
];

/// What it answers.
pub(crate) const ANSWER: &str =
    "Revenue grew by 4.65% from Q2 to Q3, and the gross margin rose by 1.2 points to 41.2%.";

/// Plays it: the path of the session.
pub(crate) fn play(client: &Client) -> String {
    let opened = client.post("/sessions", &read("open.json")).ok();
    let session = format!("/sessions/{}", opened.get("id").unwrap().as_str().unwrap());
    let filing = std::fs::read(format!("{FOLDER}/filing.txt")).unwrap();
    let path = format!("{session}/documents/10-Q");
    let _ = client
        .call("PUT", &path, Some(("text/plain; charset=utf-8", &filing)))
        .ok();
    for name in TURNS {
        let _ = client
            .post(
                &format!("{session}/context"),
                &Value::from([("task", Value::Null); 0]),
            )
            .ok();
        let turn = read(&format!("turns/{name}.json"));
        let answer = client.post(&format!("{session}/turns"), &turn).ok();
        let calls = answer.get("pending_calls").and_then(Value::as_array);
        let results: Value = calls
            .unwrap_or_default()
            .iter()
            .zip([4_300_000_000_i64, 4_500_000_000])
            .map(|(call, value)| {
                let id = call.get("call_id").unwrap().clone();
                Value::from([("call_id", id), ("value", value.into())])
            })
            .collect();
        if results
            .as_array()
            .is_some_and(|results| !results.is_empty())
        {
            let _ = client
                .post(&format!("{session}/tool-results"), &results)
                .ok();
        }
    }
    session
}

/// Takes the figure for the second quarter back.
pub(crate) fn retract(client: &Client, session: &str) {
    let body = Value::from([
        ("target", "revenue:Q2".into()),
        ("reason", "restated in the amended filing".into()),
    ]);
    let _ = client.post(&format!("{session}/retractions"), &body).ok();
}

/// Says that a source was right.
pub(crate) fn rate(client: &Client) {
    let body = Value::from([("correct", true.into())]);
    let _ = client.post("/sources/human:ann/outcomes", &body).ok();
}

/// The address of a page of the dashboard.
pub(crate) fn page(service: &Service, place: &str) -> String {
    format!("http://{}/#{place}", service.client().address())
}

/// Goes on to another page of the dashboard that is open, and waits until it is drawn.
pub(crate) fn turn_to(browser: &mut Browser, place: &str) {
    browser.read(&format!(
        "if (location.hash !== {place}) {{
             document.querySelector('main').setAttribute('aria-busy', 'true');
             location.hash = {place};
         }}",
        place = Value::from(format!("#{place}"))
    ));
    browser.wait("document.querySelector('main').getAttribute('aria-busy') === 'false'");
}

fn read(name: &str) -> Value {
    read_str(&std::fs::read_to_string(format!("{FOLDER}/{name}")).unwrap()).unwrap()
}
