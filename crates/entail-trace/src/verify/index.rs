//! What is known of ids, in a few bytes each.
//!
//! An id takes its 32-byte digest and what its kind needs; a table of numbers finds it. Both grow
//! in pieces, so that 150 bytes an id are never passed, also not while growing.

use std::hash::{BuildHasher, RandomState};

use entail_json::{Digest, sha256};

use crate::limits::MAX_IDS;
use crate::span::Span;

/// An id by its digest: the one it is made of, or else that of its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Key {
    digest: [u8; 32],
    /// Which of [`FORMS`] the id has, from 1; 0 for any other text.
    form: u8,
}

/// What an id or a path is found by.
pub(crate) trait Find: Copy + PartialEq {
    fn of(text: &str) -> Self;
    /// Bytes that differ for different keys.
    fn bytes(&self) -> &[u8];
}

impl Find for Key {
    fn of(text: &str) -> Self {
        Self::of(text)
    }

    fn bytes(&self) -> &[u8] {
        &self.digest
    }
}

/// A path by 160 bits of its digest: no two paths with one key can be found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PathKey([u8; 20]);

impl Find for PathKey {
    fn of(text: &str) -> Self {
        let digest = sha256(text.as_bytes());
        Self(short(&digest))
    }

    fn bytes(&self) -> &[u8] {
        &self.0
    }
}

const FORMS: [&str; 8] = [
    "spec", "node", "plan", "call", "evidence", "claim", "trace", "run",
];

impl Key {
    pub(crate) fn of(id: &str) -> Self {
        if let Some((kind, digest)) = id.split_once("_v1_")
            && let Ok(digest) = digest.parse::<Digest>()
            && let Some(form) = (1_u8..)
                .zip(FORMS)
                .find_map(|(n, word)| (word == kind).then_some(n))
        {
            return Self {
                digest: *digest.as_bytes(),
                form,
            };
        }
        Self {
            digest: *sha256(id.as_bytes()).as_bytes(),
            form: 0,
        }
    }

    /// The id, if it was made of a digest; else what is known of it.
    pub(crate) fn describe(&self) -> String {
        let digest = Digest::from_bytes(self.digest);
        match usize::from(self.form)
            .checked_sub(1)
            .and_then(|form| FORMS.get(form))
        {
            Some(kind) => format!("`{kind}_v1_{digest}`"),
            None => format!("the id whose sha-256 is `{digest}`"),
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Entry<T, K> {
    key: K,
    data: T,
}

/// Ids of one kind, numbered in the order in which they came.
#[derive(Debug)]
pub(crate) struct Ids<T, K = Key> {
    chunks: Vec<Vec<Entry<T, K>>>,
    /// Numbers plus one, placed by hash; 0 is free. Its length is a power of two, or 0.
    table: Vec<u32>,
    length: usize,
    /// The order of the table is seen by nobody; that it cannot be foreseen keeps chosen ids
    /// from falling on one place.
    hasher: RandomState,
}

/// What became of an id that was to be added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Added {
    /// It is new and has this number.
    New(usize),
    /// It was there before, under this number.
    Present(usize),
    /// There are too many ids.
    Full,
}

const CHUNK: usize = 1024;

impl<T, K> Default for Ids<T, K> {
    fn default() -> Self {
        Self {
            chunks: Vec::new(),
            table: Vec::new(),
            length: 0,
            hasher: RandomState::new(),
        }
    }
}

impl<T: Copy, K: Find> Ids<T, K> {
    pub(crate) fn len(&self) -> usize {
        self.length
    }

    pub(crate) fn find(&self, id: &str) -> Option<usize> {
        self.find_key(&K::of(id))
    }

    fn find_key(&self, key: &K) -> Option<usize> {
        let mut slot = self.home(key);
        loop {
            let number = number(*self.table.get(slot)?)?;
            if self.entry(number).is_some_and(|entry| entry.key == *key) {
                return Some(number);
            }
            slot = self.after(slot);
        }
    }

    pub(crate) fn add(&mut self, id: &str, data: T) -> Added {
        let key = K::of(id);
        if let Some(number) = self.find_key(&key) {
            return Added::Present(number);
        }
        if self.length >= MAX_IDS {
            return Added::Full;
        }
        if self.length.saturating_mul(8) >= self.table.len().saturating_mul(7) {
            self.grow();
        }
        let number = self.length;
        match self.chunks.last_mut() {
            Some(chunk) if chunk.len() < CHUNK => chunk.push(Entry { key, data }),
            _ => {
                let mut chunk = if number == 0 {
                    Vec::new()
                } else {
                    Vec::with_capacity(CHUNK)
                };
                chunk.push(Entry { key, data });
                self.chunks.push(chunk);
            }
        }
        self.length = number.saturating_add(1);
        self.put(&key, number);
        Added::New(number)
    }

    pub(crate) fn get(&self, number: usize) -> Option<T> {
        self.entry(number).map(|entry| entry.data)
    }

    pub(crate) fn get_mut(&mut self, number: usize) -> Option<&mut T> {
        let chunk = self.chunks.get_mut(number / CHUNK)?;
        chunk.get_mut(number % CHUNK).map(|entry| &mut entry.data)
    }

    /// All ids in the order in which they came.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (K, T)> {
        self.chunks
            .iter()
            .flatten()
            .map(|entry| (entry.key, entry.data))
    }

    /// How many bytes are held.
    pub(crate) fn bytes_held(&self) -> usize {
        let entries: usize = self.chunks.iter().map(Vec::capacity).sum();
        let table = self.table.capacity().saturating_mul(size_of::<u32>());
        entries
            .saturating_mul(size_of::<Entry<T, K>>())
            .saturating_add(table)
    }

    fn entry(&self, number: usize) -> Option<&Entry<T, K>> {
        self.chunks.get(number / CHUNK)?.get(number % CHUNK)
    }

    fn grow(&mut self) {
        let size = self.table.len().saturating_mul(2).max(16);
        self.table = vec![0; size];
        for number in 0..self.length {
            if let Some(key) = self.entry(number).map(|entry| entry.key) {
                self.put(&key, number);
            }
        }
    }

    /// Places a number that is not in the table, which has room.
    fn put(&mut self, key: &K, number: usize) {
        let mut slot = self.home(key);
        while let Some(place) = self.table.get_mut(slot) {
            if *place == 0 {
                *place = u32::try_from(number.saturating_add(1)).unwrap_or(0);
                return;
            }
            slot = self.after(slot);
        }
    }

    fn home(&self, key: &K) -> usize {
        let hash = self.hasher.hash_one(key.bytes());
        usize::try_from(hash & u64::from(u32::MAX)).unwrap_or(0) & self.mask()
    }

    fn after(&self, slot: usize) -> usize {
        slot.wrapping_add(1) & self.mask()
    }

    fn mask(&self) -> usize {
        self.table.len().wrapping_sub(1)
    }
}

fn number(place: u32) -> Option<usize> {
    usize::try_from(place).ok()?.checked_sub(1)
}

/// Where a line stands, in ten bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Line {
    offset: [u8; 6],
    length: [u8; 4],
}

impl Line {
    pub(crate) fn new(offset: u64, length: u32) -> Self {
        let [a, b, c, d, e, f, ..] = offset.to_le_bytes();
        Self {
            offset: [a, b, c, d, e, f],
            length: length.to_le_bytes(),
        }
    }

    pub(crate) fn offset(self) -> u64 {
        let [a, b, c, d, e, f] = self.offset;
        u64::from_le_bytes([a, b, c, d, e, f, 0, 0])
    }

    pub(crate) fn length(self) -> u32 {
        u32::from_le_bytes(self.length)
    }
}

/// Evidence: where it was registered, and the digest of its own span as its file gives it.
///
/// Of the digest 160 bits are kept, of which no two spans alike can be found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Registered {
    line: Line,
    start: [u8; 4],
    end: [u8; 4],
    digest: [u8; 20],
}

impl Registered {
    pub(crate) fn new(line: Line) -> Self {
        Self {
            line,
            start: [0; 4],
            end: [0; 4],
            digest: [0; 20],
        }
    }

    pub(crate) fn line(self) -> Line {
        self.line
    }

    /// Keeps the digest of a span that was read; one that reaches too far is not kept.
    pub(crate) fn keep(&mut self, span: Span, digest: &Digest) {
        let bound = |at: u64| u32::try_from(at).map(u32::to_le_bytes);
        if let (Ok(start), Ok(end)) = (bound(span.start()), bound(span.end())) {
            self.start = start;
            self.end = end;
            self.digest = short(digest);
        }
    }

    /// Whether that span is known to have that digest.
    pub(crate) fn has(self, span: Span, digest: &Digest) -> bool {
        let is_it = |kept: [u8; 4], at: u64| u64::from(u32::from_le_bytes(kept)) == at;
        is_it(self.start, span.start())
            && is_it(self.end, span.end())
            && self.end != [0; 4]
            && self.digest == short(digest)
    }
}

fn short(digest: &Digest) -> [u8; 20] {
    digest.as_bytes().first_chunk().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_of_evidence_is_known_by_its_ends_and_its_digest_alone() {
        let span = |start, end| Span::new(start, end).unwrap();
        let digest = sha256(b"quote");
        let mut evidence = Registered::new(Line::new(7, 70));
        assert!(
            !evidence.has(span(0, 5), &Digest::ZERO),
            "nothing is known yet"
        );
        evidence.keep(span(3, 8), &digest);
        assert!(evidence.has(span(3, 8), &digest));
        assert!(!evidence.has(span(3, 9), &digest));
        assert!(!evidence.has(span(2, 8), &digest));
        assert!(!evidence.has(span(3, 8), &sha256(b"another")));
        assert_eq!(evidence.line(), Line::new(7, 70));
        let mut far = Registered::new(Line::new(7, 70));
        far.keep(span(0, 1 << 32), &digest);
        assert!(!far.has(span(0, 1 << 32), &digest), "it is read again");
    }

    #[test]
    fn ids_are_found_again_among_many_and_others_are_not() {
        let mut ids = Ids::<_, Key>::default();
        for n in 0..10_000_u32 {
            assert_eq!(ids.add(&format!("id {n}"), n), Added::New(n as usize));
        }
        assert_eq!(ids.add("id 77", 0), Added::Present(77));
        assert_eq!(ids.find("id 9999").and_then(|at| ids.get(at)), Some(9_999));
        assert_eq!(ids.find("id 10000"), None);
        assert_eq!(Ids::<(), Key>::default().find("x"), None);
    }

    #[test]
    fn an_id_of_another_kind_with_the_same_digest_is_another_id() {
        let digest = sha256(b"");
        let mut ids = Ids::<_, Key>::default();
        assert_eq!(ids.add(&format!("claim_v1_{digest}"), ()), Added::New(0));
        assert_eq!(ids.add(&format!("call_v1_{digest}"), ()), Added::New(1));
        assert_eq!(
            ids.add("", ()),
            Added::New(2),
            "its digest as text is the same once more"
        );
        assert_eq!(
            Key::of(&format!("claim_v1_{digest}")).describe(),
            format!("`claim_v1_{digest}`")
        );
    }

    #[test]
    fn an_id_takes_at_most_150_bytes_at_any_time() {
        let mut ids = Ids::<Line>::default();
        let mut files = Ids::<([u8; 32], bool), PathKey>::default();
        let (mut worst, mut before) = (0, 0);
        for n in 0..60_000_u32 {
            ids.add(&format!("e{n}"), Line::new(u64::from(n), 1));
            files.add(&format!("f{n}"), ([0; 32], false));
            let held = ids.bytes_held() + files.bytes_held();
            // While a table grows the old one is still there.
            let peak = held
                + if held > before {
                    2 * ids.table.len() * 4 / 2
                } else {
                    0
                };
            if n > 10_000 {
                worst = worst.max(peak / (n as usize + 1));
            }
            before = held;
        }
        assert!(worst <= 150, "{worst} bytes an id");
    }

    #[test]
    fn a_line_keeps_offsets_up_to_256_tebibytes() {
        let line = Line::new((1 << 48) - 1, u32::MAX);
        assert_eq!((line.offset(), line.length()), ((1 << 48) - 1, u32::MAX));
    }
}
