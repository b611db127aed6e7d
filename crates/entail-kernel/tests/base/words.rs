//! What errors and reasons say, and arguments that make no sense.

use entail_json::Value;
use entail_kernel::base::{
    Antecedents, Asserted, Assertion, BaseError, Expiry, Fault, Lesson, Premise, Settings, Source,
    SourceKind, Step,
};
use entail_kernel::confidence::{LedgerSettings, Totals, TrustPolicy};
use entail_kernel::{Base, Span, Time};

const NOW: Time = Time::EPOCH;

fn tool(key: &str, value: impl Into<Value>) -> Premise {
    Premise::new(key, value, "tool:t".parse().unwrap())
}

fn refused(
    base: &mut Base,
    operation: impl FnOnce(&mut Base) -> Result<(), BaseError>,
) -> (String, String) {
    let before = base.dump();
    let error = operation(base).unwrap_err();
    assert_eq!(base.dump(), before);
    (error.code().to_owned(), error.to_string())
}

#[test]
fn arguments_that_make_no_sense_are_refused_with_the_way_out() {
    let base = &mut Base::default();
    let mut asserting = |change: &dyn Fn(&mut Premise)| {
        let mut premise = tool("k", 1_i64);
        change(&mut premise);
        refused(base, |base| base.assert(premise, NOW).map(|_| ()))
    };
    let invalid = |message: &str| ("invalid_argument".to_owned(), message.to_owned());
    assert_eq!(
        asserting(&|p| p.key = "a b".to_owned()),
        (
            "invalid_key".to_owned(),
            "`a b` is not a key: it holds white space (U+0020); a key is not empty and has no white space, `@`, `{` or `}`".to_owned()
        )
    );
    assert_eq!(
        asserting(&|p| p.source = "rule:r".parse().unwrap()),
        invalid("`rule:r` is a rule, and rules assert nothing: derive the value with it")
    );
    assert_eq!(
        asserting(&|p| p.source = Source::new(SourceKind::Tool, "")),
        invalid("`source` has no name: write `kind:name`")
    );
    assert_eq!(
        asserting(&|p| p.confidence = Some(f64::NAN)),
        invalid("`confidence` is NaN, which does not lie between 0 and 1")
    );
    assert_eq!(
        asserting(&|p| p.half_life = Some(Span::ZERO)),
        invalid("`half_life` is not positive: leave it out if the evidence never fades")
    );
    assert_eq!(
        asserting(&|p| p.expiry = Some(Expiry::At(NOW))),
        invalid(
            "`valid_until` is 1970-01-01T00:00:00.000000Z, which has passed: give a time after 1970-01-01T00:00:00.000000Z"
        )
    );
    assert_eq!(
        asserting(&|p| p.expiry = Some(Expiry::After(Span::from_micros(-1)))),
        invalid("`ttl` is not positive: leave it out if the evidence never expires")
    );
}

#[test]
fn settings_and_sources_are_checked() {
    let base = &mut Base::default();
    let mut trust = TrustPolicy::default();
    trust.overrides.insert("tool:t".to_owned(), 1.5);
    let settings = Settings {
        trust,
        ..Settings::default()
    };
    let found = refused(base, |base| base.configure(settings));
    assert_eq!(
        found.1,
        "`tool:t` is 1.5, which does not lie between 0 and 1"
    );
    let ledger = LedgerSettings {
        prior_weight: 0.0,
        ..LedgerSettings::default()
    };
    let settings = Settings {
        ledger,
        ..Settings::default()
    };
    assert_eq!(
        refused(base, |base| base.configure(settings)).0,
        "invalid_argument"
    );
    for source in ["tool", "tool:", ":x", "robot:x", ""] {
        let found = refused(base, |base| base.outcome(source, true, Lesson::Told, NOW));
        assert!(found.1.contains("is not a source"), "{}", found.1);
        assert_eq!(base.reliability(source, NOW), 0.0);
    }
    let totals = Totals {
        correct: 2.0,
        total: 1.0,
        as_of: NOW,
    };
    assert_eq!(
        refused(base, |base| base.seed("tool:t", totals)).1,
        "`tool:t` cannot have been right 2 times of 1"
    );
}

#[test]
fn what_is_not_believed_says_what_happened() {
    let mut base = Base::default();
    base.assert(tool("a", 1_i64), NOW).unwrap();
    base.justify(
        Step::new("b", 1_i64, "model:m".parse().unwrap(), ["a"]),
        NOW,
    )
    .unwrap();
    let mut step = Step::new("c", 1_i64, "model:m".parse().unwrap(), ["a"]);
    step.unless = vec!["stop".to_owned()];
    base.justify(step, NOW).unwrap();
    let mut fleeting = tool("d", 1_i64);
    fleeting.expiry = Some(Expiry::After(Span::from_micros(1)));
    base.assert(fleeting, NOW).unwrap();
    base.refresh(Time::from_micros(1).unwrap());
    base.assert(tool("stop", true), NOW).unwrap();
    let why = |base: &mut Base, key: &str| {
        let step = Step::new("x", 1_i64, "model:m".parse().unwrap(), [key]);
        refused(base, |base| base.justify(step, NOW).map(|_| ())).1
    };
    assert_eq!(
        why(&mut base, "c"),
        "`c` is not believed: it is defeated by `stop`; support it again or use another"
    );
    assert_eq!(
        why(&mut base, "d"),
        "`d` is not believed: it rests on evidence that has expired; assert it again"
    );
    base.retract("a", Some("superseded"), Fault::None, NOW)
        .unwrap();
    assert_eq!(
        why(&mut base, "a"),
        "`a` is not believed: it was retracted (superseded); restore it or use another"
    );
    assert_eq!(
        why(&mut base, "b@1"),
        "`b@1` is not believed: it lost its support `a@1`; support it again or use another"
    );
    assert_eq!(
        why(&mut base, "nothing"),
        "no belief `nothing`: assert or justify it first, or check its spelling"
    );
    assert_eq!(
        refused(&mut base, |base| base.restore("b", NOW).map(|_| ())).1,
        "`b` was not retracted, so there is nothing to restore: assert it anew"
    );
    for target in ["b@0", "b@2", "b@", "@1", "b@1@1"] {
        let found = refused(&mut base, |base| base.restore(target, NOW).map(|_| ()));
        assert_eq!(found.0, "unknown_belief", "{target}");
    }
}

#[test]
fn changes_say_why_in_either_direction() {
    let mut base = Base::default();
    base.assert(tool("a", 1_i64), NOW).unwrap();
    for n in 0..5_i64 {
        base.assert(tool(&format!("k{n}"), n), NOW).unwrap();
    }
    let from = ["a", "k0", "k1", "k2", "k3"];
    base.justify(Step::new("b", 1_i64, "model:m".parse().unwrap(), from), NOW)
        .unwrap();
    let reasons = |base: &mut Base, operation: &dyn Fn(&mut Base)| {
        let mark = base.mark();
        operation(base);
        let changes = base.changes(&mark);
        base.commit(mark);
        let line = |change: &entail_kernel::base::Change| {
            format!("{} {} {}", change.reference, change.status, change.reason)
        };
        changes.iter().map(line).collect::<Vec<_>>()
    };
    assert_eq!(
        reasons(&mut base, &|base| {
            base.retract("a", None, Fault::None, NOW).unwrap();
        }),
        ["a@1 OUT was retracted", "b@1 OUT lost its support `a@1`"]
    );
    assert_eq!(
        reasons(&mut base, &|base| {
            base.restore("a", NOW).unwrap();
            base.assert(tool("new", 1_i64), NOW).unwrap();
        }),
        [
            "a@1 IN is asserted again by `tool:t`",
            "b@1 IN is concluded again by `model:m` from `a@1`, `k0@1`, `k1@1` and 2 more",
            "new@1 IN is asserted by `tool:t`"
        ]
    );
    // Taken back within one command: nothing changed.
    assert!(
        reasons(&mut base, &|base| {
            base.retract("a", None, Fault::None, NOW).unwrap();
            base.restore("a", NOW).unwrap();
        })
        .is_empty()
    );
}

#[test]
fn the_same_source_replaces_its_own_word_and_others_corroborate() {
    let mut base = Base::default();
    let mut say = |source: Source, at: i64| {
        let at = Time::from_micros(at).unwrap();
        let Asserted { how, .. } = base.assert(Premise::new("k", 1_i64, source), at).unwrap();
        let count = base.justifications(base.find("k@1").unwrap()).len();
        (how, count, base.reliability("tool:t", at))
    };
    let prior = 0.95;
    let once = (prior * 10.0 + 1.0) / 11.0;
    let source = |text: &str| text.parse::<Source>().unwrap();
    assert_eq!(say(source("tool:t"), 0), (Assertion::Added, 1, prior));
    assert_eq!(say(source("tool:t"), 1), (Assertion::Repeated, 1, prior));
    // Another call of the same tool is another source, but no independent one.
    let call = source("tool:t").with_arguments(true.into());
    assert_eq!(say(call.clone(), 2), (Assertion::Corroborated, 2, prior));
    assert_eq!(
        say(source("human:h"), 3),
        (Assertion::Corroborated, 3, once)
    );
    assert_eq!(say(source("human:h"), 4), (Assertion::Repeated, 3, once));
    assert_eq!(say(call, 5), (Assertion::Repeated, 3, once));
    let quoted = source("document:d").with_quote("k is 1");
    let twice = (prior * 10.0 + 2.0) / 12.0;
    assert_eq!(say(quoted, 6), (Assertion::Corroborated, 4, twice));
    // The same document in other words says the same again.
    let again = source("document:d").with_quote("1 it is");
    assert_eq!(say(again, 7), (Assertion::Corroborated, 5, twice));
}

#[test]
fn without_corroboration_the_strongest_origin_counts_alone_and_agreement_still_teaches() {
    let confidence_with = |corroboration: bool| {
        let trust = TrustPolicy {
            corroboration,
            ..TrustPolicy::default()
        };
        let mut base = Base::new(Settings {
            trust,
            ..Settings::default()
        });
        base.assert(tool("k", 1_i64), NOW).unwrap();
        let human = Premise::new("k", 1_i64, "human:h".parse().unwrap());
        let asserted = base.assert(human, NOW).unwrap();
        (
            base.confidence(asserted.belief, NOW),
            base.reliability("tool:t", NOW),
        )
    };
    let (together, learned) = confidence_with(true);
    let (alone, learned_too) = confidence_with(false);
    assert_eq!(learned, (0.95 * 10.0 + 1.0) / 11.0);
    assert_eq!(learned, learned_too);
    let human = (0.99 * 10.0 + 1.0) / 11.0;
    assert!((alone - human).abs() < 1e-12, "{alone}");
    assert!(
        (together - (1.0 - (1.0 - human) * (1.0 - learned))).abs() < 1e-12,
        "{together}"
    );
}

#[test]
fn stale_and_faded_evidence_is_found() {
    let mut base = Base::default();
    let second = Span::from_micros(1_000_000);
    let at = |seconds: i64| Time::from_micros(seconds * 1_000_000).unwrap();
    let mut fading = tool("fading", 1_i64);
    fading.half_life = Some(second);
    base.assert(fading.clone(), NOW).unwrap();
    base.assert(tool("fresh", 1_i64), NOW).unwrap();
    let mut fleeting = tool("fleeting", 1_i64);
    fleeting.expiry = Some(Expiry::After(second));
    base.assert(fleeting, NOW).unwrap();
    let names = |base: &Base, found: Vec<entail_kernel::base::BeliefId>| {
        found
            .into_iter()
            .map(|id| base.ref_of(id).unwrap().to_string())
            .collect::<Vec<_>>()
    };
    assert!(base.faded(0.5, NOW).is_empty());
    assert_eq!(names(&base, base.faded(0.5, at(1))), ["fading@1"]);
    assert!(base.faded(0.6, at(1)).is_empty());
    base.refresh(at(1));
    assert_eq!(names(&base, base.stale()), ["fleeting@1"]);
    // Renewed in place, nothing downstream is derived again.
    let renewed = base.assert(tool("fleeting", 1_i64), at(2)).unwrap();
    assert_eq!(renewed.how, Assertion::Renewed);
    assert!(base.stale().is_empty());
    base.assert(fading, at(2)).unwrap();
    assert!(base.faded(0.5, at(2)).is_empty());
    let faded = base.find("fading@1").unwrap();
    assert!((base.confidence(faded, at(3)) - 0.475).abs() < 1e-12);
}

#[test]
fn trust_comes_from_override_tool_level_kind_and_ledger_in_that_order() {
    let mut base = Base::default();
    assert_eq!(base.reliability("tool:t", NOW), 0.95);
    base.rate("tool:t", Some(0.7)).unwrap();
    assert_eq!(base.reliability("tool:t", NOW), 0.7);
    let mut settings = Settings::default();
    settings.trust.overrides.insert("tool:t".to_owned(), 0.5);
    base.configure(settings).unwrap();
    assert_eq!(base.reliability("tool:t", NOW), 0.5);
    let totals = Totals {
        correct: 10.0,
        total: 10.0,
        as_of: NOW,
    };
    base.seed("tool:t", totals).unwrap();
    assert_eq!(base.reliability("tool:t", NOW), 0.75);
    base.outcome("tool:t", false, Lesson::Told, NOW).unwrap();
    assert_eq!(base.reliability("tool:t", NOW), 15.0 / 21.0);
    let known = base.sources(NOW);
    assert_eq!(known.len(), 1);
    assert_eq!((known[0].1.correct, known[0].1.total), (10.0, 11.0));
}

#[test]
fn the_ledger_forgets_with_its_half_life_and_keeps_ten_thousand_outcomes() {
    let half_life = Span::from_micros(1_000_000);
    let mut base = Base::new(Settings {
        ledger: LedgerSettings {
            memory_half_life: Some(half_life),
            ..LedgerSettings::default()
        },
        ..Settings::default()
    });
    base.outcome("tool:t", false, Lesson::Told, NOW).unwrap();
    let later = Time::from_micros(1_000_000).unwrap();
    assert!((base.reliability("tool:t", later) - 9.5 / 10.5).abs() < 1e-12);

    let mut base = Base::default();
    base.outcome("tool:t", false, Lesson::Told, NOW).unwrap();
    for _ in 0..9_999 {
        base.outcome("tool:t", true, Lesson::Told, NOW).unwrap();
    }
    assert_eq!(base.reliability("tool:t", NOW), (9.5 + 9_999.0) / 10_010.0);
    let mark = base.mark();
    base.outcome("tool:t", true, Lesson::Told, NOW).unwrap();
    assert_eq!(base.reliability("tool:t", NOW), 10_009.5 / 10_010.0);
    base.rollback(mark);
    assert_eq!(base.reliability("tool:t", NOW), (9.5 + 9_999.0) / 10_010.0);
}

#[test]
fn handles_of_another_base_name_nothing() {
    let mut base = Base::default();
    let belief = base.assert(tool("k", 1_i64), NOW).unwrap().belief;
    let set = base.antecedent_set(None, &[belief]).unwrap().unwrap();
    let reason = base.justifications(belief)[0].id;
    let mut empty = Base::default();
    assert!(empty.belief(belief).is_none() && empty.ref_of(belief).is_none());
    assert!(empty.justification(reason).is_none() && empty.set(set).is_none());
    assert!(!empty.is_in(belief) && !empty.is_visible(belief));
    assert!(empty.antecedents(set).is_empty() && empty.dependents(belief).is_empty());
    assert!(empty.why_out(belief).is_none() && empty.justifications(belief).is_empty());
    assert_eq!(empty.confidence(belief, NOW), 0.0);
    assert!(empty.proof(&[belief], NOW).is_empty());
    for antecedents in [Antecedents::Beliefs(vec![belief]), Antecedents::Set(set)] {
        let mut step = Step::new("x", 1_i64, "model:m".parse().unwrap(), [""; 0]);
        step.antecedents = antecedents;
        let found = refused(&mut empty, |base| base.justify(step, NOW).map(|_| ()));
        assert!(found.0 == "unknown_belief" || found.0 == "invalid_argument");
    }
    assert!(empty.antecedent_set(Some(set), &[]).is_err());
}
