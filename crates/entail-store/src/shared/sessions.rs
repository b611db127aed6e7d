//! Reading sessions and journals.

macro_rules! session_operations {
    () => {
        async fn session(&self, tenant: &str, id: Uuid) -> Result<Option<SessionRow>, StoreError> {
            const SQL: &str = concat!(
                "SELECT ", session_columns!(), " FROM sessions WHERE session_id = $1 AND tenant = $2"
            );
            let query = sqlx::query_as::<_, SessionRecord>(SQL).bind(id).bind(tenant);
            query.fetch_optional(self.reader()).await?.map(SessionRecord::read).transpose()
        }

        async fn expired_sessions(
            &self,
            now: Timestamp,
            limit: u32,
        ) -> Result<Vec<(String, Uuid)>, StoreError> {
            const SQL: &str = "SELECT tenant, session_id FROM sessions \
                WHERE expires_us <= $1 AND state = 'open' ORDER BY expires_us, session_id LIMIT $2";
            let query = sqlx::query_as(SQL).bind(now.as_micros()).bind(i64::from(limit));
            Ok(query.fetch_all(self.reader()).await?)
        }

        async fn retired_sessions(
            &self,
            before: Timestamp,
            limit: u32,
        ) -> Result<Vec<(String, Uuid)>, StoreError> {
            const SQL: &str = "SELECT tenant, session_id FROM sessions \
                WHERE expires_us < $1 AND state <> 'open' ORDER BY expires_us, session_id LIMIT $2";
            let query = sqlx::query_as(SQL).bind(before.as_micros()).bind(i64::from(limit));
            Ok(query.fetch_all(self.reader()).await?)
        }

        async fn projected(&self, session_id: Uuid) -> Result<u64, StoreError> {
            const SQL: &str = "SELECT version FROM projections WHERE session_id = $1";
            let query = sqlx::query_scalar(SQL).bind(session_id);
            let version: Option<i64> = query.fetch_optional(self.reader()).await?;
            rows::unsigned(version.unwrap_or(0), "projections.version")
        }

        async fn unprojected(
            &self,
            after: Option<Uuid>,
            limit: u32,
        ) -> Result<Vec<(String, Uuid, u64)>, StoreError> {
            const SQL: &str = "SELECT s.tenant, s.session_id, coalesce(p.version, 0) \
                FROM sessions s LEFT JOIN projections p ON p.session_id = s.session_id \
                WHERE s.session_id > $1 AND s.version > coalesce(p.version, 0) \
                ORDER BY s.session_id LIMIT $2";
            let query = sqlx::query_as(SQL)
                .bind(after.unwrap_or(Uuid::nil()))
                .bind(i64::from(limit));
            let records: Vec<(String, Uuid, i64)> = query.fetch_all(self.reader()).await?;
            let read = |(tenant, id, version)| {
                Ok((tenant, id, rows::unsigned(version, "projections.version")?))
            };
            records.into_iter().map(read).collect()
        }

        async fn entries(
            &self,
            session_id: Uuid,
            after: u64,
            kind: Option<&str>,
            limit: u32,
        ) -> Result<Vec<Entry>, StoreError> {
            const ALL: &str = "SELECT seq, v, kind, payload, events, prev_hash, hash, created_at \
                FROM journal WHERE session_id = $1 AND seq > $2 ORDER BY seq LIMIT $3";
            const OF_KIND: &str =
                "SELECT seq, v, kind, payload, events, prev_hash, hash, created_at \
                FROM journal WHERE session_id = $1 AND seq > $2 AND kind = $4 \
                ORDER BY seq LIMIT $3";
            let sql = if kind.is_some() { OF_KIND } else { ALL };
            let mut query = sqlx::query_as::<_, EntryRecord>(sql)
                .bind(session_id)
                .bind(rows::signed(after))
                .bind(i64::from(limit));
            if let Some(kind) = kind {
                query = query.bind(kind);
            }
            let records = query.fetch_all(self.reader()).await?;
            let session_id = session_id.to_string();
            records.into_iter().map(|record| rows::entry(&session_id, record)).collect()
        }
    };
}
pub(crate) use session_operations;
