//! Both kinds of conflict, and settling them by hand and by policy.

use entail_json::Value;
use entail_kernel::base::{
    BeliefId, ConflictKind, ConflictPolicy, Derivation, Disputed, Fault, Premise, Resolved,
    Settlement, SourceKind, Step,
};
use entail_kernel::{Base, Time};

fn time(micros: i64) -> Time {
    Time::from_micros(micros).unwrap()
}

fn say(base: &mut Base, key: &str, value: impl Into<Value>, source: &str, at: i64) -> BeliefId {
    let premise = Premise::new(key, value, source.parse().unwrap());
    base.assert(premise, time(at)).unwrap().belief
}

fn refs(base: &Base, beliefs: &[BeliefId]) -> Vec<String> {
    beliefs
        .iter()
        .map(|id| base.ref_of(*id).unwrap().to_string())
        .collect()
}

fn keep(side: &str) -> Settlement {
    Settlement {
        keep: vec![side.to_owned()],
        ..Settlement::default()
    }
}

fn supersede(base: &mut Base, key: &str, value: impl Into<Value>, source: &str) -> BeliefId {
    let mut premise = Premise::new(key, value, source.parse().unwrap());
    premise.supersede = true;
    base.assert(premise, time(0)).unwrap().belief
}

#[test]
fn superseding_corroborates_an_equal_belief_that_rested_on_what_goes() {
    let mut base = Base::default();
    say(&mut base, "k", 1_i64, "tool:a", 0);
    let middle = Step::new("middle", 1_i64, "model:m".parse().unwrap(), ["k"]);
    base.justify(middle, time(0)).unwrap();
    let derived = Step::new("k", 2_i64, "model:m".parse().unwrap(), ["middle"]);
    let derived = base.justify(derived, time(0)).unwrap();
    assert_eq!(supersede(&mut base, "k", 2_i64, "human:h"), derived);
    assert_eq!(base.believed("k"), [derived]);
}

#[test]
fn superseding_a_belief_renews_none_that_was_out() {
    let mut base = Base::default();
    say(&mut base, "k", 1_i64, "tool:a", 0);
    say(&mut base, "input", 1_i64, "tool:a", 0);
    let out = Step::new("k", 2_i64, "model:m".parse().unwrap(), ["input"]);
    let out = base.justify(out, time(0)).unwrap();
    base.retract("input", None, Fault::None, time(0)).unwrap();
    let anew = supersede(&mut base, "k", 2_i64, "human:h");
    assert_ne!(anew, out);
    assert_eq!(refs(&base, &base.all_in()), ["k@3"]);
}

#[test]
fn a_disputed_key_is_hidden_and_supports_nothing() {
    let mut base = Base::default();
    say(&mut base, "k", 1_i64, "tool:a", 0);
    let other = say(&mut base, "other", 1_i64, "tool:a", 0);
    let earlier = Step::new("earlier", true, "model:m".parse().unwrap(), ["k"]);
    let earlier = base.justify(earlier, time(0)).unwrap();
    say(&mut base, "k", 2_i64, "tool:b", 0);

    assert_eq!(base.visible(), [other, earlier]);
    let error = base.current("k").unwrap_err();
    assert_eq!(
        error.to_string(),
        "`k` is disputed between `k@1` and `k@2`: resolve the conflict first"
    );
    let step = Step::new("x", true, "model:m".parse().unwrap(), ["k@1"]);
    assert_eq!(
        base.justify(step, time(0)).unwrap_err().code(),
        "unresolved_conflict"
    );
    // What rested on it before stands until the conflict is settled against it.
    assert!(base.is_in(earlier));
    base.resolve(Disputed::Key("k"), &keep("k@2"), time(1))
        .unwrap();
    assert!(!base.is_in(earlier));
    assert_eq!(
        base.why_out(base.find("k@1").unwrap())
            .map(|why| why.retracted),
        Some(true)
    );
}

#[test]
fn equal_values_however_written_are_no_conflict() {
    let mut base = Base::default();
    let first = say(&mut base, "k", 4_300_000_000_i64, "tool:a", 0);
    let float = entail_json::Number::from_f64(4.3e9).unwrap();
    assert_eq!(say(&mut base, "k", float, "tool:b", 0), first);
    // The value is written back as it came first.
    assert_eq!(base.belief(first).unwrap().value.to_string(), "4300000000");
    assert!(base.conflicts().is_empty());
}

#[test]
fn a_settlement_names_sides_to_keep_or_to_retract() {
    let mut three = Base::default();
    for (value, source) in [(1_i64, "tool:a"), (2, "tool:b"), (3, "human:h")] {
        say(&mut three, "k", value, source, 0);
    }
    let settle = |settlement: &Settlement| {
        let mut base = three.clone();
        let settled = base.resolve(Disputed::Key("k"), settlement, time(1));
        settled.map(|settled| (refs(&base, &settled.kept), refs(&base, &settled.retracted)))
    };
    let names = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(
        settle(&keep("k@2")),
        Ok((names(&["k@2"]), names(&["k@1", "k@3"])))
    );
    let retract = Settlement {
        retract: names(&["k@1"]),
        ..Settlement::default()
    };
    assert_eq!(
        settle(&retract),
        Ok((names(&["k@2", "k@3"]), names(&["k@1"])))
    );
    for (settlement, argument) in [
        (Settlement::default(), "retract"),
        (keep("k@9"), "k@9"),
        (keep("k"), "retract"),
        (
            Settlement {
                retract: names(&["k@1"]),
                ..keep("k@1")
            },
            "k@1",
        ),
    ] {
        let error = settle(&settlement).unwrap_err();
        assert_eq!(error.code(), "invalid_argument");
        assert!(
            error.to_string().starts_with(&format!("`{argument}`")),
            "{error}"
        );
    }
    let error = Base::default().resolve(Disputed::Key("k"), &keep("k@1"), time(0));
    assert_eq!(error.unwrap_err().code(), "no_conflict");
}

#[test]
fn ground_truth_teaches_and_a_policy_does_not() {
    let mut base = Base::default();
    say(&mut base, "k", 1_i64, "tool:a", 0);
    say(&mut base, "k", 2_i64, "tool:b", 0);
    let mut by_policy = base.clone();
    let mut learn = keep("k@1");
    learn.learn = true;
    base.resolve(Disputed::Key("k"), &learn, time(0)).unwrap();
    let reliability = |base: &Base, source: &str| base.reliability(source, time(0));
    assert_eq!(reliability(&base, "tool:a"), 10.5 / 11.0);
    assert_eq!(reliability(&base, "tool:b"), 9.5 / 11.0);

    let order = vec![SourceKind::Human];
    let policy = ConflictPolicy::SourceRank { order };
    assert!(by_policy.resolve_by(&policy, time(0)).unwrap().is_empty());
    say(&mut by_policy, "k", 2_i64, "human:h", 1);
    let settled = by_policy.resolve_by(&policy, time(1)).unwrap();
    assert_eq!(refs(&by_policy, &settled[0].kept), ["k@2"]);
    assert_eq!(reliability(&by_policy, "tool:a"), 0.95);
}

fn by_policy(base: &Base, policy: &ConflictPolicy, at: i64) -> Vec<(Vec<String>, Vec<String>)> {
    let mut base = base.clone();
    let settled = base.resolve_by(policy, time(at)).unwrap();
    let sides = |settled: &Resolved| (refs(&base, &settled.kept), refs(&base, &settled.retracted));
    settled.iter().map(sides).collect()
}

#[test]
fn a_policy_settles_clear_cases_and_leaves_close_calls_open() {
    let mut base = Base::default();
    say(&mut base, "k", 1_i64, "tool:a", 5);
    say(&mut base, "k", 2_i64, "human:h", 3);
    let settled = |kept: &str, lost: &str| vec![(vec![kept.to_owned()], vec![lost.to_owned()])];

    // Confidences are 0.95 and 0.99.
    let higher = |margin| ConflictPolicy::HigherConfidence { margin };
    assert_eq!(by_policy(&base, &higher(0.0), 6), settled("k@2", "k@1"));
    assert_eq!(by_policy(&base, &higher(0.04), 6), settled("k@2", "k@1"));
    assert!(by_policy(&base, &higher(0.05), 6).is_empty());
    assert_eq!(
        by_policy(&base, &ConflictPolicy::Newest, 6),
        settled("k@1", "k@2")
    );
    let rank = |order| ConflictPolicy::SourceRank { order };
    assert_eq!(
        by_policy(&base, &rank(Vec::new()), 6),
        settled("k@2", "k@1")
    );
    let tools_first = rank(vec![SourceKind::Tool, SourceKind::Human]);
    assert_eq!(by_policy(&base, &tools_first, 6), settled("k@1", "k@2"));

    say(&mut base, "k", 2_i64, "document:d", 5);
    assert!(by_policy(&base, &ConflictPolicy::Newest, 6).is_empty());
    let mut even = Base::default();
    say(&mut even, "k", 1_i64, "tool:a", 0);
    say(&mut even, "k", 2_i64, "tool:b", 0);
    for policy in [higher(0.0), ConflictPolicy::Newest, rank(Vec::new())] {
        assert!(by_policy(&even, &policy, 1).is_empty());
    }
    assert_eq!(
        even.resolve_by(&higher(2.0), time(1))
            .unwrap_err()
            .to_string(),
        "`margin` is 2, which does not lie between 0 and 1"
    );
}

#[test]
fn allies_of_the_winning_side_stay() {
    let mut base = Base::default();
    say(&mut base, "in", 1_i64, "tool:a", 0);
    say(&mut base, "k", 1_i64, "assumption:u", 0);
    // A second revision of the same value: the first was out when it came.
    base.retract("k", None, Fault::None, time(1)).unwrap();
    say(&mut base, "k", 1_i64, "human:h", 2);
    base.restore("k@1", time(3)).unwrap();
    say(&mut base, "k", 2_i64, "tool:b", 4);
    let margin = ConflictPolicy::HigherConfidence { margin: 0.01 };
    let expected = (
        vec!["k@1".to_owned(), "k@2".to_owned()],
        vec!["k@3".to_owned()],
    );
    assert_eq!(by_policy(&base, &margin, 5), [expected]);
}

fn balance() -> Base {
    let mut base = Base::default();
    let inputs = [
        ("assets", "bs:assets"),
        ("debts", "bs:debts"),
        ("equity", "bs:equity"),
    ];
    base.set_constraint("balanced", &inputs, "assets == debts + equity", time(0))
        .unwrap();
    base
}

#[test]
fn a_constraint_is_looked_at_when_each_of_its_keys_has_one_believed_value() {
    let mut base = balance();
    say(&mut base, "bs:assets", 100_i64, "tool:a", 0);
    say(&mut base, "bs:debts", 60_i64, "tool:a", 0);
    assert!(base.conflicts().is_empty());
    say(&mut base, "bs:equity", 30_i64, "assumption:u", 0);
    let conflicts = base.conflicts();
    assert_eq!(conflicts.len(), 1);
    assert_eq!(
        conflicts[0].kind,
        ConflictKind::Constraint {
            name: "balanced".into(),
            reason: "`assets == debts + equity` is false".to_owned()
        }
    );
    assert_eq!(
        refs(&base, &conflicts[0].sides),
        ["bs:assets@1", "bs:debts@1", "bs:equity@1"]
    );
    // It hides nothing.
    assert_eq!(base.visible().len(), 3);
    // While a key is disputed nothing is said.
    say(&mut base, "bs:debts", 70_i64, "human:h", 0);
    assert!(base.conflict(Disputed::Constraint("balanced")).is_none());
    base.resolve(Disputed::Key("bs:debts"), &keep("bs:debts@2"), time(0))
        .unwrap();
    assert!(base.conflicts().is_empty());
    // A predicate that raises is broken, too.
    let mut text = Premise::new("bs:equity", "thirty", "tool:a".parse().unwrap());
    text.supersede = true;
    base.assert(text, time(0)).unwrap();
    let ConflictKind::Constraint { reason, .. } = &base.conflicts()[0].kind else {
        panic!("a constraint is broken");
    };
    assert!(reason.starts_with("it cannot be evaluated: "), "{reason}");
    base.remove_constraint("balanced", time(0)).unwrap();
    assert!(base.conflicts().is_empty());
}

#[test]
fn a_broken_constraint_is_settled_by_hand_or_by_dropping_its_weakest_side() {
    let mut base = balance();
    say(&mut base, "bs:assets", 100_i64, "human:h", 0);
    say(&mut base, "bs:debts", 60_i64, "tool:a", 1);
    say(&mut base, "bs:equity", 30_i64, "assumption:u", 2);
    let weakest = ConflictPolicy::HigherConfidence { margin: 0.2 };
    let stays = vec!["bs:assets@1".to_owned(), "bs:debts@1".to_owned()];
    let expected = (stays, vec!["bs:equity@1".to_owned()]);
    assert_eq!(by_policy(&base, &weakest, 3), [expected]);

    let retract = Settlement {
        retract: vec!["bs:assets".to_owned()],
        reason: Some("a typing error".to_owned()),
        ..Settlement::default()
    };
    let settled = base
        .resolve(Disputed::Constraint("balanced"), &retract, time(3))
        .unwrap();
    assert_eq!(refs(&base, &settled.retracted), ["bs:assets@1"]);
    let retraction = base
        .belief(settled.retracted[0])
        .unwrap()
        .retraction
        .unwrap();
    assert_eq!(retraction.reason.as_deref(), Some("a typing error"));
}

#[test]
fn a_policy_goes_on_until_nothing_more_is_settled() {
    let mut base = Base::default();
    base.set_rule("same", &["x"], "x", None, time(0)).unwrap();
    say(&mut base, "switch", 1_i64, "human:h", 0);
    say(&mut base, "in", 1_i64, "tool:a", 0);
    let mut derivation = Derivation::new("k", "same", ["in"]);
    derivation.unless = vec!["switch".to_owned()];
    base.derive(derivation, time(0)).unwrap();
    say(&mut base, "k", 2_i64, "assumption:u", 0);
    // Both go when the switch is settled, and then `k` comes into conflict.
    say(&mut base, "switch", 2_i64, "tool:b", 1);
    let inputs = [("k", "k")];
    base.set_constraint("odd", &inputs, "k == 2.0", time(1))
        .unwrap();
    assert_eq!(base.conflicts().len(), 1);
    let policy = ConflictPolicy::HigherConfidence { margin: 0.01 };
    let settled = base.resolve_by(&policy, time(2)).unwrap();
    assert_eq!(settled.len(), 1);
    assert!(base.conflicts().is_empty());
}
