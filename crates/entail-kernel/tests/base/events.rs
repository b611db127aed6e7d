//! Events as JSON: every kind there and back, and strict reading.

use entail_json::{read_str, sha256};
use entail_kernel::base::{
    Citation, ConflictPolicy, Derivation, Disputed, Event, Expiry, Fault, Lesson, Premise,
    Settings, Settlement, Source, SourceKind, Step,
};
use entail_kernel::confidence::{LedgerSettings, Totals, TrustPolicy};
use entail_kernel::{Base, Span, Time};

/// A base in which everything happened that can.
fn eventful() -> Base {
    let now = Time::EPOCH;
    let minute = Span::from_micros(60_000_000);
    let mut base = Base::new(Settings {
        trust: TrustPolicy {
            overrides: [("tool:x".to_owned(), 0.5)].into(),
            ..TrustPolicy::default()
        },
        ledger: LedgerSettings {
            memory_half_life: Some(minute),
            ..LedgerSettings::default()
        },
    });
    base.seed(
        "tool:x",
        Totals {
            correct: 3.0,
            total: 4.5,
            as_of: now,
        },
    )
    .unwrap();
    base.rate("tool:y", Some(0.7)).unwrap();
    base.set_rule("double", &["x"], "x * 2.0", Some(0.8), now)
        .unwrap();
    base.set_constraint("small", &[("x", "a")], "x < 100.0", now)
        .unwrap();

    let source = Source::new(SourceKind::Document, "10-K")
        .with_quote("revenue was 4")
        .with_origin("filing");
    let mut cited = Premise::new("a", 4_i64, source);
    cited.claim = Some("a claim".to_owned());
    cited.metadata = Some([("m", true.into())].into());
    cited.confidence = Some(0.9);
    cited.half_life = Some(minute);
    cited.note = Some("a note".to_owned());
    cited.citation = Some(Citation {
        version: 2,
        document: sha256(b"text"),
        start: 3,
        end: 16,
        digest: sha256(b"revenue was 4"),
    });
    base.assert(cited.clone(), now).unwrap();
    base.assert(cited, now).unwrap();
    let arguments = read_str(r#"{"q": [1, 2.5, null]}"#).unwrap();
    let tool = Source::new(SourceKind::Tool, "y").with_arguments(arguments);
    let mut fleeting = Premise::new("a", 5_i64, tool);
    fleeting.expiry = Some(Expiry::After(minute));
    base.assert(fleeting, now).unwrap();
    base.resolve_by(
        &ConflictPolicy::SourceRank {
            order: vec![SourceKind::Tool],
        },
        now,
    )
    .unwrap();
    base.derive(Derivation::new("b", "double", ["a"]), now)
        .unwrap();
    let mut step = Step::new("c", 10_i64, "model:m".parse().unwrap(), ["b", "a"]);
    step.formula = Some("{b}".to_owned());
    step.unless = vec!["never".to_owned()];
    step.inputs = vec!["b".to_owned()];
    base.justify(step, now).unwrap();
    base.outcome("model:m", true, Lesson::Formula, now).unwrap();
    base.retract("c", Some("doubt"), Fault::None, now).unwrap();
    base.restore("c", now).unwrap();
    base.refresh(now.saturating_add(minute));
    base.propagate(now.saturating_add(minute));
    base.assert(Premise::new("b", 1_i64, "human:h".parse().unwrap()), now)
        .unwrap();
    base.restore("a@1", now).unwrap();
    base.set_rule("double", &["x"], "x + x", None, now).unwrap();
    base.propagate(now);
    base.assert(Premise::new("b", 7_i64, "tool:y".parse().unwrap()), now)
        .unwrap();
    base.resolve(
        Disputed::Key("b"),
        &Settlement {
            keep: vec!["b@2".to_owned()],
            learn: true,
            ..Settlement::default()
        },
        now,
    )
    .unwrap();
    base.remove_rule("double", now).unwrap();
    base.remove_constraint("small", now).unwrap();
    base
}

#[test]
fn every_kind_of_event_is_written_and_read_back() {
    let mut base = eventful();
    let events = base.take_events();
    let mut words: Vec<_> = events.iter().map(Event::word).collect();
    words.sort_unstable();
    words.dedup();
    assert_eq!(
        words,
        [
            "belief_added",
            "configured",
            "constraint_removed",
            "constraint_set",
            "expired",
            "justification_added",
            "justification_replaced",
            "outcome",
            "rated",
            "resolved",
            "restored",
            "retracted",
            "rule_removed",
            "rule_set",
            "seeded",
            "set_added",
        ]
    );
    let mut read = Vec::new();
    for event in &events {
        let text = event.to_json().to_string();
        read.push(Event::from_json(&read_str(&text).unwrap()).unwrap());
    }
    assert_eq!(read, events);
    let mut copy = Base::default();
    copy.replay(&read).unwrap();
    assert_eq!(copy.dump(), base.dump());
}

#[test]
fn every_member_of_every_event_is_needed_or_optional_and_no_other_is_taken() {
    for event in eventful().take_events() {
        let json = event.to_json();
        let object = json.as_object().unwrap();
        for (name, _) in object {
            let mut without = object.clone();
            without.remove(name);
            match Event::from_json(&without.clone().into()) {
                // What is optional is simply not there then.
                Ok(read) => assert_eq!(read.to_json(), without.into(), "{name} of {json}"),
                Err(error) => assert!(error.to_string().contains("is missing"), "{error}"),
            }
            let mut wrong = object.clone();
            wrong.insert(name, read_str(r#"[{"unheard": "of"}]"#).unwrap());
            if name != "value" {
                let error = Event::from_json(&wrong.into()).unwrap_err();
                assert!(error.member.starts_with(name), "{error}");
            }
        }
        let mut more = object.clone();
        more.insert("unheard", true.into());
        let error = Event::from_json(&more.into()).unwrap_err();
        assert!(
            error.to_string().contains("members that do not belong"),
            "{error}"
        );
    }
    for text in [
        "null",
        "[]",
        "{}",
        r#"{"event": "unheard"}"#,
        r#"{"event": 1}"#,
    ] {
        assert!(
            Event::from_json(&read_str(text).unwrap()).is_err(),
            "{text}"
        );
    }
}

#[test]
fn an_event_that_does_not_fit_is_named_by_its_place() {
    let events = eventful().take_events();
    let mut base = Base::default();
    let error = base.replay(events.iter().skip(1).rev()).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("`event 1` (constraint_removed)"),
        "{error}"
    );
    let at = events
        .iter()
        .position(|event| event.word() == "belief_added")
        .unwrap();
    let error = base.replay(events.iter().skip(at + 1)).unwrap_err();
    assert!(
        error.to_string().ends_with("the journal is damaged"),
        "{error}"
    );
    assert!(base.is_empty());
}

#[test]
fn events_that_lead_to_a_loop_through_absence_are_refused() {
    let mut base = Base::default();
    let now = Time::EPOCH;
    base.assert(Premise::new("g", true, "tool:t".parse().unwrap()), now)
        .unwrap();
    let mut step = Step::new("a", true, "model:m".parse().unwrap(), ["g"]);
    step.unless = vec!["b".to_owned()];
    base.justify(step, now).unwrap();
    let mut events = base.take_events();
    let mut forged = Base::default();
    forged.replay(&events).unwrap();
    // Another journal's step, which this base would have refused.
    let mut other = Base::default();
    other.replay(&events[..2]).unwrap();
    let step = Step::new("b", true, "model:m".parse().unwrap(), ["g"]);
    other.justify(step, now).unwrap();
    for mut event in other.take_events() {
        if let Event::JustificationAdded {
            justification,
            record,
            ..
        } = &mut event
        {
            *justification = 2;
            record.unless = vec!["a".into()];
        }
        if !matches!(event, Event::SetAdded { .. }) {
            events.push(event);
        }
    }
    let error = Base::default().replay(&events).unwrap_err();
    assert_eq!(error.code(), "circular_defeat");
}
