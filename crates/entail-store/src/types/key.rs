//! Idempotency keys and API keys.

use entail_json::{Digest, Hasher};
use entail_trace::journal::Timestamp;
use uuid::Uuid;

use crate::error::{Refusal, check_text};
use crate::limits;

/// An `Idempotency-Key` within its scope (the tenant or session is given by the operation).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct IdempotencyKey {
    /// Method and path, such as `POST /sessions`.
    pub scope: String,
    /// The key as the caller sent it.
    pub key: String,
    /// The hash of the request's body, so that a key used again with another body is noticed.
    pub body: Digest,
}

impl IdempotencyKey {
    /// What is stored as the key: of one length, however long scope and key are.
    pub(crate) fn digest(&self) -> Digest {
        let mut hasher = Hasher::default();
        hasher.update(self.scope.as_bytes());
        hasher.update(&[0]);
        hasher.update(self.key.as_bytes());
        hasher.finish()
    }

    pub(crate) fn check(&self) -> Result<(), Refusal> {
        check_text("idempotency scope", &self.scope, usize::MAX)?;
        check_text("idempotency key", &self.key, limits::IDEMPOTENCY_KEY_BYTES)
    }
}

/// A key with the answer that a repetition of the request gets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyedAnswer {
    /// The key.
    pub key: IdempotencyKey,
    /// The answer (status, headers, body), in a form of the server's.
    pub answer: String,
}

impl KeyedAnswer {
    pub(crate) fn check(&self) -> Result<(), Refusal> {
        self.key.check()?;
        check_text("answer", &self.answer, usize::MAX)
    }
}

/// An answer found under a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredAnswer {
    /// The hash of the body it answered.
    pub body: Digest,
    /// The answer.
    pub answer: String,
}

/// What a tenant's key stands for once it is reserved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reservation {
    /// The session's id: the one proposed, or that of the request that reserved first.
    pub session_id: Uuid,
    /// The hash of the body that reserved.
    pub body: Digest,
    /// The stored answer; `None` while the session is not created.
    pub answer: Option<String>,
}

/// An API key; of the secret itself only a hash is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiKey {
    /// Whose key it is.
    pub tenant: String,
    /// Its public id, a part of the token.
    pub id: Uuid,
    /// What people call it.
    pub name: String,
    /// The hash of the secret, to be compared in constant time.
    pub secret: Digest,
    /// Its scopes, in a form of the server's.
    pub scopes: String,
    /// The model's name, where the key fixes it.
    pub model: Option<String>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was revoked.
    pub revoked_at: Option<Timestamp>,
}

impl ApiKey {
    pub(crate) fn check(&self) -> Result<(), Refusal> {
        check_text("tenant", &self.tenant, limits::TENANT_BYTES)?;
        check_text("name", &self.name, limits::API_KEY_TEXT_BYTES)?;
        check_text("scopes", &self.scopes, limits::API_KEY_TEXT_BYTES)?;
        let model = self.model.as_deref().unwrap_or_default();
        check_text("model", model, limits::API_KEY_TEXT_BYTES)
    }
}
