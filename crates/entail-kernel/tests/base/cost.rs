//! What operations cost, in things looked at: the region of a change, never the base.

use entail_kernel::base::{
    Antecedents, BeliefId, Derivation, Expiry, Fault, Premise, SetId, Step, Work,
};
use entail_kernel::proof::check::Check;
use entail_kernel::{Base, Span, Time};

const NOW: Time = Time::EPOCH;
const MILLION: usize = 1_000_000;

fn premise(base: &mut Base, key: &str) -> BeliefId {
    let premise = Premise::new(key, true, "tool:t".parse().unwrap());
    base.assert(premise, NOW).unwrap().belief
}

fn step(base: &mut Base, key: &str, from: Vec<BeliefId>) -> BeliefId {
    let mut step = Step::new(key, true, "model:m".parse().unwrap(), [""; 0]);
    step.antecedents = Antecedents::Beliefs(from);
    base.justify(step, NOW).unwrap()
}

/// So many chains of so many beliefs each; the first of each is a premise.
fn chains(count: usize, length: usize) -> Base {
    let mut base = Base::default();
    for chain in 0..count {
        let mut last = premise(&mut base, &format!("c{chain}.0"));
        for n in 1..length {
            last = step(&mut base, &format!("c{chain}.{n}"), vec![last]);
        }
        // Nobody takes the events, and a million of them are not what is measured.
        base.take_events();
    }
    base
}

#[test]
fn a_change_in_a_million_beliefs_touches_its_region_of_ten() {
    let mut base = chains(MILLION / 10, 10);
    assert_eq!(base.len(), MILLION);
    let region = Work {
        beliefs: 10,
        sets: 9,
        edges: 18,
        changes: 19,
    };
    base.retract("c777.0", None, Fault::None, NOW).unwrap();
    assert_eq!(base.work(), region);
    assert_eq!(base.all_in().len(), MILLION - 10);
    base.restore("c777.0", NOW).unwrap();
    assert_eq!(base.work(), region);

    // Half-way down, only what is below.
    base.retract("c777.5", None, Fault::None, NOW).unwrap();
    assert_eq!((base.work().beliefs, base.work().sets), (5, 4));
    // Something new touches itself alone.
    premise(&mut base, "new");
    assert_eq!((base.work().beliefs, base.work().edges), (1, 0));
    let mark = base.mark();
    base.retract("c778.0", None, Fault::None, NOW).unwrap();
    assert_eq!(base.changes(&mark).len(), 10);
    base.rollback(mark);
    assert_eq!(base.believed("c778.9").len(), 1);

    let each = base.heap_bytes() / base.len();
    assert!(each < 400, "{each} bytes a belief");
}

#[test]
fn more_evidence_for_what_is_believed_touches_nothing_downstream() {
    let mut base = chains(1, 1000);
    let again = Premise::new("c0.0", true, "human:h".parse().unwrap());
    base.assert(again, NOW).unwrap();
    assert_eq!(base.work(), Work::default());
    // With one of two premises gone the other still anchors it.
    let mut fleeting = Premise::new("c0.0", true, "tool:x".parse().unwrap());
    fleeting.expiry = Some(Expiry::After(Span::from_micros(5)));
    base.assert(fleeting, NOW).unwrap();
    assert_eq!(base.refresh(Time::from_micros(5).unwrap()).len(), 1);
    assert_eq!(base.work(), Work::default());
}

#[test]
fn expiry_costs_what_expires() {
    let mut base = Base::default();
    for n in 0..10_000_i64 {
        let mut premise = Premise::new(format!("k{n}"), n, "tool:t".parse().unwrap());
        premise.expiry = Some(Expiry::After(Span::from_micros(1 + n)));
        base.assert(premise, NOW).unwrap();
    }
    assert_eq!(base.next_expiry(), Time::from_micros(1));
    let expired = base.refresh(Time::from_micros(3).unwrap());
    assert_eq!(expired.len(), 3);
    assert_eq!(base.work().beliefs, 3);
    assert_eq!(base.all_in().len(), 9_997);
    assert_eq!(base.next_expiry(), Time::from_micros(4));
    assert!(base.refresh(Time::from_micros(3).unwrap()).is_empty());
}

#[test]
fn a_turn_of_c_claims_over_n_beliefs_adds_n_plus_c_edges() {
    let (shown, claims) = (500, 200);
    let mut base = Base::default();
    let visible: Vec<_> = (0..shown)
        .map(|n| premise(&mut base, &format!("v{n}")))
        .collect();
    for turn in 0..3 {
        let before = base.edges();
        let mut set: Option<SetId> = base.antecedent_set(None, &visible).unwrap();
        let mut last = None;
        for n in 0..claims {
            let mut step = Step::new(
                format!("t{turn}c{n}"),
                n,
                "model:m".parse().unwrap(),
                [""; 0],
            );
            step.antecedents = Antecedents::Set(set.unwrap());
            let claim = base.justify(step, NOW).unwrap();
            set = base.antecedent_set(set, &[claim]).unwrap();
            last = Some(claim);
        }
        // The context's set is the same in every turn, so it is there only once.
        let expected = if turn == 0 { shown + claims } else { claims };
        assert_eq!(base.edges() - before, expected);

        let proof = base.proof(&[last.unwrap()], NOW);
        assert_eq!(proof.len(), shown + claims);
        let text = proof.to_json().to_string();
        let refs = text.matches("v499@1").count();
        assert!(refs <= 2, "a shared set is written once, not {refs} times");
    }
    base.retract("v0", None, Fault::None, NOW).unwrap();
    assert_eq!(base.work().beliefs, 1 + 3 * claims);
    assert!(base.work().edges <= 1 + 3 * 3 * claims);
}

#[test]
fn a_fan_of_ten_thousand_shares_one_set() {
    let mut base = Base::default();
    let hub = premise(&mut base, "hub");
    for n in 0..10_000 {
        step(&mut base, &format!("k{n}"), vec![hub]);
    }
    assert_eq!(base.edges(), 1);
    base.retract("hub", None, Fault::None, NOW).unwrap();
    assert_eq!(
        base.work(),
        Work {
            beliefs: 10_001,
            sets: 1,
            edges: 10_001,
            changes: 10_002
        }
    );
}

#[test]
fn rules_are_tried_again_only_where_something_changed() {
    let mut base = Base::default();
    base.set_rule("same", &["x"], "x", None, NOW).unwrap();
    for n in 0..1000 {
        premise(&mut base, &format!("in{n}"));
        base.derive(
            Derivation::new(format!("out{n}"), "same", [format!("in{n}")]),
            NOW,
        )
        .unwrap();
    }
    assert!(base.rerun_rules(NOW).is_empty());
    assert_eq!(base.work(), Work::default());
    let mut other = Premise::new("in500", false, "tool:t".parse().unwrap());
    other.supersede = true;
    base.assert(other, NOW).unwrap();
    assert_eq!(base.rerun_rules(NOW), [base.find("out500@2").unwrap()]);
    assert_eq!(base.work().beliefs, 1);
}

#[test]
fn a_chain_of_a_million_beliefs_is_built_retracted_and_restored() {
    let mut base = chains(1, MILLION);
    let last = base.current(&format!("c0.{}", MILLION - 1)).unwrap();

    base.retract("c0.0", None, Fault::None, NOW).unwrap();
    assert_eq!(base.work().beliefs, MILLION);
    assert!(base.all_in().is_empty());
    assert_eq!(base.confidence(last, NOW), 0.0);
    assert_eq!(base.why_out(last).unwrap().lost.len(), 1);
    base.restore("c0.0", NOW).unwrap();
    assert_eq!(base.all_in().len(), MILLION);

    let mark = base.mark();
    base.retract("c0.0", None, Fault::None, NOW).unwrap();
    assert_eq!(base.changes(&mark).len(), MILLION);
    base.rollback(mark);
    assert_eq!(base.all_in().len(), MILLION);

    assert_eq!(
        base.dependents(base.find("c0.0@1").unwrap()).len(),
        MILLION - 1
    );
    let confidence = base.confidence(last, NOW);
    assert!((0.0..1e-9).contains(&confidence));
}

#[test]
fn a_chain_of_a_million_beliefs_is_proved_rendered_and_checked() {
    let base = chains(1, MILLION);
    let last = base.current(&format!("c0.{}", MILLION - 1)).unwrap();
    let proof = base.proof(&[last], NOW);
    assert_eq!(proof.len(), MILLION);
    assert_eq!(proof.to_text().lines().count(), MILLION);
    assert!(proof.to_mermaid().lines().count() > 2 * MILLION - 1);
    assert!(proof.to_dot().lines().count() > 2 * MILLION - 1);
    let json = proof.to_json();
    assert_eq!(
        json.get("steps").unwrap().as_array().unwrap().len(),
        MILLION
    );
    let found = proof.check(&());
    assert_eq!(found.steps, MILLION);
    assert!(Check::ALL.into_iter().all(|check| found.passes(check)));
    assert!(proof.diff(&proof).is_empty());
}

#[test]
fn a_million_beliefs_in_a_circle_go_out_and_come_back() {
    let mut base = chains(1, MILLION);
    let last = base.current(&format!("c0.{}", MILLION - 1)).unwrap();
    let first = step(&mut base, "c0.0", vec![last]);
    assert_eq!(base.find("c0.0@1"), Some(first));
    let before = base.confidence(first, NOW);
    assert!((before - 0.95).abs() < 1e-12, "no inflation: {before}");

    let again = Premise::new("c0.0", true, "human:h".parse().unwrap());
    base.assert(again, NOW).unwrap();
    base.retract("c0.0", None, Fault::None, NOW).unwrap();
    assert!(base.all_in().is_empty());
    base.restore("c0.0", NOW).unwrap();
    assert_eq!(base.all_in().len(), MILLION);
}
