//! A session out of its bundle: the journal replayed, the documents taken from the evidence.

use std::{
    collections::HashMap,
    io::{self, BufRead as _, BufReader, Read as _},
    sync::Arc,
};

use entail_json::Digest;
use entail_session::{Document, Limits, ReplayError, Session};
use entail_trace::{
    Files, Stream,
    journal::{Entry, EntryError},
    paths,
};

/// A bundle that cannot be replayed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BundleReplayError {
    /// A file cannot be read.
    #[error("a file of the bundle cannot be read")]
    Io(#[from] io::Error),
    /// A line of the journal is no entry.
    #[error("line {line} of the journal is no entry")]
    Entry {
        /// The line, counted from 1.
        line: usize,
        /// What is wrong with it.
        #[source]
        source: EntryError,
    },
    /// The journal does not give a session.
    #[error("the journal does not give a session")]
    Replay(#[from] ReplayError),
}

/// A session replayed.
#[derive(Debug)]
pub(crate) struct Replayed {
    /// The session.
    pub(crate) session: Session,
}

/// Replays the journal of a bundle; `None` if it has none.
pub(crate) fn replay(files: &dyn Files) -> Result<Option<Replayed>, BundleReplayError> {
    let Some(journal) = files.open(paths::JOURNAL)? else {
        return Ok(None);
    };
    let mut entries = Vec::new();
    for (index, line) in BufReader::new(Stream::new(&journal))
        .split(b'\n')
        .enumerate()
    {
        let line = line?;
        if line.is_empty() {
            continue;
        }
        let entry = Entry::from_line(&line).map_err(|source| BundleReplayError::Entry {
            line: index.saturating_add(1),
            source,
        })?;
        entries.push(entry);
    }
    let mut documents: HashMap<Digest, Arc<Document>> = HashMap::new();
    for digest in entries.iter().flat_map(Session::documents_named) {
        if let Some(document) = document(files, &digest)? {
            documents.insert(digest, document);
        }
    }
    let limits = Limits::default();
    let session = Session::replay(&entries, limits, |digest| documents.get(digest).cloned())?;
    Ok(Some(Replayed { session }))
}

fn document(files: &dyn Files, digest: &Digest) -> io::Result<Option<Arc<Document>>> {
    let Some(file) = files.open(&format!("{}{digest}.txt", paths::EVIDENCE))? else {
        return Ok(None);
    };
    let mut text = String::new();
    Stream::new(&file).read_to_string(&mut text)?;
    Ok(Document::new(text).ok().map(Arc::new))
}
