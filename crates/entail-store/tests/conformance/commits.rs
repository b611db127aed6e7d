//! Opening sessions and appending to them.

use entail_json::Digest;
use entail_store::{
    AnswerState, Appended, Counts, Created, Refusal, RowUpdate, SessionState, StoreError,
};
use entail_trace::journal::{Broken, Fault};

use crate::bed::{Bed, Line, TENANT, WAYS, at, keyed};
use crate::cases;

cases![WAYS;
    a_session_opens_with_its_first_entry,
    a_session_opens_once,
    a_commit_moves_the_row_and_the_journal_together,
    labels_summary_and_expiry_stay_unless_given,
    a_commit_for_another_version_changes_nothing_and_learns_the_version,
    a_commit_sent_again_is_found_to_be_made,
    a_commit_to_a_session_that_is_not_there_is_told_so,
    a_commit_that_fits_the_version_but_not_the_chain_is_corruption,
    an_entry_that_does_not_fit_its_commit_is_refused,
    text_with_u_0000_is_refused_also_as_an_escape,
    text_above_its_limit_is_refused_and_text_at_its_limit_kept,
    large_and_exact_payloads_come_back_byte_for_byte,
];

async fn a_session_opens_with_its_first_entry(bed: Bed) {
    let mut line = Line::new();
    let mut creation = line.creation(TENANT);
    creation.commit.row = RowUpdate {
        state: SessionState::Open,
        answer: AnswerState::None,
        counts: Counts {
            beliefs: 3,
            believed: 2,
            turns: 1,
            rejections: 4,
            open_calls: 5,
            conflicts: 6,
        },
        labels: Some([("team".to_owned(), "risk".to_owned())].into()),
        summary: Some(r#"{"task":"t"}"#.into()),
        expires_at: Some(Some(at(500))),
    };
    let commit = creation.commit.clone();
    assert_eq!(bed.store.create(creation).await.unwrap(), Created::Done);
    let row = bed.row(line.id).await;
    assert_eq!(
        (row.id, row.tenant.as_str(), row.version),
        (line.id, TENANT, 1)
    );
    assert_eq!(row.chain_head, commit.entry.hash);
    assert_eq!(
        (row.state, row.answer, row.counts),
        (commit.row.state, commit.row.answer, commit.row.counts)
    );
    assert_eq!(Some(row.labels), commit.row.labels);
    assert_eq!(Some(row.summary), commit.row.summary);
    assert_eq!((row.created_at, row.last_activity), (at(1), at(1)));
    assert_eq!(row.expires_at, Some(at(500)));
    assert_eq!(bed.journal(line.id).await, [commit.entry]);
}

async fn a_session_opens_once(bed: Bed) {
    let line = bed.open_session().await;
    let mut again = Line::of(line.id);
    let mut creation = again.creation("other");
    creation.commit = again.saying("\"another beginning\"");
    assert_eq!(bed.store.create(creation).await.unwrap(), Created::Exists);
    assert_eq!(bed.row(line.id).await.chain_head, line.head);
    assert_eq!(bed.journal(line.id).await.len(), 1);
}

async fn a_commit_moves_the_row_and_the_journal_together(bed: Bed) {
    let mut line = bed.open_session().await;
    let mut commit = line.commit();
    commit.row.state = SessionState::Answered;
    commit.row.answer = AnswerState::In;
    commit.row.counts = Counts {
        beliefs: 1,
        turns: 1,
        ..Counts::default()
    };
    assert_eq!(
        bed.store.append(commit.clone()).await.unwrap(),
        Appended::Done
    );
    let row = bed.row(line.id).await;
    assert_eq!((row.version, row.chain_head), (2, commit.entry.hash));
    assert_eq!(
        (row.state, row.answer, row.counts),
        (commit.row.state, commit.row.answer, commit.row.counts)
    );
    assert_eq!((row.created_at, row.last_activity), (at(1), at(2)));
    assert_eq!(bed.journal(line.id).await[1], commit.entry);
}

async fn labels_summary_and_expiry_stay_unless_given(bed: Bed) {
    let mut line = bed.open_session().await;
    let labels = [
        ("a".to_owned(), "1".to_owned()),
        ("b".to_owned(), "2".to_owned()),
    ];
    let mut commit = line.commit();
    commit.row.labels = Some(labels.clone().into());
    commit.row.summary = Some("{\"task\":1}".into());
    commit.row.expires_at = Some(Some(at(9)));
    assert_eq!(bed.store.append(commit).await.unwrap(), Appended::Done);
    line.step();
    bed.append(&mut line).await;
    let row = bed.row(line.id).await;
    assert_eq!(
        (row.labels, row.summary.as_str()),
        (labels.into(), "{\"task\":1}")
    );
    assert_eq!(row.expires_at, Some(at(9)));
    let mut commit = line.commit();
    commit.row.labels = Some([].into());
    commit.row.expires_at = Some(None);
    assert_eq!(bed.store.append(commit).await.unwrap(), Appended::Done);
    let row = bed.row(line.id).await;
    assert_eq!((row.labels.len(), row.expires_at), (0, None));
}

async fn a_commit_for_another_version_changes_nothing_and_learns_the_version(bed: Bed) {
    let line = bed.session_with(3).await;
    for seq in [0, 1, 2, 7] {
        let mut behind = Line {
            seq,
            head: line.head,
            ..Line::of(line.id)
        };
        // Entry 1 is a creation's, and no commit's, but it is told the same.
        let answer = bed.store.append(behind.commit()).await.unwrap();
        assert_eq!(
            answer,
            Appended::Conflict { version: 3 },
            "at version {seq}"
        );
    }
    assert_eq!(bed.row(line.id).await.chain_head, line.head);
    assert_eq!(bed.journal(line.id).await.len(), 3);
}

async fn a_commit_sent_again_is_found_to_be_made(bed: Bed) {
    let mut line = bed.open_session().await;
    let mut commit = line.commit();
    commit.key = keyed("POST /turns", "k", "a");
    for _ in 0..2 {
        assert_eq!(
            bed.store.append(commit.clone()).await.unwrap(),
            Appended::Done
        );
    }
    line.step();
    bed.append(&mut line).await;
    assert_eq!(
        bed.replica().await.append(commit).await.unwrap(),
        Appended::Done
    );
    assert_eq!(bed.journal(line.id).await.len(), 3);
}

async fn a_commit_to_a_session_that_is_not_there_is_told_so(bed: Bed) {
    let mut never = Line {
        seq: 1,
        ..Line::new()
    };
    assert_eq!(
        bed.store.append(never.commit()).await.unwrap(),
        Appended::Gone
    );
    let mut line = bed.open_session().await;
    assert!(bed.store.delete_session(TENANT, line.id).await.unwrap());
    assert_eq!(
        bed.store.append(line.commit()).await.unwrap(),
        Appended::Gone
    );
    assert_eq!(bed.ask("SELECT count(*) FROM journal").await, 0);
}

async fn a_commit_that_fits_the_version_but_not_the_chain_is_corruption(bed: Bed) {
    let mut line = bed.session_with(2).await;
    let mut forked = Line {
        head: Digest::from_bytes([3; 32]),
        ..line.clone()
    };
    let error = bed.store.append(forked.commit()).await.unwrap_err();
    let expected = Broken {
        seq: 3,
        fault: Fault::Unlinked,
    };
    assert!(
        matches!(error, StoreError::Corrupt { broken, .. } if broken == expected),
        "{error:?}"
    );
    bed.append(&mut line).await;
}

async fn an_entry_that_does_not_fit_its_commit_is_refused(bed: Bed) {
    let mut line = bed.open_session().await;
    let good = line.commit();
    let mut other_hash = good.clone();
    other_hash.entry.hash = Digest::ZERO;
    let mut edited = good.clone();
    edited.entry.payload.push(' ');
    let mut other_session = good.clone();
    other_session.session_id = Line::new().id;
    let mut other_format = good.clone();
    other_format.entry.v = 2;
    for bad in [other_hash, edited, other_session, other_format] {
        let error = bed.store.append(bad).await.unwrap_err();
        assert!(
            matches!(error, StoreError::Refused(Refusal::Inconsistent { .. })),
            "{error:?}"
        );
    }
    assert_eq!(bed.store.append(good).await.unwrap(), Appended::Done);
}

async fn text_with_u_0000_is_refused_also_as_an_escape(bed: Bed) {
    let mut line = bed.open_session().await;
    let refuses = async |change: &dyn Fn(&mut entail_store::Commit), line: &mut Line| {
        let mut commit = line.commit();
        change(&mut commit);
        commit.entry.hash = commit.entry.digest();
        let error = bed.store.append(commit).await.unwrap_err();
        assert!(
            matches!(error, StoreError::Refused(Refusal::NulCharacter { .. })),
            "{error:?}"
        );
    };
    refuses(&|commit| commit.entry.kind = "tu\0rn".into(), &mut line).await;
    refuses(&|commit| commit.entry.payload = "\"\0\"".into(), &mut line).await;
    refuses(&|commit| commit.entry.events = "[\"\0\"]".into(), &mut line).await;
    refuses(&|commit| commit.row.summary = Some("\0".into()), &mut line).await;
    refuses(
        &|commit| commit.row.labels = Some([("\0".into(), String::new())].into()),
        &mut line,
    )
    .await;
    refuses(
        &|commit| commit.row.labels = Some([(String::new(), "\0".into())].into()),
        &mut line,
    )
    .await;
    refuses(&|commit| commit.key = keyed("POST /", "\0", ""), &mut line).await;
    refuses(&|commit| commit.key = keyed("\0", "key", ""), &mut line).await;
    refuses(
        &|commit| commit.key = keyed("POST /", "key", "\0"),
        &mut line,
    )
    .await;
    refuses(&|commit| commit.calls_done = vec!["\0".into()], &mut line).await;
    let creation = Line::new().creation("ten\0ant");
    let error = bed.store.create(creation).await.unwrap_err();
    assert!(matches!(
        error,
        StoreError::Refused(Refusal::NulCharacter { field: "tenant" })
    ));
    for text in [r#"{"said":"\u0000"}"#, r#"["\\\u0000"]"#, r#"{"\u0000":1}"#] {
        refuses(&|commit| commit.entry.payload = text.into(), &mut line).await;
        refuses(&|commit| commit.entry.events = text.into(), &mut line).await;
        refuses(&|commit| commit.row.summary = Some(text.into()), &mut line).await;
    }
    let commit = line.saying(r#"["u0000","\\u0000","\u0001"]"#);
    assert_eq!(
        bed.store.append(commit.clone()).await.unwrap(),
        Appended::Done
    );
    assert_eq!(bed.journal(line.id).await[1], commit.entry);
}

async fn text_above_its_limit_is_refused_and_text_at_its_limit_kept(bed: Bed) {
    use entail_store::limits;
    let mut line = Line::new();
    let mut creation = line.creation(&"é".repeat(limits::TENANT_BYTES / 2));
    creation.tenant.push('x');
    let error = bed.store.create(creation.clone()).await.unwrap_err();
    assert!(matches!(
        error,
        StoreError::Refused(Refusal::TooLong {
            field: "tenant",
            ..
        })
    ));
    creation.tenant.pop();
    creation.key = keyed(
        &"POST /".repeat(2_000),
        &"k".repeat(limits::IDEMPOTENCY_KEY_BYTES),
        "",
    );
    let label = |bytes| "l".repeat(bytes);
    let labels = (0..limits::LABELS).map(|index| {
        let name = format!("{index:02}{}", label(limits::LABEL_NAME_BYTES - 2));
        (name, label(limits::LABEL_VALUE_BYTES))
    });
    creation.commit.row.labels = Some(labels.collect());
    assert_eq!(
        bed.store.create(creation.clone()).await.unwrap(),
        Created::Done
    );
    line.step();
    let row = bed
        .store
        .session(&creation.tenant, line.id)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(Some(row.labels), creation.commit.row.labels);
    let mut commit = line.commit();
    commit.key = keyed("POST /", &"k".repeat(limits::IDEMPOTENCY_KEY_BYTES + 1), "");
    let error = bed.store.append(commit).await.unwrap_err();
    assert!(matches!(
        error,
        StoreError::Refused(Refusal::TooLong { .. })
    ));
    let mut commit = line.commit();
    let too_many = (0..=limits::LABELS).map(|index| (index.to_string(), String::new()));
    commit.row.labels = Some(too_many.collect());
    let error = bed.store.append(commit).await.unwrap_err();
    assert!(matches!(
        error,
        StoreError::Refused(Refusal::TooMany { .. })
    ));
}

async fn large_and_exact_payloads_come_back_byte_for_byte(bed: Bed) {
    let mut line = bed.open_session().await;
    let long = "€ é 中 \u{10ffff} ".repeat(300_000);
    for payload in [
        format!("\"{long}\""),
        r#"{"1":1.0,"2":1e+16,"3":12345678901234567890123,"4":-0.0,"é":"\u007f\\"}"#.to_owned(),
        "[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]".to_owned(),
    ] {
        let commit = line.saying(&payload);
        assert_eq!(
            bed.store.append(commit.clone()).await.unwrap(),
            Appended::Done
        );
        line.step();
        let stored = bed.journal(line.id).await.pop().unwrap();
        assert!(stored == commit.entry, "entry {}", stored.seq);
    }
}
