//! The views for dashboards in SQLite.

use sqlx::{SqliteConnection, SqlitePool};

use super::transaction::Transaction;
use crate::error::StoreError;
use crate::rows::signed;
use crate::types::{ProjectedTurn, Projection};

pub(super) async fn project(
    pool: &SqlitePool,
    projection: &Projection,
) -> Result<bool, StoreError> {
    const FIRST: &str = "INSERT INTO projections (session_id, version) \
        SELECT session_id, $2 FROM sessions WHERE session_id = $1 AND $3 = 0 \
        ON CONFLICT (session_id) DO NOTHING";
    const NEXT: &str = "UPDATE projections SET version = $2 \
        WHERE session_id = $1 AND version = $3";
    let mut transaction = Transaction::begin(pool).await?;
    let step = sqlx::query(if projection.from == 0 { FIRST } else { NEXT })
        .bind(projection.session_id)
        .bind(signed(projection.to))
        .bind(signed(projection.from));
    if step.execute(&mut *transaction).await?.rows_affected() == 0 {
        transaction.roll_back().await?;
        return Ok(false);
    }
    beliefs(&mut transaction, projection).await?;
    for turn in &projection.turns {
        write_turn(&mut transaction, projection, turn).await?;
    }
    transaction.commit().await?;
    Ok(true)
}

async fn beliefs(db: &mut SqliteConnection, projection: &Projection) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO beliefs (session_id, tenant, as_of_version, ref, key, value, \
        source, status, confidence) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) \
        ON CONFLICT (session_id, ref) DO UPDATE SET as_of_version = excluded.as_of_version, \
        key = excluded.key, value = excluded.value, source = excluded.source, \
        status = excluded.status, confidence = excluded.confidence";
    for belief in &projection.beliefs {
        sqlx::query(SQL)
            .bind(projection.session_id)
            .bind(projection.tenant.as_str())
            .bind(signed(projection.as_of))
            .bind(belief.reference.as_str())
            .bind(belief.key.as_str())
            .bind(belief.value.as_str())
            .bind(belief.source.as_str())
            .bind(belief.status.as_str())
            .bind(belief.confidence)
            .execute(&mut *db)
            .await?;
    }
    Ok(())
}

async fn write_turn(
    db: &mut SqliteConnection,
    projection: &Projection,
    turn: &ProjectedTurn,
) -> Result<(), StoreError> {
    const TURN: &str = "INSERT INTO turns (session_id, tenant, turn, model, verdict, accepted, \
        rejected, at_us) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) \
        ON CONFLICT (session_id, turn) DO NOTHING";
    const REJECTION: &str = "INSERT INTO rejections (session_id, tenant, turn, at_us, idx, \
        action, key, code, message) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) \
        ON CONFLICT (session_id, turn, idx) DO NOTHING";
    sqlx::query(TURN)
        .bind(projection.session_id)
        .bind(projection.tenant.as_str())
        .bind(signed(turn.turn))
        .bind(turn.model.as_deref())
        .bind(turn.verdict.as_str())
        .bind(signed(turn.accepted))
        .bind(signed(turn.rejected.len() as u64))
        .bind(turn.at.as_micros())
        .execute(&mut *db)
        .await?;
    for (index, rejection) in (0_i64..).zip(&turn.rejected) {
        sqlx::query(REJECTION)
            .bind(projection.session_id)
            .bind(projection.tenant.as_str())
            .bind(signed(turn.turn))
            .bind(turn.at.as_micros())
            .bind(index)
            .bind(rejection.action.as_deref())
            .bind(rejection.key.as_deref())
            .bind(rejection.code.as_str())
            .bind(rejection.message.as_str())
            .execute(&mut *db)
            .await?;
    }
    Ok(())
}
