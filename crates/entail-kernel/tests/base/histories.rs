//! Generated histories: against the naive reference, undone, replayed, and taken back.

use std::collections::BTreeSet;

use entail_json::Value;
use entail_kernel::Base;
use entail_kernel::Span;
use entail_kernel::base::{BeliefId, Event, Fault, Settings, Status};
use entail_kernel::confidence::LedgerSettings;
use entail_kernel::image::{Reader, Writer};
use proptest::prelude::*;

use crate::naive::Naive;
use crate::steps::{Clocked, Operation, history};

/// Compares everything that a base says with what the reference says.
fn agree(clocked: &Clocked, naive: &Naive) -> Result<(), TestCaseError> {
    let (base, now) = (&clocked.base, clocked.now);
    let name = |belief: BeliefId| base.ref_of(belief).unwrap().to_string();
    prop_assert_eq!(base.len(), naive.beliefs.len());
    let confidences = base.confidences(now);
    let expected = naive.confidences();
    for (at, belief) in base.beliefs().enumerate() {
        let other = &naive.beliefs[at];
        prop_assert_eq!(&belief.reference().to_string(), &other.name);
        prop_assert_eq!(belief.is_in(), other.is_in, "{}", other.name);
        let found = confidences.of(belief.id);
        prop_assert!(
            (found - expected[at]).abs() < 1e-12,
            "{} {found} {}",
            other.name,
            expected[at]
        );
        prop_assert_eq!(found, base.confidence(belief.id, now));

        let support = confidences.support(belief.id);
        prop_assert_eq!(support, base.supporting(belief.id, now));
        prop_assert_eq!(support.is_some(), other.is_in);
        if let Some(support) = support {
            let support = base.justification(support).unwrap();
            prop_assert!(support.is_valid && support.belief == belief.id);
        }

        let dependents: BTreeSet<_> = base.dependents(belief.id).into_iter().map(name).collect();
        let mut expected = naive.dependents(at);
        expected.remove(&at);
        let expected: BTreeSet<_> = expected
            .iter()
            .map(|id| naive.beliefs[*id].name.clone())
            .collect();
        prop_assert_eq!(dependents, expected);

        match base.why_out(belief.id) {
            None => prop_assert!(other.is_in),
            Some(why) => {
                let lost = why.lost.iter().map(|id| name(*id)).collect();
                let by = why.defeated_by.iter().map(ToString::to_string).collect();
                let found = (why.retracted, why.expired, lost, by);
                prop_assert_eq!(found, naive.why_out(at), "{}", &other.name);
            }
        }
    }
    for key in base.keys() {
        prop_assert_eq!(base.is_disputed(key), naive.is_disputed(key));
    }
    let stale: BTreeSet<_> = base.stale().into_iter().map(name).collect();
    prop_assert_eq!(stale, naive.stale());
    for source in [
        "tool:a",
        "tool:b",
        "human:h",
        "document:d",
        "assumption:u",
        "model:m",
    ] {
        let (found, expected) = (
            base.reliability(source, now),
            naive.reliability(source, None),
        );
        prop_assert!(
            (found - expected).abs() < 1e-12,
            "{source} {found} {expected}"
        );
    }
    supports_never_lead_in_a_circle(base, &confidences)
}

fn supports_never_lead_in_a_circle(
    base: &Base,
    confidences: &entail_kernel::confidence::Confidences,
) -> Result<(), TestCaseError> {
    for belief in base.all_in() {
        let mut seen = BTreeSet::new();
        let mut open = vec![belief];
        while let Some(next) = open.pop() {
            let support = base
                .justification(confidences.support(next).unwrap())
                .unwrap();
            let rest = support
                .antecedents
                .map_or_else(Vec::new, |set| base.antecedents(set));
            for antecedent in rest {
                prop_assert_ne!(antecedent, belief);
                if seen.insert(antecedent) {
                    open.push(antecedent);
                }
            }
        }
    }
    Ok(())
}

fn with_memory(half_life: Option<i64>) -> (Clocked, Naive) {
    let settings = Settings {
        ledger: LedgerSettings {
            memory_half_life: half_life.map(|half_life| Span::from_micros(half_life * 1_000_000)),
            ..LedgerSettings::default()
        },
        ..Settings::default()
    };
    let clocked = Clocked {
        base: Base::new(settings),
        ..Clocked::default()
    };
    let naive = Naive {
        memory_half_life: half_life,
        ..Naive::default()
    };
    (clocked, naive)
}

fn image(base: &Base) -> Vec<u8> {
    let mut writer = Writer::default();
    base.write_image(&mut writer);
    writer.into_bytes()
}

/// Everything that happened, through its JSON.
fn told(base: &mut Base) -> Vec<Event> {
    let events = base.take_events();
    let read = events
        .iter()
        .map(|event| Event::from_json(&event.to_json()).unwrap());
    let read: Vec<_> = read.collect();
    assert_eq!(read, events);
    read
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_base_agrees_with_the_naive_reference_after_every_operation(
        operations in history(60),
        half_life in proptest::option::of(5..40_i64),
    ) {
        let (mut clocked, mut naive) = with_memory(half_life);
        for operation in &operations {
            let before = clocked.base.dump();
            let events = clocked.base.clone().take_events().len();
            let found = clocked.perform(operation);
            let expected = naive.perform(operation);
            match (&found, &expected) {
                (Ok(found), Ok(expected)) => {
                    let found: Vec<_> = found.iter().map(|id| id.number() as usize).collect();
                    prop_assert_eq!(&found, expected);
                }
                (Err(found), Err(expected)) => {
                    prop_assert_eq!(&found.code(), expected, "{}", found);
                    prop_assert_eq!(&clocked.base.dump(), &before);
                    prop_assert_eq!(clocked.base.clone().take_events().len(), events);
                }
                _ => prop_assert!(false, "{operation:?}: {found:?}, not {expected:?}"),
            }
            for belief in clocked.base.beliefs() {
                let expected = naive.beliefs[belief.id.number() as usize].is_in;
                prop_assert_eq!(belief.is_in(), expected, "{} {:?}", belief.reference(), operation);
            }
        }
        agree(&clocked, &naive)?;
    }

    #[test]
    fn a_rollback_leaves_no_trace(
        first in history(25),
        undone in history(25),
        nested in history(10),
        last in history(15),
    ) {
        let mut clocked = Clocked::default();
        for operation in &first {
            let _ = clocked.perform(operation);
        }
        let mut untouched = clocked.clone();
        let before = clocked.base.dump();

        let mark = clocked.base.mark();
        for operation in &undone {
            let _ = clocked.perform(operation);
        }
        let middle = clocked.base.dump();
        let inner = clocked.base.mark();
        for operation in &nested {
            let _ = clocked.perform(operation);
        }
        clocked.base.rollback(inner);
        prop_assert_eq!(clocked.base.dump(), middle);
        clocked.base.rollback(mark);
        clocked.now = untouched.now;
        prop_assert_eq!(clocked.base.dump(), before);

        for operation in &last {
            prop_assert_eq!(clocked.perform(operation), untouched.perform(operation));
        }
        prop_assert_eq!(clocked.base.dump(), untouched.base.dump());
        prop_assert_eq!(told(&mut clocked.base), told(&mut untouched.base));
    }

    #[test]
    fn changes_since_a_mark_are_those_of_the_labels(first in history(30), then in history(10)) {
        let mut clocked = Clocked::default();
        for operation in &first {
            let _ = clocked.perform(operation);
        }
        let before = clocked.base.clone();
        let mark = clocked.base.mark();
        for operation in &then {
            let _ = clocked.perform(operation);
        }
        let changes = clocked.base.changes(&mark);
        let expected: Vec<_> = clocked
            .base
            .beliefs()
            .filter(|belief| belief.is_in() != before.is_in(belief.id))
            .map(|belief| (belief.id, belief.status))
            .collect();
        let found: Vec<_> = changes.iter().map(|change| (change.belief, change.status)).collect();
        prop_assert_eq!(found, expected);
        prop_assert!(changes.iter().all(|change| !change.reason.is_empty()));
        clocked.base.commit(mark);
    }

    #[test]
    fn a_replay_gives_the_same_base_whole_or_in_parts(
        operations in history(60),
        parts in proptest::collection::vec(1..20_usize, 1..8),
    ) {
        let mut clocked = Clocked::default();
        for operation in &operations {
            let _ = clocked.perform(operation);
        }
        let events = told(&mut clocked.base);
        let dump = clocked.base.dump();

        let mut whole = Base::default();
        whole.replay(&events).unwrap();
        prop_assert_eq!(whole.dump(), dump.clone());
        prop_assert!(whole.take_events().is_empty());

        let mut piecewise = Base::default();
        let (mut rest, mut sizes) = (events.as_slice(), parts.iter().cycle());
        while !rest.is_empty() {
            let (now, later) = rest.split_at(rest.len().min(*sizes.next().unwrap()));
            piecewise.replay(now).unwrap();
            rest = later;
        }
        prop_assert_eq!(piecewise.dump(), dump);
    }

    #[test]
    fn an_image_gives_the_same_base_and_goes_on_as_it_would(
        operations in history(60),
        later in history(12),
    ) {
        let mut clocked = Clocked::default();
        for operation in &operations {
            let _ = clocked.perform(operation);
        }
        clocked.base.take_events();
        let written = image(&clocked.base);
        let mut copy = Clocked { base: Base::read_image(&mut Reader::new(&written)).unwrap(), ..clocked.clone() };
        prop_assert_eq!(copy.base.dump(), clocked.base.dump());
        prop_assert_eq!(image(&copy.base), written);
        for operation in &later {
            prop_assert_eq!(copy.perform(operation), clocked.perform(operation));
            prop_assert_eq!(copy.base.events(), clocked.base.events());
        }
        prop_assert_eq!(copy.base.dump(), clocked.base.dump());
        let now = clocked.now;
        for belief in clocked.base.beliefs() {
            prop_assert_eq!(copy.base.confidence(belief.id, now), clocked.base.confidence(belief.id, now));
        }
    }

    #[test]
    fn a_damaged_image_is_refused_or_read_without_panic(
        operations in history(30),
        at in any::<prop::sample::Index>(),
        byte in any::<u8>(),
        is_cut in any::<bool>(),
    ) {
        let mut clocked = Clocked::default();
        for operation in &operations {
            let _ = clocked.perform(operation);
        }
        let mut image = image(&clocked.base);
        let at = at.index(image.len());
        if is_cut {
            image.truncate(at);
            prop_assert!(Base::read_image(&mut Reader::new(&image)).is_err());
            return Ok(());
        }
        image[at] ^= byte;
        if let Ok(base) = Base::read_image(&mut Reader::new(&image)) {
            let _ = (base.dump(), base.confidences(clocked.now));
        }
    }

    #[test]
    fn a_damaged_journal_is_refused_whole_or_applied_without_panic(
        operations in history(40),
        at in any::<prop::sample::Index>(),
        damage in 0..3_u8,
    ) {
        let mut clocked = Clocked::default();
        for operation in &operations {
            let _ = clocked.perform(operation);
        }
        let mut events = told(&mut clocked.base);
        if events.is_empty() {
            return Ok(());
        }
        let at = at.index(events.len());
        match damage {
            0 => { events.remove(at); }
            1 => { let again = events[at].clone(); events.insert(at, again); }
            _ => events.swap(at, 0),
        }
        let mut base = Base::default();
        let empty = base.dump();
        if let Err(error) = base.replay(&events) {
            prop_assert!(!error.to_string().is_empty());
            prop_assert_eq!(base.dump(), empty);
        }
    }

    #[test]
    fn retracting_and_restoring_a_ref_is_the_identity_on_labels(
        operations in history(50),
        which in any::<prop::sample::Index>(),
    ) {
        let mut clocked = Clocked::default();
        for operation in &operations {
            let _ = clocked.perform(operation);
        }
        let (base, now) = (&mut clocked.base, clocked.now);
        let standing: Vec<_> = base.beliefs().filter(|b| b.retraction.is_none()).map(|b| b.id).collect();
        if standing.is_empty() {
            return Ok(());
        }
        let labels = |base: &Base| base.beliefs().map(|b| b.status).collect::<Vec<Status>>();
        let before = labels(base);
        let target = base.ref_of(standing[which.index(standing.len())]).unwrap().to_string();
        base.retract(&target, None, Fault::None, now).unwrap();
        prop_assert!(!base.is_in(base.find(&target).unwrap()));
        base.restore(&target, now).unwrap();
        prop_assert_eq!(labels(base), before);
    }

    #[test]
    fn shared_sets_mean_the_same_as_lists(
        operations in history(30),
        chain in proptest::collection::vec(any::<prop::sample::Index>(), 1..6),
        gone in any::<prop::sample::Index>(),
    ) {
        use entail_kernel::base::{Antecedents, Step};
        let mut clocked = Clocked::default();
        for operation in &operations {
            let _ = clocked.perform(operation);
        }
        let visible = clocked.base.visible();
        if visible.is_empty() {
            return Ok(());
        }
        let mut listed = clocked.clone();
        let now = clocked.now;
        let (mut set, mut list) = (None, Vec::new());
        for (n, next) in chain.iter().enumerate() {
            let more = visible[next.index(visible.len())];
            let mut step = Step::new(format!("new{n}"), true, "model:m".parse().unwrap(), [""; 0]);
            set = clocked.base.antecedent_set(set, &[more]).unwrap();
            list.push(more);
            step.antecedents = Antecedents::Set(set.unwrap());
            let one = clocked.base.justify(step.clone(), now).unwrap();
            step.antecedents = Antecedents::Beliefs(list.clone());
            let other = listed.base.justify(step, now).unwrap();
            prop_assert_eq!(one, other);
            set = clocked.base.antecedent_set(set, &[one]).unwrap();
            list.push(other);
        }
        let target = clocked.base.ref_of(visible[gone.index(visible.len())]).unwrap().to_string();
        for clocked in [&mut clocked, &mut listed] {
            clocked.base.retract(&target, None, Fault::None, now).unwrap();
        }
        prop_assert_eq!(clocked.base.all_in(), listed.base.all_in());
        let (one, other) = (clocked.base.confidences(now), listed.base.confidences(now));
        for belief in clocked.base.all_in() {
            prop_assert_eq!(one.of(belief), other.of(belief));
        }
        for belief in clocked.base.beliefs() {
            prop_assert_eq!(clocked.base.why_out(belief.id), listed.base.why_out(belief.id));
            let dependents = clocked.base.dependents(belief.id);
            prop_assert_eq!(dependents, listed.base.dependents(belief.id));
        }
    }

    #[test]
    fn proofs_of_anything_render_and_hold_when_everything_is_believed(operations in history(50)) {
        let mut clocked = Clocked::default();
        for operation in &operations {
            let _ = clocked.perform(operation);
        }
        let (base, now) = (&clocked.base, clocked.now);
        let all: Vec<_> = base.beliefs().map(|belief| belief.id).collect();
        let proof = base.proof(&all, now);
        prop_assert_eq!(proof.len(), all.len());
        let found = proof.check(&());
        for belief in base.beliefs() {
            let is_fault = found
                .of(entail_kernel::proof::check::Check::Structure)
                .any(|finding| finding.belief == belief.id);
            prop_assert_eq!(is_fault, !belief.is_in());
        }
        let confidences = base.confidences(now);
        for step in proof.steps() {
            prop_assert_eq!(step.confidence, confidences.of(step.belief.id));
        }
        for root in base.all_in() {
            let proof = base.proof(&[root], now);
            let mut seen = BTreeSet::new();
            for step in proof.steps() {
                prop_assert!(step.belief.is_in());
                let set = step.justification.unwrap().antecedents;
                let antecedents = set.map_or_else(Vec::new, |set| base.antecedents(set));
                prop_assert!(antecedents.iter().all(|id| seen.contains(id)), "dependency order");
                seen.insert(step.belief.id);
            }
            prop_assert_eq!(proof.diff(&proof).to_json(), Base::default().proof(&[], now).diff(&Base::default().proof(&[], now)).to_json());
        }
        let texts = [proof.to_text(), proof.to_mermaid(), proof.to_dot()];
        prop_assert!(texts.iter().all(|text| all.is_empty() || text.lines().count() >= all.len()));
        prop_assert!(matches!(proof.to_json(), Value::Object(_)));
    }
}

#[test]
fn operations_are_generated_that_succeed_and_that_fail() {
    use proptest::strategy::ValueTree as _;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut codes = std::collections::BTreeMap::<&str, usize>::new();
    for _ in 0..200 {
        let operations: Vec<Operation> = history(60).new_tree(&mut runner).unwrap().current();
        let mut clocked = Clocked::default();
        for operation in &operations {
            let code = clocked
                .perform(operation)
                .map_or_else(|error| error.code(), |_| "ok");
            *codes.entry(code).or_default() += 1;
        }
    }
    for code in [
        "ok",
        "circular_defeat",
        "not_believed",
        "unknown_belief",
        "unresolved_conflict",
        "no_conflict",
    ] {
        assert!(
            codes.get(code).is_some_and(|count| *count > 20),
            "{code}: {codes:?}"
        );
    }
}
