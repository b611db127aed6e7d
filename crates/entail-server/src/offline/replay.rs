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
    journal::{Broken, Chain, Entry, EntryError},
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
    /// An entry is not the one that was committed, or does not follow on the one before.
    #[error(transparent)]
    Chain(#[from] Broken),
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

/// Checks the chain of a bundle's journal and replays it; `None` if there is no journal.
pub(crate) fn replay(files: &dyn Files) -> Result<Option<Replayed>, BundleReplayError> {
    let Some(journal) = files.open(paths::JOURNAL)? else {
        return Ok(None);
    };
    let mut entries = Vec::new();
    let mut chain: Option<Chain> = None;
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
        chain
            .get_or_insert_with(|| Chain::start(entry.session_id.clone()))
            .check(&entry)?;
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

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;
    use crate::{
        offline::{Held, unpack},
        testing::Service,
    };

    #[tokio::test]
    async fn a_journal_edited_where_the_trace_does_not_show_it_is_not_replayed() {
        let service = Service::start().await;
        let session = service.open(r#"{"task": "t"}"#).await;
        let turn = r#"{"response": {"actions": []}}"#;
        let taken = service.post(&format!("{session}/turns"), turn).await;
        assert_eq!(taken.status, 200, "{}", taken.text);
        let bundle = service.raw(&format!("{session}/bundle")).await;
        let files = unpack(Cursor::new(bundle), 1 << 20).unwrap();
        let journal = files.open(paths::JOURNAL).unwrap().unwrap();
        let mut text = String::new();
        Stream::new(&journal).read_to_string(&mut text).unwrap();
        let replayed = |text: &str| {
            let mut held = Held::default();
            held.insert(paths::JOURNAL, text.as_bytes().to_vec());
            replay(&held)
        };
        assert!(replayed(&text).unwrap().is_some());
        let edited = text.replace("actions", "Actions");
        assert_ne!(edited, text);
        let error = replayed(&edited).unwrap_err().to_string();
        assert!(
            error.starts_with("the journal's chain breaks at entry 2: "),
            "{error}"
        );
    }
}
