//! The documents of a session: names, and the versions under each.

use std::sync::Arc;

use entail_json::Digest;
use entail_kernel::text::Document;
use rustc_hash::FxHashMap;

use crate::heap::ENTRY;

/// One version of a document.
#[derive(Clone, Debug)]
pub struct DocumentVersion {
    /// Which version of its name, counted from 1.
    pub version: u32,
    /// Its text, indexed.
    pub document: Arc<Document>,
}

impl DocumentVersion {
    /// The SHA-256 of its bytes.
    #[must_use]
    pub fn sha256(&self) -> Digest {
        self.document.id()
    }

    /// How many bytes there are.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.document.text().len()
    }
}

/// Documents in the order in which their names were registered.
#[derive(Clone, Debug, Default)]
pub(crate) struct Documents {
    names: Vec<(String, Vec<DocumentVersion>)>,
    index: FxHashMap<String, usize>,
    versions: usize,
}

impl Documents {
    /// All versions under a name, oldest first.
    pub(crate) fn versions(&self, name: &str) -> &[DocumentVersion] {
        let found = self.index.get(name).and_then(|at| self.names.get(*at));
        found.map_or(&[], |(_, versions)| versions)
    }

    pub(crate) fn newest(&self, name: &str) -> Option<&DocumentVersion> {
        self.versions(name).last()
    }

    pub(crate) fn version(&self, name: &str, version: u32) -> Option<&DocumentVersion> {
        let before = usize::try_from(version).ok()?.checked_sub(1)?;
        self.versions(name).get(before)
    }

    /// Every name with its versions.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &[DocumentVersion])> {
        self.names
            .iter()
            .map(|(name, versions)| (name.as_str(), versions.as_slice()))
    }

    /// How many versions there are, of all names together.
    pub(crate) fn count(&self) -> usize {
        self.versions
    }

    /// Bytes on the heap, the texts not counted: others may share them.
    pub(crate) fn heap_bytes(&self) -> usize {
        let names = self.names.iter().map(|(name, versions)| {
            2 * name.len() + versions.capacity() * size_of::<DocumentVersion>() + ENTRY
        });
        names.sum()
    }

    /// Adds the next version of a name.
    pub(crate) fn push(&mut self, name: &str, document: Arc<Document>) -> u32 {
        let at = match self.index.get(name) {
            Some(at) => *at,
            None => {
                let at = self.names.len();
                self.names.push((name.to_owned(), Vec::new()));
                self.index.insert(name.to_owned(), at);
                at
            }
        };
        self.versions = self.versions.saturating_add(1);
        let Some((_, versions)) = self.names.get_mut(at) else {
            return 0;
        };
        let version = u32::try_from(versions.len())
            .unwrap_or(u32::MAX)
            .saturating_add(1);
        versions.push(DocumentVersion { version, document });
        version
    }

    /// Takes the newest version of a name away again.
    pub(crate) fn pop(&mut self, name: &str) {
        let Some(at) = self.index.get(name).copied() else {
            return;
        };
        let Some((_, versions)) = self.names.get_mut(at) else {
            return;
        };
        versions.pop();
        self.versions = self.versions.saturating_sub(1);
        if versions.is_empty() {
            self.index.remove(name);
            self.names.truncate(at);
        }
    }
}
