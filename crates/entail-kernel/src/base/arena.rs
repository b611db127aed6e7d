//! Lists addressed by handles, and tables from contents to handles.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::marker::PhantomData;

/// A list addressed by handles of one kind.
///
/// It grows by a quarter, not by doubling, since most of what a base holds lies in such lists.
#[derive(Clone, Debug)]
pub(crate) struct Arena<I, T> {
    items: Vec<T>,
    handle: PhantomData<I>,
}

impl<I, T> Default for Arena<I, T> {
    fn default() -> Self {
        Self {
            items: Vec::new(),
            handle: PhantomData,
        }
    }
}

impl<I: Into<usize>, T> Arena<I, T> {
    pub(crate) fn len(&self) -> usize {
        self.items.len()
    }

    pub(crate) fn push(&mut self, item: T) {
        push_lean(&mut self.items, item);
    }

    pub(crate) fn pop(&mut self) -> Option<T> {
        self.items.pop()
    }

    pub(crate) fn get(&self, id: I) -> Option<&T> {
        self.items.get(id.into())
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "handles are made by this base for what it holds; those from outside are looked up with `get` first"
    )]
    pub(crate) fn at(&self, id: I) -> &T {
        &self.items[id.into()]
    }

    #[expect(clippy::indexing_slicing, reason = "as for `at`")]
    pub(crate) fn at_mut(&mut self, id: I) -> &mut T {
        &mut self.items[id.into()]
    }

    pub(crate) fn iter(&self) -> std::slice::Iter<'_, T> {
        self.items.iter()
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        self.items.capacity() * size_of::<T>()
    }
}

/// Pushes, growing by a quarter where the list is full.
pub(crate) fn push_lean<T>(items: &mut Vec<T>, item: T) {
    if items.len() == items.capacity() {
        items.reserve_exact(items.len() / 4 + 4);
    }
    items.push(item);
}

/// A hash with the same result everywhere and every time.
pub(crate) fn hash_of(content: &impl Hash) -> u32 {
    let mut hasher = DefaultHasher::new();
    content.hash(&mut hasher);
    let hash = hasher.finish();
    #[expect(
        clippy::cast_possible_truncation,
        reason = "half of the hash is enough"
    )]
    {
        (hash ^ (hash >> 32)) as u32
    }
}

/// A table from contents to handles: open addressing over hashes, contents compared by the
/// caller. Entries are removed in the reverse of the order in which they were inserted, which
/// keeps every probe sequence whole.
#[derive(Clone, Debug, Default)]
pub(crate) struct Table {
    /// Hash and handle; a handle of `u32::MAX` is a free slot. The length is a power of two.
    slots: Vec<(u32, u32)>,
    len: usize,
}

const FREE: (u32, u32) = (0, u32::MAX);

impl Table {
    /// The handle for which `is_it` holds, among those inserted with this hash.
    pub(crate) fn find(&self, hash: u32, mut is_it: impl FnMut(u32) -> bool) -> Option<u32> {
        for slot in self.probe(hash) {
            let (there, id) = *self.slots.get(slot)?;
            if id == FREE.1 {
                return None;
            }
            if there == hash && is_it(id) {
                return Some(id);
            }
        }
        None
    }

    pub(crate) fn insert(&mut self, hash: u32, id: u32) {
        if (self.len + 1) * 5 > self.slots.len() * 4 {
            self.grow();
        }
        self.place(hash, id);
        self.len += 1;
    }

    /// Takes out what was inserted last.
    pub(crate) fn remove(&mut self, hash: u32, id: u32) {
        let at = self
            .probe(hash)
            .find(|slot| self.slots.get(*slot).is_some_and(|(_, there)| *there == id));
        if let Some(slot) = at.and_then(|slot| self.slots.get_mut(slot)) {
            *slot = FREE;
            self.len -= 1;
        }
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        self.slots.capacity() * size_of::<(u32, u32)>()
    }

    fn probe(&self, hash: u32) -> impl Iterator<Item = usize> + use<> {
        let mask = self.slots.len().wrapping_sub(1);
        (0..self.slots.len()).map(move |step| (hash as usize).wrapping_add(step) & mask)
    }

    fn place(&mut self, hash: u32, id: u32) {
        let free = self.probe(hash).find(|slot| {
            self.slots
                .get(*slot)
                .is_some_and(|(_, there)| *there == FREE.1)
        });
        if let Some(slot) = free.and_then(|slot| self.slots.get_mut(slot)) {
            *slot = (hash, id);
        }
    }

    /// Doubles the table. Placing the entries again in the order of their handles keeps the last
    /// one removable.
    fn grow(&mut self) {
        let size = (self.slots.len() * 2).max(8);
        let mut entries = std::mem::replace(&mut self.slots, vec![FREE; size]);
        entries.retain(|(_, id)| *id != FREE.1);
        entries.sort_unstable_by_key(|(_, id)| *id);
        for (hash, id) in entries {
            self.place(hash, id);
        }
    }
}

/// A list of handles that is usually short: the first takes no heap.
#[derive(Clone, Debug, Default)]
pub(crate) enum IdList {
    #[default]
    None,
    One(u32),
    #[expect(
        clippy::box_collection,
        reason = "a list in a list: one word instead of three"
    )]
    Many(Box<Vec<u32>>),
}

impl IdList {
    pub(crate) fn as_slice(&self) -> &[u32] {
        match self {
            Self::None => &[],
            Self::One(id) => std::slice::from_ref(id),
            Self::Many(ids) => ids,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.as_slice().len()
    }

    pub(crate) fn last(&self) -> Option<u32> {
        self.as_slice().last().copied()
    }

    pub(crate) fn push(&mut self, id: u32) {
        self.insert(self.len(), id);
    }

    pub(crate) fn insert(&mut self, at: usize, id: u32) {
        match self {
            Self::None => *self = Self::One(id),
            Self::One(first) => {
                let pair = if at == 0 { [id, *first] } else { [*first, id] };
                *self = Self::Many(Box::new(pair.into()));
            }
            Self::Many(ids) => ids.insert(at.min(ids.len()), id),
        }
    }

    pub(crate) fn remove(&mut self, at: usize) {
        match self {
            Self::None => {}
            Self::One(_) => {
                if at == 0 {
                    *self = Self::None;
                }
            }
            Self::Many(ids) => {
                if at < ids.len() {
                    ids.remove(at);
                }
                match ids.as_slice() {
                    [] => *self = Self::None,
                    [only] => *self = Self::One(*only),
                    _ => {}
                }
            }
        }
    }

    /// Adds a handle to a list in ascending order.
    pub(crate) fn insert_sorted(&mut self, id: u32) {
        if let Err(at) = self.as_slice().binary_search(&id) {
            self.insert(at, id);
        }
    }

    /// Takes a handle out of a list in ascending order.
    pub(crate) fn remove_sorted(&mut self, id: u32) {
        if let Ok(at) = self.as_slice().binary_search(&id) {
            self.remove(at);
        }
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        match self {
            Self::None | Self::One(_) => 0,
            Self::Many(ids) => size_of::<Vec<u32>>() + ids.capacity() * size_of::<u32>(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_finds_what_was_inserted_and_forgets_what_was_removed_last() {
        let mut table = Table::default();
        // Few hashes, so that probe sequences overlap.
        let hash = |id: u32| id % 7;
        for id in 0..1000 {
            table.insert(hash(id), id);
        }
        for kept in (0..1000).rev() {
            assert!(
                (0..=kept)
                    .step_by(97)
                    .all(|id| table.find(hash(id), |x| x == id) == Some(id))
            );
            table.remove(hash(kept), kept);
            assert_eq!(table.find(hash(kept), |x| x == kept), None);
        }
        assert_eq!(table.len, 0);
    }

    #[test]
    fn a_short_list_behaves_like_a_vector() {
        let (mut list, mut vector) = (IdList::default(), Vec::new());
        for (step, id) in [5, 1, 9, 7, 3, 5, 0].into_iter().enumerate() {
            if step % 3 == 2 {
                list.remove(0);
                vector.remove(0);
            }
            list.insert_sorted(id);
            if let Err(at) = vector.binary_search(&id) {
                vector.insert(at, id);
            }
            assert_eq!(list.as_slice(), vector);
        }
        while let Some(id) = vector.pop() {
            list.remove_sorted(id);
            assert_eq!(list.as_slice(), vector);
        }
    }
}
