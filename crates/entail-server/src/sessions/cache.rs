//! The sessions held ready, within a number of bytes; the least recently used go first.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, Mutex, PoisonError},
};

use tokio::sync::RwLock;
use uuid::Uuid;

use crate::sessions::load::Loaded;

/// Where one session is held. Whoever writes leases it; whoever reads shares it.
pub(crate) type Slot = Arc<RwLock<Option<Loaded>>>;

/// The sessions held ready. A session that is evicted while somebody works on it is only
/// forgotten here: its commit still has the store's version check to pass.
#[derive(Debug)]
pub(crate) struct Sessions {
    most: usize,
    held: Mutex<Held>,
}

#[derive(Debug, Default)]
struct Held {
    slots: HashMap<Uuid, Place>,
    /// By the last use, oldest first.
    order: BTreeMap<u64, Uuid>,
    uses: u64,
    bytes: usize,
}

#[derive(Debug)]
struct Place {
    slot: Slot,
    used: u64,
    bytes: usize,
}

impl Sessions {
    /// Room for so many bytes.
    pub(crate) fn new(most: usize) -> Self {
        Self {
            most,
            held: Mutex::default(),
        }
    }

    /// The session's slot, which may be empty.
    pub(crate) fn slot(&self, id: Uuid) -> Slot {
        let mut held = self.lock();
        held.uses = held.uses.saturating_add(1);
        let used = held.uses;
        let (slot, before) = match held.slots.get_mut(&id) {
            Some(place) => (
                Arc::clone(&place.slot),
                Some(std::mem::replace(&mut place.used, used)),
            ),
            None => {
                let slot = Slot::default();
                let place = Place {
                    slot: Arc::clone(&slot),
                    used,
                    bytes: 0,
                };
                held.slots.insert(id, place);
                (slot, None)
            }
        };
        if let Some(before) = before {
            held.order.remove(&before);
        }
        held.order.insert(used, id);
        slot
    }

    /// Notes what a session now weighs, and evicts others if that is too much.
    pub(crate) fn weigh(&self, id: Uuid, bytes: usize) {
        let mut held = self.lock();
        let Some(place) = held.slots.get_mut(&id) else {
            return;
        };
        let before = std::mem::replace(&mut place.bytes, bytes);
        held.bytes = held.bytes.saturating_sub(before).saturating_add(bytes);
        let mut evicted = Vec::new();
        while held.bytes > self.most && held.order.len() > 1 {
            let Some((_, oldest)) = held.order.pop_first() else {
                break;
            };
            if let Some(place) = held.slots.remove(&oldest) {
                held.bytes = held.bytes.saturating_sub(place.bytes);
                evicted.push(place.slot);
            }
        }
        drop(held);
        // A large session takes time to free; nobody waits for the lock meanwhile.
        drop(evicted);
    }

    /// Forgets a session.
    pub(crate) fn forget(&self, id: Uuid) {
        let mut held = self.lock();
        if let Some(place) = held.slots.remove(&id) {
            held.bytes = held.bytes.saturating_sub(place.bytes);
            held.order.remove(&place.used);
        }
    }

    /// How many are held, and how many bytes.
    pub(crate) fn size(&self) -> (usize, usize) {
        let held = self.lock();
        (held.slots.len(), held.bytes)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(count: u128) -> Vec<Uuid> {
        (1..=count).map(Uuid::from_u128).collect()
    }

    #[test]
    fn the_least_recently_used_session_goes_first() {
        let sessions = Sessions::new(100);
        let ids = ids(3);
        for id in &ids[..2] {
            sessions.slot(*id);
            sessions.weigh(*id, 50);
        }
        sessions.slot(ids[0]);
        sessions.slot(ids[2]);
        sessions.weigh(ids[2], 50);
        assert_eq!(sessions.size(), (2, 100));
        assert!(sessions.lock().slots.contains_key(&ids[0]));
        assert!(!sessions.lock().slots.contains_key(&ids[1]));
    }

    #[test]
    fn a_session_too_large_for_the_cache_is_held_alone() {
        let sessions = Sessions::new(100);
        for id in ids(5) {
            sessions.slot(id);
            sessions.weigh(id, 1_000);
            assert_eq!(sessions.size(), (1, 1_000));
        }
    }

    #[test]
    fn a_session_that_grows_and_is_forgotten_leaves_no_weight() {
        let sessions = Sessions::new(1_000);
        let id = ids(1)[0];
        sessions.slot(id);
        sessions.weigh(id, 10);
        sessions.weigh(id, 30);
        assert_eq!(sessions.size(), (1, 30));
        sessions.forget(id);
        assert_eq!(sessions.size(), (0, 0));
        assert!(sessions.lock().order.is_empty());
    }
}
