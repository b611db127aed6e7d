//! Commits in SQLite: one transaction for all that wait.

use entail_json::Digest;
use entail_trace::journal::{Broken, Fault, Timestamp};
use sqlx::{SqliteConnection, SqlitePool};

use super::transaction::Transaction;
use crate::error::StoreError;
use crate::group::Sink;
use crate::rows;
use crate::types::{Appended, Commit, Created, Creation, labels_to_json};

/// Writes batches over the one writing connection.
#[derive(Clone, Debug)]
pub(super) struct SqliteSink {
    pub(super) pool: SqlitePool,
}

impl Sink for SqliteSink {
    type Item = Commit;

    async fn write(&self, batch: &[&Commit]) -> Result<Vec<Option<Appended>>, StoreError> {
        let mut transaction = Transaction::begin(&self.pool).await?;
        let mut results = Vec::with_capacity(batch.len());
        for commit in batch {
            results.push(Some(append(&mut transaction, commit).await?));
        }
        transaction.commit().await?;
        Ok(results)
    }

    async fn holds(&self, commit: &Commit, version: u64) -> Result<bool, StoreError> {
        const SQL: &str = "SELECT 1 FROM journal WHERE session_id = $1 AND seq = $2 \
            AND hash = $3 AND ($4 IS NULL OR EXISTS (SELECT 1 FROM session_keys k \
            WHERE k.session_id = $1 AND k.key = $4))";
        if version < commit.entry.seq {
            return Ok(false);
        }
        let key = commit.key.as_ref().map(|keyed| keyed.key.digest());
        let query = sqlx::query(SQL)
            .bind(commit.session_id)
            .bind(rows::signed(commit.entry.seq))
            .bind(&commit.entry.hash.as_bytes()[..])
            .bind(key.as_ref().map(bytes));
        Ok(query.fetch_optional(&self.pool).await?.is_some())
    }
}

async fn append(db: &mut SqliteConnection, commit: &Commit) -> Result<Appended, StoreError> {
    const FIND: &str = "SELECT tenant, version, chain_head FROM sessions WHERE session_id = $1";
    const NEWER_CONTEXT: &str = "SELECT 1 FROM contexts \
        WHERE session_id = $1 AND context_id > $2 AND expires_us > $3 \
        AND refs NOT LIKE '%\"}' LIMIT 1";
    const KEY: &str = "INSERT INTO session_keys (session_id, key, body, answer, created_us) \
        VALUES ($1, $2, $3, $4, $5) ON CONFLICT (session_id, key) DO NOTHING";
    let found = sqlx::query_as(FIND)
        .bind(commit.session_id)
        .fetch_optional(&mut *db)
        .await?;
    let Some((tenant, version, chain_head)): Option<(String, i64, Vec<u8>)> = found else {
        return Ok(Appended::Gone);
    };
    let version = rows::unsigned(version, "sessions.version")?;
    if version.checked_add(1) != Some(commit.entry.seq) {
        return Ok(Appended::Conflict { version });
    }
    if commit.entry.prev_hash != rows::digest(&chain_head, "sessions.chain_head")? {
        return Err(forked(commit));
    }
    if let Some(latest) = commit.latest_context {
        let newer = sqlx::query(NEWER_CONTEXT)
            .bind(commit.session_id)
            .bind(latest)
            .bind(commit.entry.created_at.as_micros());
        if newer.fetch_optional(&mut *db).await?.is_some() {
            return Ok(Appended::ContextChanged);
        }
    }
    if let Some(keyed) = &commit.key {
        let insert = sqlx::query(KEY)
            .bind(commit.session_id)
            .bind(bytes(&keyed.key.digest()))
            .bind(bytes(&keyed.key.body))
            .bind(keyed.answer.as_str())
            .bind(commit.entry.created_at.as_micros());
        if insert.execute(&mut *db).await?.rows_affected() == 0 {
            return Ok(Appended::KeyPresent);
        }
    }
    update(db, commit).await?;
    write_entry(db, commit).await?;
    write_beside(db, &tenant, commit).await?;
    Ok(Appended::Done)
}

/// The commit fits the version but not the chain: one of the two was tampered with.
pub(crate) fn forked(commit: &Commit) -> StoreError {
    let broken = Broken {
        seq: commit.entry.seq,
        fault: Fault::Unlinked,
    };
    StoreError::Corrupt {
        session_id: commit.session_id,
        broken,
    }
}

async fn update(db: &mut SqliteConnection, commit: &Commit) -> Result<(), StoreError> {
    const SQL: &str = "UPDATE sessions SET version = $2, chain_head = $3, active_us = $4, \
        state = $5, answer = $6, beliefs = $7, believed = $8, turns = $9, rejections = $10, \
        open_calls = $11, conflicts = $12, labels = coalesce($13, labels), \
        summary = coalesce($14, summary), \
        expires_us = CASE WHEN $15 THEN $16 ELSE expires_us END WHERE session_id = $1";
    let (entry, row) = (&commit.entry, &commit.row);
    sqlx::query(SQL)
        .bind(commit.session_id)
        .bind(rows::signed(entry.seq))
        .bind(bytes(&entry.hash))
        .bind(entry.created_at.as_micros())
        .bind(row.state.as_str())
        .bind(row.answer.as_str())
        .bind(rows::signed(row.counts.beliefs))
        .bind(rows::signed(row.counts.believed))
        .bind(rows::signed(row.counts.turns))
        .bind(rows::signed(row.counts.rejections))
        .bind(rows::signed(row.counts.open_calls))
        .bind(rows::signed(row.counts.conflicts))
        .bind(row.labels.as_ref().map(labels_to_json))
        .bind(row.summary.as_deref())
        .bind(row.expires_at.is_some())
        .bind(row.expires_at.flatten().map(Timestamp::as_micros))
        .execute(db)
        .await?;
    Ok(())
}

async fn write_entry(db: &mut SqliteConnection, commit: &Commit) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO journal \
        (session_id, seq, v, kind, payload, events, prev_hash, hash, created_at) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
    let entry = &commit.entry;
    sqlx::query(SQL)
        .bind(commit.session_id)
        .bind(rows::signed(entry.seq))
        .bind(i64::from(entry.v))
        .bind(entry.kind.as_str())
        .bind(entry.payload.as_str())
        .bind(entry.events.as_str())
        .bind(bytes(&entry.prev_hash))
        .bind(bytes(&entry.hash))
        .bind(entry.created_at.to_string())
        .execute(db)
        .await?;
    Ok(())
}

async fn write_beside(
    db: &mut SqliteConnection,
    tenant: &str,
    commit: &Commit,
) -> Result<(), StoreError> {
    const NAME: &str = "INSERT INTO session_documents (session_id, sha256, tenant) \
        VALUES ($1, $2, $3) ON CONFLICT (session_id, sha256) DO NOTHING";
    const LEARN: &str = "INSERT INTO outcome_queue \
        (session_id, seq, idx, tenant, source, correct, at_us) VALUES ($1, $2, $3, $4, $5, $6, $7)";
    const DONE: &str = "DELETE FROM calls WHERE session_id = $1 AND call_id = $2";
    const DUE: &str = "INSERT INTO calls (session_id, call_id, tenant, due_us, attempt) \
        VALUES ($1, $2, $3, $4, 0) \
        ON CONFLICT (session_id, call_id) DO UPDATE SET due_us = excluded.due_us";
    let id = commit.session_id;
    for sha256 in &commit.documents {
        let query = sqlx::query(NAME).bind(id).bind(bytes(sha256)).bind(tenant);
        query.execute(&mut *db).await?;
    }
    for (idx, outcome) in (0_i64..).zip(&commit.outcomes) {
        let query = sqlx::query(LEARN)
            .bind(id)
            .bind(rows::signed(commit.entry.seq))
            .bind(idx)
            .bind(tenant)
            .bind(outcome.source.as_str())
            .bind(outcome.correct)
            .bind(commit.entry.created_at.as_micros());
        query.execute(&mut *db).await?;
    }
    for call_id in &commit.calls_done {
        sqlx::query(DONE)
            .bind(id)
            .bind(call_id.as_str())
            .execute(&mut *db)
            .await?;
    }
    for call in &commit.calls_due {
        let due_us = call.due_at.as_micros();
        let query = sqlx::query(DUE)
            .bind(id)
            .bind(call.call_id.as_str())
            .bind(tenant)
            .bind(due_us);
        query.execute(&mut *db).await?;
    }
    Ok(())
}

pub(super) async fn create(pool: &SqlitePool, creation: &Creation) -> Result<Created, StoreError> {
    const KEY: &str = "INSERT INTO tenant_keys (tenant, key, body, session_id, answer, created_us) \
        VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (tenant, key) DO UPDATE \
        SET answer = excluded.answer \
        WHERE tenant_keys.session_id = excluded.session_id AND tenant_keys.answer IS NULL";
    const OPEN: &str = "INSERT INTO sessions (session_id, tenant, state, version, chain_head, \
        answer, beliefs, believed, turns, rejections, open_calls, conflicts, labels, summary, \
        created_us, active_us) \
        VALUES ($1, $2, 'open', 0, $3, 'none', 0, 0, 0, 0, 0, 0, '{}', '{}', $4, $4) \
        ON CONFLICT (session_id) DO NOTHING";
    let commit = &creation.commit;
    let now = commit.entry.created_at.as_micros();
    let mut transaction = Transaction::begin(pool).await?;
    if let Some(keyed) = &creation.key {
        let insert = sqlx::query(KEY)
            .bind(creation.tenant.as_str())
            .bind(bytes(&keyed.key.digest()))
            .bind(bytes(&keyed.key.body))
            .bind(commit.session_id)
            .bind(keyed.answer.as_str())
            .bind(now);
        if insert.execute(&mut *transaction).await?.rows_affected() == 0 {
            transaction.roll_back().await?;
            return Ok(Created::Exists);
        }
    }
    let open = sqlx::query(OPEN)
        .bind(commit.session_id)
        .bind(creation.tenant.as_str())
        .bind(bytes(&Digest::ZERO))
        .bind(now);
    if open.execute(&mut *transaction).await?.rows_affected() == 0 {
        transaction.roll_back().await?;
        return Ok(Created::Exists);
    }
    update(&mut transaction, commit).await?;
    write_entry(&mut transaction, commit).await?;
    write_beside(&mut transaction, &creation.tenant, commit).await?;
    transaction.commit().await?;
    Ok(Created::Done)
}

pub(super) fn bytes(digest: &Digest) -> &[u8] {
    digest.as_bytes()
}
