//! The values of http tools' headers, which journals name and never hold.

macro_rules! secret_operations {
    () => {
        async fn put_secret(
            &self,
            session_id: Uuid,
            proposed: Uuid,
            value: &str,
            now: Timestamp,
        ) -> Result<Uuid, StoreError> {
            const RENEW: &str = "UPDATE tool_secrets SET written_us = $3 \
                WHERE session_id = $1 AND value = $2 RETURNING id";
            const WRITE: &str = "INSERT INTO tool_secrets (session_id, id, value, written_us) \
                VALUES ($1, $2, $3, $4)";
            let renew = sqlx::query_scalar(RENEW)
                .bind(session_id)
                .bind(value.as_bytes())
                .bind(now.as_micros());
            // Two that wrote it at once made two rows: all who come later name the first.
            let held: Vec<Uuid> = renew.fetch_all(self.writer()).await?;
            if let Some(id) = held.into_iter().min() {
                return Ok(id);
            }
            let write = sqlx::query(WRITE)
                .bind(session_id)
                .bind(proposed)
                .bind(value.as_bytes())
                .bind(now.as_micros());
            write.execute(self.writer()).await?;
            Ok(proposed)
        }

        async fn secret(&self, session_id: Uuid, id: Uuid) -> Result<Option<String>, StoreError> {
            const SQL: &str = "SELECT value FROM tool_secrets WHERE session_id = $1 AND id = $2";
            let query = sqlx::query_scalar(SQL).bind(session_id).bind(id);
            let value: Option<Vec<u8>> = query.fetch_optional(self.reader()).await?;
            let read = |value| {
                String::from_utf8(value).map_err(|_| rows::unreadable("tool_secrets.value"))
            };
            value.map(read).transpose()
        }
    };
}
pub(crate) use secret_operations;
