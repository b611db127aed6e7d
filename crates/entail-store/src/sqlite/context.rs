//! Contexts in SQLite: one transaction for all that wait.

use sqlx::{SqliteConnection, SqlitePool};

use super::transaction::Transaction;
use crate::error::StoreError;
use crate::group::Sink;
use crate::rows;
use crate::types::{Appended, Context};

/// Writes batches of contexts over the one writing connection.
#[derive(Clone, Debug)]
pub(super) struct ContextSink {
    pub(super) pool: SqlitePool,
}

impl Sink for ContextSink {
    type Item = Context;

    async fn write(&self, batch: &[&Context]) -> Result<Vec<Option<Appended>>, StoreError> {
        let mut transaction = Transaction::begin(&self.pool).await?;
        let mut results = Vec::with_capacity(batch.len());
        for context in batch {
            results.push(Some(keep(&mut transaction, context).await?));
        }
        transaction.commit().await?;
        Ok(results)
    }

    /// A context brings its session to no version.
    async fn holds(&self, _: &Context, _: u64) -> Result<bool, StoreError> {
        Ok(false)
    }
}

async fn keep(db: &mut SqliteConnection, context: &Context) -> Result<Appended, StoreError> {
    const FIND: &str = "SELECT version FROM sessions WHERE session_id = $1";
    const KEEP: &str = "INSERT INTO contexts \
        (session_id, context_id, version, as_of_us, refs, documents, expires_us) \
        VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (session_id, context_id) DO NOTHING";
    let found = sqlx::query_scalar(FIND).bind(context.session_id);
    let Some(version): Option<i64> = found.fetch_optional(&mut *db).await? else {
        return Ok(Appended::Gone);
    };
    let version = rows::unsigned(version, "sessions.version")?;
    if version != context.version {
        return Ok(Appended::Conflict { version });
    }
    let keep = sqlx::query(KEEP)
        .bind(context.session_id)
        .bind(context.id)
        .bind(rows::signed(context.version))
        .bind(context.as_of.as_micros())
        .bind(context.refs.as_str())
        .bind(context.documents.as_str())
        .bind(context.expires_at.as_micros());
    keep.execute(db).await?;
    Ok(Appended::Done)
}
