//! Width, contrast, names and landmarks.

use entail_json::Value;
use entail_tests::{Browser, Start};

use crate::revenue::{self, page, play, turn_to};

/// Gives what is hard to read or to use on the page, a line each.
const FAULTS: &str = include_str!("faults.js");

pub(crate) fn readable() {
    let service = Start::default().start();
    let client = service.client();
    let session = play(&client);
    revenue::retract(&client, &session);
    revenue::rate(&client);
    let long = "very".repeat(60);
    let other = format!(
        r#"{{"task": "{long}", "labels": {{"{long}": "{long}"}}, "premises": [
            {{"key": "{long}", "value": "{long}", "source": "human:{long}"}},
            {{"key": "{long}", "value": 1, "source": "human:{long}"}}]}}"#,
        long = long.get(..120).unwrap()
    );
    let body = entail_json::read_str(&other).unwrap();
    let other = client.post("/sessions", &body).ok();
    let other = format!("/sessions/{}", other.get("id").unwrap().as_str().unwrap());
    let mut browser = Browser::start();
    let places = [
        ("/".to_owned(), ".session"),
        ("/sources".to_owned(), "tbody"),
        (session.clone(), ".checked .badge"),
        (format!("{session}/beliefs"), "tbody"),
        (format!("{session}/beliefs/growth"), "figure svg"),
        (format!("{session}/turns"), ".turn"),
        (format!("{session}/documents/10-Q"), "mark"),
        (format!("{session}/report"), "tbody"),
        (format!("{other}/beliefs"), "tbody"),
        (format!("{other}/conflicts"), "tbody"),
        ("/sessions/x".to_owned(), ".problem"),
    ];
    browser.open(&page(&service, "/"));
    for (place, ready) in &places {
        browser.look(1280, false);
        turn_to(&mut browser, place);
        browser.wait(&format!("document.querySelector('{ready}')"));
        browser.read("document.querySelectorAll('details').forEach((one) => { one.open = true; })");
        for (width, dark) in [(1280, false), (1280, true), (390, false), (390, true)] {
            browser.look(width, dark);
            let faults = browser.read(FAULTS);
            assert_eq!(
                faults,
                Value::Array(Vec::new()),
                "{place} at {width}, dark: {dark}"
            );
        }
    }
}
