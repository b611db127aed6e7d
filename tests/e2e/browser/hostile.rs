//! What models, documents and callers say is text, wherever it is shown.

use entail_json::Value;
use entail_tests::{Browser, Client, Start};

use crate::revenue::{page, turn_to};

/// Says who it was if it ever runs.
fn trap(place: &str) -> String {
    format!(
        "<script>window.owned='{place}'</script>\"'><img src=x onerror=\"window.owned='{place}'\">\
         <svg onload=alert('{place}')>"
    )
}

fn object<const N: usize>(members: [(&str, Value); N]) -> Value {
    Value::from(members)
}

fn list(items: impl IntoIterator<Item = Value>) -> Value {
    items.into_iter().collect()
}

/// A name, which has no white space, that is hostile, too.
const NAME: &str = "<img/src=x/onerror=window.owned='name'>/../&amp;%3Cscript%3E";

pub(crate) fn text() {
    let service = Start::default().start();
    let client = service.client();
    let session = plant(&client);
    let mut browser = Browser::start();
    let name: String = NAME.bytes().map(|byte| format!("%{byte:02X}")).collect();
    let places = [
        (String::from("/"), ".session", vec!["task", "label"]),
        (
            session.clone(),
            ".checked .badge",
            vec!["task", "label", "answer", "retraction"],
        ),
        (
            format!("{session}/beliefs"),
            "tbody",
            vec!["claim", "value", "retraction"],
        ),
        (
            format!("{session}/beliefs/{name}"),
            "figure svg",
            vec!["quoted"],
        ),
        (
            format!("{session}/beliefs/disputed"),
            "figure svg",
            vec!["claim", "value", "origin"],
        ),
        (
            format!("{session}/turns"),
            ".turn",
            vec!["answer", "quoted", "rejected"],
        ),
        (
            format!("{session}/conflicts"),
            "tbody",
            vec!["value", "claim"],
        ),
        (format!("{session}/calls"), "tbody", vec!["argument"]),
        (format!("{session}/documents"), "tbody", vec![]),
        (
            format!("{session}/documents/{name}"),
            "mark",
            vec!["quoted", "document"],
        ),
        (format!("{session}/report"), "tbody", vec!["retraction"]),
        (String::from("/sources"), "main h1", vec![]),
        (format!("/sessions/{name}"), ".problem", vec![]),
    ];
    browser.open(&page(&service, "/"));
    for (place, ready, shown) in places {
        turn_to(&mut browser, &place);
        browser.wait(&format!("document.querySelector({ready:?})"));
        browser.read("document.querySelectorAll('details').forEach((one) => { one.open = true; })");
        let text = browser.text("document.querySelector('main').innerText");
        let found = browser.text("document.querySelector('main').textContent");
        for planted in shown {
            let trap = trap(planted);
            // Arguments are shown as JSON.
            let escaped = trap.replace('"', "\\\"");
            let there = found.contains(&trap) || found.contains(&escaped);
            assert!(there, "{place} lacks `{trap}`:\n{text}");
        }
        quiet(&mut browser, &place);
        // The key, the tool's and the document's name are links or text as well.
        let listed = ["/beliefs", "/turns", "/documents"]
            .iter()
            .any(|part| place.ends_with(part));
        assert!(
            !listed || found.contains(NAME),
            "{place} lacks the name:\n{text}"
        );
    }
    browser.open(&format!(
        "http://{}{session}/report?format=html",
        client.address()
    ));
    let text = browser.text("document.body.textContent");
    assert!(text.contains(&trap("task")), "{text}");
    assert!(text.contains(&trap("answer")), "{text}");
    quiet(&mut browser, "the report");
}

/// Nothing ran, and nothing became an element that could.
fn quiet(browser: &mut Browser, place: &str) {
    let elements = browser.text(
        "[...document.querySelectorAll('script, img, iframe, object, embed, [onload], [onerror]')]
            .map((one) => one.tagName + ' ' + (one.getAttribute('src') ?? '?')).join()",
    );
    let expected = match place {
        "the report" => "",
        _ => "SCRIPT web/app.js,IMG web/icon.svg",
    };
    assert_eq!(elements, expected, "{place}");
    let links = browser.text(
        "[...document.querySelectorAll('a')].map((one) => one.getAttribute('href'))
            .filter((one) => !/^(#\\/|docs\\/$|sessions\\/)/.test(one)).join()",
    );
    assert_eq!(links, "", "{place}");
    assert_eq!(browser.read("window.owned ?? null"), Value::Null, "{place}");
    let complaints: Vec<String> = browser
        .complaints()
        .into_iter()
        // A browser notes that it was answered 404, where that is what is asked for.
        .filter(|said| !(said.contains("404") && said.contains("/sessions/")))
        .collect();
    assert_eq!(complaints, Vec::<String>::new(), "{place}");
}

fn plant(client: &Client) -> String {
    let premise = |key: &str, value: &str, source: &str| {
        object([
            ("key", key.into()),
            ("value", trap(value).into()),
            ("claim", trap("claim").into()),
            ("source", source.into()),
            ("origin", trap("origin").into()),
        ])
    };
    let quoted = trap("quoted");
    let tool = object([
        ("description", trap("tool").into()),
        ("parameters", object([("type", "object".into())])),
    ]);
    let opened = client.post(
        "/sessions",
        &object([
            ("task", trap("task").into()),
            ("instructions", trap("instructions").into()),
            ("labels", object([("team", trap("label").into())])),
            ("policy", object([("dependencies", "declared".into())])),
            ("tools", object([("look_up", tool)])),
            (
                "documents",
                list([object([
                    ("name", NAME.into()),
                    (
                        "text",
                        format!("{} and {quoted} and on", trap("document")).into(),
                    ),
                ])]),
            ),
            (
                "premises",
                list([
                    premise("disputed", "value", "human:one"),
                    premise("disputed", "other", "human:two"),
                    premise("<svg/onload=alert(1)>", "value", "human:<b>two</b>"),
                ]),
            ),
        ]),
    );
    let session = format!(
        "/sessions/{}",
        opened.ok().get("id").unwrap().as_str().unwrap()
    );
    let actions = list([
        object([
            ("type", "cite".into()),
            ("document", NAME.into()),
            ("quote", quoted.as_str().into()),
            ("key", NAME.into()),
            ("value", quoted.as_str().into()),
            ("claim", quoted.as_str().into()),
        ]),
        object([
            ("type", "cite".into()),
            ("document", NAME.into()),
            ("quote", trap("rejected").into()),
            ("key", "k".into()),
            ("value", 1_u32.into()),
        ]),
        object([
            ("type", "call_tool".into()),
            ("tool", "look_up".into()),
            ("args", object([("about", trap("argument").into())])),
            ("key", "<b>call</b>".into()),
        ]),
    ]);
    let answer = list([object([
        ("type", "answer".into()),
        ("text", trap("answer").into()),
        ("follows_from", list([NAME.into()])),
    ])]);
    let turn = |actions: Value| {
        let _ = client.post(&format!("{session}/context"), &object([])).ok();
        let said = object([
            ("response", object([("actions", actions)])),
            ("model", trap("model").into()),
        ]);
        client.post(&format!("{session}/turns"), &said).ok()
    };
    turn(actions);
    let answered = turn(answer);
    assert!(
        answered
            .get("answer")
            .is_some_and(|answer| *answer != Value::Null),
        "{answered}"
    );
    let _ = client
        .post(
            &format!("{session}/retractions"),
            &object([
                ("target", NAME.into()),
                ("reason", trap("retraction").into()),
            ]),
        )
        .ok();
    session
}
