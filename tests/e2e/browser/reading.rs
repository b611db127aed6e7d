//! Somebody reads what an agent concluded.

use entail_json::{Value, read_str};
use entail_tests::{Browser, Start};

use crate::revenue::{self, ANSWER, page, play, turn_to};

pub(crate) fn list() {
    let service = Start::default().start();
    let client = service.client();
    for (task, team) in [("First", "a"), ("Second", "b"), ("Third", "a")] {
        let body = format!(r#"{{"task": "{task}", "labels": {{"team": "{team}"}}}}"#);
        let _ = client.post("/sessions", &read_str(&body).unwrap()).ok();
    }
    let last = client.get("/sessions").ok();
    let last = last.get("items").unwrap().as_array().unwrap()[0].clone();
    let close = read_str(r#"{"state": "abandoned"}"#).unwrap();
    let closed = client.post(
        &format!(
            "/sessions/{}/close",
            last.get("id").unwrap().as_str().unwrap()
        ),
        &close,
    );
    assert_eq!(closed.status, 200, "{}", closed.text());

    let mut browser = Browser::start();
    browser.open(&page(&service, "/"));
    let listed =
        "[...document.querySelectorAll('.session h2')].map((one) => one.textContent).join()";
    browser.wait("document.querySelectorAll('.session').length === 3");
    assert_eq!(browser.text(listed), "Third,Second,First");
    assert_eq!(browser.text("document.title"), "Sessions – Entail");

    // By keyboard and by form.
    browser.read(
        "document.querySelector('#label').value = 'team=a';
         document.querySelector('form').requestSubmit()",
    );
    browser.wait("document.querySelectorAll('.session').length === 2");
    assert_eq!(browser.text(listed), "Third,First");
    browser.read(
        "document.querySelector('#state').value = 'abandoned';
         document.querySelector('#state').dispatchEvent(new Event('change'))",
    );
    browser.wait("document.querySelectorAll('.session').length === 1");
    assert_eq!(browser.text(listed), "Third");
    // A page can be passed on, and what the service refuses is said in its words.
    browser.open(&page(&service, "/?label=nonsense"));
    browser.wait("document.querySelector('.problem')");
    let problem = browser.text("document.querySelector('.problem').innerText");
    assert!(problem.contains("write it as `name=value`"), "{problem}");
    assert!(problem.contains("invalid_query"), "{problem}");
}

pub(crate) fn answer() {
    let service = Start::default().start();
    let client = service.client();
    let session = play(&client);
    let mut browser = Browser::start();
    browser.open(&page(&service, &session));
    browser.wait("document.querySelector('.checked .badge')");
    let verdict = browser.text("document.querySelector('.verdict').innerText");
    assert!(verdict.starts_with("IN The answer stands"), "{verdict}");
    assert!(verdict.contains(ANSWER), "{verdict}");
    assert!(verdict.contains("Confidence"), "{verdict}");
    let checked = browser.text("document.querySelector('.checked').innerText");
    assert!(checked.starts_with("holds"), "{checked}");
    let drawn = "[...document.querySelectorAll('svg a.node')].map((one) => one.getAttribute('aria-label')).sort().join('; ')";
    let proof = browser.text(drawn);
    assert_eq!(
        proof,
        "answer@1, IN; gross_margin:Q2@1, IN; gross_margin:Q3@1, IN; growth@1, IN; \
         margin_change@1, IN; revenue:Q2@1, IN; revenue:Q3@1, IN"
    );
    browser.wait("document.querySelector('.live.on')");

    // Nothing is loaded again: the page hears of it.
    browser.read("window.stayed = true");
    revenue::retract(&client, &session);
    browser.wait(
        "document.querySelector('.verdict.out') && document.querySelector('.checked .badge.out')",
    );
    assert_eq!(browser.read("window.stayed"), Value::Bool(true));
    let verdict = browser.text("document.querySelector('.verdict').innerText");
    assert!(
        verdict.starts_with("OUT The answer no longer holds"),
        "{verdict}"
    );
    let fall = browser.text(
        "[...document.querySelectorAll('.fall li')].map((one) => one.textContent).join('; ')",
    );
    assert_eq!(
        fall,
        "revenue:Q2@1 was retracted (restated in the amended filing); \
         growth@1 lost its support revenue:Q2@1; answer@1 lost its support growth@1"
    );
    let proof = browser.text(drawn);
    assert!(proof.contains("revenue:Q2@1, OUT"), "{proof}");
    assert!(proof.contains("revenue:Q3@1, IN"), "{proof}");
    assert_eq!(
        browser.text("document.querySelector('#announce').textContent"),
        "The answer is OUT now."
    );
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

pub(crate) fn parts() {
    let service = Start::default().start();
    let client = service.client();
    let session = play(&client);
    revenue::retract(&client, &session);
    let mut browser = Browser::start();
    browser.open(&page(&service, "/"));
    let mut shows = |place: &str, ready: &str, texts: &[&str]| {
        turn_to(&mut browser, &format!("{session}{place}"));
        browser.wait(ready);
        let shown = browser.text("document.querySelector('main').innerText");
        for text in texts {
            assert!(shown.contains(text), "{place} lacks `{text}`:\n{shown}");
        }
        shown
    };
    let all = shows(
        "/beliefs",
        "document.querySelector('tbody')",
        &[
            "4,300,000,000",
            "was retracted (restated in the amended filing)",
            "document:10-Q",
            "99%",
        ],
    );
    assert!(all.contains("revenue:Q3@1"));
    let out = shows(
        "/beliefs?status=OUT&prefix=gr",
        "document.querySelector('tbody')",
        &["growth@1"],
    );
    assert!(
        !out.contains("revenue:Q3@1") && !out.contains("answer@1"),
        "{out}"
    );
    shows(
        "/beliefs/growth",
        "document.querySelector('svg')",
        &[
            "growth@1",
            "round(({revenue:Q3} - {revenue:Q2}) / {revenue:Q2} * 100, 2)",
            "claimed by model:scripted",
            "What rests on it",
            "answer@1",
        ],
    );
    shows(
        "/turns",
        "document.querySelectorAll('.turn').length === 6",
        &[
            "Turn 2 needs repair",
            "value_not_stated",
            "the quote states 2.1 billion, the claim says 2400000000",
            "Turn 6 answered",
        ],
    );
    shows(
        "/conflicts",
        "document.querySelector('main section .none')",
        &["Nothing is disputed."],
    );
    shows(
        "/calls",
        "document.querySelector('tbody')",
        &["get_revenue", "returned", "No call waits for its result."],
    );
    shows(
        "/documents",
        "document.querySelector('tbody')",
        &["10-Q", "4,222 bytes"],
    );
    shows(
        "/documents/10-Q",
        "document.querySelectorAll('mark').length === 3",
        &["3 quotes", "MERIDIAN INSTRUMENTS"],
    );
    shows(
        "/report",
        "document.querySelector('tbody')",
        &["Does not hold", "growth@1 is not believed", "structure"],
    );
    shows(
        "/beliefs/nothing",
        "document.querySelector('.problem')",
        &["there is no belief `nothing` here", "unknown_belief"],
    );
    revenue::rate(&client);
    turn_to(&mut browser, "/sources");
    browser.wait("document.querySelector('tbody')");
    assert!(
        browser
            .text("document.querySelector('tbody').innerText")
            .contains("human:ann")
    );
}
