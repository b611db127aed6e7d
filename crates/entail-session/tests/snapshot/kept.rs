//! Going on from a snapshot, and writing one of what has become of it.

use entail_json::Value;
use entail_kernel::Span;
use entail_kernel::base::{Derivation, Premise};
use entail_session::{Blame, Command, Outcome, Retraction, RuleDefinition, Turn, TurnContext};

use crate::fixtures::fixtures;
use crate::support::{Imported, time};

fn imported(name: &str) -> Imported {
    let (_, fixture) = fixtures().into_iter().find(|(n, _)| n == name).unwrap();
    let at = fixture.get("moments").unwrap().as_array().unwrap()[0]
        .get("at")
        .unwrap();
    Imported::from(fixture.get("snapshot").unwrap(), time(at.as_str().unwrap()))
}

impl Imported {
    fn execute(&mut self, command: Command) -> Outcome {
        let at = self.session.last_commit_at();
        let at = at.saturating_add(Span::from_micros(1_000_000));
        let done = self.session.execute(command, at).unwrap();
        self.session.confirm();
        self.journal.extend(done.entry);
        done.outcome
    }
}

fn premise(key: &str, value: impl Into<Value>, source: &str) -> Command {
    Command::Premises(vec![Premise::new(key, value, source.parse().unwrap())])
}

fn all<'a>(value: &'a Value, list: &str, name: &str) -> Vec<&'a str> {
    let items = value.get(list).unwrap().as_array().unwrap();
    let texts = items.iter().map(|item| item.get(name).unwrap().as_str());
    texts.map(Option::unwrap).collect()
}

#[test]
fn ids_of_justifications_are_kept_and_new_ones_follow() {
    let mut imported = imported("repeats");
    let before = imported.write().snapshot;
    assert_eq!(
        all(&before, "justifications", "id"),
        ["j2", "j3", "j4", "j5", "j6", "j7"]
    );
    imported.execute(premise("new", 1_i64, "human:h"));
    imported.execute(premise("a", 1_i64, "human:h"));
    let after = imported.write().snapshot;
    assert_eq!(
        all(&after, "justifications", "id"),
        ["j3", "j2", "j4", "j5", "j6", "j7", "j8"]
    );
}

#[test]
fn an_answer_after_an_import_takes_a_key_that_no_imported_answer_has() {
    let answer = |text: &str| {
        Command::Turn(Turn {
            response: format!(r#"{{"type":"answer","text":"{text}"}}"#),
            context: TurnContext::Present {
                id: "present".to_owned(),
            },
            model: None,
            step_id: None,
        })
    };
    let mut before = imported("repeats");
    before.execute(answer("One."));
    let snapshot = before.write().snapshot;
    let mut imported = Imported::from(&snapshot, before.session.last_commit_at());
    let Outcome::Turn(turn) = imported.execute(answer("Two.")) else {
        panic!()
    };
    assert_eq!(turn.answer.unwrap().reference, "answer:2@1");
}

#[test]
fn the_source_and_confidence_of_a_belief_outlive_its_first_justification() {
    let imported = imported("repeats");
    let snapshot = imported.write().snapshot;
    let belief = snapshot.get("beliefs").unwrap().as_array().unwrap()[0]
        .get("belief")
        .unwrap();
    let source = belief.get("source").unwrap().get("name").unwrap();
    assert_eq!(source.as_str(), Some("x"));
    assert_eq!(belief.get("confidence").unwrap().as_f64(), Some(0.5));
}

#[test]
fn the_history_goes_on_where_it_was() {
    let mut imported = imported("plain");
    let before = all(&imported.write().snapshot, "history", "action").len();
    imported.execute(premise("revenue:Q2", 4_300_000_000_i64, "human:bob"));
    imported.execute(premise("revenue:Q2", 4_300_000_000_i64, "human:bob"));
    imported.execute(Command::Retract(Retraction {
        target: "revenue:Q2".to_owned(),
        reason: Some("restated".to_owned()),
        fault: Blame::None,
    }));
    imported.execute(Command::Restore {
        target: "revenue:Q2@1".to_owned(),
    });
    imported.execute(premise("note", "n", "human:bob"));
    let written = imported.write().snapshot;
    let actions = all(&written, "history", "action");
    assert_eq!(
        actions[before..],
        ["support", "renew", "retract", "restore", "assert"]
    );
    let details = all(&written, "history", "detail");
    assert_eq!(
        details[before..],
        [
            "by human:bob",
            "by human:bob",
            "restated",
            "",
            "= \"n\" by human:bob"
        ]
    );
}

#[test]
fn own_outcomes_follow_those_that_came_along() {
    let mut imported = imported("disputes");
    let count = |snapshot: &Value| {
        let outcomes = snapshot.get("ledger").unwrap().get("outcomes").unwrap();
        let of = outcomes.get("tool:b").unwrap().as_array().unwrap();
        of.len()
    };
    assert_eq!(count(&imported.write().snapshot), 1);
    imported.execute(Command::Outcomes(vec![entail_session::Told {
        source: "tool:b".to_owned(),
        correct: true,
    }]));
    assert_eq!(count(&imported.write().snapshot), 2);
}

#[test]
fn an_import_teaches_the_tenants_ledger_nothing_and_names_its_documents() {
    let (_, fixture) = fixtures()
        .into_iter()
        .find(|(name, _)| name == "every-detail")
        .unwrap();
    let snapshot = fixture.get("snapshot").unwrap();
    let limits = entail_session::Limits::default();
    let snapshot = entail_session::Snapshot::read(snapshot, &limits).unwrap();
    let names: Vec<_> = snapshot.documents().iter().map(|(_, d)| d.id()).collect();
    let at = snapshot.latest();
    let (_, executed) =
        entail_session::Session::import(crate::support::ID, "Go on.", snapshot, limits, at)
            .unwrap();
    assert_eq!(executed.lessons, []);
    assert_eq!(executed.documents, names);
}

#[test]
fn a_quote_is_looked_up_so_that_it_can_be_checked() {
    let imported = imported("every-detail");
    let base = imported.session.base();
    let belief = base.find("revenue:Q2@1").unwrap();
    let citation = base.justifications(belief)[0].citation.copied().unwrap();
    let report = imported.session.document("10-K", None).unwrap();
    assert_eq!(citation.document, report.sha256());
    let quoted = &report.document.text().as_bytes()
        [usize::try_from(citation.start).unwrap()..usize::try_from(citation.end).unwrap()];
    assert_eq!(quoted, b"Total revenue for Q2 was $4.3 billion");
}

#[test]
fn a_rule_registered_again_derives_what_lost_its_support() {
    let mut imported = imported("every-detail");
    let rule = RuleDefinition {
        parameters: vec!["x".to_owned()],
        expression: "x * 2.0".to_owned(),
        confidence: Some(0.8),
    };
    imported.execute(Command::PutRule {
        name: "double".to_owned(),
        rule,
    });
    imported.execute(Command::Retract(Retraction {
        target: "revenue:Q2".to_owned(),
        reason: None,
        fault: Blame::None,
    }));
    imported.execute(premise("revenue:Q2", 5_i64, "human:h"));
    let base = imported.session.base();
    let twice = base.current("twice").unwrap();
    assert_eq!(base.belief(twice).unwrap().value.as_f64(), Some(10.0));
    let written = imported.write();
    assert_eq!(
        written.apart,
        ["rule `double` is written by name only: pass it as one of `rules`"]
    );
    imported.execute(Command::Derive(Derivation::new(
        "again",
        "double",
        ["revenue:Q2"],
    )));
    let snapshot = imported.write().snapshot;
    let last = snapshot.get("justifications").unwrap().as_array().unwrap();
    let last = last.last().unwrap();
    assert_eq!(last.get("rule").unwrap().as_str(), Some("double"));
    assert_eq!(last.get("kind").unwrap().as_str(), Some("rule"));
}

#[test]
fn the_trace_of_a_long_chain_stops_looking_for_more_behind_its_claims() {
    const LENGTH: usize = 3_500;
    let at = "2026-01-01T00:00:00+00:00";
    let source = |kind: &str| {
        let detail = entail_json::Object::new();
        Value::from([
            ("kind", kind.into()),
            ("name", "m".into()),
            ("detail", detail.into()),
        ])
    };
    let kind = |n: usize| if n == 0 { "tool" } else { "model" };
    let beliefs = (0..LENGTH).map(|n| {
        let belief = Value::from([
            ("key", format!("k{n}").into()),
            ("revision", 1_i64.into()),
            ("value", n.into()),
            ("source", source(kind(n))),
            ("confidence", entail_json::Number::from_f64(0.9).into()),
            ("created_at", at.into()),
        ]);
        Value::from([("belief", belief)])
    });
    let justifications = (0..LENGTH).map(|n| {
        let antecedents = n.checked_sub(1).map(|before| format!("k{before}@1"));
        let antecedents = antecedents.into_iter().map(Value::from);
        Value::from([
            ("id", format!("j{}", n + 1).into()),
            ("conclusion", format!("k{n}@1").into()),
            ("kind", if n == 0 { "premise" } else { "model" }.into()),
            ("antecedents", antecedents.collect()),
            ("source", source(kind(n))),
            ("confidence", entail_json::Number::from_f64(0.9).into()),
            ("created_at", at.into()),
        ])
    });
    let snapshot = Value::from([
        ("format", "corollary.beliefbase".into()),
        ("version", 2_i64.into()),
        ("beliefs", beliefs.collect()),
        ("justifications", justifications.collect()),
    ]);
    let imported = Imported::from(&snapshot, time(at));
    assert_eq!(imported.session.base().all_in().len(), LENGTH);
    let totals = imported
        .session
        .trace_events()
        .into_iter()
        .filter_map(|event| {
            let entail_trace::Payload::ClaimEmitted(claim) = &event.payload else {
                return None;
            };
            claim.structured.as_ref()?.get("supports_total").cloned()
        });
    let totals: Vec<Value> = totals.collect();
    assert_eq!(totals.len(), LENGTH - 1);
    let is_whole = |total: &Value| total.get("at_least").is_none();
    assert!(is_whole(&totals[1_000]));
    assert!(!is_whole(totals.last().unwrap()));
    let walked: i64 = totals
        .iter()
        .map(|total| total.get("claims").unwrap().as_i64().unwrap())
        .sum();
    let most = entail_session::limits::COMMIT_WALK + LENGTH;
    assert!(walked <= i64::try_from(most).unwrap(), "{walked}");
}
