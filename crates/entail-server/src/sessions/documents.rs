//! Documents: written to the store before the commit that names them, indexed once, and shared
//! by every session that holds the same text.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError, Weak},
};

use entail_json::{Digest, sha256};
use entail_kernel::text::Document;

use crate::{
    app::App,
    clock,
    limits::INLINE_BYTES,
    problem::{Code, Problem},
};

/// The indexed documents that some session holds.
#[derive(Debug, Default)]
pub(crate) struct Documents(Mutex<HashMap<Digest, Weak<Document>>>);

impl Documents {
    fn get(&self, sha256: &Digest) -> Option<Arc<Document>> {
        let held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        held.get(sha256).and_then(Weak::upgrade)
    }

    fn insert(&self, document: &Arc<Document>) {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if held.len() == held.capacity() {
            held.retain(|_, document| document.strong_count() > 0);
        }
        held.insert(document.id(), Arc::downgrade(document));
    }

    /// Stores a text durably under its hash, and indexes it.
    pub(crate) async fn put(
        app: &App,
        tenant: &str,
        text: String,
    ) -> Result<Arc<Document>, Problem> {
        let digest = sha256(text.as_bytes());
        app.store()
            .put_document(tenant, text.as_bytes(), clock::now())
            .await?;
        match app.documents().get(&digest) {
            Some(document) => Ok(document),
            None => Self::index(app, text).await,
        }
    }

    /// A document of the tenant's that a journal names.
    pub(crate) async fn load(
        app: &App,
        tenant: &str,
        digest: &Digest,
    ) -> Result<Arc<Document>, Problem> {
        if let Some(document) = app.documents().get(digest) {
            return Ok(document);
        }
        let missing = || {
            tracing::error!(sha256 = %digest, "a document that a journal names is missing");
            Problem::new(
                Code::BrokenJournal,
                "a document that the journal names is missing",
            )
        };
        let content = app
            .store()
            .document(tenant, digest)
            .await?
            .ok_or_else(missing)?;
        let text = String::from_utf8(content).map_err(|_| missing())?;
        Self::index(app, text).await
    }

    async fn index(app: &App, text: String) -> Result<Arc<Document>, Problem> {
        let indexed = if text.len() <= INLINE_BYTES {
            Document::new(text)
        } else {
            tokio::task::spawn_blocking(|| Document::new(text))
                .await
                .map_err(|error| Problem::internal(&error))?
        };
        let document = Arc::new(
            indexed.map_err(|error| Problem::new(Code::LimitExceeded, error.to_string()))?,
        );
        app.documents().insert(&document);
        Ok(document)
    }
}
