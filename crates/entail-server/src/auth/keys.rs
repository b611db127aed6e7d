//! The keys in force, looked up in the store and remembered for a few seconds.

use std::{
    collections::HashMap,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, AtomicI64, Ordering},
    },
};

use entail_store::{ApiKey, Store, StoreError};
use uuid::Uuid;

use super::Token;
use crate::{
    caller::{Caller, Scope},
    clock,
    limits::{KEY_TRUST_MICROS, KEYS_REMEMBERED, NO_KEY_TRUST_MICROS},
};

/// The keys in force.
#[derive(Debug, Default)]
pub(crate) struct Keys {
    remembered: Mutex<HashMap<Uuid, (ApiKey, i64)>>,
    exist: AtomicBool,
    looked_at: AtomicI64,
}

impl Keys {
    /// Whether there is any key in force, of any tenant. Once there is one, that stands until
    /// the service is started again, so that revoking the last key opens nothing.
    pub(crate) async fn exist(&self, store: &Store) -> Result<bool, StoreError> {
        if self.exist.load(Ordering::Relaxed) {
            return Ok(true);
        }
        let now = clock::now_micros();
        let looked_at = self.looked_at.load(Ordering::Relaxed);
        if now.saturating_sub(looked_at) < NO_KEY_TRUST_MICROS {
            return Ok(false);
        }
        let keys = store.api_keys(None).await?;
        let exist = keys.iter().any(|key| key.revoked_at.is_none());
        self.looked_at.store(now, Ordering::Relaxed);
        self.exist.fetch_or(exist, Ordering::Relaxed);
        Ok(exist)
    }

    /// The caller whose token that is, if it is a key in force.
    pub(crate) async fn caller(
        &self,
        store: &Store,
        token: &Token,
    ) -> Result<Option<Caller>, StoreError> {
        let id = token.id();
        let key = match self.recall(id) {
            Some(key) => Some(key),
            None => {
                let key = store.api_key(id).await?;
                if let Some(key) = &key {
                    self.remember(key);
                }
                key
            }
        };
        let in_force = key.filter(|key| key.revoked_at.is_none() && token.proves(&key.secret));
        Ok(in_force.map(|key| caller_of(&key)))
    }

    fn recall(&self, id: Uuid) -> Option<ApiKey> {
        let remembered = self
            .remembered
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let (key, since) = remembered.get(&id)?;
        let is_fresh = clock::now_micros().saturating_sub(*since) < KEY_TRUST_MICROS;
        is_fresh.then(|| key.clone())
    }

    fn remember(&self, key: &ApiKey) {
        let mut remembered = self
            .remembered
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if remembered.len() >= KEYS_REMEMBERED {
            remembered.clear();
        }
        remembered.insert(key.id, (key.clone(), clock::now_micros()));
    }
}

/// The caller that a key stands for.
fn caller_of(key: &ApiKey) -> Caller {
    Caller {
        tenant: key.tenant.clone(),
        scopes: key.scopes.split(' ').filter_map(Scope::named).collect(),
        model: key.model.clone(),
        key: Some(key.id),
    }
}

/// Scopes as they are kept with a key.
pub(crate) fn scopes_text(scopes: &[Scope]) -> String {
    let mut names: Vec<_> = scopes.iter().map(|scope| scope.as_str()).collect();
    names.dedup();
    names.join(" ")
}
