//! Lists addressed by handles, and tables from contents to handles.

use std::marker::PhantomData;

/// How many items of an arena lie together.
const CHUNK: usize = 1 << 10;

/// A list addressed by handles of one kind, for what labelling seldom reads.
///
/// It lies in chunks, so that growing copies nothing and leaves little room unused.
#[derive(Clone, Debug)]
pub(crate) struct Arena<I, T> {
    chunks: Vec<Vec<T>>,
    len: usize,
    handle: PhantomData<I>,
}

impl<I, T> Default for Arena<I, T> {
    fn default() -> Self {
        Self {
            chunks: Vec::new(),
            len: 0,
            handle: PhantomData,
        }
    }
}

impl<I: Into<usize>, T> Arena<I, T> {
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn push(&mut self, item: T) {
        match self.chunks.last_mut() {
            Some(chunk) if chunk.len() < CHUNK => chunk.push(item),
            Some(_) => {
                let mut chunk = Vec::with_capacity(CHUNK);
                chunk.push(item);
                self.chunks.push(chunk);
            }
            None => self.chunks.push(vec![item]),
        }
        self.len += 1;
    }

    pub(crate) fn pop(&mut self) -> Option<T> {
        let chunk = self.chunks.last_mut()?;
        let item = chunk.pop();
        // An empty chunk is kept only where it is the first.
        if chunk.is_empty() && self.chunks.len() > 1 {
            self.chunks.pop();
        }
        self.len -= usize::from(item.is_some());
        item
    }

    pub(crate) fn get(&self, id: I) -> Option<&T> {
        let at = id.into();
        self.chunks.get(at / CHUNK)?.get(at % CHUNK)
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "handles are made by this base for what it holds; those from outside are looked up with `get` first"
    )]
    pub(crate) fn at(&self, id: I) -> &T {
        let at = id.into();
        &self.chunks[at / CHUNK][at % CHUNK]
    }

    #[expect(clippy::indexing_slicing, reason = "as for `at`")]
    pub(crate) fn at_mut(&mut self, id: I) -> &mut T {
        let at = id.into();
        &mut self.chunks[at / CHUNK][at % CHUNK]
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.chunks.iter().flatten()
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        let items: usize = self.chunks.iter().map(Vec::capacity).sum();
        self.chunks.capacity() * size_of::<Vec<T>>() + items * size_of::<T>()
    }
}

/// A list addressed by handles of one kind, for what labelling reads: it lies in one piece.
#[derive(Clone, Debug)]
pub(crate) struct Dense<I, T> {
    items: Vec<T>,
    handle: PhantomData<I>,
}

impl<I, T> Default for Dense<I, T> {
    fn default() -> Self {
        Self {
            items: Vec::new(),
            handle: PhantomData,
        }
    }
}

impl<I: Into<usize>, T> Dense<I, T> {
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

/// A hash of words and texts, the same everywhere and every time: each word is folded in by the
/// two halves of a 128-bit product.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mixer(u64);

impl Default for Mixer {
    fn default() -> Self {
        // The first digits of pi.
        Self(0x243f_6a88_85a3_08d3)
    }
}

impl Mixer {
    #[must_use]
    pub(crate) fn word(self, word: u64) -> Self {
        const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
        let product = u128::from(self.0 ^ word) * u128::from(ODD);
        #[expect(clippy::cast_possible_truncation, reason = "the two halves are meant")]
        let folded = (product as u64) ^ ((product >> 64) as u64);
        Self(folded.rotate_left(23))
    }

    #[must_use]
    pub(crate) fn text(self, text: &str) -> Self {
        let (words, rest) = text.as_bytes().as_chunks::<8>();
        let mut mixer = self.word(text.len() as u64);
        for word in words {
            mixer = mixer.word(u64::from_le_bytes(*word));
        }
        let mut last = [0; 8];
        for (to, from) in last.iter_mut().zip(rest) {
            *to = *from;
        }
        mixer.word(u64::from_le_bytes(last))
    }

    pub(crate) fn finish(self) -> u32 {
        let Self(hash) = self.word(0);
        #[expect(
            clippy::cast_possible_truncation,
            reason = "half of the hash is enough"
        )]
        {
            (hash ^ (hash >> 32)) as u32
        }
    }
}

/// A table from contents to handles: open addressing over hashes, contents compared by the
/// caller.
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

    /// Takes a handle out, and closes the gap so that every probe sequence stays whole.
    pub(crate) fn remove(&mut self, hash: u32, id: u32) {
        let slots = &self.slots;
        let is_it = |slot: &usize| slots.get(*slot).is_some_and(|(_, there)| *there == id);
        let Some(mut gap) = self.probe(hash).find(is_it) else {
            return;
        };
        let mask = self.slots.len().wrapping_sub(1);
        let mut at = gap;
        loop {
            at = (at + 1) & mask;
            let Some(entry) = self
                .slots
                .get(at)
                .copied()
                .filter(|entry| entry.1 != FREE.1)
            else {
                break;
            };
            // How far the entry is from where it would like to be, and from the gap.
            let wish = (at.wrapping_sub(entry.0 as usize)) & mask;
            if wish >= (at.wrapping_sub(gap) & mask) {
                self.set(gap, entry);
                gap = at;
            }
        }
        self.set(gap, FREE);
        self.len -= 1;
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        self.slots.capacity() * size_of::<(u32, u32)>()
    }

    fn probe(&self, hash: u32) -> impl Iterator<Item = usize> + use<> {
        let mask = self.slots.len().wrapping_sub(1);
        (0..self.slots.len()).map(move |step| (hash as usize).wrapping_add(step) & mask)
    }

    fn set(&mut self, slot: usize, entry: (u32, u32)) {
        if let Some(slot) = self.slots.get_mut(slot) {
            *slot = entry;
        }
    }

    fn place(&mut self, hash: u32, id: u32) {
        let slots = &self.slots;
        let is_free = |slot: &usize| slots.get(*slot).is_some_and(|(_, there)| *there == FREE.1);
        if let Some(slot) = self.probe(hash).find(is_free) {
            self.set(slot, (hash, id));
        }
    }

    fn grow(&mut self) {
        let size = (self.slots.len() * 2).max(8);
        for (hash, id) in std::mem::replace(&mut self.slots, vec![FREE; size]) {
            if id != FREE.1 {
                self.place(hash, id);
            }
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
    fn a_table_finds_what_is_in_it_and_nothing_else() {
        let mut table = Table::default();
        let mut there = std::collections::BTreeSet::new();
        // Few hashes, so that probe sequences overlap and wrap around.
        let hash = |id: u32| id.wrapping_mul(7) % 13;
        for step in 0..5000_u32 {
            let id = step.wrapping_mul(2_654_435_761) % 61;
            if there.remove(&id) {
                table.remove(hash(id), id);
            } else {
                there.insert(id);
                table.insert(hash(id), id);
            }
            assert_eq!(table.len, there.len());
            for id in 0..61 {
                let found = table.find(hash(id), |found| found == id);
                assert_eq!(found.is_some(), there.contains(&id));
            }
        }
    }

    #[test]
    fn an_arena_grows_and_shrinks_over_its_chunks() {
        let mut arena = Arena::<usize, usize>::default();
        for size in [3 * CHUNK + 5, CHUNK, 2 * CHUNK, 0, 1] {
            while arena.len() < size {
                arena.push(arena.len());
            }
            while arena.len() > size {
                assert_eq!(arena.pop(), Some(arena.len()));
            }
            assert!((0..size).all(|id| *arena.at(id) == id));
            assert_eq!(arena.get(size), None);
            assert!(arena.iter().copied().eq(0..size));
        }
    }

    #[test]
    fn texts_that_differ_little_have_other_hashes() {
        let mut seen = std::collections::BTreeSet::new();
        for n in 0..10_000 {
            seen.insert(Mixer::default().text(&format!("key:{n}")).finish());
            seen.insert(Mixer::default().text(&"x".repeat(n)).finish());
            seen.insert(Mixer::default().word(n as u64).finish());
        }
        assert!(seen.len() > 29_900);
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
