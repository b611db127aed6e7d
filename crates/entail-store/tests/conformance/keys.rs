//! Idempotency keys and API keys.

use entail_json::sha256;
use entail_store::{ApiKey, Appended, Created, IdempotencyKey, StoredAnswer};
use uuid::Uuid;

use crate::bed::{Bed, Line, TENANT, WAYS, at, key, keyed};
use crate::cases;

const SCOPE: &str = "POST /sessions/s/turns";

cases![WAYS;
    a_repeated_key_finds_the_stored_answer_and_commits_nothing,
    a_key_belongs_to_its_session_and_its_path,
    a_key_of_a_commit_that_was_not_made_is_free,
    the_same_entry_made_for_another_caller_is_not_taken_for_ones_own,
    one_key_already_there_does_not_hold_up_the_commits_beside_it,
    a_tenants_key_reserves_one_session_for_all_who_retry,
    a_reserved_session_is_opened_once_and_answers_then,
    a_key_reserved_for_another_session_opens_nothing,
    keys_are_kept_a_day,
    an_api_key_is_found_by_its_id_until_it_is_revoked,
];

async fn a_repeated_key_finds_the_stored_answer_and_commits_nothing(bed: Bed) {
    let mut line = bed.open_session().await;
    let mut commit = line.commit();
    commit.key = keyed(SCOPE, "k", "the answer");
    assert_eq!(
        bed.store.answer(line.id, &key(SCOPE, "k")).await.unwrap(),
        None
    );
    assert_eq!(bed.store.append(commit).await.unwrap(), Appended::Done);
    line.step();
    let mut again = line.commit();
    again.key = keyed(SCOPE, "k", "another answer");
    again.calls_done = vec!["call".into()];
    assert_eq!(bed.store.append(again).await.unwrap(), Appended::KeyPresent);
    let stored = bed
        .replica()
        .await
        .answer(line.id, &key(SCOPE, "k"))
        .await
        .unwrap();
    let answer = StoredAnswer {
        body: sha256(b"body"),
        answer: "the answer".into(),
    };
    assert_eq!(stored, Some(answer));
    assert_eq!(bed.row(line.id).await.version, 2);
    assert_eq!(bed.journal(line.id).await.len(), 2);
}

async fn a_key_belongs_to_its_session_and_its_path(bed: Bed) {
    let (mut one, mut two) = (bed.open_session().await, bed.open_session().await);
    for (line, scope) in [(&mut one, SCOPE), (&mut two, SCOPE)] {
        let mut commit = line.commit();
        commit.key = keyed(scope, "k", "a");
        assert_eq!(bed.store.append(commit).await.unwrap(), Appended::Done);
        line.step();
    }
    let mut commit = one.commit();
    commit.key = keyed("POST /sessions/s/premises", "k", "a");
    assert_eq!(bed.store.append(commit).await.unwrap(), Appended::Done);
    one.step();
    // Scope and key are told apart wherever the border between them lies.
    let mut commit = one.commit();
    commit.key = keyed(SCOPE.strip_suffix('s').unwrap(), "sk", "a");
    assert_eq!(bed.store.append(commit).await.unwrap(), Appended::Done);
}

async fn a_key_of_a_commit_that_was_not_made_is_free(bed: Bed) {
    let mut line = bed.session_with(2).await;
    let mut behind = Line {
        seq: 1,
        ..line.clone()
    };
    let mut commit = behind.commit();
    commit.key = keyed(SCOPE, "k", "never");
    assert_eq!(
        bed.store.append(commit).await.unwrap(),
        Appended::Conflict { version: 2 }
    );
    let mut commit = line.commit();
    commit.key = keyed(SCOPE, "k", "now");
    assert_eq!(bed.store.append(commit).await.unwrap(), Appended::Done);
    let stored = bed
        .store
        .answer(line.id, &key(SCOPE, "k"))
        .await
        .unwrap()
        .unwrap();
    assert_eq!(stored.answer, "now");
}

async fn the_same_entry_made_for_another_caller_is_not_taken_for_ones_own(bed: Bed) {
    let mut line = bed.open_session().await;
    let mut commit = line.commit();
    commit.key = keyed(SCOPE, "one", "a");
    let store = &bed.store;
    // Sent again it is found to be made, however often.
    for _ in 0..2 {
        let again = store.append(commit.clone()).await.unwrap();
        assert_eq!(again, Appended::Done);
    }
    commit.key = keyed(SCOPE, "other", "a");
    assert_eq!(
        store.append(commit).await.unwrap(),
        Appended::Conflict { version: 2 }
    );
}

async fn one_key_already_there_does_not_hold_up_the_commits_beside_it(bed: Bed) {
    let mut lines = Vec::new();
    for _ in 0..20 {
        lines.push(bed.open_session().await);
    }
    let mut commit = lines[7].commit();
    commit.key = keyed(SCOPE, "k", "first");
    assert_eq!(bed.store.append(commit).await.unwrap(), Appended::Done);
    lines[7].step();
    let mut tasks = Vec::new();
    for line in &mut lines {
        let (store, mut commit) = (bed.store.clone(), line.commit());
        commit.key = keyed(SCOPE, "k", "second");
        tasks.push(tokio::spawn(
            async move { store.append(commit).await.unwrap() },
        ));
    }
    for (index, task) in tasks.into_iter().enumerate() {
        let expected = if index == 7 {
            Appended::KeyPresent
        } else {
            Appended::Done
        };
        assert_eq!(task.await.unwrap(), expected, "session {index}");
    }
}

async fn a_tenants_key_reserves_one_session_for_all_who_retry(bed: Bed) {
    let request = key("POST /sessions", "k");
    let replica = bed.replica().await;
    let mut tasks = Vec::new();
    for index in 0..16 {
        let store = if index % 2 == 0 {
            bed.store.clone()
        } else {
            replica.clone()
        };
        let (request, proposed) = (request.clone(), Line::new().id);
        tasks.push(tokio::spawn(async move {
            store
                .reserve_session(TENANT, &request, proposed, at(1))
                .await
                .unwrap()
                .session_id
        }));
    }
    let mut ids = Vec::new();
    for task in tasks {
        ids.push(task.await.unwrap());
    }
    ids.dedup();
    assert_eq!(ids.len(), 1, "{ids:?}");
    let other = bed
        .store
        .reserve_session("other", &request, Uuid::max(), at(1))
        .await
        .unwrap();
    assert_eq!(other.session_id, Uuid::max(), "a key is its tenant's");
}

async fn a_reserved_session_is_opened_once_and_answers_then(bed: Bed) {
    let mut line = Line::new();
    let request = key("POST /sessions", "k");
    let reserved = bed
        .store
        .reserve_session(TENANT, &request, line.id, at(1))
        .await
        .unwrap();
    assert_eq!((reserved.session_id, reserved.answer), (line.id, None));
    assert_eq!(
        bed.store.tenant_answer(TENANT, &request).await.unwrap(),
        None
    );
    let mut creation = line.creation(TENANT);
    creation.key = keyed("POST /sessions", "k", "opened");
    assert_eq!(
        bed.store.create(creation.clone()).await.unwrap(),
        Created::Done
    );
    creation.key = keyed("POST /sessions", "k", "opened again");
    assert_eq!(bed.store.create(creation).await.unwrap(), Created::Exists);
    let again = IdempotencyKey {
        body: sha256(b"other body"),
        ..request.clone()
    };
    let found = bed
        .store
        .reserve_session(TENANT, &again, Uuid::max(), at(2))
        .await
        .unwrap();
    assert_eq!(
        (found.session_id, found.answer.as_deref()),
        (line.id, Some("opened"))
    );
    assert_eq!(
        found.body, request.body,
        "the body that reserved, to compare with"
    );
    let stored = bed
        .store
        .tenant_answer(TENANT, &request)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(stored.answer, "opened");
}

async fn a_key_reserved_for_another_session_opens_nothing(bed: Bed) {
    let (winner, mut loser) = (Line::new(), Line::new());
    let request = key("POST /sessions", "k");
    bed.store
        .reserve_session(TENANT, &request, winner.id, at(1))
        .await
        .unwrap();
    let mut creation = loser.creation(TENANT);
    creation.key = keyed("POST /sessions", "k", "mine");
    assert_eq!(bed.store.create(creation).await.unwrap(), Created::Exists);
    assert_eq!(bed.store.session(TENANT, loser.id).await.unwrap(), None);
    assert_eq!(
        bed.store.tenant_answer(TENANT, &request).await.unwrap(),
        None
    );
}

async fn keys_are_kept_a_day(bed: Bed) {
    const DAY: u64 = 86_400;
    let mut line = bed.open_session().await;
    let mut commit = line.commit();
    commit.key = keyed(SCOPE, "k", "a");
    assert_eq!(bed.store.append(commit).await.unwrap(), Appended::Done);
    let request = key("POST /sessions", "k");
    bed.store
        .reserve_session(TENANT, &request, line.id, at(2))
        .await
        .unwrap();
    assert_eq!(bed.store.purge(at(DAY + 1), 10).await.unwrap().keys, 0);
    assert!(
        bed.store
            .answer(line.id, &key(SCOPE, "k"))
            .await
            .unwrap()
            .is_some()
    );
    assert_eq!(bed.store.purge(at(DAY + 2), 10).await.unwrap().keys, 2);
    assert_eq!(
        bed.store.answer(line.id, &key(SCOPE, "k")).await.unwrap(),
        None
    );
    let reserved = bed
        .store
        .reserve_session(TENANT, &request, Uuid::max(), at(DAY + 2));
    assert_eq!(reserved.await.unwrap().session_id, Uuid::max());
}

async fn an_api_key_is_found_by_its_id_until_it_is_revoked(bed: Bed) {
    let made = |tenant: &str, seconds| ApiKey {
        tenant: tenant.into(),
        id: Line::new().id,
        name: "ci".into(),
        secret: sha256(b"secret"),
        scopes: "read propose".into(),
        model: (seconds == 1).then(|| "model-1".into()),
        created_at: at(seconds),
        revoked_at: None,
    };
    let (one, two) = (made(TENANT, 1), made("other", 2));
    assert!(bed.store.api_keys(None).await.unwrap().is_empty());
    assert!(bed.store.put_api_key(&one).await.unwrap());
    assert!(bed.store.put_api_key(&two).await.unwrap());
    assert!(!bed.store.put_api_key(&one).await.unwrap());
    assert_eq!(bed.store.api_key(one.id).await.unwrap(), Some(one.clone()));
    assert_eq!(bed.store.api_key(Uuid::max()).await.unwrap(), None);
    assert_eq!(
        bed.store.api_keys(None).await.unwrap(),
        [one.clone(), two.clone()]
    );
    assert_eq!(bed.store.api_keys(Some("other")).await.unwrap(), [two]);
    assert!(
        !bed.store
            .revoke_api_key("other", one.id, at(3))
            .await
            .unwrap()
    );
    assert!(
        bed.store
            .revoke_api_key(TENANT, one.id, at(3))
            .await
            .unwrap()
    );
    assert!(
        !bed.store
            .revoke_api_key(TENANT, one.id, at(4))
            .await
            .unwrap()
    );
    let revoked = bed.store.api_key(one.id).await.unwrap().unwrap();
    assert_eq!(revoked.revoked_at, Some(at(3)));
}
