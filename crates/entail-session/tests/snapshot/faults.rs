//! What is no snapshot, or not one that fits: every fault is named.

use entail_json::{Object, Value};
use entail_kernel::Time;
use entail_kernel::base::{Premise, Source};
use entail_kernel::confidence::Totals;
use entail_session::{
    Command, CommandError, Limits, Opening, Session, Snapshot, SnapshotError, write_snapshot,
};

use crate::fixtures::fixtures;
use crate::support::{ID, json};

/// A snapshot of two premises and what follows from them.
fn sound() -> Value {
    let (_, fixture) = fixtures()
        .into_iter()
        .find(|(name, _)| name == "every-detail")
        .unwrap();
    fixture.get("snapshot").unwrap().clone()
}

/// The snapshot with another value at a JSON pointer.
fn with(mut snapshot: Value, pointer: &str, value: Value) -> Value {
    let mut place = &mut snapshot;
    let mut parts = pointer.split('/').skip(1).peekable();
    while let Some(part) = parts.next() {
        match place {
            Value::Array(items) => place = &mut items[part.parse::<usize>().unwrap()],
            Value::Object(object) => {
                if parts.peek().is_none() {
                    object.insert(part, value);
                    return snapshot;
                }
                place = object.get_mut(part).unwrap();
            }
            _ => panic!("`{part}` leads nowhere"),
        }
    }
    *place = value;
    snapshot
}

fn faults(snapshot: &Value) -> Vec<(String, String)> {
    let faults = Snapshot::read(snapshot, &Limits::default()).unwrap_err();
    let fault = |fault: entail_session::Fault| (fault.pointer, fault.message);
    faults.0.into_iter().map(fault).collect()
}

#[test]
fn every_fault_is_told_with_its_place() {
    let cases = [
        (
            "/format",
            r#""other""#,
            "/format",
            "only `corollary.beliefbase`",
        ),
        ("/version", "1", "/version", "only version 2"),
        ("/surprise", "1", "/surprise", "not known here"),
        (
            "/beliefs/0/surprise",
            "1",
            "/beliefs/0/surprise",
            "not known here",
        ),
        (
            "/beliefs/0/belief/key",
            r#""a b""#,
            "/beliefs/0/belief/key",
            "white space",
        ),
        (
            "/beliefs/0/belief/revision",
            "2",
            "/beliefs/0/belief/revision",
            "comes next",
        ),
        (
            "/beliefs/0/belief/created_at",
            r#""2026-01-01T00:00:00""#,
            "/beliefs/0/belief/created_at",
            "offset",
        ),
        (
            "/beliefs/1/belief/confidence",
            "1.5",
            "/beliefs/1/belief/confidence",
            "0 to 1",
        ),
        (
            "/beliefs/1/belief/source/kind",
            r#""oracle""#,
            "/beliefs/1/belief/source/kind",
            "`oracle`",
        ),
        (
            "/justifications/0/source/detail/shade",
            "1",
            "/justifications/0/source/detail/shade",
            "not known here",
        ),
        (
            "/justifications/1/id",
            r#""j1""#,
            "/justifications/1/id",
            "twice",
        ),
        (
            "/justifications/1/conclusion",
            r#""z@1""#,
            "/justifications/1/conclusion",
            "`z@1`",
        ),
        (
            "/justifications/4/antecedents/0",
            r#""z@9""#,
            "/justifications/4/antecedents/0",
            "`z@9`",
        ),
        (
            "/justifications/4/rule",
            "null",
            "/justifications/4/rule",
            "no rule",
        ),
        (
            "/justifications/5/rule",
            r#""double""#,
            "/justifications/5/rule",
            "`double`",
        ),
        (
            "/justifications/0/unless",
            r#"["a"]"#,
            "/justifications/0/kind",
            "premise",
        ),
        (
            "/justifications/0/source",
            "null",
            "/justifications/0/source",
            "missing",
        ),
        (
            "/justifications/0/half_life",
            "-1",
            "/justifications/0/half_life",
            "positive",
        ),
        (
            "/justifications/0/kind",
            r#""guess""#,
            "/justifications/0/kind",
            "`guess`",
        ),
        ("/ledger/max_history", "5", "/ledger/max_history", "10000"),
        ("/ledger/version", "2", "/ledger/version", "version 1"),
        (
            "/ledger/prior_weight",
            "0",
            "/ledger/prior_weight",
            "positive",
        ),
        (
            "/ledger/outcomes/nobody",
            "[]",
            "/ledger/outcomes/nobody",
            "`nobody`",
        ),
        (
            "/ledger/outcomes/tool:x",
            "[[1]]",
            "/ledger/outcomes/tool:x/0",
            "a time",
        ),
        ("/documents/10-K", "7", "/documents/10-K", "a string"),
        ("/history/0/at", r#""today""#, "/history/0/at", "`today`"),
    ];
    for (pointer, value, place, words) in cases {
        let found = faults(&with(sound(), pointer, json(value)));
        let is_told = found
            .iter()
            .any(|(at, message)| at == place && message.contains(words));
        assert!(is_told, "{pointer}: {found:?}");
    }
}

#[test]
fn faults_are_told_all_at_once_but_not_without_end() {
    let two = with(sound(), "/ledger/version", json("2"));
    let two = with(two, "/beliefs/0/belief/key", json(r#""""#));
    let places: Vec<_> = faults(&two).into_iter().map(|(at, _)| at).collect();
    assert!(places.contains(&"/ledger/version".to_owned()), "{places:?}");
    assert!(
        places.contains(&"/beliefs/0/belief/key".to_owned()),
        "{places:?}"
    );

    let many: Value = (0..100_000).map(|_| Value::Null).collect();
    let found = faults(&with(sound(), "/history", many));
    assert!(found.len() < 100, "{}", found.len());
    assert!(found.last().unwrap().1.contains("more"), "{found:?}");
}

#[test]
fn a_snapshot_larger_than_a_session_may_be_is_refused() {
    let limits = Limits {
        beliefs: 3,
        ..Limits::default()
    };
    let error = Snapshot::read(&sound(), &limits).unwrap_err();
    assert_eq!(error.0[0].pointer, "/beliefs");
    let snapshot = Snapshot::read(&sound(), &Limits::default()).unwrap();
    let error = Session::import(ID, "Go on.", snapshot, limits, Time::EPOCH).unwrap_err();
    assert_eq!(error.code(), "limit_exceeded");
}

#[test]
fn a_loop_through_an_absence_is_refused() {
    let odd = with(sound(), "/justifications/4/unless", json(r#"["verdict"]"#));
    let snapshot = Snapshot::read(&odd, &Limits::default()).unwrap();
    let error = Session::import(ID, "Go on.", snapshot, Limits::default(), Time::EPOCH);
    let error = error.map(|_| ()).unwrap_err();
    assert_eq!(error.code(), "circular_defeat");
    assert_eq!(error.pointer(), "/justifications");
}

#[test]
fn a_task_has_to_be_given() {
    let snapshot = Snapshot::read(&sound(), &Limits::default()).unwrap();
    let error = Session::import(ID, " ", snapshot, Limits::default(), Time::EPOCH);
    assert!(matches!(
        error.map(|_| ()),
        Err(CommandError::InvalidArgument { pointer, .. }) if pointer == "/task"
    ));
}

#[test]
fn a_text_that_is_no_json_is_refused_with_its_place() {
    let limits = Limits::default();
    let sound = entail_json::to_canonical(&sound());
    assert!(Snapshot::from_json(sound.as_bytes(), &limits).is_ok());
    for (from, to, words) in [
        ("9.5", "NaN", "line 1 column"),
        ("\"Austin\"", "\"\\ud800\"", "line 1 column"),
        ("\"version\":2", "\"version\":2,\"version\":2", "twice"),
    ] {
        assert!(sound.contains(from), "{from}");
        let odd = sound.replacen(from, to, 1);
        let faults = Snapshot::from_json(odd.as_bytes(), &limits).unwrap_err();
        assert!(faults.to_string().contains(words), "{faults}");
    }
}

fn written(opening: Opening, premises: Vec<Premise>) -> Result<Value, SnapshotError> {
    let at = Time::EPOCH;
    let (mut session, opened) = Session::open(ID, opening, Limits::default(), at).unwrap();
    session.confirm();
    let mut journal: Vec<_> = opened.entry.into_iter().collect();
    if !premises.is_empty() {
        let at = session.commit_time(at);
        let done = session.execute(Command::Premises(premises), at).unwrap();
        session.confirm();
        journal.extend(done.entry);
    }
    write_snapshot(&session, &journal).map(|written| written.snapshot)
}

fn unrepresentable(written: Result<Value, SnapshotError>) -> Vec<String> {
    match written {
        Err(SnapshotError::Unrepresentable(faults)) => {
            faults.0.into_iter().map(|fault| fault.pointer).collect()
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_the_library_could_not_load_is_an_error_and_not_left_out() {
    let long = json(&"7".repeat(4_301));
    let source: Source = "tool:t".parse().unwrap();
    let listed = source.clone().with_arguments(vec![Value::Null].into());
    let premises = vec![
        Premise::new("long", long, source.clone()),
        Premise::new("fits", json(&"7".repeat(4_300)), source),
        Premise::new("listed", 1_i64, listed),
    ];
    assert_eq!(
        unrepresentable(written(Opening::new("Task."), premises)),
        [
            "/beliefs/0/belief/value",
            "/beliefs/2/belief/source/detail/args",
            "/justifications/2/source/detail/args"
        ]
    );
}

#[test]
fn what_a_tenant_knew_is_written_as_outcomes_if_it_is_whole() {
    let seeded = |correct: f64, total: f64| {
        let mut opening = Opening::new("Task.");
        let as_of = Time::EPOCH;
        opening.ledger.push((
            "tool:t".to_owned(),
            Totals {
                correct,
                total,
                as_of,
            },
        ));
        written(opening, Vec::new())
    };
    let snapshot = seeded(2.0, 3.0).unwrap();
    let outcomes = snapshot.get("ledger").unwrap().get("outcomes").unwrap();
    let right = outcomes.get("tool:t").unwrap().as_array().unwrap();
    let right: Vec<_> = right
        .iter()
        .map(|outcome| outcome.as_array().unwrap()[1].as_bool().unwrap())
        .collect();
    assert_eq!(right, [true, true, false]);
    assert_eq!(
        unrepresentable(seeded(0.5, 3.0)),
        ["/ledger/outcomes/tool:t"]
    );
}

#[test]
fn another_journal_is_refused() {
    let opening = Opening::new("Task.");
    let (mut session, opened) = Session::open(ID, opening, Limits::default(), Time::EPOCH).unwrap();
    session.confirm();
    let mut entries: Vec<_> = opened.entry.into_iter().collect();
    assert!(write_snapshot(&session, &entries).is_ok());
    let none = write_snapshot(&session, []).unwrap_err();
    assert_eq!(none, SnapshotError::OtherJournal { seq: 0 });
    entries[0].hash = entail_json::sha256(b"other");
    assert!(write_snapshot(&session, &entries).is_err());
}

#[test]
fn an_empty_snapshot_is_a_session_with_nothing_in_it() {
    let empty = Value::from([
        ("format", "corollary.beliefbase".into()),
        ("version", 2_i64.into()),
        ("beliefs", Value::Array(Vec::new())),
        ("justifications", Value::Array(Vec::new())),
        ("documents", Object::new().into()),
    ]);
    let snapshot = Snapshot::read(&empty, &Limits::default()).unwrap();
    let at = Time::EPOCH;
    let (session, executed) =
        Session::import(ID, "Go on.", snapshot, Limits::default(), at).unwrap();
    assert!(session.base().is_empty());
    assert_eq!(session.last_commit_at(), at);
    assert!(executed.entry.is_some());
}
