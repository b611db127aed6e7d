//! The tenant's trust ledger in SQLite.

use std::collections::BTreeSet;

use sqlx::{SqliteConnection, SqlitePool};
use uuid::Uuid;

use super::commit::bytes;
use super::transaction::Transaction;
use crate::error::StoreError;
use crate::limits;
use crate::types::{Appended, ToldOutcomes};

/// An outcome with what it is known by: tenant, session, seq, index, source, correct, time.
type Known = (String, Uuid, i64, i64, String, bool, i64);

pub(super) async fn fold(pool: &SqlitePool, limit: u32) -> Result<u32, StoreError> {
    const TAKE: &str = "DELETE FROM outcome_queue WHERE (session_id, seq, idx) IN \
        (SELECT session_id, seq, idx FROM outcome_queue ORDER BY session_id, seq, idx LIMIT $1) \
        RETURNING tenant, session_id, seq, idx, source, correct, at_us";
    let mut transaction = Transaction::begin(pool).await?;
    let take = sqlx::query_as::<_, Known>(TAKE).bind(i64::from(limit));
    let taken = take.fetch_all(&mut *transaction).await?;
    add(&mut transaction, &taken).await?;
    transaction.commit().await?;
    Ok(u32::try_from(taken.len()).unwrap_or(u32::MAX))
}

pub(super) async fn tell(pool: &SqlitePool, told: &ToldOutcomes) -> Result<Appended, StoreError> {
    const KEY: &str = "INSERT INTO tenant_keys (tenant, key, body, answer, created_us) \
        VALUES ($1, $2, $3, $4, $5) ON CONFLICT (tenant, key) DO NOTHING";
    let at_us = told.at.as_micros();
    let mut transaction = Transaction::begin(pool).await?;
    if let Some(keyed) = &told.key {
        let insert = sqlx::query(KEY)
            .bind(told.tenant.as_str())
            .bind(bytes(&keyed.key.digest()))
            .bind(bytes(&keyed.key.body))
            .bind(keyed.answer.as_str())
            .bind(at_us);
        if insert.execute(&mut *transaction).await?.rows_affected() == 0 {
            transaction.roll_back().await?;
            return Ok(Appended::KeyPresent);
        }
    }
    let outcomes = (0_i64..).zip(&told.outcomes);
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

async fn add(db: &mut SqliteConnection, outcomes: &[Known]) -> Result<(), StoreError> {
    const ADD: &str = "INSERT INTO outcomes (tenant, session_id, seq, idx, source, correct, at_us) \
        VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (tenant, session_id, seq, idx) DO NOTHING";
    const COUNT: &str = "INSERT INTO sources (tenant, source, correct, total, last_us) \
        VALUES ($1, $2, $3, 1, $4) ON CONFLICT (tenant, source) DO UPDATE \
        SET correct = sources.correct + excluded.correct, total = sources.total + 1, \
        last_us = max(sources.last_us, excluded.last_us)";
    let mut touched = BTreeSet::new();
    for (tenant, session_id, seq, idx, source, correct, at_us) in outcomes {
        let insert = sqlx::query(ADD)
            .bind(tenant.as_str())
            .bind(*session_id)
            .bind(*seq)
            .bind(*idx)
            .bind(source.as_str())
            .bind(*correct)
            .bind(*at_us);
        if insert.execute(&mut *db).await?.rows_affected() > 0 {
            let count = sqlx::query(COUNT)
                .bind(tenant.as_str())
                .bind(source.as_str())
                .bind(i64::from(*correct))
                .bind(*at_us);
            count.execute(&mut *db).await?;
            touched.insert((tenant.as_str(), source.as_str()));
        }
    }
    for (tenant, source) in touched {
        trim(db, tenant, source).await?;
    }
    Ok(())
}

/// Forgets all but a source's newest outcomes.
async fn trim(db: &mut SqliteConnection, tenant: &str, source: &str) -> Result<(), StoreError> {
    const OVER: &str = "SELECT count(*) FROM sources \
        WHERE tenant = $1 AND source = $2 AND total > $3";
    const OLD: &str = "DELETE FROM outcomes WHERE (tenant, session_id, seq, idx) IN \
        (SELECT tenant, session_id, seq, idx FROM outcomes WHERE tenant = $1 AND source = $2 \
        ORDER BY at_us DESC, session_id, seq, idx LIMIT -1 OFFSET $3) RETURNING correct";
    const COUNT: &str = "UPDATE sources SET correct = correct - $3, total = total - $4 \
        WHERE tenant = $1 AND source = $2";
    let most = i64::from(limits::OUTCOMES_PER_SOURCE);
    let over = sqlx::query_scalar(OVER)
        .bind(tenant)
        .bind(source)
        .bind(most);
    let over: i64 = over.fetch_one(&mut *db).await?;
    if over == 0 {
        return Ok(());
    }
    let old = sqlx::query_scalar(OLD).bind(tenant).bind(source).bind(most);
    let old: Vec<bool> = old.fetch_all(&mut *db).await?;
    let (correct, total) = (old.iter().filter(|correct| **correct).count(), old.len());
    let count = sqlx::query(COUNT)
        .bind(tenant)
        .bind(source)
        .bind(i64::try_from(correct).unwrap_or(i64::MAX))
        .bind(i64::try_from(total).unwrap_or(i64::MAX));
    count.execute(&mut *db).await?;
    Ok(())
}
