//! A directory that goes with the test.

use std::{
    hash::{BuildHasher, Hasher, RandomState},
    path::{Path, PathBuf},
};

/// A new empty directory, removed when dropped.
#[derive(Debug)]
pub struct Scratch(PathBuf);

impl Scratch {
    /// Makes one under the system's directory for temporary files.
    #[must_use]
    pub fn new() -> Self {
        // Process ids repeat across namespaces that share a directory for temporary files.
        let chance = RandomState::new().build_hasher().finish();
        let path = std::env::temp_dir().join(format!("entail-test-{chance:016x}"));
        std::fs::create_dir(&path).expect("a temporary directory can be made");
        Self(path)
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Default for Scratch {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
