//! Opening, closing, changing, and what is refused at the door.

use std::sync::Arc;

use entail_json::{Number, Value};
use entail_kernel::base::Expiry;
use entail_kernel::{Span, Time};
use entail_session::{
    Blame, Closing, Command, Document, Limits, Opening, Outcome, Patch, Premise, ReplayError,
    Retraction, Session,
};

use entail_trace::journal::Entry;

use super::play::{ID, Play, opening, policy, premise, tool};

#[test]
fn a_closed_session_takes_corrections_and_nothing_else() {
    let mut play = Play::open(opening("declared"));
    play.assert(vec![premise("a", 1_i64, "tool:t")]);
    play.context();
    let error = play.fail(Command::Close(Closing::Answered));
    assert!(error.to_string().contains("no accepted answer"));
    play.turn(r#"{"type":"answer","text":"One.","follows_from":["a"]}"#);
    play.exec(Command::Close(Closing::Answered));
    for refused in [
        Command::Turn(play.turn_command("[]")),
        Command::ToolResults(Vec::new()),
        Command::DeleteTool {
            name: "get_revenue".to_owned(),
        },
        Command::GiveUpCall {
            call_id: "x".to_owned(),
        },
        Command::Close(Closing::Answered),
    ] {
        assert_eq!(play.fail(refused).code(), "session_closed");
    }
    let error = play
        .session
        .context("c", play.clock, &Default::default())
        .unwrap_err();
    assert_eq!(error.code(), "session_closed");
    // A corrected fact still takes the answer out.
    play.retract("a");
    assert_eq!(
        play.session.summary().answer,
        Some(("answer@1".to_owned(), false))
    );
    play.assert(vec![premise("b", 1_i64, "human:h")]);
    play.exec(Command::Reopen);
    assert_eq!(play.fail(Command::Reopen).code(), "session_not_closed");
    play.context();
    play.turn(r#"{"type":"answer","text":"One again.","follows_from":["b"]}"#);
    play.check_replay();
}

#[test]
fn closing_gives_up_on_every_open_call() {
    let mut play = Play::open(opening("declared"));
    play.context();
    let turn = play.turn(r#"{"type":"call_tool","tool":"get_revenue","args":{"quarter":"Q2"}}"#);
    let done = play
        .try_exec(Command::Close(Closing::Abandoned { reason: None }))
        .unwrap();
    assert_eq!(done.closed_calls, [turn.pending_calls[0].call_id.clone()]);
    assert_eq!(play.session.open_calls().count(), 0);
    play.check_replay();
}

#[test]
fn reserved_keys_are_refused_from_every_caller() {
    let mut play = Play::open(Opening::new("t"));
    for key in ["answer", "answer:2"] {
        let error = play.fail(Command::Premises(vec![premise(key, 1_i64, "human:h")]));
        assert_eq!((error.code(), error.pointer()), ("reserved_key", "/0/key"));
    }
    let mut opening = Opening::new("t");
    opening.premises.push(premise("answer", 1_i64, "human:h"));
    let error = Session::open(ID, opening, Limits::default(), Time::EPOCH)
        .map(|_| ())
        .unwrap_err();
    assert_eq!(
        (error.code(), error.pointer()),
        ("reserved_key", "/premises/0/key")
    );
}

#[test]
fn what_no_store_keeps_is_refused_at_the_door() {
    let mut play = Play::open_with(
        Opening::new("t"),
        Limits {
            value_bytes: 200,
            ..Limits::default()
        },
    );
    let nul = "a\0b";
    let with = |change: &dyn Fn(&mut Premise)| {
        let mut premise = premise("k", 1_i64, "human:h");
        change(&mut premise);
        Command::Premises(vec![premise])
    };
    for (command, code) in [
        (with(&|p| p.value = nul.into()), "unsupported_value"),
        (
            with(&|p| p.value = "x".repeat(300).into()),
            "unsupported_value",
        ),
        (
            with(&|p| p.claim = Some(nul.to_owned())),
            "unsupported_value",
        ),
        (with(&|p| p.key = "k".repeat(513)), "invalid_key"),
        (with(&|p| p.key = "a\0b".to_owned()), "invalid_key"),
        (with(&|p| p.source.name = "n".repeat(129)), "invalid_name"),
        (
            with(&|p| p.source.origin = Some("a\nb".to_owned())),
            "invalid_name",
        ),
        (with(&|p| p.confidence = Some(1.5)), "invalid_argument"),
        (
            with(&|p| p.source = "rule:r".parse().unwrap()),
            "invalid_argument",
        ),
        (
            Command::PutDocument {
                name: "d".to_owned(),
                document: Arc::new(Document::new(nul).unwrap()),
            },
            "unsupported_value",
        ),
        (
            Command::PutDocument {
                name: "a\nb".to_owned(),
                document: Arc::new(Document::new("x").unwrap()),
            },
            "invalid_name",
        ),
        (
            Command::PutTool {
                name: " ".to_owned(),
                definition: Box::new(tool(r#"{"description":"d"}"#)),
            },
            "invalid_name",
        ),
        (
            Command::Retract(Retraction {
                target: "ghost".to_owned(),
                reason: None,
                fault: Blame::None,
            }),
            "unknown_belief",
        ),
        (
            Command::Restore {
                target: "ghost".to_owned(),
            },
            "unknown_belief",
        ),
    ] {
        assert_eq!(play.fail(command.clone()).code(), code, "{command:?}");
    }
    assert_eq!(play.session.version(), 1);
}

#[test]
fn a_list_of_premises_is_all_or_nothing() {
    let mut play = Play::open(Opening::new("t"));
    let error = play.fail(Command::Premises(vec![
        premise("a", 1_i64, "human:h"),
        premise("b b", 1_i64, "human:h"),
    ]));
    assert_eq!((error.code(), error.pointer()), ("invalid_key", "/1/key"));
    assert_eq!(play.session.base().len(), 0);
}

#[test]
fn the_same_text_again_changes_nothing_and_other_text_is_the_next_version() {
    let mut play = Play::open(opening("declared"));
    let version = play.session.version();
    let Outcome::Document(same) = play.put_document("10-K", super::play::REPORT) else {
        panic!()
    };
    assert_eq!(
        (same.version, same.created, play.session.version()),
        (1, false, version)
    );
    let Outcome::Document(next) = play.put_document("10-K", "") else {
        panic!()
    };
    assert_eq!((next.version, next.created, next.bytes), (2, true, 0));
    let Outcome::Document(back) = play.put_document("10-K", super::play::REPORT) else {
        panic!()
    };
    assert_eq!((back.version, back.created), (3, true));
    assert_eq!(
        play.session.document("10-K", Some(1)).unwrap().sha256(),
        back.sha256
    );
    play.check_replay();
}

#[test]
fn a_patch_changes_what_it_names_and_nothing_is_no_commit() {
    let mut play = Play::open(opening("declared"));
    let version = play.session.version();
    play.exec(Command::Patch(Patch::default()));
    assert_eq!(play.session.version(), version);
    let labels = [("team".to_owned(), "x".to_owned())].into_iter().collect();
    play.exec(Command::Patch(Patch {
        labels: Some(labels),
        ..Patch::default()
    }));
    assert_eq!(
        play.session
            .options()
            .labels
            .get("team")
            .map(String::as_str),
        Some("x")
    );
    let trusting = policy(r#"{"dependencies":"declared","trust":{"overrides":{"human:h":0.5}}}"#);
    play.assert(vec![premise("k", 1_i64, "human:h")]);
    play.exec(Command::Patch(Patch {
        policy: Some(trusting),
        ..Patch::default()
    }));
    let base = play.session.base();
    assert!((base.confidence(base.find("k@1").unwrap(), play.clock) - 0.5).abs() < 1e-12);
    let past = Some(Some(Time::EPOCH));
    assert_eq!(
        play.fail(Command::Patch(Patch {
            expires_at: past,
            ..Patch::default()
        }))
        .pointer(),
        "/expires_at"
    );
    play.check_replay();
}

#[test]
fn time_in_a_session_never_goes_back() {
    let mut play = Play::open(Opening::new("t"));
    let last = play.session.last_commit_at();
    let early = Time::EPOCH;
    assert_eq!(
        play.session.commit_time(early),
        last.saturating_add(Span::from_micros(1))
    );
    let executed = play.session.execute(
        Command::Premises(vec![premise("a", 1_i64, "human:h")]),
        early,
    );
    assert_eq!(
        executed.unwrap().entry.unwrap().created_at.as_micros(),
        last.micros() + 1
    );
    play.session.undo();
    assert_eq!(play.session.last_commit_at(), last);
}

#[test]
fn a_second_command_waits_for_the_first_to_be_confirmed_or_undone() {
    let mut play = Play::open(Opening::new("t"));
    let command = Command::Premises(vec![premise("a", 1_i64, "human:h")]);
    let entry = play
        .session
        .execute(command.clone(), play.clock)
        .unwrap()
        .entry
        .unwrap();
    let error = play.session.execute(command, play.clock).unwrap_err();
    assert_eq!(error.code(), "unconfirmed_commit");
    assert_eq!(
        play.session.apply(&entry, |_| None),
        Err(ReplayError::Unconfirmed)
    );
    play.session.undo();
    assert_eq!(play.session.apply(&entry, |_| None), Ok(()));
}

#[test]
fn what_is_only_tried_out_expires_no_evidence_for_good() {
    let mut play = Play::open(opening("declared"));
    let mut brief = premise("a", 1_i64, "tool:t");
    brief.expiry = Some(Expiry::After(Span::from_micros(1)));
    play.assert(vec![brief, premise("b", 2_i64, "human:h")]);
    let later = play.clock.saturating_add(Span::from_micros(10));
    assert!(play.session.needs_refresh(later));
    let before = play.session.dump();
    let add = Command::Premises(vec![premise("c", 3_i64, "human:h")]);
    let tried = play.session.try_out(add, later).unwrap();
    let Outcome::Changed(changed) = tried.outcome else {
        panic!()
    };
    assert_eq!(changed.refs, ["c@1"]);
    assert_eq!(changed.changes.len(), 1, "only what it would do is told");
    assert!(!play.is_in("a@1"), "it is tried out on what is known then");
    play.session.undo();
    assert_eq!(play.session.dump(), before);
    let on_expired = Command::Retract(Retraction {
        target: "a".to_owned(),
        reason: None,
        fault: Blame::None,
    });
    let refused = play.session.try_out(on_expired, later).unwrap_err();
    assert_eq!(refused.code(), "not_believed");
    let nothing = play.session.try_out(Command::Propagate, later).unwrap();
    assert!(matches!(nothing.outcome, Outcome::Propagated(_)));
    play.session.undo();
    assert_eq!(play.session.dump(), before);
    play.exec(Command::Refresh);
    play.check_replay();
}

#[test]
fn what_has_expired_is_foreseen_and_stays_for_the_next_commit() {
    let mut play = Play::open(opening("declared"));
    let mut brief = premise("a", 1_i64, "tool:t");
    brief.expiry = Some(Expiry::After(Span::from_micros(1)));
    play.assert(vec![brief]);
    let later = play.clock.saturating_add(Span::from_micros(10));
    let (before, version) = (play.session.dump(), play.session.version());
    let seen = play.session.foresee(later, |session| {
        let a = session.base().find("a@1").unwrap();
        let committed = (session.version(), session.chain_head());
        (session.base().is_in(a), committed, session.last_commit_at())
    });
    let (head, time) = (play.session.chain_head(), play.session.last_commit_at());
    assert_eq!(seen, Ok((false, (version, head), time)));
    assert!(play.is_in("a@1") && !play.session.is_pending());
    assert_eq!(play.session.dump(), before);
    play.exec(Command::Refresh);
    play.check_replay();
}

#[test]
fn an_entry_that_does_not_fit_is_refused_and_changes_nothing() {
    let mut play = Play::open(opening("declared"));
    play.assert(vec![premise("a", 1_i64, "human:h")]);
    play.put_document("x", "text");
    let find = |digest: &entail_json::Digest| {
        play.documents
            .iter()
            .find(|document| document.id() == *digest)
            .cloned()
    };
    let mut session = Session::replay(&play.journal[..1], Limits::default(), find).unwrap();
    let before = session.dump();
    let good = &play.journal[1];
    type Change = fn(&mut Entry);
    let changes: [(Change, &str); 7] = [
        (|e| e.seq = 3, "does not follow"),
        (|e| e.v = 2, "format 2"),
        (|e| e.session_id = "other".to_owned(), "another session"),
        (|e| e.prev_hash = entail_json::Digest::ZERO, "another entry"),
        (
            |e| e.events = "[{\"event\":\"dreamed\"}]".to_owned(),
            "event 0",
        ),
        (|e| e.events = "{}".to_owned(), "no list"),
        (
            |e| {
                e.events = e
                    .events
                    .replace("\"justification\":0", "\"justification\":7")
            },
            "event",
        ),
    ];
    for (change, expected) in changes {
        let mut entry = good.clone();
        change(&mut entry);
        let error = session.apply(&entry, |_| None).unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
        assert_eq!(session.dump(), before);
    }
    session.apply(good, |_| None).unwrap();
    let error = session.apply(&play.journal[2], |_| None).unwrap_err();
    assert!(matches!(error, ReplayError::MissingDocument { .. }));
    let named = Session::documents_named(&play.journal[2]);
    assert_eq!(named, [play.documents.last().unwrap().id()]);
    assert_eq!(
        Session::replay(&[], Limits::default(), |_| None).map(|_| ()),
        Err(ReplayError::Empty)
    );
}

#[test]
fn values_survive_a_replay_exactly() {
    let mut play = Play::open(Opening::new("t"));
    let big = entail_json::read_str("123456789012345678901234567890").unwrap();
    let float = Value::from(Number::from_f64(4_300_000_000.0));
    play.assert(vec![
        premise("big", big, "human:h"),
        premise("float", float, "human:h"),
        premise(
            "deep",
            entail_json::read_str(&format!("{}{}", "[".repeat(127), "]".repeat(127))).unwrap(),
            "human:h",
        ),
    ]);
    play.check_replay();
    let replayed = play.replayed();
    let value = |reference: &str| {
        let base = replayed.base();
        base.belief(base.find(reference).unwrap())
            .unwrap()
            .value
            .to_string()
    };
    assert_eq!(value("big@1"), "123456789012345678901234567890");
    assert_eq!(value("float@1"), "4300000000.0");
}

#[test]
fn a_commit_lists_every_label_that_it_changed() {
    let mut opening = opening("conservative");
    opening.premises = vec![premise("a", 1_i64, "tool:t"), premise("b", 1_i64, "tool:t")];
    let mut play = Play::open(opening);
    play.context();
    play.turn(r#"[{"type":"claim","key":"x","value":1},{"type":"claim","key":"y","value":2}]"#);
    play.retract("a");
    let listed = |entry: &Entry| {
        let events = entail_json::read_str(&entry.events).unwrap();
        let list = events.as_array().unwrap().last().unwrap().clone();
        assert_eq!(list.get("event"), Some(&"relabelled".into()));
        (
            list.get("in").unwrap().to_string(),
            list.get("out").unwrap().to_string(),
        )
    };
    let (ins, _) = listed(&play.journal[1]);
    assert_eq!(ins, r#"["x@1","y@1"]"#);
    let (ins, outs) = listed(&play.journal[2]);
    assert_eq!(
        (ins.as_str(), outs.as_str()),
        ("[]", r#"["a@1","x@1","y@1"]"#)
    );
    play.put_document("memo", "Nothing that is believed.");
    assert!(!play.journal[3].events.contains("relabelled"));
}
