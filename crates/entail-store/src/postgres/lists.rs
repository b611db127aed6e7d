//! Lists of sessions, and deleting one.

use entail_trace::journal::Timestamp;
use sqlx::PgPool;
use uuid::Uuid;

use crate::error::StoreError;
use crate::limits;
use crate::rows::{self, SessionRecord, session_columns};
use crate::types::{SessionFilter, SessionPage, SessionState, labels_to_json};

macro_rules! list {
    ($labels:literal) => {
        concat!(
            "SELECT ",
            session_columns!(),
            " FROM sessions WHERE tenant = $1 AND session_id < $2 \
             AND ($3 IS NULL OR state = $3) AND active_us >= $4 AND active_us < $5",
            $labels,
            " ORDER BY session_id DESC LIMIT $6"
        )
    };
}

pub(super) async fn sessions(
    pool: &PgPool,
    tenant: &str,
    filter: &SessionFilter,
    after: Option<Uuid>,
    limit: u32,
) -> Result<SessionPage, StoreError> {
    const ALL: &str = list!("");
    const LABELLED: &str = list!(" AND labels @> $7::jsonb");
    let limit = limit.clamp(1, limits::PAGE_ROWS);
    let labelled = !filter.labels.is_empty();
    let mut query = sqlx::query_as::<_, SessionRecord>(if labelled { LABELLED } else { ALL })
        .bind(tenant)
        .bind(after.unwrap_or(Uuid::max()))
        .bind(filter.state.map(SessionState::as_str))
        .bind(filter.active_since.map_or(i64::MIN, Timestamp::as_micros))
        .bind(filter.active_before.map_or(i64::MAX, Timestamp::as_micros))
        .bind(i64::from(limit) + 1);
    if labelled {
        query = query.bind(labels_to_json(&filter.labels));
    }
    SessionPage::cut(query.fetch_all(pool).await?, limit, SessionRecord::read)
}

pub(super) async fn versions(pool: &PgPool, ids: &[Uuid]) -> Result<Vec<(Uuid, u64)>, StoreError> {
    const SQL: &str = "SELECT session_id, version FROM sessions WHERE session_id = ANY ($1)";
    let found: Vec<(Uuid, i64)> = sqlx::query_as(SQL).bind(ids).fetch_all(pool).await?;
    let read = |(id, version)| Ok((id, rows::unsigned(version, "sessions.version")?));
    found.into_iter().map(read).collect()
}

pub(super) async fn delete(
    pool: &PgPool,
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
    // The row goes first: its lock holds off every commit, and each statement after it sees what
    // was committed before.
    let mut transaction = pool.begin().await?;
    let deleted = sqlx::query(SESSION)
        .bind(id)
        .bind(tenant)
        .bind(version.map(rows::signed))
        .execute(&mut *transaction)
        .await?;
    if deleted.rows_affected() == 0 {
        return Ok(false);
    }
    for sql in BESIDE {
        sqlx::query(sql).bind(id).execute(&mut *transaction).await?;
    }
    transaction.commit().await?;
    Ok(true)
}
