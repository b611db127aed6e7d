//! Calls the service makes: each attempt is one replica's.

use std::collections::HashSet;

use entail_store::{Appended, CallJob, DueCall};

use crate::bed::{Bed, ENGINES, Line, TENANT, at};
use crate::cases;

cases![ENGINES;
    a_call_is_leased_when_due_and_due_again_when_the_lease_ends,
    a_call_is_done_with_the_commit_that_says_so,
    a_retry_is_granted_to_the_latest_attempt_alone,
    replicas_never_lease_the_same_attempt,
];

async fn with_calls(bed: &Bed, calls: &[(&str, u64)]) -> Line {
    let mut line = bed.open_session().await;
    let mut commit = line.commit();
    let job = |(id, seconds): &(&str, u64)| CallJob {
        call_id: (*id).into(),
        due_at: at(*seconds),
    };
    commit.calls_due = calls.iter().map(job).collect();
    assert_eq!(bed.store.append(commit).await.unwrap(), Appended::Done);
    line.step();
    line
}

fn due(line: &Line, call_id: &str, attempt: u32) -> DueCall {
    DueCall {
        tenant: TENANT.into(),
        session_id: line.id,
        call_id: call_id.into(),
        attempt,
    }
}

async fn a_call_is_leased_when_due_and_due_again_when_the_lease_ends(bed: Bed) {
    let line = with_calls(&bed, &[("late", 20), ("early", 10)]).await;
    assert_eq!(bed.store.lease_calls(at(9), at(19), 10).await.unwrap(), []);
    let leased = bed.store.lease_calls(at(99), at(100), 1).await.unwrap();
    assert_eq!(leased, [due(&line, "early", 1)]);
    let leased = bed.store.lease_calls(at(99), at(150), 10).await.unwrap();
    assert_eq!(leased, [due(&line, "late", 1)]);
    assert_eq!(
        bed.store.lease_calls(at(99), at(150), 10).await.unwrap(),
        []
    );
    let leased = bed.store.lease_calls(at(100), at(200), 10).await.unwrap();
    assert_eq!(leased, [due(&line, "early", 2)]);
}

async fn a_call_is_done_with_the_commit_that_says_so(bed: Bed) {
    let mut line = with_calls(&bed, &[("one", 10), ("two", 10)]).await;
    let mut behind = Line {
        seq: 1,
        ..line.clone()
    };
    let mut commit = behind.commit();
    commit.calls_done = vec!["one".into()];
    assert_eq!(
        bed.store.append(commit).await.unwrap(),
        Appended::Conflict { version: 2 }
    );
    let mut commit = line.commit();
    commit.calls_done = vec!["two".into(), "unheard of".into()];
    assert_eq!(bed.store.append(commit).await.unwrap(), Appended::Done);
    let leased = bed.store.lease_calls(at(99), at(100), 10).await.unwrap();
    assert_eq!(leased, [due(&line, "one", 1)]);
}

async fn a_retry_is_granted_to_the_latest_attempt_alone(bed: Bed) {
    let line = with_calls(&bed, &[("call", 10)]).await;
    bed.store.lease_calls(at(10), at(20), 10).await.unwrap();
    bed.store.lease_calls(at(20), at(30), 10).await.unwrap();
    let again = CallJob {
        call_id: "call".into(),
        due_at: at(25),
    };
    assert!(!bed.store.retry_call(line.id, &again, 1).await.unwrap());
    assert!(bed.store.retry_call(line.id, &again, 2).await.unwrap());
    let leased = bed.store.lease_calls(at(25), at(35), 10).await.unwrap();
    assert_eq!(leased, [due(&line, "call", 3)]);
}

async fn replicas_never_lease_the_same_attempt(bed: Bed) {
    let calls: Vec<String> = (0..60).map(|index| format!("call {index}")).collect();
    let calls: Vec<(&str, u64)> = calls.iter().map(|id| (id.as_str(), 1)).collect();
    with_calls(&bed, &calls).await;
    let mut tasks = Vec::new();
    for index in 0..8 {
        let store = if index % 2 == 0 {
            bed.store.clone()
        } else {
            bed.replica().await
        };
        tasks.push(tokio::spawn(async move {
            let mut leased = Vec::new();
            loop {
                let some = store.lease_calls(at(1), at(9), 7).await.unwrap();
                if some.is_empty() {
                    return leased;
                }
                leased.extend(some);
            }
        }));
    }
    let mut leased = Vec::new();
    for task in tasks {
        leased.extend(task.await.unwrap());
    }
    // A replica that finds every row locked by others stops early; what it left is still due.
    leased.extend(bed.store.lease_calls(at(1), at(9), 60).await.unwrap());
    let distinct: HashSet<&str> = leased.iter().map(|call| call.call_id.as_str()).collect();
    assert_eq!((leased.len(), distinct.len()), (60, 60));
    assert!(leased.iter().all(|call| call.attempt == 1));
}
