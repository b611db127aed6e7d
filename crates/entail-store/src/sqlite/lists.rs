//! Lists of sessions, and deleting one.

use entail_trace::journal::Timestamp;
use sqlx::SqlitePool;
use uuid::Uuid;

use super::transaction::Transaction;
use crate::error::StoreError;
use crate::limits;
use crate::rows::{self, SessionRecord, session_columns};
use crate::types::{SessionFilter, SessionPage, SessionState, labels_to_json};

pub(super) async fn sessions(
    pool: &SqlitePool,
    tenant: &str,
    filter: &SessionFilter,
    after: Option<Uuid>,
    limit: u32,
) -> Result<SessionPage, StoreError> {
    const SQL: &str = concat!(
        "SELECT ",
        session_columns!(),
        " FROM sessions WHERE tenant = $1 AND session_id < $2 AND ($3 IS NULL OR state = $3) \
         AND active_us >= $4 AND active_us < $5 AND NOT EXISTS ( \
         SELECT 1 FROM json_each($6) AS wanted WHERE NOT EXISTS ( \
         SELECT 1 FROM json_each(sessions.labels) AS label \
         WHERE label.key = wanted.key AND label.value = wanted.value)) \
         ORDER BY session_id DESC LIMIT $7"
    );
    let limit = limit.clamp(1, limits::PAGE_ROWS);
    let query = sqlx::query_as::<_, SessionRecord>(SQL)
        .bind(tenant)
        .bind(after.unwrap_or(Uuid::max()))
        .bind(filter.state.map(SessionState::as_str))
        .bind(filter.active_since.map_or(i64::MIN, Timestamp::as_micros))
        .bind(filter.active_before.map_or(i64::MAX, Timestamp::as_micros))
        .bind(labels_to_json(&filter.labels))
        .bind(i64::from(limit) + 1);
    SessionPage::cut(query.fetch_all(pool).await?, limit, SessionRecord::read)
}

pub(super) async fn versions(
    pool: &SqlitePool,
    ids: &[Uuid],
) -> Result<Vec<(Uuid, u64)>, StoreError> {
    const SQL: &str = "SELECT version FROM sessions WHERE session_id = $1";
    let mut connection = pool.acquire().await?;
    let mut versions = Vec::with_capacity(ids.len());
    for id in ids {
        let query = sqlx::query_scalar(SQL).bind(*id);
        if let Some(version) = query.fetch_optional(&mut *connection).await? {
            versions.push((*id, rows::unsigned(version, "sessions.version")?));
        }
    }
    Ok(versions)
}

pub(super) async fn delete(
    pool: &SqlitePool,
    tenant: &str,
    id: Uuid,
    version: Option<u64>,
) -> Result<bool, StoreError> {
    const SESSION: &str = "DELETE FROM sessions WHERE session_id = $1 AND tenant = $2 \
        AND version = coalesce($3, version)";
    const BESIDE: [&str; 11] = [
        "DELETE FROM journal WHERE session_id = $1",
        "DELETE FROM snapshots WHERE session_id = $1",
        "DELETE FROM contexts WHERE session_id = $1",
        "DELETE FROM session_keys WHERE session_id = $1",
        "DELETE FROM session_documents WHERE session_id = $1",
        "DELETE FROM calls WHERE session_id = $1",
        "DELETE FROM tool_secrets WHERE session_id = $1",
        "DELETE FROM projections WHERE session_id = $1",
        "DELETE FROM beliefs WHERE session_id = $1",
        "DELETE FROM turns WHERE session_id = $1",
        "DELETE FROM rejections WHERE session_id = $1",
    ];
    let mut transaction = Transaction::begin(pool).await?;
    let deleted = sqlx::query(SESSION)
        .bind(id)
        .bind(tenant)
        .bind(version.map(rows::signed))
        .execute(&mut *transaction)
        .await?;
    if deleted.rows_affected() == 0 {
        transaction.roll_back().await?;
        return Ok(false);
    }
    for sql in BESIDE {
        sqlx::query(sql).bind(id).execute(&mut *transaction).await?;
    }
    transaction.commit().await?;
    Ok(true)
}
