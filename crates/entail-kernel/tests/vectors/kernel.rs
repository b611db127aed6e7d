//! `kernel.jsonl`: sequences of operations, with what is believed after each.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use entail_json::{Value, read_str};
use entail_kernel::base::{
    BaseError, BeliefId, Disputed, Expiry, Fault, Lesson, Premise, Settings, Settlement, Step,
};
use entail_kernel::confidence::LedgerSettings;
use entail_kernel::{Base, Span, Time};
use libtest_mimic::{Failed, Trial};

const CASES: &str = include_str!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../tests/vectors/kernel.jsonl"
));

pub(crate) fn trials() -> Vec<Trial> {
    let cases: Vec<Value> = CASES.lines().map(|line| read_str(line).unwrap()).collect();
    let count = cases.len();
    let mut trials = vec![Trial::test("kernel::no_case_is_left_out", move || {
        (count == 120)
            .then_some(())
            .ok_or_else(|| format!("{count} cases").into())
    })];
    trials.extend(cases.into_iter().map(|case| {
        let name = format!("kernel::{}", text_of(&case, "id"));
        Trial::test(name, move || run(&case))
    }));
    trials
}

fn run(case: &Value) -> Result<(), Failed> {
    let mut now: Time = text_of(case, "start").parse()?;
    let ledger = case.get("ledger").ok_or("ledger")?;
    let mut base = Base::new(Settings {
        ledger: LedgerSettings {
            prior_weight: number_of(ledger, "prior_weight").ok_or("prior_weight")?,
            memory_half_life: number_of(ledger, "memory_half_life_s").and_then(Span::from_seconds),
        },
        ..Settings::default()
    });
    let mut events = Vec::new();
    let steps = case.get("steps").and_then(Value::as_array).ok_or("steps")?;
    for (at, step) in steps.iter().enumerate() {
        let before = base.dump();
        let found = perform(&mut base, step, &mut now);
        let given = step.get("expect").ok_or("expect")?;
        compare(&base, &found, given).map_err(|problem| format!("step {at}: {problem}"))?;
        let told = base.take_events();
        if found.is_err() && (base.dump() != before || !told.is_empty()) {
            return Err(format!("step {at}: failed, yet changed something").into());
        }
        events.extend(told);
    }
    let last = case.get("final").ok_or("final")?;
    finally(&base, last, now)?;

    let mut copy = Base::default();
    copy.replay(&events)?;
    if copy.dump() != base.dump() {
        return Err("a replay gives something else".into());
    }
    Ok(())
}

/// Performs a step; gives what it says about refs.
fn perform(base: &mut Base, step: &Value, now: &mut Time) -> Result<Found, BaseError> {
    let text = |name: &str| text_of(step, name);
    match text("op") {
        "assert" => {
            let mut source: entail_kernel::base::Source = text("source").parse().unwrap();
            source.origin = step.get("origin").and_then(Value::as_str).map(Into::into);
            let mut premise = Premise::new(text("key"), step.get("value").unwrap().clone(), source);
            premise.confidence = number_of(step, "confidence");
            premise.supersede = step.get("supersede").and_then(Value::as_bool) == Some(true);
            let span = |name| number_of(step, name).and_then(Span::from_seconds);
            premise.expiry = span("ttl_s").map(Expiry::After);
            premise.half_life = span("half_life_s");
            base.assert(premise, *now)
                .map(|asserted| Found::Ref(asserted.belief))
        }
        "justify" => {
            let mut given = Step::new(
                text("key"),
                step.get("value").unwrap().clone(),
                text("source").parse().unwrap(),
                texts_of(step, "antecedents"),
            );
            given.confidence = number_of(step, "confidence");
            given.unless = texts_of(step, "unless");
            base.justify(given, *now).map(Found::Ref)
        }
        "retract" => {
            let fault = match step.get("fault").and_then(Value::as_str) {
                Some("source") => Fault::Source,
                _ => Fault::None,
            };
            base.retract(text("target"), None, fault, *now)
                .map(Found::Retracted)
        }
        "restore" => base.restore(text("target"), *now).map(Found::Ref),
        "outcome" => {
            let correct = step.get("correct").and_then(Value::as_bool) == Some(true);
            base.outcome(text("source"), correct, Lesson::Told, *now)?;
            Ok(Found::Nothing)
        }
        "resolve" => {
            let disputed = Disputed::Key(text("key"));
            let sides = base.conflict(disputed).map(|conflict| conflict.sides);
            let sides = sides.unwrap_or_default();
            let wanted = step.get("keep").and_then(Value::as_u64).unwrap() as usize;
            let keep = sides.get(wanted % sides.len().max(1));
            let settlement = Settlement {
                keep: keep
                    .into_iter()
                    .map(|side| base.ref_of(*side).unwrap().to_string())
                    .collect(),
                learn: step.get("learn").and_then(Value::as_bool) == Some(true),
                ..Settlement::default()
            };
            let resolved = base.resolve(disputed, &settlement, *now)?;
            Ok(Found::Resolved(resolved.kept, resolved.retracted))
        }
        "advance" => {
            let seconds = number_of(step, "seconds").and_then(Span::from_seconds);
            *now = now.checked_add(seconds.unwrap()).unwrap();
            base.refresh(*now);
            Ok(Found::Nothing)
        }
        other => panic!("operation `{other}` is not known here"),
    }
}

enum Found {
    Nothing,
    Ref(BeliefId),
    Retracted(Vec<BeliefId>),
    Resolved(Vec<BeliefId>, Vec<BeliefId>),
}

fn compare(base: &Base, found: &Result<Found, BaseError>, given: &Value) -> Result<(), String> {
    let refs = |beliefs: &[BeliefId]| Value::from(refs(base, beliefs));
    let mut told = vec![("in", refs(&base.all_in()))];
    match found {
        Err(error) => told.push(("error", error.code().into())),
        Ok(Found::Nothing) => {}
        Ok(Found::Ref(belief)) => {
            told.push(("ref", refs(&[*belief]).as_array().unwrap()[0].clone()))
        }
        Ok(Found::Retracted(gone)) => told.push(("retracted", refs(gone))),
        Ok(Found::Resolved(kept, gone)) => {
            told.push(("retracted", refs(gone)));
            told.push(("kept", refs(kept).as_array().unwrap()[0].clone()));
        }
    }
    let told: Value = entail_json::Object::from_iter(
        told.into_iter()
            .map(|(name, value)| (name.to_owned(), value)),
    )
    .into();
    if told == *given {
        Ok(())
    } else {
        Err(format!("{told}, not {given}"))
    }
}

fn finally(base: &Base, last: &Value, now: Time) -> Result<(), Failed> {
    let all = base.confidences(now);
    let confidences = last
        .get("confidence")
        .and_then(Value::as_object)
        .ok_or("confidence")?;
    if confidences.len() != base.len() {
        return Err(format!("{} beliefs, not {}", base.len(), confidences.len()).into());
    }
    for (name, given) in confidences {
        let belief = base.find(name).ok_or("ref")?;
        let alone = base.confidence(belief, now);
        let given = given.as_f64().unwrap();
        if !agree(all.of(belief), given) || !agree(alone, given) {
            return Err(format!("confidence of {name}: {alone}, not {given}").into());
        }
        let support = all.support(belief);
        if support != base.supporting(belief, now) || support.is_some() != base.is_in(belief) {
            return Err(format!("support of {name}: {support:?}").into());
        }
    }
    let reliabilities = last
        .get("reliability")
        .and_then(Value::as_object)
        .ok_or("reliability")?;
    for (name, given) in reliabilities {
        let found = base.reliability(name, now);
        if !agree(found, given.as_f64().unwrap()) {
            return Err(format!("reliability of {name}: {found}, not {given}").into());
        }
    }
    let conflicts = base.conflicts().into_iter().map(|conflict| {
        assert!(conflict.sides.len() > 1);
        conflict.kind.disputed().name().to_owned()
    });
    same(
        "conflicts",
        conflicts.collect(),
        texts_of(last, "conflicts"),
    )?;
    same("stale", refs(base, &base.stale()), texts_of(last, "stale"))?;

    let dependents = last
        .get("dependents")
        .and_then(Value::as_object)
        .ok_or("dependents")?;
    for (name, _) in dependents {
        let belief = base.find(name).ok_or("ref")?;
        let found = refs(base, &base.dependents(belief));
        same(
            &format!("dependents of {name}"),
            found,
            texts_of(last.get("dependents").unwrap(), name),
        )?;
    }
    let why_out = last
        .get("why_out")
        .and_then(Value::as_object)
        .ok_or("why_out")?;
    for belief in base.beliefs() {
        let name = belief.reference().to_string();
        let found = base.why_out(belief.id).map(|why| {
            let mut told = entail_json::Object::new();
            if why.retracted {
                told.insert("retracted", true.into());
            }
            if why.expired {
                told.insert("expired", true.into());
            }
            let lost = why
                .lost
                .iter()
                .map(|id| base.belief(*id).unwrap().key.to_string());
            let lost = std::collections::BTreeSet::from_iter(lost);
            if !lost.is_empty() {
                told.insert("lost", lost.into_iter().collect());
            }
            let by = why.defeated_by.iter().map(ToString::to_string);
            let by = std::collections::BTreeSet::from_iter(by);
            if !by.is_empty() {
                told.insert("defeated_by", by.into_iter().collect());
            }
            Value::from(told)
        });
        if found.as_ref() != why_out.get(&name) {
            return Err(
                format!("why {name} is out: {found:?}, not {:?}", why_out.get(&name)).into(),
            );
        }
    }
    Ok(())
}

/// The same texts in whatever order.
fn same(what: &str, mut found: Vec<String>, mut given: Vec<String>) -> Result<(), Failed> {
    found.sort_unstable();
    given.sort_unstable();
    if found == given {
        Ok(())
    } else {
        Err(format!("{what}: {found:?}, not {given:?}").into())
    }
}

/// Nine decimals are given.
fn agree(found: f64, given: f64) -> bool {
    (found - given).abs() <= 0.5000001e-9
}

fn refs(base: &Base, beliefs: &[BeliefId]) -> Vec<String> {
    beliefs
        .iter()
        .map(|id| base.ref_of(*id).unwrap().to_string())
        .collect()
}

fn text_of<'a>(value: &'a Value, name: &str) -> &'a str {
    value.get(name).and_then(Value::as_str).unwrap()
}

fn number_of(value: &Value, name: &str) -> Option<f64> {
    value.get(name).and_then(Value::as_f64)
}

fn texts_of(value: &Value, name: &str) -> Vec<String> {
    value
        .get(name)
        .and_then(Value::as_array)
        .unwrap_or_default()
        .iter()
        .map(|item| item.as_str().unwrap().to_owned())
        .collect()
}
