//! Documents, contexts, snapshots, and what a purge removes.

use std::future::Future;

use entail_json::{Digest, sha256};
use entail_store::{Appended, CallJob, Context, Outcome, Purged, Snapshot, StoreError};
use uuid::Uuid;

use crate::bed::{Bed, ENGINES, Line, TENANT, at, keyed};
use crate::cases;

cases![ENGINES;
    a_content_comes_back_by_its_hash_and_is_stored_once,
    a_content_is_its_tenants_own,
    a_damaged_content_is_found,
    a_content_stays_while_a_session_names_it_or_for_an_hour,
    a_headers_value_is_its_sessions_and_has_one_id_there,
    a_headers_value_of_no_session_goes_after_an_hour,
    a_context_is_its_sessions_and_expires,
    a_context_that_is_scoped_to_a_key_is_not_the_latest,
    a_context_is_kept_only_at_its_sessions_version,
    a_commit_may_ask_that_no_other_context_was_handed_out_since,
    a_purge_takes_no_more_than_its_limit,
    the_latest_snapshot_wins_whatever_the_order_of_writing,
    a_damaged_snapshot_has_the_digest_it_was_kept_with,
    a_snapshot_of_no_use_is_removed_and_a_later_one_is_not,
    a_snapshot_of_no_session_is_not_kept,
];

const HOUR: u64 = 3_600;

fn context(session: &Line, seconds: u64) -> Context {
    Context {
        session_id: session.id,
        id: Line::new().id,
        version: session.seq,
        as_of: at(1),
        refs: "[\"a@1\"]".into(),
        documents: "{\"d\":1}".into(),
        expires_at: at(seconds),
    }
}

fn snapshot(session: &Line, seq: u64) -> Snapshot {
    let state = format!("state at {seq}").into_bytes();
    Snapshot {
        session_id: session.id,
        seq,
        head: sha256(&state),
        format: 1,
        sha256: sha256(&state),
        state,
    }
}

/// A session with a row in every table.
pub(crate) async fn session_with_everything(bed: &Bed) -> Line {
    let mut line = bed.open_session().await;
    let content = bed
        .store
        .put_document(TENANT, line.id.as_bytes(), at(1))
        .await
        .unwrap();
    let mut commit = line.commit();
    commit.key = keyed("POST /", "k", "a");
    commit.documents = vec![content, content];
    commit.outcomes = vec![Outcome {
        source: "human:ada".into(),
        correct: true,
    }];
    commit.calls_due = vec![CallJob {
        call_id: "call".into(),
        due_at: at(9),
    }];
    assert_eq!(bed.store.append(commit).await.unwrap(), Appended::Done);
    line.step();
    assert_eq!(
        bed.store.put_context(context(&line, 100)).await.unwrap(),
        Appended::Done
    );
    bed.store.put_snapshot(&snapshot(&line, 2)).await.unwrap();
    let id = Line::new().id;
    bed.store.put_secret(line.id, id, "s", at(1)).await.unwrap();
    let projection = crate::project::projection(&line, 0, 2, "in");
    assert!(bed.store.project(&projection).await.unwrap());
    line
}

async fn a_content_comes_back_by_its_hash_and_is_stored_once(bed: Bed) {
    let long = b"0123456789abcdef".repeat(1 << 17);
    for content in [b"".as_slice(), b"text", b"nul \0 and \xff bytes", &long] {
        let hash = bed
            .store
            .put_document(TENANT, content, at(1))
            .await
            .unwrap();
        assert_eq!(hash, sha256(content));
        assert_eq!(
            bed.store
                .put_document(TENANT, content, at(2))
                .await
                .unwrap(),
            hash
        );
        let read = bed.replica().await.document(TENANT, &hash).await.unwrap();
        assert!(read.as_deref() == Some(content));
    }
    assert_eq!(bed.ask("SELECT count(*) FROM documents").await, 4);
    assert_eq!(
        bed.store.document(TENANT, &Digest::ZERO).await.unwrap(),
        None
    );
}

async fn a_context_that_is_scoped_to_a_key_is_not_the_latest(bed: Bed) {
    let mut line = bed.open_session().await;
    let plain = context(&line, 100);
    let kept = bed.store.put_context(plain.clone()).await.unwrap();
    assert_eq!(kept, Appended::Done);
    let mut scoped = context(&line, 100);
    scoped.refs = "{\"refs\":[\"a@1\"],\"scope\":\"b\"}".into();
    assert!(scoped.id > plain.id);
    let kept = bed.store.put_context(scoped.clone()).await.unwrap();
    assert_eq!(kept, Appended::Done);
    let latest = bed.store.latest_context(line.id, at(1)).await.unwrap();
    assert_eq!(latest.as_ref(), Some(&plain));
    let mut commit = line.commit();
    commit.latest_context = Some(plain.id);
    assert_eq!(bed.store.append(commit).await.unwrap(), Appended::Done);
    let named = bed.store.context(line.id, scoped.id, at(1)).await.unwrap();
    assert_eq!(named, Some(scoped));
}

async fn a_content_is_its_tenants_own(bed: Bed) {
    let hash = bed
        .store
        .put_document("other", b"secret", at(1))
        .await
        .unwrap();
    assert_eq!(bed.store.document(TENANT, &hash).await.unwrap(), None);
    let mut line = bed.open_session().await;
    let mut commit = line.commit();
    commit.documents = vec![hash];
    assert_eq!(bed.store.append(commit).await.unwrap(), Appended::Done);
    assert_eq!(bed.store.document(TENANT, &hash).await.unwrap(), None);
    // Naming it in one tenant does not keep it in another.
    assert_eq!(
        bed.store.purge(at(2 * HOUR), 10).await.unwrap().documents,
        1
    );
}

async fn a_damaged_content_is_found(bed: Bed) {
    let hash = bed
        .store
        .put_document(TENANT, b"as written", at(1))
        .await
        .unwrap();
    let other = if bed.kind.is_sqlite() {
        "x'00'"
    } else {
        "'\\x00'"
    };
    assert_eq!(
        bed.meddle(&format!("UPDATE documents SET content = {other}"))
            .await,
        1
    );
    let error = bed.store.document(TENANT, &hash).await.unwrap_err();
    assert!(matches!(error, StoreError::CorruptDocument { sha256 } if sha256 == hash));
}

async fn a_content_stays_while_a_session_names_it_or_for_an_hour(bed: Bed) {
    let mut line = bed.open_session().await;
    let named = bed
        .store
        .put_document(TENANT, b"named", at(0))
        .await
        .unwrap();
    let renewed = bed
        .store
        .put_document(TENANT, b"renewed", at(0))
        .await
        .unwrap();
    let unnamed = bed
        .store
        .put_document(TENANT, b"unnamed", at(0))
        .await
        .unwrap();
    let mut commit = line.commit();
    commit.documents = vec![named];
    assert_eq!(bed.store.append(commit).await.unwrap(), Appended::Done);
    line.step();
    bed.store
        .put_document(TENANT, b"renewed", at(10))
        .await
        .unwrap();
    assert_eq!(
        bed.store.purge(at(HOUR - 1), 10).await.unwrap().documents,
        0
    );
    assert_eq!(bed.store.purge(at(HOUR), 10).await.unwrap().documents, 1);
    assert_eq!(bed.store.document(TENANT, &unnamed).await.unwrap(), None);
    assert!(
        bed.store
            .document(TENANT, &renewed)
            .await
            .unwrap()
            .is_some()
    );
    assert_eq!(
        bed.store.purge(at(HOUR + 10), 10).await.unwrap().documents,
        1
    );
    assert!(bed.store.document(TENANT, &named).await.unwrap().is_some());
    assert!(bed.store.delete_session(TENANT, line.id).await.unwrap());
    assert_eq!(
        bed.store.purge(at(HOUR + 10), 10).await.unwrap().documents,
        1
    );
    assert_eq!(bed.store.document(TENANT, &named).await.unwrap(), None);
}

async fn a_headers_value_is_its_sessions_and_has_one_id_there(bed: Bed) {
    let (line, other) = (bed.open_session().await, bed.open_session().await);
    let put = async |line: &Line, value| {
        let proposed = Line::new().id;
        let put = bed.store.put_secret(line.id, proposed, value, at(1));
        (proposed, put.await.unwrap())
    };
    for value in ["Bearer planted", "", "nul \0 and é"] {
        let (proposed, first) = put(&line, value).await;
        assert_eq!(first, proposed);
        let held = bed.store.secret(line.id, first).await.unwrap();
        assert_eq!(held.as_deref(), Some(value));
        assert_eq!(put(&line, value).await.1, first);
        let (proposed, elsewhere) = put(&other, value).await;
        assert_eq!(elsewhere, proposed);
        assert_eq!(bed.store.secret(other.id, first).await.unwrap(), None);
    }
    assert_eq!(bed.ask("SELECT count(*) FROM tool_secrets").await, 6);
}

async fn a_headers_value_of_no_session_goes_after_an_hour(bed: Bed) {
    let (line, unopened) = (bed.open_session().await, Line::new());
    let (kept, left) = (Line::new().id, Line::new().id);
    let put = async |line: &Line, id, seconds| {
        let put = bed.store.put_secret(line.id, id, "s", at(seconds));
        put.await.unwrap()
    };
    put(&line, kept, 0).await;
    put(&unopened, left, 0).await;
    // Written again, it stays for an hour from then.
    assert_eq!(put(&unopened, Line::new().id, 10).await, left);
    let purge = async |seconds| bed.store.purge(at(seconds), 10).await.unwrap().secrets;
    assert_eq!(purge(HOUR).await, 0);
    assert_eq!(purge(HOUR + 10).await, 1);
    assert_eq!(bed.store.secret(unopened.id, left).await.unwrap(), None);
    let held = bed.store.secret(line.id, kept).await.unwrap();
    assert_eq!(held.as_deref(), Some("s"));
}

async fn a_context_is_its_sessions_and_expires(bed: Bed) {
    let (line, other) = (bed.open_session().await, bed.open_session().await);
    let context = context(&line, 100);
    assert_eq!(
        bed.store.put_context(context.clone()).await.unwrap(),
        Appended::Done
    );
    let found = bed
        .store
        .context(line.id, context.id, at(99))
        .await
        .unwrap();
    assert_eq!(found.as_ref(), Some(&context));
    assert_eq!(
        bed.store
            .context(other.id, context.id, at(99))
            .await
            .unwrap(),
        None
    );
    assert_eq!(
        bed.store
            .context(line.id, context.id, at(100))
            .await
            .unwrap(),
        None
    );
    assert_eq!(
        bed.store.purge(at(99), 10).await.unwrap(),
        Purged::default()
    );
    let purged = bed.store.purge(at(100), 10).await.unwrap();
    assert_eq!(
        purged,
        Purged {
            contexts: 1,
            ..Purged::default()
        }
    );
}

async fn a_context_is_kept_only_at_its_sessions_version(bed: Bed) {
    let mut line = bed.open_session().await;
    let early = context(&line, 100);
    bed.append(&mut line).await;
    assert_eq!(
        bed.store.put_context(early).await.unwrap(),
        Appended::Conflict { version: 2 }
    );
    let of_nothing = context(&Line::new(), 100);
    assert_eq!(
        bed.store.put_context(of_nothing).await.unwrap(),
        Appended::Gone
    );
    assert_eq!(bed.ask("SELECT count(*) FROM contexts").await, 0);
    // One that is sent again is kept once.
    let kept = context(&line, 100);
    for _ in 0..2 {
        assert_eq!(
            bed.store.put_context(kept.clone()).await.unwrap(),
            Appended::Done
        );
    }
    let contexts = (0..20).map(|_| bed.store.put_context(context(&line, 100)));
    for kept in futures_in_order(contexts.collect()).await {
        assert_eq!(kept.unwrap(), Appended::Done);
    }
    assert_eq!(bed.ask("SELECT count(*) FROM contexts").await, 21);
}

/// Waits for all, begun together.
async fn futures_in_order<T>(futures: Vec<impl Future<Output = T>>) -> Vec<T> {
    let mut futures: Vec<_> = futures.into_iter().map(Box::pin).collect();
    let mut done: Vec<Option<T>> = futures.iter().map(|_| None).collect();
    std::future::poll_fn(move |context| {
        for (future, done) in futures.iter_mut().zip(&mut done) {
            if done.is_none()
                && let std::task::Poll::Ready(value) = future.as_mut().poll(context)
            {
                *done = Some(value);
            }
        }
        if done.iter().all(Option::is_some) {
            return std::task::Poll::Ready(done.iter_mut().filter_map(Option::take).collect());
        }
        std::task::Poll::Pending
    })
    .await
}

async fn a_commit_may_ask_that_no_other_context_was_handed_out_since(bed: Bed) {
    let mut line = bed.open_session().await;
    let (first, second) = (context(&line, 100), context(&line, 100));
    let mut resting_on = async |latest: Uuid, key: Option<&str>| {
        let mut commit = line.commit();
        commit.latest_context = Some(latest);
        commit.key = key.and_then(|key| keyed("POST /", key, "a"));
        let appended = bed.store.append(commit).await.unwrap();
        if appended == Appended::Done {
            line.step();
        }
        appended
    };
    assert_eq!(resting_on(Uuid::nil(), Some("k")).await, Appended::Done);
    let at_two = |context: &Context| Context {
        version: 2,
        ..context.clone()
    };
    assert_eq!(
        bed.store.put_context(at_two(&first)).await.unwrap(),
        Appended::Done
    );
    assert_eq!(
        resting_on(Uuid::nil(), Some("other")).await,
        Appended::ContextChanged
    );
    assert_eq!(
        bed.store.put_context(at_two(&second)).await.unwrap(),
        Appended::Done
    );
    assert_eq!(resting_on(first.id, None).await, Appended::ContextChanged);
    // The key was used before, whatever the context.
    assert_eq!(resting_on(second.id, Some("k")).await, Appended::KeyPresent);
    assert_eq!(resting_on(second.id, None).await, Appended::Done);
    assert_eq!(bed.row(line.id).await.version, 3);
}

async fn a_purge_takes_no_more_than_its_limit(bed: Bed) {
    let line = bed.open_session().await;
    for _ in 0..5 {
        assert_eq!(
            bed.store.put_context(context(&line, 100)).await.unwrap(),
            Appended::Done
        );
    }
    for left in [3, 1, 0, 0] {
        bed.store.purge(at(100), 2).await.unwrap();
        assert_eq!(bed.ask("SELECT count(*) FROM contexts").await, left);
    }
}

async fn the_latest_snapshot_wins_whatever_the_order_of_writing(bed: Bed) {
    let line = bed.session_with(3).await;
    assert_eq!(bed.store.snapshot(line.id).await.unwrap(), None);
    for (written, kept) in [(2, 2), (3, 3), (1, 3), (3, 3)] {
        bed.store
            .put_snapshot(&snapshot(&line, written))
            .await
            .unwrap();
        let found = bed.store.snapshot(line.id).await.unwrap();
        assert_eq!(found, Some(snapshot(&line, kept)));
    }
}

async fn a_damaged_snapshot_has_the_digest_it_was_kept_with(bed: Bed) {
    let line = bed.open_session().await;
    let kept = snapshot(&line, 1);
    bed.store.put_snapshot(&kept).await.unwrap();
    let other = if bed.kind.is_sqlite() {
        "x'00'"
    } else {
        "'\\x00'"
    };
    assert_eq!(
        bed.meddle(&format!("UPDATE snapshots SET state = {other}"))
            .await,
        1
    );
    let found = bed.store.snapshot(line.id).await.unwrap().unwrap();
    assert_eq!((found.sha256, found.state), (kept.sha256, vec![0]));
}

async fn a_snapshot_of_no_use_is_removed_and_a_later_one_is_not(bed: Bed) {
    let line = bed.session_with(3).await;
    bed.store.put_snapshot(&snapshot(&line, 2)).await.unwrap();
    assert!(!bed.store.delete_snapshot(line.id, 1).await.unwrap());
    assert!(bed.store.snapshot(line.id).await.unwrap().is_some());
    assert!(bed.store.delete_snapshot(line.id, 2).await.unwrap());
    assert_eq!(bed.store.snapshot(line.id).await.unwrap(), None);
    // Now an earlier one may be kept.
    bed.store.put_snapshot(&snapshot(&line, 1)).await.unwrap();
    let found = bed.store.snapshot(line.id).await.unwrap();
    assert_eq!(found, Some(snapshot(&line, 1)));
}

async fn a_snapshot_of_no_session_is_not_kept(bed: Bed) {
    bed.store
        .put_snapshot(&snapshot(&Line::new(), 1))
        .await
        .unwrap();
    assert_eq!(bed.ask("SELECT count(*) FROM snapshots").await, 0);
}
