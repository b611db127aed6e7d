//! Three ways in which others got labels wrong, and loops through absence.

use entail_kernel::base::{BaseError, Expiry, Fault, Premise, Step};
use entail_kernel::{Base, Span, Time};

const NOW: Time = Time::EPOCH;

fn assert(base: &mut Base, key: &str) {
    base.assert(Premise::new(key, true, "tool:t".parse().unwrap()), NOW)
        .unwrap();
}

fn justify(base: &mut Base, key: &str, from: &[&str], unless: &[&str]) -> Result<(), BaseError> {
    let mut step = Step::new(key, true, "model:m".parse().unwrap(), from.iter().copied());
    step.unless = unless.iter().map(ToString::to_string).collect();
    base.justify(step, NOW).map(|_| ())
}

fn believed(base: &Base) -> Vec<String> {
    let all = base.all_in().into_iter();
    all.map(|id| base.belief(id).unwrap().key.to_string())
        .collect()
}

#[test]
fn beliefs_that_support_each_other_go_out_when_their_only_outside_support_goes() {
    let mut base = Base::default();
    assert(&mut base, "outside");
    justify(&mut base, "a", &["outside"], &[]).unwrap();
    justify(&mut base, "b", &["a"], &[]).unwrap();
    justify(&mut base, "c", &["b"], &[]).unwrap();
    justify(&mut base, "a", &["c"], &[]).unwrap();
    justify(&mut base, "b", &["c"], &[]).unwrap();
    assert_eq!(believed(&base), ["outside", "a", "b", "c"]);

    base.retract("outside", None, Fault::None, NOW).unwrap();
    assert_eq!(believed(&base), [""; 0]);
    let why = base.why_out(base.find("a@1").unwrap()).unwrap();
    assert_eq!(why.lost, [base.find("c@1").unwrap()]);

    base.restore("outside", NOW).unwrap();
    assert_eq!(believed(&base), ["outside", "a", "b", "c"]);
}

#[test]
fn a_loop_loses_its_support_by_expiry_and_by_replacement_of_evidence_too() {
    let mut base = Base::default();
    let mut premise = Premise::new("outside", true, "tool:t".parse().unwrap());
    premise.expiry = Some(Expiry::After(Span::from_micros(10)));
    base.assert(premise, NOW).unwrap();
    justify(&mut base, "a", &["outside"], &[]).unwrap();
    justify(&mut base, "b", &["a"], &[]).unwrap();
    justify(&mut base, "outside", &["b"], &[]).unwrap();
    base.refresh(Time::from_micros(9).unwrap());
    assert_eq!(believed(&base), ["outside", "a", "b"]);
    base.refresh(Time::from_micros(10).unwrap());
    assert_eq!(believed(&base), [""; 0]);
}

#[test]
fn an_unless_reached_over_paths_of_unequal_length_waits_for_its_defeater() {
    // `goal` holds unless `alarm`; both depend on `sensor`, `alarm` over a longer path, and
    // `alarm` is itself defeated by `silenced`, over a longer path still.
    for longer in 1..20 {
        let mut base = Base::default();
        assert(&mut base, "sensor");
        for n in 0..longer {
            let from = if n == 0 {
                "sensor".to_owned()
            } else {
                format!("s{}", n - 1)
            };
            justify(&mut base, &format!("s{n}"), &[&from], &[]).unwrap();
        }
        let last = format!("s{}", longer - 1);
        justify(&mut base, "silenced", &[&last], &[]).unwrap();
        justify(&mut base, "alarm", &["sensor"], &["silenced"]).unwrap();
        justify(&mut base, "goal", &["sensor"], &["alarm"]).unwrap();
        let expected = |base: &Base| {
            let keys = believed(base);
            let has = |key: &str| keys.iter().any(|there| there == key);
            assert_eq!(has("alarm"), has("sensor") && !has("silenced"));
            assert_eq!(has("goal"), has("sensor") && !has("alarm"));
            has("goal")
        };
        assert!(expected(&base));
        base.retract("silenced", None, Fault::None, NOW).unwrap();
        assert!(!expected(&base));
        base.retract("sensor", None, Fault::None, NOW).unwrap();
        assert!(!expected(&base));
        base.restore("silenced", NOW).unwrap();
        base.restore("sensor", NOW).unwrap();
        assert!(expected(&base));
    }
}

#[test]
fn a_justification_decided_before_a_retraction_is_refused_after_it() {
    // Two processes read the same base; one retracts what the other is about to build on. The
    // loser applies its command again to the newer base, and must not believe what it did.
    let mut base = Base::default();
    assert(&mut base, "shared");
    let shown = base.current("shared").unwrap();
    let mut other = base.clone();
    let mut late = Step::new("late", true, "model:m".parse().unwrap(), [""; 0]);
    late.antecedents = entail_kernel::base::Antecedents::Beliefs(vec![shown]);
    other.justify(late.clone(), NOW).unwrap();

    base.retract("shared", Some("wrong"), Fault::None, NOW)
        .unwrap();
    let error = base.justify(late, NOW).unwrap_err();
    assert_eq!(error.code(), "not_believed");
    assert_eq!(
        error.to_string(),
        "`shared@1` is not believed: it was retracted (wrong); restore it or use another"
    );

    // And where the justification was journalled first, replaying the retraction after it takes
    // the belief out.
    let mut journal = other.take_events();
    let mark = other.mark();
    other
        .retract("shared", Some("wrong"), Fault::None, NOW)
        .unwrap();
    other.commit(mark);
    journal.extend(other.take_events());
    let mut copy = Base::default();
    copy.replay(&journal).unwrap();
    assert!(!copy.is_in(copy.find("late@1").unwrap()));
}

#[test]
fn a_belief_that_would_depend_on_its_own_absence_is_refused() {
    let mut base = Base::default();
    assert(&mut base, "ground");
    justify(&mut base, "a", &["ground"], &["b"]).unwrap();
    let before = base.dump();
    for (key, from, unless) in [
        ("b", vec!["a"], vec![]),
        ("b", vec!["ground"], vec!["a"]),
        ("c", vec!["ground"], vec!["c"]),
    ] {
        let error = justify(&mut base, key, &from, &unless).unwrap_err();
        assert_eq!(error.code(), "circular_defeat");
        assert_eq!(base.dump(), before);
    }
    let error = justify(&mut base, "b", &["a"], &[]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "`b` would depend on the absence of `b`, which depends on `b`: leave out that `unless` or that antecedent"
    );
    // Support in a circle is no such loop, nor is an `unless` beside it.
    justify(&mut base, "d", &["a"], &["e"]).unwrap();
    justify(&mut base, "a", &["d"], &[]).unwrap();
    assert_eq!(believed(&base), ["ground", "a", "d"]);
}

#[test]
fn a_new_revision_of_a_key_is_under_the_unless_that_name_it() {
    let mut base = Base::default();
    assert(&mut base, "ground");
    justify(&mut base, "a", &["ground"], &["k"]).unwrap();
    assert_eq!(believed(&base), ["ground", "a"]);
    base.assert(Premise::new("k", 1_i64, "tool:t".parse().unwrap()), NOW)
        .unwrap();
    assert_eq!(believed(&base), ["ground", "k"]);
    // The second revision comes before the first goes, so `a` never returns in between.
    let mut second = Premise::new("k", 2_i64, "tool:t".parse().unwrap());
    second.supersede = true;
    base.assert(second, NOW).unwrap();
    assert_eq!(believed(&base), ["ground", "k"]);
    base.retract("k", None, Fault::None, NOW).unwrap();
    assert_eq!(believed(&base), ["ground", "a"]);
    // What depends on `a` may not become a revision of `k`.
    let mut step = Step::new("k", 3_i64, "model:m".parse().unwrap(), ["a"]);
    step.confidence = Some(0.5);
    assert_eq!(
        base.justify(step, NOW).unwrap_err().code(),
        "circular_defeat"
    );
    assert_eq!(base.revisions("k").len(), 2);
}
