//! The sessions held ready, within a number of bytes; the least recently used go first.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, Mutex, PoisonError},
};

use entail_json::Digest;
use tokio::sync::RwLock;
use uuid::Uuid;

use crate::sessions::load::Loaded;

/// Where one session is held. Whoever writes leases it; whoever reads shares it.
pub(crate) type Slot = Arc<RwLock<Option<Loaded>>>;

/// What a session takes of memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Weight {
    /// Bytes of its own.
    pub(crate) bytes: usize,
    /// Its documents, which other sessions may hold as well, each once, with their bytes.
    pub(crate) documents: Arc<[(Digest, usize)]>,
}

/// How much is held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Size {
    /// Sessions.
    pub(crate) sessions: usize,
    /// Their bytes, without documents.
    pub(crate) bytes: usize,
    /// Documents, each once.
    pub(crate) documents: usize,
    /// Their bytes.
    pub(crate) document_bytes: usize,
}

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
    documents: HashMap<Digest, Shared>,
    document_bytes: usize,
}

#[derive(Debug)]
struct Place {
    slot: Slot,
    used: u64,
    weight: Weight,
}

/// A document that sessions share.
#[derive(Debug, Default)]
struct Shared {
    holders: usize,
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
                    weight: Weight::default(),
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

    /// The session's slot if it is held; that it was asked for is no use of it.
    pub(crate) fn peek(&self, id: Uuid) -> Option<Slot> {
        let held = self.lock();
        held.slots.get(&id).map(|place| Arc::clone(&place.slot))
    }

    /// Notes what a session now weighs, and evicts others if that is too much: those evicted.
    pub(crate) fn weigh(&self, id: Uuid, weight: Weight) -> Vec<(Uuid, Slot)> {
        let mut held = self.lock();
        held.weigh(id, weight);
        let mut evicted = Vec::new();
        while held.bytes.saturating_add(held.document_bytes) > self.most && held.order.len() > 1 {
            let Some((_, oldest)) = held.order.pop_first() else {
                break;
            };
            if let Some(slot) = held.remove(oldest) {
                evicted.push((oldest, slot));
            }
        }
        evicted
    }

    /// Forgets a session.
    pub(crate) fn forget(&self, id: Uuid) {
        let slot = self.lock().remove(id);
        // A large session takes time to free; nobody waits for the lock meanwhile.
        drop(slot);
    }

    /// How much is held.
    pub(crate) fn size(&self) -> Size {
        let held = self.lock();
        Size {
            sessions: held.slots.len(),
            bytes: held.bytes,
            documents: held.documents.len(),
            document_bytes: held.document_bytes,
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Held {
    fn weigh(&mut self, id: Uuid, weight: Weight) {
        let Some(place) = self.slots.get_mut(&id) else {
            return;
        };
        let (bytes, documents) = (weight.bytes, Arc::clone(&weight.documents));
        let before = std::mem::replace(&mut place.weight, weight);
        self.bytes = self
            .bytes
            .saturating_sub(before.bytes)
            .saturating_add(bytes);
        if !Arc::ptr_eq(&before.documents, &documents) {
            self.share(&documents);
            self.release(&before.documents);
        }
    }

    fn remove(&mut self, id: Uuid) -> Option<Slot> {
        let place = self.slots.remove(&id)?;
        self.order.remove(&place.used);
        self.bytes = self.bytes.saturating_sub(place.weight.bytes);
        self.release(&place.weight.documents);
        Some(place.slot)
    }

    fn share(&mut self, documents: &[(Digest, usize)]) {
        for (digest, bytes) in documents {
            let shared = self.documents.entry(*digest).or_default();
            if shared.holders == 0 {
                shared.bytes = *bytes;
                self.document_bytes = self.document_bytes.saturating_add(*bytes);
            }
            shared.holders = shared.holders.saturating_add(1);
        }
    }

    fn release(&mut self, documents: &[(Digest, usize)]) {
        for (digest, _) in documents {
            let Some(shared) = self.documents.get_mut(digest) else {
                continue;
            };
            shared.holders = shared.holders.saturating_sub(1);
            if shared.holders == 0 {
                self.document_bytes = self.document_bytes.saturating_sub(shared.bytes);
                self.documents.remove(digest);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(count: u128) -> Vec<Uuid> {
        (1..=count).map(Uuid::from_u128).collect()
    }

    fn of(bytes: usize) -> Weight {
        Weight {
            bytes,
            ..Weight::default()
        }
    }

    fn with_documents(bytes: usize, documents: &[(&str, usize)]) -> Weight {
        let digest = |(text, bytes): &(&str, usize)| (entail_json::sha256(text.as_bytes()), *bytes);
        Weight {
            bytes,
            documents: documents.iter().map(digest).collect(),
        }
    }

    fn held(sessions: &Sessions) -> (usize, usize) {
        let size = sessions.size();
        (size.sessions, size.bytes)
    }

    #[test]
    fn the_least_recently_used_session_goes_first() {
        let sessions = Sessions::new(100);
        let ids = ids(3);
        for id in &ids[..2] {
            sessions.slot(*id);
            assert!(sessions.weigh(*id, of(50)).is_empty());
        }
        sessions.slot(ids[0]);
        sessions.slot(ids[2]);
        let evicted = sessions.weigh(ids[2], of(50));
        assert_eq!(evicted.len(), 1);
        assert_eq!(evicted[0].0, ids[1]);
        assert_eq!(held(&sessions), (2, 100));
        assert!(sessions.peek(ids[0]).is_some());
        assert!(sessions.peek(ids[1]).is_none());
    }

    #[test]
    fn a_session_too_large_for_the_cache_is_held_alone() {
        let sessions = Sessions::new(100);
        for id in ids(5) {
            sessions.slot(id);
            sessions.weigh(id, of(1_000));
            assert_eq!(held(&sessions), (1, 1_000));
        }
    }

    #[test]
    fn a_session_that_grows_and_is_forgotten_leaves_no_weight() {
        let sessions = Sessions::new(1_000);
        let id = ids(1)[0];
        sessions.slot(id);
        sessions.weigh(id, of(10));
        sessions.weigh(id, with_documents(30, &[("a", 7)]));
        assert_eq!(held(&sessions), (1, 30));
        sessions.forget(id);
        assert_eq!(sessions.size(), Size::default());
        assert!(sessions.lock().order.is_empty());
    }

    #[test]
    fn a_document_that_sessions_share_counts_once_and_as_long_as_one_holds_it() {
        let sessions = Sessions::new(1_000);
        let ids = ids(2);
        for id in &ids {
            sessions.slot(*id);
            sessions.weigh(*id, with_documents(10, &[("a", 100), ("b", 20)]));
        }
        let size = sessions.size();
        assert_eq!((size.documents, size.document_bytes), (2, 120));
        sessions.weigh(ids[0], with_documents(10, &[("a", 100), ("c", 3)]));
        assert_eq!(sessions.size().document_bytes, 123);
        sessions.forget(ids[1]);
        assert_eq!(sessions.size().document_bytes, 103);
        sessions.forget(ids[0]);
        assert_eq!(sessions.size(), Size::default());
    }

    #[test]
    fn documents_fill_the_cache_as_sessions_do() {
        let sessions = Sessions::new(100);
        for (at, id) in ids(5).into_iter().enumerate() {
            sessions.slot(id);
            sessions.weigh(id, with_documents(5, &[(&format!("{at}"), 40)]));
            assert!(sessions.size().sessions <= 2);
        }
        assert_eq!(sessions.size().document_bytes, 80);
    }
}
