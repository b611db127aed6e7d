//! The tenant's trust ledger in Postgres.

use sqlx::{PgConnection, PgPool};
use uuid::Uuid;

use super::commit::bytes;
use crate::error::{StoreError, may_repeat};
use crate::limits;
use crate::types::{Appended, ToldOutcomes};

/// An outcome with what it is known by: tenant, session, seq, index, source, correct, time.
type Known = (String, Uuid, i64, i32, String, bool, i64);

pub(super) async fn fold(pool: &PgPool, limit: u32) -> Result<u32, StoreError> {
    let mut attempt = 1;
    loop {
        match fold_once(pool, limit).await {
            Err(error) if may_repeat(&error) && attempt < limits::STATEMENT_ATTEMPTS => {
                attempt += 1;
            }
            folded => return Ok(folded?),
        }
    }
}

async fn fold_once(pool: &PgPool, limit: u32) -> Result<u32, sqlx::Error> {
    const TAKE: &str = "DELETE FROM outcome_queue WHERE (session_id, seq, idx) IN \
        (SELECT session_id, seq, idx FROM outcome_queue ORDER BY session_id, seq, idx LIMIT $1 \
        FOR UPDATE SKIP LOCKED) \
        RETURNING tenant, session_id, seq, idx, source, correct, at_us";
    let mut transaction = pool.begin().await?;
    let take = sqlx::query_as::<_, Known>(TAKE).bind(i64::from(limit));
    let taken = take.fetch_all(&mut *transaction).await?;
    if !taken.is_empty() {
        add(&mut transaction, &taken).await?;
    }
    transaction.commit().await?;
    Ok(u32::try_from(taken.len()).unwrap_or(u32::MAX))
}

pub(super) async fn tell(pool: &PgPool, told: &ToldOutcomes) -> Result<Appended, StoreError> {
    let mut attempt = 1;
    loop {
        match tell_once(pool, told).await {
            Err(error) if may_repeat(&error) && attempt < limits::STATEMENT_ATTEMPTS => {
                attempt += 1;
            }
            outcome => return Ok(outcome?),
        }
    }
}

async fn tell_once(pool: &PgPool, told: &ToldOutcomes) -> Result<Appended, sqlx::Error> {
    const KEY: &str = "INSERT INTO tenant_keys (tenant, key, body, answer, created_us) \
        VALUES ($1, $2, $3, $4, $5) ON CONFLICT (tenant, key) DO NOTHING";
    let at_us = told.at.as_micros();
    let mut transaction = pool.begin().await?;
    if let Some(keyed) = &told.key {
        let insert = sqlx::query(KEY)
            .bind(told.tenant.as_str())
            .bind(bytes(&keyed.key.digest()))
            .bind(bytes(&keyed.key.body))
            .bind(keyed.answer.as_str())
            .bind(at_us);
        if insert.execute(&mut *transaction).await?.rows_affected() == 0 {
            return Ok(Appended::KeyPresent);
        }
    }
    let outcomes = (0_i32..).zip(&told.outcomes);
    let known = outcomes.map(|(idx, outcome)| {
        (
            told.tenant.clone(),
            told.id,
            0,
            idx,
            outcome.source.clone(),
            outcome.correct,
            at_us,
        )
    });
    add(&mut transaction, &known.collect::<Vec<Known>>()).await?;
    transaction.commit().await?;
    Ok(Appended::Done)
}

async fn add(db: &mut PgConnection, outcomes: &[Known]) -> Result<(), sqlx::Error> {
    // Sources are counted in one order, so that two replicas never wait for each other.
    const ADD: &str = "WITH added AS ( \
        INSERT INTO outcomes (tenant, session_id, seq, idx, source, correct, at_us) \
        SELECT * FROM unnest($1::text[], $2::uuid[], $3::bigint[], $4::int[], $5::text[], \
        $6::bool[], $7::bigint[]) \
        ON CONFLICT (tenant, session_id, seq, idx) DO NOTHING \
        RETURNING tenant, source, correct, at_us) \
        INSERT INTO sources (tenant, source, correct, total, last_us) \
        SELECT tenant, source, count(*) FILTER (WHERE correct), count(*), max(at_us) \
        FROM added GROUP BY tenant, source ORDER BY tenant, source \
        ON CONFLICT (tenant, source) DO UPDATE SET correct = sources.correct + excluded.correct, \
        total = sources.total + excluded.total, \
        last_us = greatest(sources.last_us, excluded.last_us) \
        RETURNING tenant, source, total";
    let column = outcomes.iter();
    let added: Vec<(String, String, i64)> = sqlx::query_as(ADD)
        .bind(
            column
                .clone()
                .map(|known| known.0.as_str())
                .collect::<Vec<_>>(),
        )
        .bind(column.clone().map(|known| known.1).collect::<Vec<_>>())
        .bind(column.clone().map(|known| known.2).collect::<Vec<_>>())
        .bind(column.clone().map(|known| known.3).collect::<Vec<_>>())
        .bind(
            column
                .clone()
                .map(|known| known.4.as_str())
                .collect::<Vec<_>>(),
        )
        .bind(column.clone().map(|known| known.5).collect::<Vec<_>>())
        .bind(column.map(|known| known.6).collect::<Vec<_>>())
        .fetch_all(&mut *db)
        .await?;
    for (tenant, source, total) in added {
        if total > i64::from(limits::OUTCOMES_PER_SOURCE) {
            trim(db, &tenant, &source).await?;
        }
    }
    Ok(())
}

/// Forgets all but a source's newest outcomes.
async fn trim(db: &mut PgConnection, tenant: &str, source: &str) -> Result<(), sqlx::Error> {
    const SQL: &str = "WITH old AS ( \
        DELETE FROM outcomes WHERE (tenant, session_id, seq, idx) IN \
        (SELECT tenant, session_id, seq, idx FROM outcomes WHERE tenant = $1 AND source = $2 \
        ORDER BY at_us DESC, session_id, seq, idx OFFSET $3) RETURNING correct) \
        UPDATE sources SET total = total - (SELECT count(*) FROM old), \
        correct = correct - (SELECT count(*) FILTER (WHERE correct) FROM old) \
        WHERE tenant = $1 AND source = $2";
    let query = sqlx::query(SQL).bind(tenant).bind(source);
    query
        .bind(i64::from(limits::OUTCOMES_PER_SOURCE))
        .execute(db)
        .await?;
    Ok(())
}
