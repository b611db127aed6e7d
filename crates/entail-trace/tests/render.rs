//! Reports as they are read: by people, builds and programs.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "the fixture is known"
)]

mod fixture;

use entail_json::{Value, read_str};
use entail_trace::{
    Answer, Bytes, CheckName, Files, NodeKind, Payload, Record, ReportView, StepOutput, Trace,
    VerificationReport, paths,
};
use fixture::{DOCUMENT, FileMap, session, verify};

fn answer_of(files: &FileMap) -> Answer {
    let trace = &files[paths::TRACE] as &dyn Bytes;
    Answer::of(trace, Some(files as &dyn Files))
        .expect("readable")
        .expect("finished")
}

fn with_view<T>(files: &FileMap, run: impl FnOnce(&ReportView<'_>) -> T) -> T {
    let outcome = verify(files);
    let answer = answer_of(files);
    let view = ReportView::new(&outcome.results, &outcome.trace_id)
        .task("How did <revenue> grow?")
        .answer(&answer)
        .as_of("2026-01-31T09:30:00.000000Z");
    run(&view)
}

fn broken() -> FileMap {
    let mut files = session().files(None);
    let document = files
        .values_mut()
        .find(|bytes| **bytes == DOCUMENT.as_bytes());
    *document.expect("the document") = b"<script>alert(1)</script>".to_vec();
    files
}

/// That every element is closed, in order, and every `&` begins a known entity.
fn assert_well_formed(text: &str) {
    let mut open: Vec<&str> = Vec::new();
    for piece in text.split('<').skip(1) {
        let (tag, _) = piece.split_once('>').expect("every `<` begins a tag");
        if tag.starts_with(['?', '!']) || tag.ends_with('/') {
            continue;
        }
        let name = tag.split([' ', '\n']).next().expect("a name");
        match name.strip_prefix('/') {
            Some(name) => assert_eq!(open.pop(), Some(name), "in {piece}"),
            None => open.push(name),
        }
    }
    assert!(open.is_empty(), "{open:?}");
    for piece in text.split('&').skip(1) {
        let known = ["amp;", "lt;", "gt;", "quot;", "#39;"];
        assert!(
            known.iter().any(|entity| piece.starts_with(entity)),
            "&{piece}"
        );
    }
}

#[test]
fn the_answer_is_drawn_down_to_the_evidence_without_superfluous_lines() {
    let answer = answer_of(&session().files(None));
    assert_eq!(answer.summary(), "Revenue grew 4.65% from Q2 to Q3.");
    let kinds: Vec<NodeKind> = answer.nodes().iter().map(|node| node.kind).collect();
    let count = |kind| kinds.iter().filter(|there| **there == kind).count();
    assert_eq!(
        (
            count(NodeKind::Claim),
            count(NodeKind::Evidence),
            count(NodeKind::ToolCall)
        ),
        (3, 2, 1)
    );
    assert_eq!(answer.nodes()[0].text, "revenue grew 4.65%");
    let quoted = "Total revenue for Q2 was $4.3 billion.";
    assert!(answer.nodes().iter().any(|node| node.text == quoted));
    // growth → q2, q3, the call; q2 → quote; q3 → result. Not growth → quote: q2 leads there.
    assert_eq!(answer.edges().len(), 5);
}

#[test]
fn the_page_gives_the_verdict_first_then_the_answer_then_every_check() {
    let page = with_view(&session().files(None), |view| view.to_html());
    let places: Vec<usize> = [
        "<h1>Holds</h1>",
        "<blockquote>",
        "<svg",
        "<h2>Checks",
        "<h2>Layers",
    ]
    .iter()
    .map(|part| {
        page.find(part)
            .unwrap_or_else(|| panic!("`{part}` is on the page"))
    })
    .collect();
    assert!(places.is_sorted(), "{places:?}");
    for check in CheckName::ALL {
        assert!(page.contains(&format!("<h3>{check} <span>")), "{check}");
    }
    assert!(page.contains("How did &lt;revenue&gt; grow?"));
    assert!(!page.contains("<script") && !page.contains("href=") && !page.contains("src="));
    let (_, svg) = page.split_once("<svg").expect("a beginning");
    let (svg, _) = svg.rsplit_once("</svg>").expect("an end");
    let svg = format!("<svg{svg}</svg>");
    assert_well_formed(&svg);
}

#[test]
fn a_page_of_a_broken_bundle_says_what_was_found_and_runs_nothing() {
    let files = broken();
    let page = with_view(&files, |view| view.to_html());
    assert!(page.contains("<h1>Does not hold</h1>"));
    assert!(page.contains("INV-EVD-001"));
    assert!(!page.contains("<script"));
    // What failed stands under the verdict, and its check before those that hold.
    let place = |text: &str| {
        page.find(text)
            .unwrap_or_else(|| panic!("`{text}` is on the page"))
    };
    assert!(place("<h1>") < place("<ul class=\"why\">"));
    assert!(place("<ul class=\"why\">") < place("<blockquote>"));
    assert!(place("<article class=\"failed\">") < place("<article class=\"held\">"));
    assert!(page.contains("http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'"));
}

#[test]
fn junit_has_a_case_for_every_check_and_counts_them() {
    let text = with_view(&broken(), |view| view.to_junit());
    assert_well_formed(&text);
    assert_eq!(text.matches("<testcase ").count(), CheckName::ALL.len());
    let head = text.lines().nth(1).expect("a head");
    let failures = text.matches("<failure ").count();
    assert!(
        failures > 0 && head.contains(&format!("failures=\"{failures}\"")),
        "{head}"
    );
    assert!(head.contains(&format!("tests=\"{}\"", CheckName::ALL.len())));
    assert!(head.contains(&format!(
        "skipped=\"{}\"",
        text.matches("<skipped ").count()
    )));
}

#[test]
fn sarif_gives_each_finding_its_rule_and_line() {
    let text = with_view(&broken(), |view| view.to_sarif());
    let sarif = read_str(&text).expect("sarif is json");
    assert_eq!(sarif.get("version").and_then(Value::as_str), Some("2.1.0"));
    let run = &sarif.get("runs").and_then(Value::as_array).expect("runs")[0];
    let rules = run
        .get("tool")
        .and_then(|tool| tool.get("driver")?.get("rules")?.as_array());
    let rules: Vec<&str> = rules
        .expect("rules")
        .iter()
        .map(|rule| rule.get("id").and_then(Value::as_str).expect("an id"))
        .collect();
    let results = run
        .get("results")
        .and_then(Value::as_array)
        .expect("results");
    assert!(!results.is_empty());
    let mut lines = 0;
    for result in results {
        let rule = result
            .get("ruleId")
            .and_then(Value::as_str)
            .expect("a rule");
        assert!(rules.contains(&rule), "{rule}");
        assert_eq!(result.get("level").and_then(Value::as_str), Some("error"));
        let physical = result
            .get("locations")
            .and_then(Value::as_array)
            .expect("places")[0]
            .get("physicalLocation")
            .expect("a place");
        lines += usize::from(
            physical
                .get("region")
                .and_then(|r| r.get("startLine"))
                .is_some(),
        );
    }
    assert!(lines > 0, "findings in the trace say on which line");
}

#[test]
fn markdown_keeps_text_from_outside_as_text() {
    let mut session = session();
    let mut events = session.trace.events().to_vec();
    for event in &mut events {
        if let Payload::StepFinished(StepOutput::Finalize(output)) = &mut event.payload {
            output.final_answer = Some("a | b <b>*c*</b>\n# heading [x](y)".to_owned());
        }
    }
    session.trace = Trace::new(session.trace.header().content().clone(), events);
    let text = with_view(&session.files(None), |view| view.to_markdown());
    assert!(
        text.contains(r"a \| b \<b\>\*c\*\</b\> \# heading \[x\](y)"),
        "{text}"
    );
    assert!(
        text.starts_with("# Does not hold\n"),
        "the recorded report is of another trace"
    );
}

#[test]
fn the_json_is_the_report_itself_and_the_lines_are_one_a_check() {
    let files = session().files(None);
    let json = with_view(&files, |view| view.to_json());
    let report = VerificationReport::from_json(json.as_bytes()).expect("a report");
    assert_eq!(*report.id(), report.content_id());
    assert_eq!(report, verify(&files).report());
    let lines = with_view(&files, |view| view.to_lines());
    assert_eq!(lines.lines().count(), CheckName::ALL.len() + 2);
    let layers = "Layers: record vouched, serialization vouched, construction vouched, \
                  trace partly, manifest partly\n";
    assert!(lines.contains(layers), "{lines}");
    assert!(lines.contains("signature                not run, it needs the public key"));
    let run = report.checks().len();
    assert!(
        lines.ends_with(&format!("Holds: {run} of {run} checks hold\n")),
        "{lines}"
    );
}
