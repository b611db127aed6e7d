//! Several writers at once, in one process and as several replicas.

use std::collections::HashSet;

use entail_store::{Appended, CallJob, Outcome, Store};
use entail_trace::journal::Entry;
use uuid::Uuid;

use crate::bed::{Bed, Line, TENANT, WAYS, at, journal, keyed, number};
use crate::cases;

cases![WAYS;
    two_replicas_that_append_to_one_session_lose_nothing_and_double_nothing,
    writers_of_many_sessions_through_two_replicas_keep_every_chain,
    commits_of_one_session_that_wait_together_are_told_apart,
    a_caller_that_stops_waiting_leaves_the_chain_whole,
    one_key_sent_by_many_at_once_commits_once,
    closing_finishes_what_was_taken,
    jobs_in_the_background_disturb_no_commit,
];

/// Appends something of its own, loading again whenever another was faster; what it said.
async fn insist(store: &Store, id: Uuid) -> String {
    let payload = format!("\"said {}\"", number());
    loop {
        let row = store.session(TENANT, id).await.unwrap().unwrap();
        match store.append(Line::at(&row).saying(&payload)).await.unwrap() {
            Appended::Done => return payload,
            Appended::Conflict { .. } => {}
            other => panic!("{other:?}"),
        }
    }
}

/// Every acknowledged payload is in the journal once, and nothing else is.
fn assert_holds(entries: &[Entry], acknowledged: &[String]) {
    let said: HashSet<&str> = entries[1..]
        .iter()
        .map(|entry| entry.payload.as_str())
        .collect();
    assert_eq!(said.len(), entries.len() - 1, "nothing is there twice");
    assert_eq!(said.len(), acknowledged.len());
    assert!(
        acknowledged
            .iter()
            .all(|payload| said.contains(payload.as_str()))
    );
}

async fn two_replicas_that_append_to_one_session_lose_nothing_and_double_nothing(bed: Bed) {
    let line = bed.open_session().await;
    let replica = bed.replica().await;
    let mut tasks = Vec::new();
    for writer in 0..8 {
        let store = if writer % 2 == 0 {
            bed.store.clone()
        } else {
            replica.clone()
        };
        tasks.push(tokio::spawn(async move {
            let mut said = Vec::new();
            for _ in 0..12 {
                said.push(insist(&store, line.id).await);
            }
            said
        }));
    }
    let mut acknowledged = Vec::new();
    for task in tasks {
        acknowledged.extend(task.await.unwrap());
    }
    assert_eq!(acknowledged.len(), 96);
    assert_holds(&bed.journal(line.id).await, &acknowledged);
    assert_eq!(journal(&replica, line.id).await, bed.journal(line.id).await);
}

async fn writers_of_many_sessions_through_two_replicas_keep_every_chain(bed: Bed) {
    let mut ids = Vec::new();
    for _ in 0..12 {
        ids.push(bed.open_session().await.id);
    }
    let replica = bed.replica().await;
    let mut tasks = Vec::new();
    for writer in 0..16 {
        let store = if writer % 2 == 0 {
            bed.store.clone()
        } else {
            replica.clone()
        };
        let mut ids = ids.clone();
        // Opposite orders would deadlock a store that took its locks as commits come.
        if writer % 4 < 2 {
            ids.reverse();
        }
        tasks.push(tokio::spawn(async move {
            let mut said = Vec::new();
            for id in ids {
                said.push((id, insist(&store, id).await));
            }
            said
        }));
    }
    let mut acknowledged = Vec::new();
    for task in tasks {
        acknowledged.extend(task.await.unwrap());
    }
    for id in ids {
        let own = acknowledged.iter().filter(|(of, _)| *of == id);
        let own: Vec<String> = own.map(|(_, payload)| payload.clone()).collect();
        assert_eq!(own.len(), 16);
        assert_holds(&bed.journal(id).await, &own);
    }
}

async fn commits_of_one_session_that_wait_together_are_told_apart(bed: Bed) {
    let line = bed.open_session().await;
    let commits = (0..20).map(|_| line.clone().saying(&format!("\"said {}\"", number())));
    let answers = commits.map(|commit| {
        let store = bed.store.clone();
        tokio::spawn(async move { store.append(commit).await.unwrap() })
    });
    let (mut done, mut conflicts) = (0, 0);
    for answer in answers.collect::<Vec<_>>() {
        match answer.await.unwrap() {
            Appended::Done => done += 1,
            Appended::Conflict { version: 2 } => conflicts += 1,
            other => panic!("{other:?}"),
        }
    }
    assert_eq!((done, conflicts), (1, 19));
    assert_eq!(bed.journal(line.id).await.len(), 2);
}

async fn a_caller_that_stops_waiting_leaves_the_chain_whole(bed: Bed) {
    let line = bed.open_session().await;
    for polls in 0..20 {
        let row = bed.row(line.id).await;
        let append = bed.store.append(Line::at(&row).commit());
        let mut append = std::pin::pin!(append);
        for _ in 0..polls {
            let waker = std::task::Waker::noop();
            if append
                .as_mut()
                .poll(&mut std::task::Context::from_waker(waker))
                .is_ready()
            {
                break;
            }
            tokio::task::yield_now().await;
        }
    }
    insist(&bed.store, line.id).await;
    let entries = bed.journal(line.id).await;
    assert_eq!(entries.len() as u64, bed.row(line.id).await.version);
}

async fn one_key_sent_by_many_at_once_commits_once(bed: Bed) {
    let line = bed.open_session().await;
    let replica = bed.replica().await;
    let mut tasks = Vec::new();
    for writer in 0..10 {
        let store = if writer % 2 == 0 {
            bed.store.clone()
        } else {
            replica.clone()
        };
        tasks.push(tokio::spawn(async move {
            loop {
                let row = store.session(TENANT, line.id).await.unwrap().unwrap();
                let mut commit = Line::at(&row).saying(&format!("\"said {}\"", number()));
                commit.key = keyed("POST /turns", "k", "a");
                match store.append(commit).await.unwrap() {
                    Appended::Conflict { .. } => {}
                    settled => return settled,
                }
            }
        }));
    }
    let mut done = 0;
    for task in tasks {
        match task.await.unwrap() {
            Appended::Done => done += 1,
            settled => assert_eq!(settled, Appended::KeyPresent),
        }
    }
    assert_eq!(done, 1);
    assert_eq!(bed.journal(line.id).await.len(), 2);
}

async fn closing_finishes_what_was_taken(bed: Bed) {
    let store = bed.replica().await;
    let mut tasks = Vec::new();
    for _ in 0..30 {
        let (mut line, store) = (bed.open_session().await, store.clone());
        tasks.push(tokio::spawn(async move {
            (line.id, store.append(line.commit()).await)
        }));
    }
    tokio::task::yield_now().await;
    store.close().await.unwrap();
    for task in tasks {
        let (id, answer) = task.await.unwrap();
        let version = bed.row(id).await.version;
        match answer {
            Ok(answer) => assert_eq!((answer, version), (Appended::Done, 2)),
            Err(entail_store::StoreError::Unavailable { .. }) => {}
            Err(error) => panic!("{error:?}"),
        }
        assert_eq!(bed.journal(id).await.len() as u64, version);
    }
}

/// Twelve commits that touch every table, of one session.
async fn busy_session(store: Store, mut line: Line) -> u64 {
    let mut taught = 0;
    for turn in 0..12 {
        let content = format!("{} {turn}", line.id);
        let sha256 = store
            .put_document(TENANT, content.as_bytes(), at(turn))
            .await
            .unwrap();
        let mut commit = line.commit();
        commit.documents = vec![sha256];
        commit.key = keyed("POST /turns", &turn.to_string(), "a");
        let call = |index: u64| format!("call {index}");
        commit.calls_due = vec![CallJob {
            call_id: call(turn),
            due_at: at(0),
        }];
        commit.calls_done = (turn.saturating_sub(3)..turn).map(call).collect();
        let source = format!("human:{}", turn % 3);
        commit.outcomes = vec![
            Outcome {
                source,
                correct: true
            };
            2
        ];
        assert_eq!(store.append(commit).await.unwrap(), Appended::Done);
        taught += 2;
        line.step();
    }
    taught
}

async fn jobs_in_the_background_disturb_no_commit(bed: Bed) {
    let replica = bed.replica().await;
    let (stop, stopped) = tokio::sync::watch::channel(false);
    let mut jobs = Vec::new();
    for store in [bed.store.clone(), replica.clone()] {
        let stopped = stopped.clone();
        jobs.push(tokio::spawn(async move {
            while !*stopped.borrow() {
                store.lease_calls(at(1), at(1), 5).await.unwrap();
                store.fold_outcomes(7).await.unwrap();
                store.purge(at(100), 10).await.unwrap();
                store.unprojected(None, 10).await.unwrap();
            }
        }));
    }
    let mut sessions = Vec::new();
    for index in 0..10 {
        let store = if index % 2 == 0 {
            bed.store.clone()
        } else {
            replica.clone()
        };
        sessions.push(tokio::spawn(busy_session(store, bed.open_session().await)));
    }
    let mut taught = 0;
    for session in sessions {
        taught += session.await.unwrap();
    }
    stop.send_replace(true);
    for job in jobs {
        job.await.unwrap();
    }
    while bed.store.fold_outcomes(100).await.unwrap() > 0 {}
    let sources = bed.store.sources(TENANT, None, 10).await.unwrap();
    assert_eq!(
        sources.iter().map(|source| source.total).sum::<u64>(),
        taught
    );
    assert_eq!(bed.ask("SELECT count(*) FROM session_documents").await, 120);
    assert_eq!(bed.ask("SELECT count(*) FROM documents").await, 120);
    assert_eq!(bed.ask("SELECT count(*) FROM calls").await, 10);
}
