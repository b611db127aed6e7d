//! A service with keys: its reader enters one.

use std::process::Command;

use entail_json::Value;
use entail_tests::{Browser, Database, Start, binary};

use crate::revenue::{page, play, turn_to};

fn make(url: &str, scope: &str) -> String {
    let output = Command::new(binary())
        .args(["keys", "create", "--name", scope, "--scope", scope])
        .args(["--database-url", url])
        .output()
        .unwrap();
    let told = String::from_utf8(output.stdout).unwrap();
    told.trim().split_once('\n').unwrap().1.to_owned()
}

pub(crate) fn reader() {
    let database = Database::sqlite();
    let url = database.url();
    let (orchestrator, reader) = (make(&url, "orchestrate"), make(&url, "read"));
    let service = Start::on(&url).start();
    let client = service.client();
    assert_eq!(client.get("/sessions").code(), "unauthenticated");
    let orchestrator = client.with_header("authorization", &format!("Bearer {orchestrator}"));
    let session = play(&orchestrator);

    let mut browser = Browser::start();
    let enter = |browser: &mut Browser, key: &str| {
        browser.wait("document.activeElement?.id === 'key'");
        browser.read(&format!(
            "document.querySelector('#key').value = {key:?};
             document.querySelector('form.key').requestSubmit()"
        ));
    };
    browser.open(&page(&service, &session));
    enter(&mut browser, "wrong");
    browser.wait("document.querySelector('form.key [role=alert]')");
    let wrong = browser.text("document.querySelector('form.key [role=alert]').innerText");
    assert!(wrong.contains("unknown or revoked"), "{wrong}");
    enter(&mut browser, &reader);
    browser
        .wait("document.querySelector('.checked .badge.in') && document.querySelector('.live.on')");
    assert_eq!(
        browser.text("JSON.stringify([Object.values({...sessionStorage}), Object.values({...localStorage}), document.cookie])"),
        format!("[[\"{reader}\"],[],\"\"]")
    );

    for part in [
        "beliefs",
        "beliefs/growth",
        "turns",
        "calls",
        "conflicts",
        "documents",
        "documents/10-Q",
        "report",
    ] {
        turn_to(&mut browser, &format!("{session}/{part}"));
        browser.wait("document.querySelector('main > section')?.childElementCount > 0");
        assert_eq!(
            browser.read("document.querySelector('.problem') === null"),
            Value::Bool(true),
            "{part}"
        );
    }
    // A link cannot carry the key: the report is fetched and saved.
    assert_eq!(
        browser.text("document.querySelector('.verdict a').textContent"),
        "Save the report to read and print (HTML)"
    );
    for (method, asked) in browser.requests() {
        assert_eq!(method, "GET", "{asked}");
        assert!(!asked.contains(&reader), "{asked}");
    }
    browser.read("document.querySelector('#forget').click()");
    browser.wait("document.querySelector('form.key')");
    assert_eq!(browser.read("sessionStorage.length"), Value::from(0_u32));
    assert!(!service.log().contains(&reader));
}
