//! What lies beside the journal: documents, contexts, snapshots; and what a purge removes.

macro_rules! beside_operations {
    () => {
        async fn put_document(
            &self,
            tenant: &str,
            content: &[u8],
            now: Timestamp,
        ) -> Result<Digest, StoreError> {
            const RENEW: &str = "UPDATE documents SET written_us = $3 \
                WHERE tenant = $1 AND sha256 = $2";
            const WRITE: &str = "INSERT INTO documents (tenant, sha256, written_us, content) \
                VALUES ($1, $2, $3, $4) \
                ON CONFLICT (tenant, sha256) DO UPDATE SET written_us = excluded.written_us";
            check_text("tenant", tenant, limits::TENANT_BYTES)?;
            let sha256 = sha256(content);
            // A content written before need not travel again.
            let renew = sqlx::query(RENEW)
                .bind(tenant)
                .bind(&sha256.as_bytes()[..])
                .bind(now.as_micros());
            if renew.execute(self.writer()).await?.rows_affected() == 0 {
                let write = sqlx::query(WRITE)
                    .bind(tenant)
                    .bind(&sha256.as_bytes()[..])
                    .bind(now.as_micros())
                    .bind(content);
                write.execute(self.writer()).await?;
            }
            Ok(sha256)
        }

        async fn document(
            &self,
            tenant: &str,
            sha256: &Digest,
        ) -> Result<Option<Vec<u8>>, StoreError> {
            const SQL: &str = "SELECT content FROM documents WHERE tenant = $1 AND sha256 = $2";
            let query = sqlx::query_scalar(SQL).bind(tenant).bind(&sha256.as_bytes()[..]);
            let content: Option<Vec<u8>> = query.fetch_optional(self.reader()).await?;
            match content {
                Some(content) if entail_json::sha256(&content) != *sha256 => {
                    Err(StoreError::CorruptDocument { sha256: *sha256 })
                }
                content => Ok(content),
            }
        }

        async fn put_context(&self, context: Context) -> Result<Appended, StoreError> {
            check_text("refs", &context.refs, usize::MAX)?;
            check_text("documents", &context.documents, usize::MAX)?;
            self.contexts.append(context).await
        }

        async fn latest_context(
            &self,
            session_id: Uuid,
            now: Timestamp,
        ) -> Result<Option<Context>, StoreError> {
            // What a scoped context showed ends with the key it is scoped to.
            const SQL: &str = "SELECT context_id FROM contexts \
                WHERE session_id = $1 AND expires_us > $2 AND refs NOT LIKE '%\"}' \
                ORDER BY context_id DESC LIMIT 1";
            let query = sqlx::query_scalar(SQL).bind(session_id).bind(now.as_micros());
            let id: Option<Uuid> = query.fetch_optional(self.reader()).await?;
            match id {
                Some(id) => self.context(session_id, id, now).await,
                None => Ok(None),
            }
        }

        async fn context(
            &self,
            session_id: Uuid,
            id: Uuid,
            now: Timestamp,
        ) -> Result<Option<Context>, StoreError> {
            const SQL: &str = "SELECT version, as_of_us, refs, documents, expires_us \
                FROM contexts WHERE session_id = $1 AND context_id = $2 AND expires_us > $3";
            let query = sqlx::query_as(SQL).bind(session_id).bind(id).bind(now.as_micros());
            let record: Option<(i64, i64, String, String, i64)> =
                query.fetch_optional(self.reader()).await?;
            let read = |(version, as_of_us, refs, documents, expires_us)| {
                Ok(Context {
                    session_id,
                    id,
                    version: rows::unsigned(version, "contexts.version")?,
                    as_of: rows::time(as_of_us, "contexts.as_of_us")?,
                    refs,
                    documents,
                    expires_at: rows::time(expires_us, "contexts.expires_us")?,
                })
            };
            record.map(read).transpose()
        }

        async fn put_snapshot(&self, snapshot: &Snapshot) -> Result<(), StoreError> {
            const SQL: &str = "INSERT INTO snapshots \
                (session_id, seq, head, format, sha256, state) \
                SELECT session_id, $2, $3, $4, $5, $6 FROM sessions WHERE session_id = $1 \
                ON CONFLICT (session_id) DO UPDATE SET seq = excluded.seq, \
                head = excluded.head, format = excluded.format, sha256 = excluded.sha256, \
                state = excluded.state WHERE snapshots.seq <= excluded.seq";
            let format = i32::try_from(snapshot.format).unwrap_or(i32::MAX);
            let query = sqlx::query(SQL)
                .bind(snapshot.session_id)
                .bind(rows::signed(snapshot.seq))
                .bind(&snapshot.head.as_bytes()[..])
                .bind(format)
                .bind(&snapshot.sha256.as_bytes()[..])
                .bind(snapshot.state.as_slice());
            query.execute(self.writer()).await?;
            Ok(())
        }

        async fn snapshot(&self, session_id: Uuid) -> Result<Option<Snapshot>, StoreError> {
            const SQL: &str = "SELECT seq, head, format, sha256, state \
                FROM snapshots WHERE session_id = $1";
            let query = sqlx::query_as(SQL).bind(session_id);
            let record: Option<(i64, Vec<u8>, i32, Vec<u8>, Vec<u8>)> =
                query.fetch_optional(self.reader()).await?;
            let Some((seq, head, format, sha256, state)) = record else {
                return Ok(None);
            };
            Ok(Some(Snapshot {
                session_id,
                seq: rows::unsigned(seq, "snapshots.seq")?,
                head: rows::digest(&head, "snapshots.head")?,
                format: u32::try_from(format).map_err(|_| rows::unreadable("snapshots.format"))?,
                sha256: rows::digest(&sha256, "snapshots.sha256")?,
                state,
            }))
        }

        async fn delete_snapshot(&self, session_id: Uuid, seq: u64) -> Result<bool, StoreError> {
            const SQL: &str = "DELETE FROM snapshots WHERE session_id = $1 AND seq = $2";
            let query = sqlx::query(SQL).bind(session_id).bind(rows::signed(seq));
            Ok(query.execute(self.writer()).await?.rows_affected() > 0)
        }

        async fn purge(&self, now: Timestamp, limit: u32) -> Result<Purged, StoreError> {
            const CONTEXTS: &str = "DELETE FROM contexts WHERE (session_id, context_id) IN \
                (SELECT session_id, context_id FROM contexts WHERE expires_us <= $1 LIMIT $2)";
            const SESSION_KEYS: &str = "DELETE FROM session_keys WHERE (session_id, key) IN \
                (SELECT session_id, key FROM session_keys WHERE created_us <= $1 LIMIT $2)";
            const TENANT_KEYS: &str = "DELETE FROM tenant_keys WHERE (tenant, key) IN \
                (SELECT tenant, key FROM tenant_keys WHERE created_us <= $1 LIMIT $2)";
            // The time is asked again by the outer statement: a content renewed while this waits
            // for its row stays.
            const DOCUMENTS: &str = "DELETE FROM documents WHERE written_us <= $1 AND \
                (tenant, sha256) IN (SELECT d.tenant, d.sha256 FROM documents d \
                WHERE d.written_us <= $1 AND NOT EXISTS (SELECT 1 FROM session_documents n \
                WHERE n.tenant = d.tenant AND n.sha256 = d.sha256) LIMIT $2)";
            const SECRETS: &str = "DELETE FROM tool_secrets WHERE written_us <= $1 AND \
                (session_id, id) IN (SELECT t.session_id, t.id FROM tool_secrets t \
                WHERE t.written_us <= $1 AND NOT EXISTS (SELECT 1 FROM sessions s \
                WHERE s.session_id = t.session_id) LIMIT $2)";
            let day_ago = now.saturating_add_micros(-limits::DAY_MICROS);
            let grace = now.saturating_add_micros(-limits::DOCUMENT_GRACE_MICROS);
            let mut removed = [0_u64; 5];
            let jobs = [
                (CONTEXTS, now),
                (SESSION_KEYS, day_ago),
                (TENANT_KEYS, day_ago),
                (DOCUMENTS, grace),
                (SECRETS, grace),
            ];
            for ((sql, until), removed) in jobs.into_iter().zip(&mut removed) {
                let query = sqlx::query(sql).bind(until.as_micros()).bind(i64::from(limit));
                *removed = query.execute(self.writer()).await?.rows_affected();
            }
            let [contexts, session_keys, tenant_keys, documents, secrets] = removed;
            let keys = session_keys.saturating_add(tenant_keys);
            Ok(Purged { contexts, keys, documents, secrets })
        }

        async fn probe(&self, now: Timestamp) -> Result<(), StoreError> {
            const SQL: &str = "INSERT INTO probes (tenant, at_us) VALUES ('', $1) \
                ON CONFLICT (tenant) DO UPDATE SET at_us = excluded.at_us";
            sqlx::query(SQL).bind(now.as_micros()).execute(self.writer()).await?;
            Ok(())
        }
    };
}
pub(crate) use beside_operations;
