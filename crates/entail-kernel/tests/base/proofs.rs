//! Proofs: what they show, what they differ in, and the six checks.

use std::collections::BTreeMap;

use entail_json::{Value, read_str};
use entail_kernel::base::{
    Antecedents, Citation, Derivation, Expiry, Fault, Premise, Source, SourceKind, Step,
};
use entail_kernel::proof::check::{Check, Library, Severity, Verification};
use entail_kernel::text::Document;
use entail_kernel::{Base, Span, Time};

const NOW: Time = Time::EPOCH;

/// Documents by name, oldest version first.
#[derive(Default)]
struct Shelf(BTreeMap<String, Vec<Document>>);

impl Library for Shelf {
    fn document(&self, name: &str, version: u32) -> Option<&Document> {
        self.0.get(name)?.get(version as usize - 1)
    }

    fn newest(&self, name: &str) -> Option<(u32, &Document)> {
        let versions = self.0.get(name)?;
        Some((versions.len() as u32, versions.last()?))
    }
}

impl Shelf {
    fn put(&mut self, name: &str, text: &str) {
        let versions = self.0.entry(name.to_owned()).or_default();
        versions.push(Document::new(text).unwrap());
    }

    fn cite(&self, base: &mut Base, key: &str, value: f64, quote: &str) {
        let (version, document) = self.newest("memo").unwrap();
        let found = document.find(quote).unwrap();
        let source = Source::new(SourceKind::Document, "memo").with_quote(quote);
        let value = entail_json::Number::from_f64(value).unwrap();
        let mut premise = Premise::new(key, value, source);
        premise.citation = Some(Citation {
            version,
            document: document.id(),
            start: found.span.start as u64,
            end: found.span.end as u64,
            digest: found.sha256,
        });
        base.assert(premise, NOW).unwrap();
    }
}

fn quarter() -> Base {
    let mut base = Base::default();
    for (key, value) in [("q2", 200_i64), ("q3", 250)] {
        base.assert(Premise::new(key, value, "tool:t".parse().unwrap()), NOW)
            .unwrap();
    }
    let mut step = Step::new("growth", 25_i64, "model:m".parse().unwrap(), ["q2", "q3"]);
    step.formula = Some("({q3} - {q2}) / {q2} * 100".to_owned());
    step.claim = Some("Q3 grew 25% over Q2".to_owned());
    base.justify(step, NOW).unwrap();
    let step = Step::new(
        "trend",
        "up \"fast\"",
        "model:m".parse().unwrap(),
        ["growth", "q3"],
    );
    base.justify(step, NOW).unwrap();
    base
}

#[test]
fn a_proof_lists_antecedents_first_with_justification_and_confidence() {
    let base = quarter();
    let root = base.current("trend").unwrap();
    let json = base.proof(&[root], NOW).to_json();
    let expected = read_str(
        r#"{
        "as_of": "1970-01-01T00:00:00.000000Z",
        "roots": ["trend@1"],
        "sets": [],
        "steps": [
            {"ref": "q2@1", "key": "q2", "revision": 1, "value": 200, "status": "IN",
             "confidence": 0.95, "created_at": "1970-01-01T00:00:00.000000Z",
             "justification": {"kind": "premise", "source": {"kind": "tool", "name": "t"},
                               "antecedents": [], "at": "1970-01-01T00:00:00.000000Z"}},
            {"ref": "q3@1", "key": "q3", "revision": 1, "value": 250, "status": "IN",
             "confidence": 0.95, "created_at": "1970-01-01T00:00:00.000000Z",
             "justification": {"kind": "premise", "source": {"kind": "tool", "name": "t"},
                               "antecedents": [], "at": "1970-01-01T00:00:00.000000Z"}},
            {"ref": "growth@1", "key": "growth", "revision": 1, "value": 25, "status": "IN",
             "claim": "Q3 grew 25% over Q2",
             "confidence": 0.95, "created_at": "1970-01-01T00:00:00.000000Z",
             "justification": {"kind": "model", "source": {"kind": "model", "name": "m"},
                               "antecedents": ["q2@1", "q3@1"],
                               "formula": "({q3} - {q2}) / {q2} * 100",
                               "at": "1970-01-01T00:00:00.000000Z"}},
            {"ref": "trend@1", "key": "trend", "revision": 1, "value": "up \"fast\"", "status": "IN",
             "confidence": 0.855, "created_at": "1970-01-01T00:00:00.000000Z",
             "justification": {"kind": "model", "source": {"kind": "model", "name": "m"},
                               "antecedents": ["growth@1", "q3@1"],
                               "at": "1970-01-01T00:00:00.000000Z"}}
        ]}"#,
    );
    assert_eq!(json.to_string(), expected.unwrap().to_string());
}

#[test]
fn a_tree_prints_shared_nodes_once() {
    let base = quarter();
    let root = base.current("trend").unwrap();
    assert_eq!(
        base.proof(&[root], NOW).to_text(),
        "\
trend@1 = \"up \\\"fast\\\"\" [IN 0.855] concluded by model:m from
  growth@1 = 25 [IN 0.95] concluded by model:m as ({q3} - {q2}) / {q2} * 100 from “Q3 grew 25% over Q2”
    q2@1 = 200 [IN 0.95] asserted by tool:t
    q3@1 = 250 [IN 0.95] asserted by tool:t
  q3@1 (see above)
"
    );
}

#[test]
fn drawings_escape_everything_that_a_value_could_smuggle_in() {
    let mut base = Base::default();
    let nasty = "\"]; click b0 \"javascript:alert(1)\" <b>`x` #quot; \\\n%%{init}%%";
    let root = base
        .assert(Premise::new("k", nasty, "tool:t".parse().unwrap()), NOW)
        .unwrap()
        .belief;
    let proof = base.proof(&[root], NOW);
    let mermaid = proof.to_mermaid();
    let line = mermaid.lines().nth(1).unwrap();
    assert_eq!(mermaid.lines().count(), 3);
    let label = line
        .strip_prefix("  b0[(\"")
        .unwrap()
        .strip_suffix("\")]")
        .unwrap();
    assert!(
        !label
            .replace("<br/>", "")
            .contains(['"', '<', '>', '`', '[', ']', '\\']),
        "{label}"
    );
    let dot = proof.to_dot();
    let line = dot.lines().nth(2).unwrap();
    let label = line.strip_prefix("  b0 [label=\"").unwrap();
    let label = label.strip_suffix("\", shape=cylinder];").unwrap();
    assert!(
        !label.replace("\\\\", "").replace("\\\"", "").contains('"'),
        "{label}"
    );
    assert_eq!(dot.lines().count(), 4);
}

#[test]
fn a_proof_of_what_is_out_says_why_all_the_way_down() {
    let mut base = quarter();
    base.retract("q2", Some("restated"), Fault::None, NOW)
        .unwrap();
    let root = base.find("trend@1").unwrap();
    let text = base.proof(&[root], NOW).to_text();
    let lines: Vec<_> = text.lines().collect();
    assert!(
        lines[0].contains("[OUT: lost its support `growth@1`]"),
        "{text}"
    );
    assert!(
        lines[1].contains("[OUT: lost its support `q2@1`]"),
        "{text}"
    );
    assert!(
        lines[2].contains("[OUT: was retracted (restated)]"),
        "{text}"
    );
    assert!(lines[3].contains("q3@1 = 250 [IN 0.95]"), "{text}");
}

#[test]
fn two_proofs_differ_in_what_came_went_changed_and_shifted() {
    let before = quarter();
    let mut after = before.clone();
    let mut restated = Premise::new("q2", 100_i64, "tool:t".parse().unwrap());
    restated.supersede = true;
    after.assert(restated, NOW).unwrap();
    after
        .assert(
            Premise::new("news", "good", "human:h".parse().unwrap()),
            NOW,
        )
        .unwrap();
    after
        .assert(Premise::new("q3", 250_i64, "human:h".parse().unwrap()), NOW)
        .unwrap();
    let step = Step::new(
        "trend",
        "steep",
        "model:m".parse().unwrap(),
        ["q2", "q3", "news"],
    );
    after.justify(step, NOW).unwrap();
    let (old, new) = (
        before.current("trend").unwrap(),
        after.current("trend").unwrap(),
    );
    let diff = before.proof(&[old], NOW).diff(&after.proof(&[new], NOW));
    assert_eq!(
        diff.to_text(),
        "\
- growth@1 = 25
+ news@1 = \"good\"
~ q2@1 = 200 -> q2@2 = 100
~ trend@1 = \"up \\\"fast\\\"\" -> trend@2 = \"steep\"
~ q3@1 IN 0.95 -> IN 1
"
    );
    assert_eq!(
        diff.to_json().get("added").unwrap().to_string(),
        r#"[{"ref":"news@1","value":"good"}]"#
    );

    let root = before.find("trend@1").unwrap();
    let fallen = before.proof(&[root], NOW).diff(&after.proof(&[root], NOW));
    assert!(
        fallen.to_text().contains("~ growth@1 IN 0.95 -> OUT 0"),
        "{}",
        fallen.to_text()
    );
}

fn check(base: &Base, key: &str, shelf: &impl Library, at: Time) -> Verification {
    let revisions = base.revisions(key);
    let root = base
        .current(key)
        .unwrap_or_else(|_| *revisions.last().unwrap());
    base.proof(&[root], at).check(shelf)
}

fn findings(found: &Verification, check: Check) -> Vec<(Severity, String)> {
    let of = found.of(check);
    of.map(|finding| {
        (
            finding.severity,
            format!("`{}` {}", finding.reference, finding.message),
        )
    })
    .collect()
}

#[test]
fn a_sound_proof_passes_every_check() {
    let found = check(&quarter(), "trend", &(), NOW);
    assert_eq!(found.findings, []);
    assert!(found.holds());
    assert_eq!(found.steps, 4);
    assert_eq!(found.to_json().get("holds").unwrap().as_bool(), Some(true));
}

#[test]
fn structure_needs_every_step_to_be_believed() {
    let mut base = quarter();
    base.retract("q2", None, Fault::None, NOW).unwrap();
    let found = check(&base, "trend", &(), NOW);
    assert!(!found.passes(Check::Structure) && !found.holds());
    assert_eq!(
        findings(&found, Check::Structure),
        [
            (
                Severity::Error,
                "`q2@1` is not believed: it was retracted".to_owned()
            ),
            (
                Severity::Error,
                "`growth@1` is not believed: it lost its support `q2@1`".to_owned()
            ),
            (
                Severity::Error,
                "`trend@1` is not believed: it lost its support `growth@1`".to_owned()
            ),
        ]
    );
}

#[test]
fn grounding_needs_leaves_from_outside() {
    let mut base = Base::default();
    base.assert(
        Premise::new("a", 1_i64, "assumption:u".parse().unwrap()),
        NOW,
    )
    .unwrap();
    base.assert(Premise::new("b", 1_i64, "model:m".parse().unwrap()), NOW)
        .unwrap();
    base.set_rule("constant", &[""; 0], "1.0", None, NOW)
        .unwrap();
    base.derive(Derivation::new("c", "constant", [""; 0]), NOW)
        .unwrap();
    base.justify(
        Step::new("d", 1_i64, "human:h".parse().unwrap(), [""; 0]),
        NOW,
    )
    .unwrap();
    base.justify(
        Step::new("e", 1_i64, "model:m".parse().unwrap(), ["a", "b", "c", "d"]),
        NOW,
    )
    .unwrap();
    let found = check(&base, "e", &(), NOW);
    assert_eq!(
        findings(&found, Check::Grounding),
        [
            (Severity::Warning, "`a@1` is an assumption".to_owned()),
            (
                Severity::Error,
                "`b@1` rests on the say-so of `model:m` alone".to_owned()
            ),
            (
                Severity::Warning,
                "`c@1` rests on `rule:constant` alone, which has no inputs".to_owned()
            ),
        ]
    );
    // Somebody outside who agrees grounds it, however little he is trusted.
    for key in ["a", "b"] {
        let mut premise = Premise::new(key, 1_i64, "tool:t".parse().unwrap());
        premise.confidence = Some(0.1);
        base.assert(premise, NOW).unwrap();
    }
    assert!(check(&base, "e", &(), NOW).passes(Check::Grounding));
}

#[test]
fn arithmetic_runs_formulas_and_rules_again() {
    let mut base = quarter();
    base.set_rule("double", &["x"], "x * 2.0", None, NOW)
        .unwrap();
    base.derive(Derivation::new("twice", "double", ["q2"]), NOW)
        .unwrap();
    base.set_rule("double", &["x"], "x * 3.0", None, NOW)
        .unwrap();
    // The version that derived it is run, not the newest.
    assert!(check(&base, "twice", &(), NOW).passes(Check::Arithmetic));

    // A journal that was tampered with: the formula no longer gives the value.
    let mut events = base.take_events();
    for event in &mut events {
        match event {
            entail_kernel::base::Event::BeliefAdded { belief, value, .. }
                if &*belief.key == "growth" || &*belief.key == "twice" =>
            {
                *value = 26_i64.into();
            }
            _ => {}
        }
    }
    let mut forged = Base::default();
    forged.replay(&events).unwrap();
    assert_eq!(
        findings(&check(&forged, "trend", &(), NOW), Check::Arithmetic),
        [(
            Severity::Error,
            "`growth@1` is 26, but its formula gives 25".to_owned()
        )]
    );
    assert_eq!(
        findings(&check(&forged, "twice", &(), NOW), Check::Arithmetic),
        [(
            Severity::Error,
            "`twice@1` is 26, but version 1 of rule `double` gives 400.0".to_owned()
        )]
    );
}

#[test]
fn citations_are_matched_against_the_version_cited() {
    let mut shelf = Shelf::default();
    shelf.put("memo", "Total revenue was $4.3 billion in Q2.");
    let mut base = Base::default();
    shelf.cite(&mut base, "revenue", 4.3e9, "revenue was $4.3 billion");
    assert_eq!(check(&base, "revenue", &shelf, NOW).findings, []);

    let missing = check(&base, "revenue", &(), NOW);
    assert_eq!(
        findings(&missing, Check::Citation),
        [(
            Severity::Error,
            "`revenue@1` cites version 1 of document `memo`, which is not at hand".to_owned()
        )]
    );

    shelf.put("memo", "Restated: total revenue was $4.4 billion in Q2.");
    let newer = check(&base, "revenue", &shelf, NOW);
    assert!(newer.holds());
    assert_eq!(
        findings(&newer, Check::Citation),
        [(
            Severity::Warning,
            "`revenue@1` cites version 1 of document `memo`; of the newer version 2 the quote is not found there".to_owned()
        )]
    );

    let mut forged = Shelf::default();
    forged.put("memo", "Total revenue was $4.5 billion in Q2.");
    let found = check(&base, "revenue", &forged, NOW);
    assert_eq!(
        findings(&found, Check::Citation),
        [(
            Severity::Error,
            "`revenue@1` cites version 1 of document `memo`, whose text is another now".to_owned()
        )]
    );

    base.assert(
        Premise::new("bare", 1_i64, "document:memo".parse().unwrap()),
        NOW,
    )
    .unwrap();
    let found = check(&base, "bare", &shelf, NOW);
    assert_eq!(
        findings(&found, Check::Citation),
        [(
            Severity::Warning,
            "`bare@1` rests on document `memo` without saying which version; there is no quote that could be checked".to_owned()
        )]
    );
    // A quote whose version nobody noted is looked for in the newest one.
    for (key, quote, is_held) in [
        ("new", "was $4.4 billion", true),
        ("old", "was $4.3 billion", false),
    ] {
        let source = Source::new(SourceKind::Document, "memo").with_quote(quote);
        base.assert(Premise::new(key, 4_400_000_000_i64, source), NOW)
            .unwrap();
        let found = check(&base, key, &shelf, NOW);
        assert_eq!(found.of(Check::Citation).count() == 0, is_held, "{key}");
    }
}

#[test]
fn a_citation_whose_span_or_value_does_not_fit_is_an_error() {
    let mut shelf = Shelf::default();
    shelf.put("memo", "Costs were 7 and 8 million.");
    let cite = |value: i64, start: u64, end: u64| {
        let (version, document) = shelf.newest("memo").unwrap();
        let source = Source::new(SourceKind::Document, "memo").with_quote("8 million");
        let mut premise = Premise::new("k", value, source);
        premise.citation = Some(Citation {
            version,
            document: document.id(),
            start,
            end,
            digest: document.find("8 million").unwrap().sha256,
        });
        let mut base = Base::default();
        base.assert(premise, NOW).unwrap();
        findings(&check(&base, "k", &shelf, NOW), Check::Citation)
    };
    assert_eq!(cite(8_000_000, 17, 26), []);
    assert!(
        cite(8_000_000, 16, 25)[0]
            .1
            .contains("where the quote is not")
    );
    assert!(
        cite(8_000_000, 30, 90)[0]
            .1
            .contains("where the quote is not")
    );
    assert!(
        cite(9_000_000, 17, 26)[0]
            .1
            .ends_with("the quote states 8 million, the claim says 9000000")
    );
}

#[test]
fn temporal_finds_expired_evidence_and_steps_before_their_antecedents() {
    let mut base = Base::default();
    let mut fleeting = Premise::new("a", 1_i64, "tool:t".parse().unwrap());
    fleeting.expiry = Some(Expiry::After(Span::from_micros(5)));
    base.assert(fleeting, NOW).unwrap();
    assert!(check(&base, "a", &(), Time::from_micros(4).unwrap()).holds());
    // Expired though nobody refreshed the base.
    let found = check(&base, "a", &(), Time::from_micros(5).unwrap());
    assert_eq!(
        findings(&found, Check::Temporal),
        [(
            Severity::Error,
            "`a@1` rests on evidence that expired at 1970-01-01T00:00:00.000005Z".to_owned()
        )]
    );
    base.assert(
        Premise::new("b", 1_i64, "tool:t".parse().unwrap()),
        Time::from_micros(9).unwrap(),
    )
    .unwrap();
    base.justify(
        Step::new("c", 1_i64, "model:m".parse().unwrap(), ["b"]),
        Time::from_micros(8).unwrap(),
    )
    .unwrap();
    let found = check(&base, "c", &(), Time::from_micros(9).unwrap());
    assert_eq!(found.of(Check::Temporal).count(), 1);
    assert!(
        findings(&found, Check::Temporal)[0]
            .1
            .contains("before its antecedent `b@1` existed")
    );
}

#[test]
fn provenance_traces_numbers_that_a_model_wrote() {
    let said = |claim: &str| {
        let mut base = Base::default();
        let figure = |key: &str, value: f64, words: &str| {
            let value = entail_json::Number::from_f64(value).unwrap();
            let mut premise = Premise::new(key, value, "tool:t".parse().unwrap());
            premise.claim = Some(words.to_owned());
            premise
        };
        base.assert(figure("revenue", 4.3e9, "up from 4.1 billion"), NOW)
            .unwrap();
        base.assert(figure("margin", 0.0976, ""), NOW).unwrap();
        let mut step = Step::new(
            "story",
            true,
            "model:m".parse().unwrap(),
            ["revenue", "margin"],
        );
        step.claim = Some(claim.to_owned());
        base.justify(step, NOW).unwrap();
        let found = check(&base, "story", &(), NOW);
        assert!(found.holds());
        found
            .of(Check::Provenance)
            .map(|finding| finding.message.clone())
            .collect::<Vec<_>>()
    };
    let none: [&str; 0] = [];
    assert_eq!(said("revenue of $4.3 billion, after 4.1 billion"), none);
    assert_eq!(said("revenue of 4,300,000,000"), none);
    assert_eq!(said("margin 9.76%, or 9.8%, or 0.0976"), none);
    assert_eq!(
        said("3 regions, 12 months, since 1998, on 30 June 2025 at 10:45, the 21st year"),
        none
    );
    assert_eq!(
        said("revenue of 4.4 billion"),
        ["says 4.4 billion, which no antecedent states"]
    );
    // The scale is that which the unit gives.
    assert_eq!(
        said("revenue of 4.3 million"),
        ["says 4.3 million, which no antecedent states"]
    );
    assert_eq!(
        said("revenue of 4.3"),
        ["says 4.3, which no antecedent states"]
    );
    assert_eq!(said("13 regions"), ["says 13, which no antecedent states"]);
    assert_eq!(said("5% in 2025"), ["says 5%, which no antecedent states"]);
}

#[test]
fn a_number_that_a_model_states_as_a_value_without_a_formula_is_traced() {
    let said = |value: Value, formula: Option<&str>| {
        let mut base = Base::default();
        base.assert(Premise::new("q3", 250_i64, "tool:t".parse().unwrap()), NOW)
            .unwrap();
        let mut step = Step::new("c", value, "model:m".parse().unwrap(), ["q3"]);
        step.formula = formula.map(str::to_owned);
        base.justify(step, NOW).unwrap();
        findings(&check(&base, "c", &(), NOW), Check::Provenance)
    };
    let warned = |number: &str| {
        let message = format!("`c@1` says {number}, which no antecedent states");
        vec![(Severity::Warning, message)]
    };
    assert_eq!(said(77_777_i64.into(), None), warned("77777"));
    assert_eq!(
        said(entail_json::Number::from_f64(0.5).into(), None),
        warned("0.5")
    );
    assert_eq!(said(250_i64.into(), None), []);
    assert_eq!(said(3_i64.into(), None), []);
    assert_eq!(said(500_i64.into(), Some("{q3} * 2")), []);
    assert_eq!(said(true.into(), None), []);
}

#[test]
fn an_answer_is_traced_by_its_text_and_a_checked_formula_vouches_for_its_value() {
    let mut base = quarter();
    let mut answer = Step::new(
        "answer",
        "It grew 25%, to 260.",
        "model:m".parse().unwrap(),
        ["growth"],
    );
    answer.claim = None;
    base.justify(answer, NOW).unwrap();
    let found = check(&base, "answer", &(), NOW);
    assert_eq!(
        findings(&found, Check::Provenance),
        [(
            Severity::Warning,
            "`answer@1` says 260, which no antecedent states".to_owned()
        )]
    );
    let _ = Antecedents::Named(Vec::new());
}
