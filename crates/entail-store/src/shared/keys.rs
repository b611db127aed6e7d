//! Idempotency keys and API keys.

macro_rules! key_operations {
    () => {
        async fn reserve_session(
            &self,
            tenant: &str,
            key: &IdempotencyKey,
            proposed: Uuid,
            now: Timestamp,
        ) -> Result<Reservation, StoreError> {
            // The update changes nothing: it makes the statement return the row that was there.
            const SQL: &str = "INSERT INTO tenant_keys \
                (tenant, key, body, session_id, created_us) VALUES ($1, $2, $3, $4, $5) \
                ON CONFLICT (tenant, key) DO UPDATE SET created_us = tenant_keys.created_us \
                RETURNING session_id, body, answer";
            check_text("tenant", tenant, limits::TENANT_BYTES)?;
            key.check()?;
            let digest = key.digest();
            let query = sqlx::query_as(SQL)
                .bind(tenant)
                .bind(&digest.as_bytes()[..])
                .bind(&key.body.as_bytes()[..])
                .bind(proposed)
                .bind(now.as_micros());
            let (session_id, body, answer): (Option<Uuid>, Vec<u8>, Option<String>) =
                query.fetch_one(self.writer()).await?;
            Ok(Reservation {
                session_id: session_id.ok_or(rows::unreadable("tenant_keys.session_id"))?,
                body: rows::digest(&body, "tenant_keys.body")?,
                answer,
            })
        }

        async fn answer(
            &self,
            session_id: Uuid,
            key: &IdempotencyKey,
        ) -> Result<Option<StoredAnswer>, StoreError> {
            const SQL: &str = "SELECT body, answer FROM session_keys \
                WHERE session_id = $1 AND key = $2";
            let digest = key.digest();
            let query = sqlx::query_as(SQL).bind(session_id).bind(&digest.as_bytes()[..]);
            let record: Option<(Vec<u8>, String)> = query.fetch_optional(self.reader()).await?;
            let read = |(body, answer): (Vec<u8>, String)| {
                Ok(StoredAnswer { body: rows::digest(&body, "session_keys.body")?, answer })
            };
            record.map(read).transpose()
        }

        async fn tenant_answer(
            &self,
            tenant: &str,
            key: &IdempotencyKey,
        ) -> Result<Option<StoredAnswer>, StoreError> {
            const SQL: &str = "SELECT body, answer FROM tenant_keys \
                WHERE tenant = $1 AND key = $2 AND answer IS NOT NULL";
            let digest = key.digest();
            let query = sqlx::query_as(SQL).bind(tenant).bind(&digest.as_bytes()[..]);
            let record: Option<(Vec<u8>, String)> = query.fetch_optional(self.reader()).await?;
            let read = |(body, answer): (Vec<u8>, String)| {
                Ok(StoredAnswer { body: rows::digest(&body, "tenant_keys.body")?, answer })
            };
            record.map(read).transpose()
        }

        async fn put_api_key(&self, key: &ApiKey) -> Result<bool, StoreError> {
            const SQL: &str = "INSERT INTO api_keys \
                (tenant, key_id, name, secret, scopes, model, created_us, revoked_us) \
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (tenant, key_id) DO NOTHING";
            key.check()?;
            let query = sqlx::query(SQL)
                .bind(key.tenant.as_str())
                .bind(key.id)
                .bind(key.name.as_str())
                .bind(&key.secret.as_bytes()[..])
                .bind(key.scopes.as_str())
                .bind(key.model.as_deref())
                .bind(key.created_at.as_micros())
                .bind(key.revoked_at.map(Timestamp::as_micros));
            Ok(query.execute(self.writer()).await?.rows_affected() > 0)
        }

        async fn api_key(&self, id: Uuid) -> Result<Option<ApiKey>, StoreError> {
            const SQL: &str = "SELECT tenant, key_id, name, secret, scopes, model, created_us, \
                revoked_us FROM api_keys WHERE key_id = $1";
            let query = sqlx::query_as::<_, ApiKeyRecord>(SQL).bind(id);
            query.fetch_optional(self.reader()).await?.map(rows::api_key).transpose()
        }

        async fn api_keys(&self, tenant: Option<&str>) -> Result<Vec<ApiKey>, StoreError> {
            const SQL: &str = "SELECT tenant, key_id, name, secret, scopes, model, created_us, \
                revoked_us FROM api_keys WHERE $1 IS NULL OR tenant = $1 \
                ORDER BY created_us, key_id";
            let query = sqlx::query_as::<_, ApiKeyRecord>(SQL).bind(tenant);
            query.fetch_all(self.reader()).await?.into_iter().map(rows::api_key).collect()
        }

        async fn revoke_api_key(
            &self,
            tenant: &str,
            id: Uuid,
            now: Timestamp,
        ) -> Result<bool, StoreError> {
            const SQL: &str = "UPDATE api_keys SET revoked_us = $3 \
                WHERE tenant = $1 AND key_id = $2 AND revoked_us IS NULL";
            let query = sqlx::query(SQL).bind(tenant).bind(id).bind(now.as_micros());
            Ok(query.execute(self.writer()).await?.rows_affected() > 0)
        }
    };
}
pub(crate) use key_operations;
