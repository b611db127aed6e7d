//! Files from wherever they were given: a packed bundle, a directory, single files.

use std::{
    collections::BTreeMap,
    fs::File,
    io::{self, BufReader},
    path::{Path, PathBuf},
};

use entail_trace::{ArchiveError, Bytes, Files, Seekable, paths};

use super::{Directory, unpack};
use crate::limits::UNPACKED_BYTES;

/// Files that cannot be opened.
#[derive(Debug, thiserror::Error)]
pub(crate) enum OpenError {
    /// There is nothing at that path, or it cannot be read.
    #[error("`{path}` cannot be read")]
    Io {
        /// The path.
        path: String,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// It is no packed bundle.
    #[error("`{path}` is no bundle")]
    Archive {
        /// The path.
        path: String,
        /// What is wrong with it.
        #[source]
        source: ArchiveError,
    },
}

/// Files by path, each one held in memory or open.
#[derive(Default)]
pub(crate) struct Held {
    files: BTreeMap<String, Content>,
    /// Where evidence is looked for that is not held.
    evidence: Option<Directory>,
}

enum Content {
    Text(Vec<u8>),
    Path(PathBuf),
}

impl Held {
    /// Adds a file with that content.
    pub(crate) fn insert(&mut self, path: &str, content: Vec<u8>) {
        self.files.insert(path.to_owned(), Content::Text(content));
    }

    /// Adds a file that lies elsewhere.
    pub(crate) fn insert_path(&mut self, path: &str, lies: PathBuf) {
        self.files.insert(path.to_owned(), Content::Path(lies));
    }

    /// Looks for evidence beside that file, where the paths in a trace start.
    pub(crate) fn find_evidence_beside(&mut self, file: &Path) {
        let directory = match file.parent() {
            Some(parent) if parent != Path::new("") => parent,
            _ => Path::new("."),
        };
        self.evidence = Some(Directory::new(directory.to_owned()));
    }
}

impl Files for Held {
    fn open(&self, path: &str) -> io::Result<Option<Box<dyn Bytes + '_>>> {
        Ok(match self.files.get(path) {
            None => match &self.evidence {
                Some(directory) if path.starts_with(paths::EVIDENCE) => directory.open(path)?,
                _ => None,
            },
            Some(Content::Text(content)) => Some(Box::new(content.as_slice())),
            Some(Content::Path(path)) => Some(Box::new(Seekable::new(File::open(path)?))),
        })
    }

    fn visit_paths(&self, visit: &mut dyn FnMut(&str)) -> io::Result<()> {
        self.files.keys().for_each(|path| visit(path));
        Ok(())
    }
}

/// Opens a bundle: a directory, or a packed one.
pub(crate) fn open(path: &Path) -> Result<Box<dyn Files>, OpenError> {
    let named = || path.display().to_string();
    let cannot = |source| OpenError::Io {
        path: named(),
        source,
    };
    if path.is_dir() {
        return Ok(Box::new(Directory::new(path.to_owned())));
    }
    let file = File::open(path).map_err(cannot)?;
    let tar = unpack(BufReader::new(file), UNPACKED_BYTES).map_err(|error| match error {
        ArchiveError::Io(source) => cannot(source),
        source => OpenError::Archive {
            path: named(),
            source,
        },
    })?;
    Ok(Box::new(tar))
}
