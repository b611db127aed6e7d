//! Snapshots that the library wrote, and what it says of them (`tests/snapshots`).

use std::fs;
use std::path::Path;

use entail_json::Value;
use entail_kernel::base::Base;
use entail_kernel::{Span, Time};
use entail_session::Command;

use crate::support::{Imported, State, json, time};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/snapshots");
const COUNT: usize = 19;

pub(crate) fn fixtures() -> Vec<(String, Value)> {
    let files = fs::read_dir(FOLDER)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = files
        .filter(|path| path.extension().is_some_and(|e| e == "json"))
        .collect();
    files.sort();
    assert_eq!(files.len(), COUNT);
    let read = |path: &Path| json(&fs::read_to_string(path).unwrap());
    let name = |path: &Path| path.file_stem().unwrap().to_string_lossy().into_owned();
    files.iter().map(|path| (name(path), read(path))).collect()
}

fn moments(fixture: &Value) -> impl Iterator<Item = (Time, &Value)> {
    let moments = fixture.get("moments").unwrap().as_array().unwrap();
    moments
        .iter()
        .map(|moment| (time(text(moment, "at")), moment))
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value.get(name).unwrap().as_str().unwrap()
}

/// The same as the library says, to nine decimals.
fn check(name: &str, base: &Base, at: Time, expected: &Value) {
    let beliefs = expected.get("beliefs").unwrap().as_object().unwrap();
    assert_eq!(beliefs.len(), base.len(), "{name}");
    let confidences = base.confidences(at);
    for (reference, expected) in beliefs {
        let place = format!("{name} at {at}: {reference}");
        let id = base.find(reference).expect("a belief of that ref");
        let belief = base.belief(id).unwrap();
        assert_eq!(
            belief.status.to_string(),
            text(expected, "status"),
            "{place}"
        );
        let confidence = expected.get("confidence").unwrap().as_f64().unwrap();
        let found = confidences.of(id);
        assert!(
            (confidence - found).abs() < 1e-9,
            "{place}: {found} is not {confidence}"
        );
        check_why(&place, base, id, expected.get("why_out").unwrap());
        let mut dependents: Vec<_> = base.dependents(id);
        dependents.sort_by_key(|id| base.ref_of(*id).unwrap().to_string());
        let dependents: Value = dependents
            .into_iter()
            .map(|id| base.ref_of(id).unwrap().to_string())
            .collect();
        assert_eq!(dependents, *expected.get("dependents").unwrap(), "{place}");
    }
    let state = State::of(base, at);
    let list = |texts: &[String]| texts.iter().map(String::as_str).collect::<Value>();
    assert_eq!(
        list(&state.conflicts),
        *expected.get("conflicts").unwrap(),
        "{name}"
    );
    assert_eq!(
        list(&state.stale),
        *expected.get("stale").unwrap(),
        "{name}"
    );
    for (source, expected) in expected.get("reliability").unwrap().as_object().unwrap() {
        let found = base.reliability(source, at);
        let expected = expected.as_f64().unwrap();
        assert!(
            (expected - found).abs() < 1e-9,
            "{name}: {source} has {found}, not {expected}"
        );
    }
}

/// Retracted, expired, lost and defeated alike; the words differ.
fn check_why(place: &str, base: &Base, id: entail_kernel::base::BeliefId, expected: &Value) {
    let found = base.why_out(id);
    let Some(expected) = expected.as_str() else {
        assert_eq!(found, None, "{place}");
        return;
    };
    let found = found.expect("a reason");
    let is_retracted = expected.starts_with("retracted") || expected.starts_with("superseded");
    assert_eq!(found.retracted, is_retracted, "{place}: {expected}");
    if is_retracted {
        return;
    }
    assert_eq!(found.expired, expected == "expired", "{place}: {expected}");
    let part = |name: &str| {
        let part = expected
            .split("; ")
            .find_map(|part| part.strip_prefix(name));
        let mut keys: Vec<_> = part.into_iter().flat_map(|keys| keys.split(", ")).collect();
        keys.sort_unstable();
        keys
    };
    let lost = found.lost.iter().map(|id| base.belief(*id).unwrap().key);
    let mut lost: Vec<&str> = lost.map(|key| &**key).collect();
    lost.sort_unstable();
    assert_eq!(lost, part("lost support: "), "{place}: {expected}");
    let mut by: Vec<&str> = found.defeated_by.iter().map(|key| &**key).collect();
    by.sort_unstable();
    assert_eq!(by, part("defeated by: "), "{place}: {expected}");
}

#[test]
fn labels_confidences_and_reasons_are_the_librarys_whenever_it_is_imported() {
    for (name, fixture) in fixtures() {
        for (at, expected) in moments(&fixture) {
            let imported = Imported::from(fixture.get("snapshot").unwrap(), at);
            assert_eq!(imported.session.last_commit_at(), at, "{name}");
            check(&name, imported.session.base(), at, expected);
        }
    }
}

#[test]
fn a_session_that_grows_older_goes_the_librarys_way() {
    for (name, fixture) in fixtures() {
        let (start, _) = moments(&fixture).next().unwrap();
        let mut imported = Imported::from(fixture.get("snapshot").unwrap(), start);
        for (at, expected) in moments(&fixture).skip(1) {
            let session = &mut imported.session;
            if session.needs_refresh(at) {
                session.execute(Command::Refresh, at).unwrap();
                session.confirm();
            }
            check(&name, session.base(), at, expected);
        }
    }
}

#[test]
fn a_session_cannot_begin_before_what_it_goes_on_from() {
    for (name, fixture) in fixtures() {
        let imported = Imported::from(fixture.get("snapshot").unwrap(), Time::EPOCH);
        let at = imported.session.last_commit_at();
        let (start, _) = moments(&fixture).next().unwrap();
        assert!(at <= start, "{name}");
        assert!(at >= time("2026-01-01T00:00:00Z"), "{name}");
        let later = imported
            .session
            .base()
            .beliefs()
            .find(|belief| belief.created_at > at);
        assert!(later.is_none(), "{name}");
    }
}

#[test]
fn a_snapshot_goes_back_as_it_came() {
    for (name, fixture) in fixtures() {
        let (at, _) = moments(&fixture).next().unwrap();
        let snapshot = fixture.get("snapshot").unwrap();
        let written = Imported::from(snapshot, at).write();
        assert_eq!(written.apart, Vec::<String>::new(), "{name}");
        for member in ["format", "version", "documents", "history"] {
            assert_eq!(
                written.snapshot.get(member),
                snapshot.get(member),
                "{name}: {member}"
            );
        }
        for list in ["beliefs", "justifications"] {
            let (given, back) = (items(snapshot, list), items(&written.snapshot, list));
            assert_eq!(given.len(), back.len(), "{name}: {list}");
            for (given, back) in given.iter().zip(back) {
                assert_eq!(whole_times(given), whole_times(back), "{name}: {list}");
            }
        }
        let ledger = |value: &Value| value.get("ledger").unwrap().clone();
        assert_eq!(ledger(&written.snapshot), ledger(snapshot), "{name}");
    }
}

fn items<'a>(snapshot: &'a Value, name: &str) -> &'a [Value] {
    snapshot.get(name).unwrap().as_array().unwrap()
}

/// The value with its times written alike: the library leaves out a fraction that is zero.
fn whole_times(value: &Value) -> Value {
    match value {
        Value::String(text) if text.ends_with("+00:00") => time(text).to_string().into(),
        Value::Array(items) => items.iter().map(whole_times).collect(),
        Value::Object(object) => {
            let members = object.iter();
            let members = members.map(|(name, value)| (name.to_owned(), whole_times(value)));
            members.collect::<entail_json::Object>().into()
        }
        other => other.clone(),
    }
}

#[test]
fn the_journal_of_an_import_gives_the_same_session_and_trace() {
    for (name, fixture) in fixtures() {
        let (at, _) = moments(&fixture).next().unwrap();
        let imported = Imported::from(fixture.get("snapshot").unwrap(), at);
        assert_eq!(imported.journal.len(), 1, "{name}");
        assert_eq!(imported.journal[0].kind, "import", "{name}");
        let replayed = imported.replayed();
        assert_eq!(
            replayed.base().dump(),
            imported.session.base().dump(),
            "{name}"
        );
        assert_eq!(
            replayed.chain_head(),
            imported.session.chain_head(),
            "{name}"
        );
        let events = replayed.trace_events();
        assert_eq!(events, imported.session.trace_events(), "{name}");
        assert!(!events.is_empty(), "{name}");
    }
}

#[test]
fn what_was_imported_twice_is_the_same_and_teaches_nobody() {
    for (name, fixture) in fixtures() {
        let (at, _) = moments(&fixture).next().unwrap();
        let later = at.saturating_add(Span::from_micros(3_000_000));
        let once = Imported::from(fixture.get("snapshot").unwrap(), at);
        let twice = Imported::from(&once.write().snapshot, later);
        let there = State::of(twice.session.base(), later);
        let mut once = once;
        if once.session.needs_refresh(later) {
            once.session.execute(Command::Refresh, later).unwrap();
            once.session.confirm();
        }
        assert_eq!(State::of(once.session.base(), later), there, "{name}");
    }
}
