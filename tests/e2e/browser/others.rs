//! The description of the interface, and the report to read and print.

use entail_json::Value;
use entail_tests::{Browser, Start};

use crate::revenue::{self, ANSWER, play};

pub(crate) fn docs() {
    let service = Start::default().start();
    let client = service.client();
    let document = client.get("/openapi.json").ok();
    let operations: usize = document
        .get("paths")
        .and_then(Value::as_object)
        .unwrap()
        .iter()
        .map(|(_, methods)| methods.as_object().unwrap().len())
        .sum();
    let own = format!("http://{}/", client.address());
    let mut browser = Browser::start();
    browser.open(&format!("{own}docs"));
    browser.wait(&format!(
        "document.querySelectorAll('.opblock').length === {operations}"
    ));
    assert_eq!(browser.text("location.pathname"), "/docs/");
    assert_eq!(
        browser.read("Boolean(document.querySelector('.authorize'))"),
        Value::Bool(true)
    );
    // One is tried out, with a key, which goes as the service takes it.
    browser.read(
        "ui.preauthorizeApiKey('api_key', 'entail_of_a_reader');
         document.querySelector('#operations-sessions-list_sessions .opblock-summary-control').click()",
    );
    let block = "document.querySelector('#operations-sessions-list_sessions";
    browser.wait(&format!("{block} .try-out__btn')"));
    browser.read(&format!("{block} .try-out__btn').click()"));
    browser.wait(&format!("{block} .execute')"));
    browser.read(&format!("{block} .execute').click()"));
    browser.wait(&format!(
        "{block} .live-responses-table .response .response-col_status')?.innerText.startsWith('200')"
    ));
    let curl = browser.text(&format!("{block} .curl-command').innerText"));
    assert!(
        curl.contains("Authorization: Bearer entail_of_a_reader"),
        "{curl}"
    );
    assert_eq!(browser.complaints(), Vec::<String>::new());
    for (_, url) in browser.requests() {
        let here = url.starts_with(&own) || url.starts_with("data:") || url == "about:blank";
        assert!(here, "{url}");
    }
}

pub(crate) fn report() {
    let service = Start::default().start();
    let client = service.client();
    let session = play(&client);
    let url = format!("http://{}{session}/report?format=html", client.address());
    let mut browser = Browser::start();
    let mut seen = |verdict: &str| {
        browser.open(&url);
        let shown = browser.text("document.body.innerText");
        assert!(shown.trim_start().starts_with(verdict), "{shown}");
        let place = |text: &str| {
            shown
                .find(text)
                .unwrap_or_else(|| panic!("no `{text}` in {shown}"))
        };
        assert!(place(ANSWER) < place("core_invariants"));
        assert_eq!(
            browser.read("document.querySelectorAll('script, link, img, iframe').length"),
            Value::from(0_u32)
        );
        assert_eq!(
            browser.read("document.querySelectorAll('svg.proof').length"),
            Value::from(1_u32)
        );
        assert_eq!(browser.complaints(), Vec::<String>::new());
        shown
    };
    seen("Holds");
    revenue::retract(&client, &session);
    let shown = seen("Does not hold");
    assert!(
        shown.contains("was retracted (restated in the amended filing)"),
        "{shown}"
    );
    browser.requests().iter().for_each(|(method, asked)| {
        assert!(
            method == "GET"
                && (*asked == url || asked == "about:blank" || asked.ends_with("/favicon.ico")),
            "{method} {asked}"
        );
    });
}
