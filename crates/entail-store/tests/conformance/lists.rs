//! Lists of sessions, deleting and expiring them.

use std::collections::HashSet;

use entail_store::{Appended, Created, Labels, SessionFilter, SessionState};
use uuid::Uuid;

use crate::bed::{Bed, ENGINES, Line, TENANT, at};
use crate::cases;

cases![ENGINES;
    a_thousand_sessions_page_in_a_stable_order_while_more_are_opened,
    pages_hold_at_most_a_thousand,
    sessions_are_filtered_by_label_state_and_activity,
    labels_are_compared_whole_whatever_they_contain,
    a_tenant_sees_nothing_of_another,
    versions_are_told_of_those_that_exist,
    a_deleted_session_leaves_nothing_of_its_own,
    a_session_is_deleted_at_the_version_given_and_at_no_other,
    sessions_expire_and_retire_in_order,
];

fn labels(pairs: &[(&str, &str)]) -> Labels {
    pairs
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect()
}

async fn labelled(bed: &Bed, pairs: &[(&str, &str)]) -> Uuid {
    let mut line = Line::new();
    let mut creation = line.creation(TENANT);
    creation.commit.row.labels = Some(labels(pairs));
    assert_eq!(bed.store.create(creation).await.unwrap(), Created::Done);
    line.id
}

async fn ids(bed: &Bed, filter: &SessionFilter) -> Vec<Uuid> {
    let page = bed.store.sessions(TENANT, filter, None, 100).await.unwrap();
    assert_eq!(page.next, None);
    page.items.iter().map(|row| row.id).collect()
}

/// Opens sessions many at a time.
async fn open(bed: &Bed, count: usize) -> Vec<Line> {
    let mut tasks = Vec::new();
    for _ in 0..count {
        let (store, mut line) = (bed.store.clone(), Line::new());
        tasks.push(tokio::spawn(async move {
            let creation = line.creation(TENANT);
            assert_eq!(store.create(creation).await.unwrap(), Created::Done);
            line.step();
            line
        }));
    }
    let mut lines = Vec::new();
    for task in tasks {
        lines.push(task.await.unwrap());
    }
    lines
}

async fn a_thousand_sessions_page_in_a_stable_order_while_more_are_opened(bed: Bed) {
    let mut lines = open(&bed, 1_000).await;
    let mut expected: Vec<Uuid> = lines.iter().map(|line| line.id).collect();
    expected.sort_unstable_by(|a, b| b.cmp(a));
    let (mut seen, mut after, mut pages) = (Vec::new(), None, 0);
    loop {
        let filter = SessionFilter::default();
        let page = bed
            .store
            .sessions(TENANT, &filter, after, 64)
            .await
            .unwrap();
        seen.extend(page.items.iter().map(|row| row.id));
        pages += 1;
        // Neither a new session nor a commit to an old one moves what is still to come.
        bed.open_session().await;
        bed.append(&mut lines[pages * 31]).await;
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    assert_eq!(pages, 16);
    assert!(seen == expected);
}

async fn pages_hold_at_most_a_thousand(bed: Bed) {
    open(&bed, 1_001).await;
    let all = SessionFilter::default();
    let page = bed
        .store
        .sessions(TENANT, &all, None, u32::MAX)
        .await
        .unwrap();
    assert_eq!(page.items.len(), 1_000);
    let page = bed
        .store
        .sessions(TENANT, &all, page.next, u32::MAX)
        .await
        .unwrap();
    assert_eq!((page.items.len(), page.next), (1, None));
    let page = bed.store.sessions(TENANT, &all, None, 0).await.unwrap();
    assert_eq!(page.items.len(), 1);
}

async fn sessions_are_filtered_by_label_state_and_activity(bed: Bed) {
    let one = labelled(&bed, &[("team", "risk"), ("env", "prod")]).await;
    let two = labelled(&bed, &[("team", "risk"), ("env", "test")]).await;
    let three = labelled(&bed, &[]).await;
    let mut line = Line::at(&bed.row(two).await);
    let mut commit = line.commit();
    commit.row.state = SessionState::InsufficientEvidence;
    assert_eq!(bed.store.append(commit).await.unwrap(), Appended::Done);
    let by = |pairs: &[(&str, &str)]| SessionFilter {
        labels: labels(pairs),
        ..Default::default()
    };
    assert_eq!(ids(&bed, &by(&[])).await, [three, two, one]);
    assert_eq!(ids(&bed, &by(&[("team", "risk")])).await, [two, one]);
    assert_eq!(
        ids(&bed, &by(&[("team", "risk"), ("env", "prod")])).await,
        [one]
    );
    assert!(ids(&bed, &by(&[("team", "ris")])).await.is_empty());
    let open = SessionFilter {
        state: Some(SessionState::Open),
        ..by(&[("team", "risk")])
    };
    assert_eq!(ids(&bed, &open).await, [one]);
    let closed = SessionFilter {
        state: Some(SessionState::InsufficientEvidence),
        ..by(&[])
    };
    assert_eq!(ids(&bed, &closed).await, [two]);
    let since = SessionFilter {
        active_since: Some(at(2)),
        ..by(&[])
    };
    assert_eq!(ids(&bed, &since).await, [two]);
    let before = SessionFilter {
        active_before: Some(at(2)),
        ..by(&[])
    };
    assert_eq!(ids(&bed, &before).await, [three, one]);
}

async fn labels_are_compared_whole_whatever_they_contain(bed: Bed) {
    let odd = [
        ("a.b", "1"),
        ("a", "{\"b\":\"1\"}"),
        ("quote\"", "it's \\ 100%"),
        ("", ""),
        ("$", "null"),
        ("é\u{1}", "中\n"),
    ];
    let mut made = Vec::new();
    for pair in odd {
        made.push(labelled(&bed, &[pair]).await);
    }
    for (pair, id) in odd.iter().zip(made) {
        let filter = SessionFilter {
            labels: labels(&[*pair]),
            ..Default::default()
        };
        assert_eq!(ids(&bed, &filter).await, [id], "{pair:?}");
        assert_eq!(bed.row(id).await.labels, labels(&[*pair]));
    }
}

async fn a_tenant_sees_nothing_of_another(bed: Bed) {
    let line = bed.session_of("other").await;
    assert_eq!(bed.store.session(TENANT, line.id).await.unwrap(), None);
    assert!(bed.store.session("other", line.id).await.unwrap().is_some());
    assert!(ids(&bed, &SessionFilter::default()).await.is_empty());
    assert!(!bed.store.delete_session(TENANT, line.id).await.unwrap());
    assert!(bed.store.session("other", line.id).await.unwrap().is_some());
}

async fn versions_are_told_of_those_that_exist(bed: Bed) {
    let (one, two) = (bed.session_with(3).await, bed.open_session().await);
    let mut versions = bed
        .store
        .versions(&[one.id, Line::new().id, two.id])
        .await
        .unwrap();
    versions.sort_unstable();
    assert_eq!(versions, [(one.id, 3), (two.id, 1)]);
    assert!(bed.store.versions(&[]).await.unwrap().is_empty());
}

async fn a_deleted_session_leaves_nothing_of_its_own(bed: Bed) {
    let tables = [
        "sessions",
        "journal",
        "snapshots",
        "contexts",
        "session_keys",
        "session_documents",
        "calls",
        "tool_secrets",
        "projections",
        "beliefs",
        "turns",
        "rejections",
    ];
    let mut kept = HashSet::new();
    for turn in 0..2 {
        let line = crate::beside::session_with_everything(&bed).await;
        for table in tables {
            let id = bed.literal(line.id);
            let count = format!("SELECT count(*) FROM {table} WHERE session_id = {id}");
            assert!(bed.ask(&count).await > 0, "{table} has something to delete");
            if turn == 0 {
                kept.insert(count);
            }
        }
        if turn == 1 {
            assert!(bed.store.delete_session(TENANT, line.id).await.unwrap());
            assert!(!bed.store.delete_session(TENANT, line.id).await.unwrap());
            for table in tables {
                let id = bed.literal(line.id);
                let count = format!("SELECT count(*) FROM {table} WHERE session_id = {id}");
                assert_eq!(bed.ask(&count).await, 0, "{table}");
            }
        }
    }
    for count in kept {
        assert!(bed.ask(&count).await > 0, "another session stays: {count}");
    }
}

async fn a_session_is_deleted_at_the_version_given_and_at_no_other(bed: Bed) {
    let line = bed.session_with(3).await;
    for version in [0, 2, 4, u64::MAX] {
        let deleted = bed.store.delete_session_at(TENANT, line.id, version);
        assert!(!deleted.await.unwrap(), "{version}");
    }
    assert!(
        !bed.store
            .delete_session_at("other", line.id, 3)
            .await
            .unwrap()
    );
    assert_eq!(bed.row(line.id).await.version, 3);
    for was_there in [true, false] {
        let deleted = bed.store.delete_session_at(TENANT, line.id, 3);
        assert_eq!(deleted.await.unwrap(), was_there);
    }
}

async fn sessions_expire_and_retire_in_order(bed: Bed) {
    let mut expiring = Vec::new();
    for seconds in [30, 10, 20] {
        let mut line = Line::new();
        let mut creation = line.creation(TENANT);
        creation.commit.row.expires_at = Some(Some(at(seconds)));
        assert_eq!(bed.store.create(creation).await.unwrap(), Created::Done);
        line.step();
        expiring.push(line);
    }
    bed.open_session().await;
    let [late, early, middle] = expiring.as_mut_slice() else {
        unreachable!()
    };
    let of = |line: &Line| (TENANT.to_owned(), line.id);
    assert_eq!(bed.store.expired_sessions(at(9), 10).await.unwrap(), []);
    let expired = bed.store.expired_sessions(at(20), 10).await.unwrap();
    assert_eq!(expired, [of(early), of(middle)]);
    assert_eq!(
        bed.store.expired_sessions(at(99), 1).await.unwrap(),
        [of(early)]
    );
    let mut commit = early.commit();
    commit.row.state = SessionState::Abandoned;
    assert_eq!(bed.store.append(commit).await.unwrap(), Appended::Done);
    let expired = bed.store.expired_sessions(at(99), 10).await.unwrap();
    assert_eq!(expired, [of(middle), of(late)]);
    assert_eq!(bed.store.retired_sessions(at(10), 10).await.unwrap(), []);
    assert_eq!(
        bed.store.retired_sessions(at(99), 10).await.unwrap(),
        [of(early)]
    );
}
