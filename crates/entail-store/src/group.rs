//! Group commit: what different sessions want written and waits together goes out in one statement.

#[cfg(test)]
mod tests;

use std::collections::{HashSet, VecDeque};
use std::future::Future;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::sync::{Mutex, mpsc, oneshot, watch};
use tokio::task::JoinHandle;
use uuid::Uuid;

use crate::error::StoreError;
use crate::limits;
use crate::types::{Appended, Commit, Context};

/// What a session wants written, while it is at some version.
pub(crate) trait Write: Send + Sync + std::fmt::Debug + 'static {
    fn session_id(&self) -> Uuid;

    /// What it weighs in a batch, in bytes, about.
    fn weight(&self) -> usize;
}

impl Write for Commit {
    fn session_id(&self) -> Uuid {
        self.session_id
    }

    fn weight(&self) -> usize {
        Self::weight(self)
    }
}

impl Write for Context {
    fn session_id(&self) -> Uuid {
        self.session_id
    }

    fn weight(&self) -> usize {
        self.refs.len().saturating_add(self.documents.len())
    }
}

/// What writes a batch, in one transaction.
pub(crate) trait Sink: Clone + Send + Sync + 'static {
    /// What it writes.
    type Item: Write;

    /// Writes the items that can be written, at most one a session, and says what became of each,
    /// in their order; `None` where the session was locked elsewhere and nothing was tried.
    fn write(
        &self,
        batch: &[&Self::Item],
    ) -> impl Future<Output = Result<Vec<Option<Appended>>, StoreError>> + Send;

    /// Whether exactly this item is what brought its session to that version, or further: a commit
    /// under its idempotency key if it has one, for two replicas may come to the same entry, down
    /// to its time, for two callers.
    fn holds(
        &self,
        item: &Self::Item,
        version: u64,
    ) -> impl Future<Output = Result<bool, StoreError>> + Send;
}

/// The way that what is written takes: through the writers, or alone where batching is off.
#[derive(Debug)]
pub(crate) struct Committer<S: Sink> {
    sink: S,
    group: Option<Group<S::Item>>,
    sent: Arc<Sent>,
}

/// What was sent to be written.
#[derive(Debug, Default)]
struct Sent {
    statements: AtomicU64,
    items: AtomicU64,
}

impl Sent {
    fn count(&self, items: usize) {
        self.statements.fetch_add(1, Ordering::Relaxed);
        let items = u64::try_from(items).unwrap_or(u64::MAX);
        self.items.fetch_add(items, Ordering::Relaxed);
    }
}

impl<S: Sink> Committer<S> {
    /// So many writers; with none, each commit is a statement of its own.
    pub(crate) fn new(sink: S, writers: u32) -> Self {
        let sent = Arc::<Sent>::default();
        let group = (writers > 0).then(|| Group::start(&sink, writers, &sent));
        Self { sink, group, sent }
    }

    /// How many statements were sent, and how many items in them.
    pub(crate) fn sent(&self) -> (u64, u64) {
        let read = |count: &AtomicU64| count.load(Ordering::Relaxed);
        (read(&self.sent.statements), read(&self.sent.items))
    }

    /// Has an item written. Through a group it is made even if the caller stops waiting.
    pub(crate) async fn append(&self, item: S::Item) -> Result<Appended, StoreError> {
        if let Some(group) = &self.group {
            return group.append(item).await;
        }
        for attempt in 1..=limits::GROUP_ATTEMPTS {
            self.sent.count(1);
            let [settled] = settle(&self.sink, [&item]).await?;
            match settled {
                Some(appended) => return Ok(appended),
                None => tokio::time::sleep(backoff(attempt)).await,
            }
        }
        Err(locked())
    }

    /// Takes no more, and returns when those taken are written.
    pub(crate) async fn close(&self) {
        if let Some(group) = &self.group {
            group.close().await;
        }
    }
}

/// The queue of what waits and the writers that drain it.
#[derive(Debug)]
struct Group<T> {
    queue: mpsc::Sender<Pending<T>>,
    stop: watch::Sender<bool>,
    writers: Mutex<Vec<JoinHandle<()>>>,
}

#[derive(Debug)]
struct Pending<T> {
    item: T,
    attempts: u32,
    reply: oneshot::Sender<Result<Appended, StoreError>>,
}

impl<T> Pending<T> {
    fn answer(self, answer: Result<Appended, StoreError>) {
        // A caller that no longer waits needs no answer.
        let _ = self.reply.send(answer);
    }
}

impl<T: Write> Group<T> {
    fn start<S: Sink<Item = T>>(sink: &S, writers: u32, sent: &Arc<Sent>) -> Self {
        let (queue, receiver) = mpsc::channel(limits::GROUP_QUEUE);
        let (stop, stopped) = watch::channel(false);
        let queued = Queued {
            receiver,
            stopped,
            waiting: VecDeque::new(),
        };
        let queued = Arc::new(Mutex::new(queued));
        let start = |_| {
            let (sink, queued, sent) = (sink.clone(), queued.clone(), Arc::clone(sent));
            tokio::spawn(
                Writer {
                    sink,
                    queued,
                    queue: queue.downgrade(),
                    sent,
                }
                .run(),
            )
        };
        let writers = Mutex::new((0..writers).map(start).collect());
        Self {
            queue,
            stop,
            writers,
        }
    }

    async fn append(&self, item: T) -> Result<Appended, StoreError> {
        let (reply, answer) = oneshot::channel();
        let pending = Pending {
            item,
            attempts: 0,
            reply,
        };
        self.queue.send(pending).await.map_err(|_| closed())?;
        answer.await.map_err(|_| closed())?
    }

    async fn close(&self) {
        self.stop.send_replace(true);
        for writer in self.writers.lock().await.drain(..) {
            // A writer ends by returning; one aborted with its runtime has nothing left to do.
            let _ = writer.await;
        }
    }
}

/// The receiving end, which one writer at a time drains.
#[derive(Debug)]
struct Queued<T> {
    receiver: mpsc::Receiver<Pending<T>>,
    stopped: watch::Receiver<bool>,
    /// Taken from the queue, in order, and not yet in a batch.
    waiting: VecDeque<Pending<T>>,
}

impl<T: Write> Queued<T> {
    /// Waits for an item and takes with it what else is there; nothing once the queue is closed
    /// and empty.
    async fn batch(&mut self) -> Vec<Pending<T>> {
        if self.waiting.is_empty() {
            let first = tokio::select! {
                first = self.receiver.recv() => first,
                () = stopped(&mut self.stopped) => {
                    self.receiver.close();
                    self.receiver.recv().await
                }
            };
            self.waiting.extend(first);
        }
        while self.waiting.len() < limits::GROUP_COMMITS
            && let Ok(next) = self.receiver.try_recv()
        {
            self.waiting.push_back(next);
        }
        self.select()
    }

    /// Takes from what waits, in order, at most one item a session and a statement's weight.
    fn select(&mut self) -> Vec<Pending<T>> {
        let mut batch: Vec<Pending<T>> = Vec::new();
        let mut sessions: HashSet<Uuid> = HashSet::new();
        let mut room = limits::GROUP_BYTES;
        let mut left = VecDeque::new();
        for pending in self.waiting.drain(..) {
            let weight = pending.item.weight();
            let fits = batch.is_empty() || weight <= room;
            // A session once passed over stays so, which keeps what it wants written in order.
            if sessions.insert(pending.item.session_id()) && fits {
                room = room.saturating_sub(weight);
                batch.push(pending);
            } else {
                left.push_back(pending);
            }
        }
        self.waiting = left;
        batch
    }
}

/// Returns once the group is to stop.
async fn stopped(signal: &mut watch::Receiver<bool>) {
    // The signal's sender lives in the group; without it, the queue ends by itself as well.
    let _ = signal.wait_for(|stopped| *stopped).await;
}

struct Writer<S: Sink> {
    sink: S,
    queued: Arc<Mutex<Queued<S::Item>>>,
    queue: mpsc::WeakSender<Pending<S::Item>>,
    sent: Arc<Sent>,
}

impl<S: Sink> Writer<S> {
    async fn run(self) {
        loop {
            let batch = self.queued.lock().await.batch().await;
            if batch.is_empty() {
                return;
            }
            self.write(batch).await;
        }
    }

    async fn write(&self, batch: Vec<Pending<S::Item>>) {
        let items: Vec<&S::Item> = batch.iter().map(|pending| &pending.item).collect();
        self.sent.count(items.len());
        match settle_all(&self.sink, &items).await {
            Ok(results) => {
                for (pending, result) in batch.into_iter().zip(results) {
                    match result {
                        Some(appended) => pending.answer(Ok(appended)),
                        None => self.put_off(pending),
                    }
                }
            }
            // Each goes alone, so that one fault stays one session's.
            Err(error) if batch.len() > 1 && !matches!(error, StoreError::Unavailable { .. }) => {
                for pending in batch {
                    self.sent.count(1);
                    match settle(&self.sink, [&pending.item]).await {
                        Ok([Some(appended)]) => pending.answer(Ok(appended)),
                        Ok([None]) => self.put_off(pending),
                        Err(error) => pending.answer(Err(error)),
                    }
                }
            }
            Err(error) => {
                for pending in batch {
                    pending.answer(Err(error.clone()));
                }
            }
        }
    }

    /// Queues an item again after a short random wait, as it is.
    fn put_off(&self, mut pending: Pending<S::Item>) {
        pending.attempts = pending.attempts.saturating_add(1);
        if pending.attempts > limits::GROUP_ATTEMPTS {
            return pending.answer(Err(locked()));
        }
        let queue = self.queue.clone();
        tokio::spawn(async move {
            tokio::time::sleep(backoff(pending.attempts)).await;
            let Some(queue) = queue.upgrade() else {
                return pending.answer(Err(closed()));
            };
            if let Err(mpsc::error::SendError(pending)) = queue.send(pending).await {
                pending.answer(Err(closed()));
            }
        });
    }
}

/// Writes items, and finds out what became of those whose connection was lost on the way.
///
/// Sending a commit again does no harm, for its version then no longer fits. Whether the session
/// was moved on by it or by another is told by the hash in the journal; so the same commit is
/// found to be made however often it is sent, be it here or by the caller.
async fn settle_all<S: Sink>(
    sink: &S,
    items: &[&S::Item],
) -> Result<Vec<Option<Appended>>, StoreError> {
    let mut lost = 0;
    let mut results = loop {
        match sink.write(items).await {
            Err(StoreError::Unavailable { .. }) if lost < limits::RECONNECTS => lost += 1,
            settled => break settled?,
        }
    };
    for (item, result) in items.iter().zip(&mut results) {
        if let Some(Appended::Conflict { version }) = *result
            && sink.holds(item, version).await?
        {
            *result = Some(Appended::Done);
        }
    }
    Ok(results)
}

async fn settle<S: Sink>(
    sink: &S,
    items: [&S::Item; 1],
) -> Result<[Option<Appended>; 1], StoreError> {
    let results = settle_all(sink, &items).await?;
    Ok([results.into_iter().next().flatten()])
}

/// A random wait, at first up to 1/16 of the longest.
fn backoff(attempt: u32) -> Duration {
    let most = limits::GROUP_BACKOFF_MICROS / 16 * u64::from(attempt.clamp(1, 16));
    let random = RandomState::new().build_hasher().finish();
    Duration::from_micros(random % most.max(1))
}

fn closed() -> StoreError {
    sqlx::Error::PoolClosed.into()
}

fn locked() -> StoreError {
    sqlx::Error::PoolTimedOut.into()
}
