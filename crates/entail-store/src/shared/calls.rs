//! Leasing calls, and reading the trust ledger.

macro_rules! call_operations {
    ($lock:literal) => {
        async fn lease_calls(
            &self,
            now: Timestamp,
            until: Timestamp,
            limit: u32,
        ) -> Result<Vec<DueCall>, StoreError> {
            const SQL: &str = concat!(
                "UPDATE calls SET attempt = attempt + 1, due_us = $2 \
                WHERE (session_id, call_id) IN (SELECT session_id, call_id FROM calls \
                WHERE due_us <= $1 ORDER BY due_us, session_id, call_id LIMIT $3",
                $lock,
                ") RETURNING tenant, session_id, call_id, attempt"
            );
            let query = sqlx::query_as(SQL)
                .bind(now.as_micros())
                .bind(until.as_micros())
                .bind(i64::from(limit));
            let records: Vec<(String, Uuid, String, i32)> = query.fetch_all(self.writer()).await?;
            let read = |(tenant, session_id, call_id, attempt)| {
                let attempt = u32::try_from(attempt)
                    .map_err(|_: std::num::TryFromIntError| rows::unreadable("calls.attempt"))?;
                Ok(DueCall {
                    tenant,
                    session_id,
                    call_id,
                    attempt,
                })
            };
            records.into_iter().map(read).collect()
        }

        async fn retry_call(
            &self,
            session_id: Uuid,
            job: &CallJob,
            attempt: u32,
        ) -> Result<bool, StoreError> {
            const SQL: &str = "UPDATE calls SET due_us = $4 \
                WHERE session_id = $1 AND call_id = $2 AND attempt = $3";
            let query = sqlx::query(SQL)
                .bind(session_id)
                .bind(job.call_id.as_str())
                .bind(i64::from(attempt))
                .bind(job.due_at.as_micros());
            Ok(query.execute(self.writer()).await?.rows_affected() > 0)
        }

        async fn sources(
            &self,
            tenant: &str,
            after: Option<&str>,
            limit: u32,
        ) -> Result<Vec<SourceTotals>, StoreError> {
            const SQL: &str = "SELECT source, correct, total, last_us FROM sources \
                WHERE tenant = $1 AND source > $2 ORDER BY source LIMIT $3";
            let query = sqlx::query_as::<_, SourceRecord>(SQL)
                .bind(tenant)
                .bind(after.unwrap_or_default())
                .bind(i64::from(limit.min(limits::PAGE_ROWS)));
            query
                .fetch_all(self.reader())
                .await?
                .into_iter()
                .map(rows::source)
                .collect()
        }

        async fn source(
            &self,
            tenant: &str,
            source: &str,
        ) -> Result<Option<SourceTotals>, StoreError> {
            const SQL: &str = "SELECT source, correct, total, last_us FROM sources \
                WHERE tenant = $1 AND source = $2";
            let query = sqlx::query_as::<_, SourceRecord>(SQL)
                .bind(tenant)
                .bind(source);
            query
                .fetch_optional(self.reader())
                .await?
                .map(rows::source)
                .transpose()
        }

        async fn source_outcomes(
            &self,
            tenant: &str,
            source: &str,
            limit: u32,
        ) -> Result<Vec<LedgerOutcome>, StoreError> {
            const SQL: &str = "SELECT correct, at_us FROM outcomes \
                WHERE tenant = $1 AND source = $2 \
                ORDER BY at_us DESC, session_id, seq, idx LIMIT $3";
            let query = sqlx::query_as(SQL)
                .bind(tenant)
                .bind(source)
                .bind(i64::from(limit));
            let records: Vec<(bool, i64)> = query.fetch_all(self.reader()).await?;
            let read = |(correct, at_us)| {
                Ok(LedgerOutcome {
                    correct,
                    at: rows::time(at_us, "outcomes.at_us")?,
                })
            };
            records.into_iter().map(read).collect()
        }
    };
}
pub(crate) use call_operations;
