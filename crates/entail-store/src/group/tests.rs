//! Group commit, told by the statements it sends.

use std::sync::Mutex as Shared;

use entail_json::Digest;
use entail_trace::journal::{Entry, Timestamp};
use tokio::sync::Semaphore;

use super::*;
use crate::types::RowUpdate;

/// How a fake database answers a batch.
type Answer = Result<Vec<Option<Appended>>, StoreError>;

/// A database that lets a batch through for each permit, keeps its commits' kinds, and
/// answers as it is told, or that all is done.
#[derive(Clone)]
struct Fake {
    gate: Arc<Semaphore>,
    batches: Arc<Shared<Vec<Vec<String>>>>,
    answers: Arc<Shared<VecDeque<Answer>>>,
    holds: bool,
}

impl Fake {
    fn new(answers: Vec<Answer>) -> Self {
        Self {
            gate: Arc::new(Semaphore::new(0)),
            batches: Arc::default(),
            answers: Arc::new(Shared::new(answers.into())),
            holds: false,
        }
    }

    fn batches(&self) -> Vec<Vec<String>> {
        self.batches.lock().unwrap().clone()
    }
}

impl Sink for Fake {
    type Item = Commit;

    async fn write(&self, batch: &[&Commit]) -> Answer {
        self.gate.acquire().await.unwrap().forget();
        let kinds = batch.iter().map(|commit| commit.entry.kind.clone());
        self.batches.lock().unwrap().push(kinds.collect());
        let answer = self.answers.lock().unwrap().pop_front();
        answer.unwrap_or_else(|| Ok(vec![Some(Appended::Done); batch.len()]))
    }

    async fn holds(&self, _: &Commit, _: u64) -> Result<bool, StoreError> {
        Ok(self.holds)
    }
}

fn commit(session: u128, kind: &str, bytes: usize) -> Commit {
    let entry = Entry {
        v: 1,
        session_id: String::new(),
        seq: 2,
        kind: kind.to_owned(),
        payload: "x".repeat(bytes),
        events: String::new(),
        prev_hash: Digest::ZERO,
        hash: Digest::ZERO,
        created_at: Timestamp::EPOCH,
    };
    Commit::new(Uuid::from_u128(session), entry, RowUpdate::default())
}

/// Has commits wait while the first of them is being written, then lets all through.
async fn all(fake: &Fake, commits: Vec<Commit>) -> Vec<Result<Appended, StoreError>> {
    let committer = Arc::new(Committer::new(fake.clone(), 1));
    let mut answers = Vec::new();
    for commit in commits {
        let committer = committer.clone();
        answers.push(tokio::spawn(async move { committer.append(commit).await }));
        tokio::task::yield_now().await;
    }
    fake.gate.add_permits(1_000);
    let mut settled = Vec::new();
    for answer in answers {
        settled.push(answer.await.unwrap());
    }
    committer.close().await;
    settled
}

fn assert_done(settled: &[Result<Appended, StoreError>]) {
    assert!(
        settled
            .iter()
            .all(|settled| matches!(settled, Ok(Appended::Done)))
    );
}

fn lost() -> StoreError {
    sqlx::Error::WorkerCrashed.into()
}

fn refused() -> StoreError {
    sqlx::Error::RowNotFound.into()
}

#[tokio::test]
async fn commits_that_wait_together_go_out_in_one_statement() {
    let fake = Fake::new(vec![]);
    let commits = (0..101)
        .map(|session| commit(session, "turn", 10))
        .collect();
    assert_done(&all(&fake, commits).await);
    let sizes: Vec<usize> = fake.batches().iter().map(Vec::len).collect();
    assert_eq!(sizes, [1, 100]);
}

#[tokio::test]
async fn a_statement_takes_one_commit_a_session_in_the_order_they_came() {
    let fake = Fake::new(vec![]);
    let commits = ["a1", "b1", "b2", "c1", "b3", "c2"];
    let session = |kind: &str| u128::from(kind.as_bytes()[0]);
    let commits = commits.map(|kind| commit(session(kind), kind, 10));
    assert_done(&all(&fake, commits.into()).await);
    assert_eq!(
        fake.batches(),
        [vec!["a1"], vec!["b1", "c1"], vec!["b2", "c2"], vec!["b3"]]
    );
}

#[tokio::test]
async fn a_statement_is_not_made_too_heavy() {
    let fake = Fake::new(vec![]);
    let half = limits::GROUP_BYTES / 2;
    let weights = [1, half, half, 10 * half, 1];
    let commits = (0..)
        .zip(weights)
        .map(|(session, bytes)| commit(session, "turn", bytes));
    assert_done(&all(&fake, commits.collect()).await);
    let sizes: Vec<usize> = fake.batches().iter().map(Vec::len).collect();
    assert_eq!(sizes, [1, 2, 1, 1]);
}

#[tokio::test]
async fn a_session_locked_elsewhere_is_tried_again_and_the_others_are_done() {
    let (done, locked) = (Some(Appended::Done), None);
    let fake = Fake::new(vec![
        Ok(vec![done]),
        Ok(vec![done, locked]),
        Ok(vec![locked]),
    ]);
    let commits = (0..3).map(|session| commit(session, "turn", 10)).collect();
    assert_done(&all(&fake, commits).await);
    let sizes: Vec<usize> = fake.batches().iter().map(Vec::len).collect();
    assert_eq!(sizes, [1, 2, 1, 1]);
}

#[tokio::test]
async fn a_commit_the_database_refuses_fails_alone() {
    let done = || Ok(vec![Some(Appended::Done)]);
    let fake = Fake::new(vec![done(), Err(refused()), done(), Err(refused()), done()]);
    let commits = (0..4).map(|session| commit(session, "turn", 10)).collect();
    let settled = all(&fake, commits).await;
    assert!(matches!(
        settled[..],
        [
            Ok(Appended::Done),
            Ok(Appended::Done),
            Err(StoreError::Internal { .. }),
            Ok(Appended::Done)
        ]
    ));
}

#[tokio::test]
async fn a_lost_connection_is_got_over_and_what_was_made_is_known_by_its_hash() {
    let conflict = || Ok(vec![Some(Appended::Conflict { version: 2 })]);
    for (holds, expected) in [
        (true, Appended::Done),
        (false, Appended::Conflict { version: 2 }),
    ] {
        let mut fake = Fake::new(vec![Err(lost()), conflict()]);
        fake.holds = holds;
        let settled = all(&fake, vec![commit(1, "turn", 10)]).await;
        assert!(matches!(settled[..], [Ok(appended)] if appended == expected));
        assert_eq!(fake.batches().len(), 2);
    }
}

#[tokio::test]
async fn a_database_that_stays_away_is_unavailable_to_all_who_wait() {
    let fake = Fake::new(vec![Err(lost()), Err(lost()), Err(lost())]);
    let settled = all(&fake, vec![commit(1, "turn", 10)]).await;
    assert!(matches!(settled[..], [Err(StoreError::Unavailable { .. })]));
    assert_eq!(fake.batches().len(), 1 + limits::RECONNECTS as usize);
}
