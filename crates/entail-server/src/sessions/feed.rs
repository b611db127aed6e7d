//! Who follows which session, and up to which version there is something to follow.
//!
//! A commit of this replica is told at once. What other replicas commit is found by one loop,
//! which asks the store for the versions of all sessions that somebody follows, once a second.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use tokio::sync::watch;
use uuid::Uuid;

use crate::{app::App, limits::FEED_POLL_MS};

/// The newest version known of a followed session; `None` once it is gone.
pub(crate) type Newest = Option<u64>;

/// The sessions that somebody follows.
#[derive(Debug, Default)]
pub(crate) struct Feed(Mutex<HashMap<Uuid, watch::Sender<Newest>>>);

impl Feed {
    /// Follows a session that is at that version.
    pub(crate) fn follow(&self, id: Uuid, version: u64) -> watch::Receiver<Newest> {
        let mut followed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let sender = followed
            .entry(id)
            .or_insert_with(|| watch::Sender::new(Some(version)));
        let receiver = sender.subscribe();
        raise(sender, version);
        receiver
    }

    /// Tells that a session is at that version.
    pub(crate) fn tell(&self, id: Uuid, version: u64) {
        let followed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(sender) = followed.get(&id) {
            raise(sender, version);
        }
    }

    /// Tells that a session is no more.
    pub(crate) fn tell_gone(&self, id: Uuid) {
        let mut followed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(sender) = followed.remove(&id) {
            sender.send_replace(None);
        }
    }

    /// The sessions that somebody still follows.
    fn followed(&self) -> Vec<Uuid> {
        let mut followed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        followed.retain(|_, sender| sender.receiver_count() > 0);
        followed.keys().copied().collect()
    }
}

fn raise(sender: &watch::Sender<Newest>, version: u64) {
    sender.send_if_modified(|newest| {
        let is_new = newest.is_some_and(|newest| newest < version);
        if is_new {
            *newest = Some(version);
        }
        is_new
    });
}

/// Looks for commits of other replicas until the service stops.
pub(crate) async fn poll(app: App) {
    loop {
        tokio::select! {
            () = app.drained() => return,
            () = tokio::time::sleep(Duration::from_millis(FEED_POLL_MS)) => {}
        }
        let followed = app.feed().followed();
        if followed.is_empty() {
            continue;
        }
        match app.store().versions(&followed).await {
            Ok(versions) => {
                let versions: HashMap<_, _> = versions.into_iter().collect();
                for id in followed {
                    match versions.get(&id) {
                        Some(version) => app.feed().tell(id, *version),
                        None => app.feed().tell_gone(id),
                    }
                }
            }
            Err(error) => tracing::warn!(%error, "cannot look for new commits"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_follower_learns_of_newer_versions_only_and_of_the_end() {
        let feed = Feed::default();
        let id = Uuid::from_u128(1);
        let mut follower = feed.follow(id, 3);
        follower.borrow_and_update();
        feed.tell(id, 2);
        assert!(!follower.has_changed().unwrap());
        feed.tell(id, 5);
        assert_eq!(*follower.borrow_and_update(), Some(5));
        feed.tell_gone(id);
        assert_eq!(*follower.borrow_and_update(), None);
        assert!(feed.followed().is_empty());
    }

    #[test]
    fn a_session_that_nobody_follows_any_more_is_not_asked_for() {
        let feed = Feed::default();
        let follower = feed.follow(Uuid::from_u128(1), 1);
        assert_eq!(feed.followed().len(), 1);
        drop(follower);
        assert!(feed.followed().is_empty());
    }
}
