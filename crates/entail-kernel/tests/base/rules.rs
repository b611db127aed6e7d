//! Rules: deriving, re-running in dependency order, early cutoff, and what waits.

use entail_json::{Value, read_str};
use entail_kernel::base::{Antecedents, BeliefId, Derivation, Fault, Premise, Step};
use entail_kernel::image::{Reader, Writer};
use entail_kernel::{Base, Time};

const NOW: Time = Time::EPOCH;

fn set(base: &mut Base, key: &str, value: impl Into<Value>) -> BeliefId {
    let mut premise = Premise::new(key, value, "tool:t".parse().unwrap());
    premise.supersede = true;
    base.assert(premise, NOW).unwrap().belief
}

fn derive(base: &mut Base, key: &str, rule: &str, inputs: &[&str]) -> BeliefId {
    base.derive(Derivation::new(key, rule, inputs.iter().copied()), NOW)
        .unwrap()
}

fn value(base: &Base, key: &str) -> String {
    match base.current(key) {
        Ok(belief) => base.belief(belief).unwrap().value.to_string(),
        Err(error) => error.code().to_owned(),
    }
}

fn refs(base: &Base, beliefs: &[BeliefId]) -> Vec<String> {
    beliefs
        .iter()
        .map(|id| base.ref_of(*id).unwrap().to_string())
        .collect()
}

fn growth() -> Base {
    let mut base = Base::default();
    base.set_rule(
        "growth",
        &["prev", "cur"],
        "(cur - prev) / prev * 100.0",
        Some(0.9),
        NOW,
    )
    .unwrap();
    base.set_rule("label", &["g"], "g > 10.0 ? 'high' : 'low'", None, NOW)
        .unwrap();
    set(&mut base, "q2", 200_i64);
    set(&mut base, "q3", 250_i64);
    derive(&mut base, "growth", "growth", &["q2", "q3"]);
    derive(&mut base, "label", "label", &["growth"]);
    base
}

#[test]
fn a_rule_derives_over_current_values_with_its_own_confidence() {
    let base = growth();
    assert_eq!(value(&base, "growth"), "25.0");
    assert_eq!(value(&base, "label"), "\"high\"");
    let confidence = base.confidence(base.current("label").unwrap(), NOW);
    assert!((confidence - 0.95 * 0.9).abs() < 1e-12);
    let reason = &base.justifications(base.current("growth").unwrap())[0];
    assert_eq!(
        (reason.source.label().as_str(), reason.rule_version),
        ("rule:growth", Some(1))
    );
}

#[test]
fn rules_run_again_in_dependency_order_and_an_equal_value_stops_the_cascade() {
    let mut base = growth();
    let step = Step::new("story", "it grew", "model:m".parse().unwrap(), ["label"]);
    let story = base.justify(step, NOW).unwrap();

    set(&mut base, "q3", 260_i64);
    assert_eq!(value(&base, "label"), "not_believed");
    let done = base.propagate(NOW);
    // The label is equal, so its old revision is back, and the story with it.
    assert_eq!(refs(&base, &done.derived), ["growth@2", "label@1"]);
    assert!(base.is_in(story));
    assert!(done.pending.is_empty() && done.conflicts.is_empty());

    set(&mut base, "q3", 201_i64);
    let done = base.propagate(NOW);
    assert_eq!(refs(&base, &done.derived), ["growth@3", "label@2"]);
    assert!(!base.is_in(story));
    assert_eq!(done.pending.len(), 1);
    let pending = &done.pending[0];
    assert_eq!(pending.belief, story);
    assert!(pending.is_ready);
    assert_eq!(pending.reason, "waits for the model to derive it again");
    assert_eq!(&*pending.inputs[0].0, "label");
    assert_eq!(pending.inputs[0].1, base.find("label@2"));
}

#[test]
fn a_value_that_comes_back_revives_the_revision_that_is_the_latest_only() {
    let mut base = growth();
    set(&mut base, "q3", 260_i64);
    base.propagate(NOW);
    set(&mut base, "q3", 250_i64);
    // 25 was growth@1, but the latest revision is growth@2: what it was is history.
    let done = base.propagate(NOW);
    assert_eq!(refs(&base, &done.derived), ["growth@3", "label@1"]);
    assert_eq!(value(&base, "growth"), "25.0");
}

#[test]
fn what_waits_says_why() {
    let mut base = growth();
    let reason = |base: &Base, key: &str| base.pending_of(key).unwrap().reason;

    base.retract("q2", None, Fault::None, NOW).unwrap();
    assert!(base.propagate(NOW).derived.is_empty());
    assert_eq!(reason(&base, "growth"), "input `q2` is not believed");
    assert_eq!(reason(&base, "label"), "input `growth` is not believed");

    set(&mut base, "q2", 0_i64);
    assert!(base.propagate(NOW).derived.is_empty());
    let failed = reason(&base, "growth");
    assert!(failed.starts_with("rule `growth` failed: "), "{failed}");
    assert!(failed.contains("division by zero"), "{failed}");

    base.assert(Premise::new("q2", 7_i64, "human:h".parse().unwrap()), NOW)
        .unwrap();
    assert_eq!(reason(&base, "growth"), "input `q2` is disputed");
    base.retract("q2@2", None, Fault::None, NOW).unwrap();
    base.retract("q3", None, Fault::None, NOW).unwrap();
    base.remove_rule("growth", NOW).unwrap();
    base.restore("q3", NOW).unwrap();
    set(&mut base, "q3", 14_i64);
    assert!(base.propagate(NOW).derived.is_empty());
    assert_eq!(reason(&base, "growth"), "rule `growth` is not registered");

    base.set_rule("growth", &["a", "b"], "b / a", None, NOW)
        .unwrap();
    let done = base.propagate(NOW);
    assert_eq!(refs(&base, &done.derived), ["growth@2", "label@2"]);
    assert_eq!(value(&base, "growth"), "2.0");
    let reason = &base.justifications(base.current("growth").unwrap())[0];
    assert_eq!(reason.rule_version, Some(2));
    assert_eq!(
        base.rule("growth", Some(1)).unwrap().expression.text(),
        "(cur - prev) / prev * 100.0"
    );
}

#[test]
fn what_is_defeated_waits_until_it_no_longer_is() {
    let mut base = Base::default();
    base.set_rule("same", &["x"], "x", None, NOW).unwrap();
    set(&mut base, "in", 1_i64);
    let mut derivation = Derivation::new("out", "same", ["in"]);
    derivation.unless = vec!["stop".to_owned()];
    base.derive(derivation, NOW).unwrap();
    set(&mut base, "stop", true);
    set(&mut base, "in", 2_i64);
    assert!(base.propagate(NOW).derived.is_empty());
    assert_eq!(
        base.pending_of("out").unwrap().reason,
        "`stop` is believed and defeats it"
    );
    base.retract("stop", None, Fault::None, NOW).unwrap();
    // Nothing about the input changed, so only the defeater's going can have woken the rule.
    let derived = base.rerun_rules(NOW);
    assert_eq!(refs(&base, &derived), ["out@2"]);
}

#[test]
fn a_retracted_conclusion_is_not_derived_again() {
    let mut base = growth();
    base.retract("growth", None, Fault::None, NOW).unwrap();
    let done = base.propagate(NOW);
    assert!(done.derived.is_empty());
    assert_eq!(refs(&base, &[done.pending[0].belief]), ["label@1"]);
    assert_eq!(done.pending.len(), 1);
}

#[test]
fn a_rederivation_by_the_model_brings_an_equal_revision_back() {
    let mut base = Base::default();
    set(&mut base, "in", 1_i64);
    let step = |value: i64| {
        let mut step = Step::new("out", value, "model:m".parse().unwrap(), ["in"]);
        step.inputs = vec!["in".to_owned()];
        step
    };
    let first = base.justify(step(5), NOW).unwrap();
    set(&mut base, "in", 2_i64);
    assert!(base.pending_of("out").unwrap().is_ready);
    assert_eq!(base.rederive(step(5), NOW).unwrap(), first);
    assert!(base.pending().is_empty());
    set(&mut base, "in", 3_i64);
    let mut other = base.clone();
    let rederived = other.rederive(step(6), NOW).unwrap();
    assert_eq!(refs(&other, &[rederived]), ["out@2"]);
    // A claim that is no re-derivation never revives.
    let claimed = base.justify(step(5), NOW).unwrap();
    assert_eq!(refs(&base, &[claimed]), ["out@2"]);
}

#[test]
fn a_base_from_an_image_runs_its_rules_as_the_original_does() {
    let mut base = growth();
    base.take_events();
    let mut written = Writer::default();
    base.write_image(&mut written);
    let written = written.into_bytes();
    let mut copy = Base::read_image(&mut Reader::new(&written)).unwrap();
    assert_eq!(copy.dump(), base.dump());
    for base in [&mut base, &mut copy] {
        set(base, "q3", 300_i64);
        base.propagate(NOW);
    }
    assert_eq!(base.dump(), copy.dump());
    assert_eq!(base.take_events(), copy.take_events());
}

#[test]
fn a_replayed_base_runs_its_rules_as_the_original_does() {
    let mut base = growth();
    let mut copy = Base::default();
    copy.replay(&base.take_events()).unwrap();
    for base in [&mut base, &mut copy] {
        set(base, "q3", 300_i64);
        base.propagate(NOW);
    }
    assert_eq!(base.dump(), copy.dump());
    assert_eq!(base.take_events(), copy.take_events());
}

#[test]
fn a_derivation_taken_back_leaves_no_key_to_be_tried_again() {
    let mut base = growth();
    let mark = base.mark();
    derive(&mut base, "new", "growth", &["q2", "q3"]);
    base.rollback(mark);
    assert!(base.rerun_rules(NOW).is_empty());
    let mut written = Writer::default();
    base.write_image(&mut written);
    assert!(Base::read_image(&mut Reader::new(&written.into_bytes())).is_ok());
}

#[test]
fn deriving_is_refused_with_a_reason() {
    let mut base = growth();
    let before = base.dump();
    let mut refused = |key: &str, rule: &str, inputs: &[&str]| {
        let derivation = Derivation::new(key, rule, inputs.iter().copied());
        let error = base.derive(derivation, NOW).unwrap_err();
        assert_eq!(base.dump(), before);
        (error.code(), error.to_string())
    };
    assert_eq!(refused("x y", "growth", &["q2", "q3"]).0, "invalid_key");
    assert_eq!(refused("x", "growth", &["q2", "q9"]).0, "unknown_belief");
    assert_eq!(
        refused("x", "none", &["q2"]),
        (
            "invalid_argument",
            "`none` is no registered rule: register it first".to_owned()
        )
    );
    assert_eq!(
        refused("x", "growth", &["q2"]).1,
        "`inputs` of rule `growth` are 2, not 1: give one key for each parameter"
    );
    let (code, message) = refused("x", "growth", &["label", "q3"]);
    assert_eq!(code, "invalid_formula");
    assert!(
        message.starts_with("formula of `x`: rule `growth` failed: "),
        "{message}"
    );
    let error = base.set_rule("bad", &["x"], "x +", None, NOW).unwrap_err();
    assert_eq!(error.code(), "invalid_argument");
    assert!(
        error
            .to_string()
            .starts_with("`bad` is a rule that cannot be read: at column")
    );
}

#[test]
fn values_that_rules_derive_from_one_another_do_not_grow_past_what_can_be_stated() {
    let mut base = Base::default();
    let nest = format!("{}x{}", "[".repeat(60), "]".repeat(60));
    base.set_rule("nest", &["x"], &nest, None, NOW).unwrap();
    base.set_rule("double", &["x"], "x + x", None, NOW).unwrap();
    set(&mut base, "n0", 1_i64);
    derive(&mut base, "n1", "nest", &["n0"]);
    derive(&mut base, "n2", "nest", &["n1"]);
    let refused = base
        .derive(Derivation::new("n3", "nest", ["n2"]), NOW)
        .unwrap_err();
    assert_eq!(
        refused.to_string(),
        "formula of `n3`: rule `nest` failed: its value is nested deeper than 128 levels; let it \
         give less"
    );
    set(&mut base, "s0", "x".repeat(100_000));
    derive(&mut base, "s1", "double", &["s0"]);
    let refused = base
        .derive(Derivation::new("s2", "double", ["s1"]), NOW)
        .unwrap_err();
    assert!(refused.to_string().contains("more than 262144 bytes"));

    set(&mut base, "s0", "y".repeat(200_000));
    assert!(base.rerun_rules(NOW).is_empty());
    let waiting = base.pending_of("s1").unwrap();
    assert!(waiting.reason.contains("more than 262144 bytes"));
}

#[test]
fn rules_take_lists_and_objects() {
    let mut base = Base::default();
    base.set_rule(
        "pick",
        &["o", "k"],
        "o.items[0] in k ? size(k) : 0.0",
        None,
        NOW,
    )
    .unwrap();
    set(&mut base, "o", read_str(r#"{"items": ["a"]}"#).unwrap());
    set(&mut base, "k", read_str(r#"["a", "b"]"#).unwrap());
    derive(&mut base, "out", "pick", &["o", "k"]);
    assert_eq!(value(&base, "out"), "2.0");
}

#[test]
fn a_formula_reads_the_antecedents_it_names_and_must_agree() {
    let mut base = growth();
    let mut step = Step::new("g", 25_i64, "model:m".parse().unwrap(), ["q2", "q3"]);
    step.formula = Some("({q3} - {q2}) / {q2} * 100".to_owned());
    let claim = base.justify(step.clone(), NOW).unwrap();
    // A formula is a mechanical step: no reliability of the model in it.
    assert!((base.confidence(claim, NOW) - 0.95).abs() < 1e-12);
    assert_eq!(
        base.retract("g", None, Fault::Source, NOW)
            .unwrap_err()
            .to_string(),
        "`fault` of `g` lies with no source, since it was computed: retract what it rests on"
    );

    step.key = "h".to_owned();
    step.value = None;
    let computed = base.justify(step.clone(), NOW).unwrap();
    assert_eq!(base.belief(computed).unwrap().value.to_string(), "25.0");
    step.value = Some(Value::from(26_i64));
    assert_eq!(
        base.justify(step.clone(), NOW).unwrap_err().to_string(),
        "formula of `h`: it gives 25, not 26: correct one of them"
    );
    step.antecedents = Antecedents::Named(vec!["q2".to_owned()]);
    assert_eq!(
        base.justify(step.clone(), NOW).unwrap_err().to_string(),
        "formula of `h`: `q3` is not among the antecedents: add it there"
    );
    step.formula = None;
    step.value = None;
    assert_eq!(
        base.justify(step, NOW).unwrap_err().code(),
        "invalid_argument"
    );
}
