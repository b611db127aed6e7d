//! The views for dashboards in Postgres.

use entail_trace::journal::Timestamp;
use sqlx::{PgConnection, PgPool};

use crate::error::StoreError;
use crate::rows::signed;
use crate::types::{ProjectedBelief, ProjectedRejection, ProjectedTurn, Projection};

pub(super) async fn project(pool: &PgPool, projection: &Projection) -> Result<bool, StoreError> {
    // The share lock holds off the session's deletion, not its commits.
    const FIRST: &str = "INSERT INTO projections (session_id, version) \
        SELECT session_id, $2 FROM sessions WHERE session_id = $1 AND $3 = 0 FOR KEY SHARE \
        ON CONFLICT (session_id) DO NOTHING";
    const NEXT: &str = "UPDATE projections SET version = $2 \
        WHERE session_id = $1 AND version = $3";
    let mut transaction = pool.begin().await?;
    let step = sqlx::query(if projection.from == 0 { FIRST } else { NEXT })
        .bind(projection.session_id)
        .bind(signed(projection.to))
        .bind(signed(projection.from));
    if step.execute(&mut *transaction).await?.rows_affected() == 0 {
        return Ok(false);
    }
    beliefs(&mut transaction, projection).await?;
    turns(&mut transaction, projection).await?;
    rejections(&mut transaction, projection).await?;
    transaction.commit().await?;
    Ok(true)
}

async fn beliefs(db: &mut PgConnection, projection: &Projection) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO beliefs (session_id, tenant, as_of_version, ref, key, value, \
        source, status, confidence) \
        SELECT DISTINCT ON (b.ref) $1, $2, $3, b.* FROM unnest($4::text[], $5::text[], \
        $6::text[], $7::text[], $8::text[], $9::float8[]) \
        AS b (ref, key, value, source, status, confidence) \
        ON CONFLICT (session_id, ref) DO UPDATE SET as_of_version = excluded.as_of_version, \
        key = excluded.key, value = excluded.value, source = excluded.source, \
        status = excluded.status, confidence = excluded.confidence";
    if projection.beliefs.is_empty() {
        return Ok(());
    }
    let text = |field: fn(&ProjectedBelief) -> &str| -> Vec<&str> {
        projection.beliefs.iter().map(field).collect()
    };
    let confidence = projection.beliefs.iter().map(|belief| belief.confidence);
    sqlx::query(SQL)
        .bind(projection.session_id)
        .bind(projection.tenant.as_str())
        .bind(signed(projection.as_of))
        .bind(text(|belief| &belief.reference))
        .bind(text(|belief| &belief.key))
        .bind(text(|belief| &belief.value))
        .bind(text(|belief| &belief.source))
        .bind(text(|belief| &belief.status))
        .bind(confidence.collect::<Vec<f64>>())
        .execute(db)
        .await?;
    Ok(())
}

async fn turns(db: &mut PgConnection, projection: &Projection) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO turns (session_id, tenant, turn, model, verdict, accepted, \
        rejected, at_us) SELECT $1, $2, t.* FROM unnest($3::bigint[], $4::text[], $5::text[], \
        $6::bigint[], $7::bigint[], $8::bigint[]) AS t ON CONFLICT DO NOTHING";
    if projection.turns.is_empty() {
        return Ok(());
    }
    let number = |field: fn(&ProjectedTurn) -> i64| -> Vec<i64> {
        projection.turns.iter().map(field).collect()
    };
    let models = projection.turns.iter().map(|turn| turn.model.as_deref());
    let verdicts = projection.turns.iter().map(|turn| turn.verdict.as_str());
    sqlx::query(SQL)
        .bind(projection.session_id)
        .bind(projection.tenant.as_str())
        .bind(number(|turn| signed(turn.turn)))
        .bind(models.collect::<Vec<Option<&str>>>())
        .bind(verdicts.collect::<Vec<&str>>())
        .bind(number(|turn| signed(turn.accepted)))
        .bind(number(|turn| signed(turn.rejected.len() as u64)))
        .bind(number(|turn| turn.at.as_micros()))
        .execute(db)
        .await?;
    Ok(())
}

async fn rejections(db: &mut PgConnection, projection: &Projection) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO rejections (session_id, tenant, turn, at_us, idx, action, key, \
        code, message) SELECT $1, $2, r.* FROM unnest($3::bigint[], $4::bigint[], $5::int[], \
        $6::text[], $7::text[], $8::text[], $9::text[]) AS r ON CONFLICT DO NOTHING";
    type Placed<'a> = (u64, Timestamp, i32, &'a ProjectedRejection);
    let placed = projection.turns.iter().flat_map(|turn| {
        let numbered = (0_i32..).zip(&turn.rejected);
        numbered.map(|(index, rejection)| (turn.turn, turn.at, index, rejection))
    });
    let placed: Vec<Placed<'_>> = placed.collect();
    if placed.is_empty() {
        return Ok(());
    }
    let all = placed.iter();
    sqlx::query(SQL)
        .bind(projection.session_id)
        .bind(projection.tenant.as_str())
        .bind(
            all.clone()
                .map(|placed| signed(placed.0))
                .collect::<Vec<_>>(),
        )
        .bind(
            all.clone()
                .map(|placed| placed.1.as_micros())
                .collect::<Vec<_>>(),
        )
        .bind(all.clone().map(|placed| placed.2).collect::<Vec<_>>())
        .bind(
            all.clone()
                .map(|placed| placed.3.action.as_deref())
                .collect::<Vec<_>>(),
        )
        .bind(
            all.clone()
                .map(|placed| placed.3.key.as_deref())
                .collect::<Vec<_>>(),
        )
        .bind(
            all.clone()
                .map(|placed| placed.3.code.as_str())
                .collect::<Vec<_>>(),
        )
        .bind(
            all.map(|placed| placed.3.message.as_str())
                .collect::<Vec<_>>(),
        )
        .execute(db)
        .await?;
    Ok(())
}
