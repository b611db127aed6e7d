//! A session's journal, read in batches and checked link by link.

use entail_json::Digest;
use entail_trace::journal::{Broken, Chain, Entry};
use uuid::Uuid;

use crate::error::StoreError;
use crate::limits;
use crate::store::Store;
use crate::types::SessionRow;

/// A checked reading of a journal, from [`Store::journal`].
#[derive(Debug)]
pub struct Journal<'a> {
    store: &'a Store,
    session_id: Uuid,
    tenant: &'a str,
    version: u64,
    head: Digest,
    chain: Chain,
    next: u32,
}

impl Store {
    /// Reads a session's journal up to the version its row has, from the start.
    #[must_use]
    pub fn journal<'a>(&'a self, row: &'a SessionRow) -> Journal<'a> {
        self.journal_after(row, 0, Digest::ZERO)
    }

    /// Reads on after the entry `seq`, whose hash is known to be `head` (from a snapshot, or a
    /// state held in memory).
    #[must_use]
    pub fn journal_after<'a>(&'a self, row: &'a SessionRow, seq: u64, head: Digest) -> Journal<'a> {
        Journal {
            store: self,
            session_id: row.id,
            tenant: &row.tenant,
            version: row.version,
            head: row.chain_head,
            chain: Chain::resume(row.id.to_string(), seq, head),
            next: limits::READ_FIRST_ENTRIES,
        }
    }
}

impl Journal<'_> {
    /// The next entries in order, checked; `None` after the last.
    ///
    /// A batch is about 4 MiB: batches grow and shrink with the size of the entries before.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] with the entry at which the chain breaks, be it edited, dropped,
    /// doubled or moved. A session deleted meanwhile reads as one that ends here.
    pub async fn next_batch(&mut self) -> Result<Option<Vec<Entry>>, StoreError> {
        let left = self.version.saturating_sub(self.chain.seq());
        if left == 0 {
            let end = self.chain.finish(self.version, &self.head);
            return end.map(|()| None).map_err(|broken| self.corrupt(broken));
        }
        let limit = self.next.min(u32::try_from(left).unwrap_or(u32::MAX));
        let entries = self
            .store
            .entries(self.session_id, self.chain.seq(), None, limit)
            .await?;
        let checked = entries.iter().try_for_each(|entry| self.chain.check(entry));
        if let Err(broken) = checked {
            return Err(self.corrupt(broken));
        }
        if entries.len() < limit as usize {
            return self.cut_short().await;
        }
        self.aim(&entries);
        Ok(Some(entries))
    }

    /// All that is left to read.
    ///
    /// # Errors
    /// As [`next_batch`](Self::next_batch).
    pub async fn read_all(mut self) -> Result<Vec<Entry>, StoreError> {
        let mut entries = Vec::new();
        while let Some(batch) = self.next_batch().await? {
            entries.extend(batch);
        }
        Ok(entries)
    }

    async fn cut_short(&mut self) -> Result<Option<Vec<Entry>>, StoreError> {
        if self
            .store
            .session(self.tenant, self.session_id)
            .await?
            .is_none()
        {
            self.version = self.chain.seq();
            self.head = *self.chain.head();
            return Ok(None);
        }
        let missing = self.chain.finish(self.version, &self.head);
        missing
            .map(|()| None)
            .map_err(|broken| self.corrupt(broken))
    }

    fn aim(&mut self, entries: &[Entry]) {
        let weigh = |entry: &Entry| entry.payload.len().saturating_add(entry.events.len());
        let bytes = entries
            .iter()
            .map(weigh)
            .fold(entries.len(), usize::saturating_add);
        let fit = limits::READ_BATCH_BYTES.saturating_mul(entries.len()) / bytes.max(1);
        let most = self.next.saturating_mul(4).min(limits::READ_BATCH_ENTRIES);
        self.next = u32::try_from(fit).unwrap_or(u32::MAX).clamp(1, most);
    }

    fn corrupt(&self, broken: Broken) -> StoreError {
        StoreError::Corrupt {
            session_id: self.session_id,
            broken,
        }
    }
}
