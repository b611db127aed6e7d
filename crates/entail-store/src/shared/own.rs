//! What each engine does in its own way, by functions of the same names in its own modules.

macro_rules! own_operations {
    () => {
        async fn create(&self, creation: Creation) -> Result<Created, StoreError> {
            creation.check()?;
            commit::create(self.writer(), &creation).await
        }

        async fn append(&self, commit: Commit) -> Result<Appended, StoreError> {
            commit.check()?;
            self.committer.append(commit).await
        }

        async fn sessions(
            &self,
            tenant: &str,
            filter: &SessionFilter,
            after: Option<Uuid>,
            limit: u32,
        ) -> Result<SessionPage, StoreError> {
            lists::sessions(self.reader(), tenant, filter, after, limit).await
        }

        async fn versions(&self, ids: &[Uuid]) -> Result<Vec<(Uuid, u64)>, StoreError> {
            lists::versions(self.reader(), ids).await
        }

        async fn delete_session(&self, tenant: &str, id: Uuid) -> Result<bool, StoreError> {
            lists::delete(self.writer(), tenant, id, None).await
        }

        async fn delete_session_at(
            &self,
            tenant: &str,
            id: Uuid,
            version: u64,
        ) -> Result<bool, StoreError> {
            lists::delete(self.writer(), tenant, id, Some(version)).await
        }

        async fn fold_outcomes(&self, limit: u32) -> Result<u32, StoreError> {
            ledger::fold(self.writer(), limit).await
        }

        async fn tell_outcomes(&self, told: &ToldOutcomes) -> Result<Appended, StoreError> {
            told.check()?;
            ledger::tell(self.writer(), told).await
        }

        async fn project(&self, projection: &Projection) -> Result<bool, StoreError> {
            projection.check()?;
            project::project(self.writer(), projection).await
        }
    };
}
pub(crate) use own_operations;
