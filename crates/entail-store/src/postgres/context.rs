//! Contexts in Postgres: one statement for all that wait.

use std::collections::HashMap;

use sqlx::PgPool;
use uuid::Uuid;

use crate::error::StoreError;
use crate::group::Sink;
use crate::rows;
use crate::types::{Appended, Context};

/// Keeps those of the contexts whose sessions are at the version they were made at; told for
/// each is its session's version.
const KEEP: &str = "WITH given AS (
    SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::bigint[], $5::text[],
        $6::text[], $7::bigint[])
    AS g (session_id, context_id, version, as_of_us, refs, documents, expires_us)),
    found AS (
        SELECT g.*, s.version AS at_version FROM given g JOIN sessions s USING (session_id)),
    kept AS (
        INSERT INTO contexts (session_id, context_id, version, as_of_us, refs, documents,
            expires_us)
        SELECT session_id, context_id, version, as_of_us, refs, documents, expires_us
        FROM found WHERE version = at_version
        ON CONFLICT (session_id, context_id) DO NOTHING)
    SELECT context_id, at_version FROM found";

/// Writes batches of contexts.
#[derive(Clone, Debug)]
pub(super) struct ContextSink {
    pub(super) pool: PgPool,
}

impl Sink for ContextSink {
    type Item = Context;

    async fn write(&self, batch: &[&Context]) -> Result<Vec<Option<Appended>>, StoreError> {
        fn each<'a, T>(batch: &[&'a Context], value: impl Fn(&'a Context) -> T) -> Vec<T> {
            batch.iter().map(|context| value(context)).collect()
        }
        let found: Vec<(Uuid, i64)> = sqlx::query_as(KEEP)
            .bind(each(batch, |context| context.session_id))
            .bind(each(batch, |context| context.id))
            .bind(each(batch, |context| rows::signed(context.version)))
            .bind(each(batch, |context| context.as_of.as_micros()))
            .bind(each(batch, |context| context.refs.as_str()))
            .bind(each(batch, |context| context.documents.as_str()))
            .bind(each(batch, |context| context.expires_at.as_micros()))
            .fetch_all(&self.pool)
            .await?;
        let found: HashMap<Uuid, i64> = found.into_iter().collect();
        let settle = |context: &&Context| {
            let Some(version) = found.get(&context.id) else {
                return Ok(Some(Appended::Gone));
            };
            let version = rows::unsigned(*version, "sessions.version")?;
            Ok(Some(if version == context.version {
                Appended::Done
            } else {
                Appended::Conflict { version }
            }))
        };
        batch.iter().map(settle).collect()
    }

    /// A context brings its session to no version.
    async fn holds(&self, _: &Context, _: u64) -> Result<bool, StoreError> {
        Ok(false)
    }
}
